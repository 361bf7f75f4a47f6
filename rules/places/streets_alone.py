"""Streets without a number: German ones behind a preposition, French ones by an abbreviation."""

from collections.abc import Iterator

from rules.matching.scanner import Pattern

Place = tuple[int, int]

_GERMAN = Pattern(
    r"(?<![\w\-])(?:[Ii]n der|[Aa]n der|[Aa]uf der|[Ee]cke|[Ww]ohnt|[Ww]ohnhaft|[Aa]m|[Aa]uf dem"
    r"|[Vv]om|[Zz]um|[Zz]ur|[Bb]eim) "
    r"([A-Z][a-z]{2,24}(?:-[A-Z][a-z]{2,24}){0,3}-?(?:[Ss]tra(?:ss|\u00df)e|[Pp]latz|[Aa]llee|[Gg]asse))"
    r"(?![\w\-]| [0-9])",
    cased=True,
)
_FRENCH = Pattern(
    r"(?<![\w'\-])((?:[Bb]d|[Bb]ld|[Bb]oul|[Aa]ve)\.? (?:de la |de l'|des |du |d'|de )?"
    r"[A-Z][\w'\-]+(?: [A-Z][\w'\-]+){0,3})(?![\w\-])",
    cased=True,
)
# Places where something stands, lies or is done, and roads of a kind.
_NO_STREETS = frozenset(
    "arbeits heim park spiel sport pflege rast schlaf sitz bett therapie ausbildungs studien kita"
    " kindergarten zelt camping dialyse behandlungs betreuungs reit fussball bolz lande liege"
    " stand lager tennis golf bau reha klinik wohn tages schul ausbildung stell park- steh fenster"
    " wohnheim frauenhaus hospiz intensiv stations op ruhe dauer kurzzeitpflege wickel rettungs"
    " hubschrauberlande flug fu\u00dfball einbahn land bundes schnell neben seiten wasser milch"
    " sack hinter fuss brand tat unfall grill eis markt".split()
)
_KINDS = ("strasse", "stra\u00dfe", "platz", "allee", "gasse")


def streets_alone(cased: str, lang: str) -> Iterator[Place]:
    """Yield streets that no house number follows; `cased` is the text without accents.

    Offsets are code points, half open.
    """
    if lang == "de":
        for match in _GERMAN.finditer(cased):
            low = match[1].lower()
            kind = next(kind for kind in _KINDS if low.endswith(kind))
            if low.removesuffix(kind) not in _NO_STREETS:
                yield match.span(1)
    if lang == "fr":
        for match in _FRENCH.finditer(cased):
            yield match.span(1)
