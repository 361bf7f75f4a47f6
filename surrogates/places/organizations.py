"""Surrogates of organizations of the same kind: a school stays a school, a firm a firm.

The words for the kind stay as they are written, before the name or behind it; the name is drawn
from that of care sites, or is a town where the original's is one. An organization that is known by
its name alone (`AOK`, `MAIF`) gets the words for its kind.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from record.label import Label
from surrogates.patient import lexicon
from surrogates.patient.patient import Mention, Subject
from surrogates.patient.text_normalization import WORD, apply_case, fold, squeeze
from surrogates.places import places

_FIRST = 2
_REMEMBERED = 1 << 12
# Words for kinds that stand before the name; a word behind them that qualifies them stays as well.
_BEFORE = {
    "fr": (
        r"(?:ecole|college|lycee|universite|faculte|iut|creche|maternelle|institut|conservatoire)"
        r"(?: (?:primaire|maternelle|elementaire|superieure|professionnel|technique|general|prive"
        r"|privee|publique|polyvalent|agricole|catholique))*"
        r"|(?:societe|entreprise|ets|etablissements|transports|garage|boulangerie|boucherie"
        r"|restaurant|hotel|menuiserie|imprimerie|pharmacie|cabinet|groupe|ateliers|sarl|sas|eurl"
        r"|sci|scop)"
        r"|(?:fc|as|us|rc|club|association sportive)(?: (?:sportif|de football|de rugby|de tennis"
        r"|de natation|de bridge|nautique))*"
        r"|(?:paroisse|eglise|mosquee|synagogue|abbaye|temple|chapelle|monastere|basilique)"
        r"|(?:mutuelle|assurances?|caisse d'assurance maladie|cpam|mgen|msa)"
        r"|(?:banque|caisse d'epargne|credit agricole|credit mutuel)(?: populaire| postale)?"
        r"|(?:association|fondation|syndicat|federation|comite|amicale)"
        r"|(?:mairie|tribunal(?: judiciaire| administratif)?|prefecture|commissariat|gendarmerie"
        r"|brigade|conseil departemental|ccas|caf)"
    ),
    "en": (
        r"(?:university|college|school|academy) of|(?:church|chapel|parish|diocese) of"
        r"|(?:bank) of|(?:city|county|borough) of|(?:fc|afc|rfc)"
    ),
    "es": (
        r"(?:colegio|escuela|instituto|ies|ceip|universidad|facultad|guarderia|liceo|academia)"
        r"(?: (?:publico|privado|infantil|politecnica|concertado|nacional|autonoma))*"
        r"|(?:construcciones|transportes|talleres|empresa|grupo|bodegas?|panaderia|restaurante"
        r"|hotel|farmacia|cooperativa)"
        r"|(?:club(?: deportivo| de futbol| de tenis| nautico)?|cd|cf|ud|peña)"
        r"|(?:parroquia|iglesia|ermita|monasterio|convento|catedral|mezquita)"
        r"|(?:seguros|mutua|aseguradora)|(?:banco|caja(?: rural| de ahorros)?)"
        r"|(?:asociacion|fundacion|sindicato|hermandad|cofradia)"
        r"|(?:ayuntamiento|juzgado|comisaria|diputacion)(?: de primera instancia)?"
    ),
    "de": (
        r"(?:(?:grund|haupt|real|gesamt|mittel|berufs|forder|musik|volks|hoch|fach|privat)?-?schule"
        r"|gymnasium|universitat|kindergarten|kita|kolleg)"
        r"|(?:firma|backerei|metzgerei|gasthof|gasthaus|hotel|spedition|autohaus|kanzlei)"
        r"|(?:tsv|sv|fc|vfb|vfl|tus|sc|ssv"
        r"|(?:turn|sport|fussball|gesang|schutzen|musik|tennis|heimat|forder|reit|ski)?-?verein"
        r"|(?:tennis|golf|ski|tanz|ruder|segel)?-?club)"
        r"|(?:(?:kirchen|pfarr)?gemeinde|pfarrei|kirche|kloster|moschee|synagoge)"
        r"|(?:(?:kranken|lebens|unfall)?versicherung|(?:betriebs)?krankenkasse)"
        r"|(?:(?:stadt|kreis)?sparkasse|volksbank|raiffeisenbank|bank)"
        r"|(?:stiftung|verband|bund|genossenschaft)"
        r"|(?:amtsgericht|landgericht|polizei(?:station|inspektion)?|stadt|jugendamt|rathaus)"
    ),
    "nl": (
        r"(?:(?:basis|hoge|muziek)?school|college|universiteit|hogeschool|kinderdagverblijf|obs|gymnasium)"
        r"|(?:bakkerij|slagerij|restaurant|hotel|garage|(?:transport|bouw)?bedrijf)"
        r"|(?:fc|vv|sc|rkvv|hc|(?:voetbal|sport|tennis|muziek)?vereniging|(?:voetbal|tennis)?club)"
        r"|(?:(?:hervormde |gereformeerde |protestantse )?(?:kerk|gemeente)|parochie|moskee"
        r"|synagoge|klooster|abdij)"
        r"|(?:(?:zorg)?verzekeraar|verzekeringen|mutualiteit)|(?:bank)"
        r"|(?:stichting|vakbond)|(?:rechtbank|politie)"
    ),
}  # fmt: skip
_FORMS = (
    r"s\.?a\.?r\.?l\.?|s\.?a\.?s\.?(?:u\.?)?|s\.a\.?|sa|eurl|sci|scop|inc\.?|llc|llp|ltd\.?|limited"
    r"|plc|corp\.?|co\.?|gmbh(?: & co\. kg)?|ag|kg|ohg|e\. ?v\.|b\.?v\.?|n\.?v\.?|s\.?l\.?(?:u\.?)?"
    r"|s\.? ?coop\.?|& (?:sons|fils|sohne|zonen|hijos|co\.?)|et fils|y hijos|and sons"
)
# Words for kinds that stand behind the name.
_BEHIND = {
    "en": (
        r"(?:(?:elementary|primary|secondary|middle|high|grammar|nursery|junior|infant|comprehensive"
        r"|community|state|public|sixth form|bible|medical|law) )*"
        r"(?:school(?: district)?|college|academy|university|kindergarten|preschool)"
        r"|(?:(?:baptist|methodist|catholic|lutheran|parish|community|united) )*"
        r"(?:church|chapel|cathedral|parish|mosque|synagogue|temple)"
        r"|(?:(?:rowing|football|tennis|golf|social|cricket|rugby|country|swimming|youth|soccer"
        r"|running|book|bowling) )*(?:club|fc|united|team)"
        r"|(?:(?:health|life|mutual|car) )*(?:insurance|assurance|mutual)"
        r"|(?:bank|credit union|building society)"
        r"|(?:foundation|charity|trust|association|society|union)"
        r"|(?:police(?: department)?|court|city council|county council|council)"
        r"|(?:(?:logistics|builders|foods|bakery|farms?|motors|hardware|transport|construction"
        r"|restaurant|hotel|group|industries|services|brewery|supermarket) ?)+"
    ),
    "de": (
        r"(?:(?:grund|haupt|real|gesamt|mittel|berufs)?schule|gymnasium|kirche|verein|stiftung"
        r"|bank|versicherung|werke?|kolleg)"
    ),
    "nl": r"(?:school|college|lyceum|kerk|stichting|bank|verzekeringen|groep)",
}
# The ends of compounds: of `Pestalozzischule` the kind alone may stay.
_COMPOUND = {
    "de": r"schule|gymnasium|kolleg|verein|kirche|gemeinde|sparkasse|bank|versicherung|werke?",
    "nl": r"school|college|vereniging|kerk|verzekeringen|bank|bedrijf",
}
# Insurers and banks that are known by their names alone.
_INSURER, _BANK = "insurer", "bank"
_NAMED = {
    "fr": {
        _INSURER: "maif macif matmut gmf maaf axa allianz groupama harmonie malakoff mgen msa"
        " generali swisslife april",
        _BANK: "bnp paribas lcl boursorama hsbc bred cic",
    },
    "en": {
        _INSURER: "aetna cigna humana bupa axa aviva allianz geico allstate kaiser medicare anthem"
        " medicaid unitedhealthcare",
        _BANK: "barclays hsbc lloyds natwest santander citibank chase wells fargo",
    },
    "es": {
        _INSURER: "mapfre adeslas sanitas asisa dkv axa allianz muface isfas fiatc caser",
        _BANK: "bbva santander caixabank sabadell bankia bankinter ing",
    },
    "de": {
        _INSURER: "aok bkk ikk dak tk barmer debeka allianz huk knappschaft axa ergo signal iduna"
        " techniker hkk kkh",
        _BANK: "commerzbank postbank dkb ing hypovereinsbank targobank",
    },
    "nl": {
        _INSURER: "cz vgz menzis dsw onvz zilveren kruis achmea ohra unive fbto",
        _BANK: "rabobank ing abn amro sns asn triodos",
    },
}
# How those are written: the name takes the place of the braces.
_WRITTEN = {
    "fr": {_INSURER: "Mutuelle {}", _BANK: "Banque {}"},
    "en": {_INSURER: "{} Insurance", _BANK: "{} Bank"},
    "es": {_INSURER: "Seguros {}", _BANK: "Banco {}"},
    "de": {_INSURER: "Krankenkasse {}", _BANK: "Bank {}"},
    "nl": {_INSURER: "Zorgverzekeraar {}", _BANK: "Bank {}"},
}
_PREPOSITION = re.compile(
    r"(?:de la|de las|de los|de l'|del|de|du|des|d'|of|van de|van|der|des|zu|in)(?:\s+|(?<='))"
)
_LEADING = re.compile(r"(?:de la|de l'|du|des|de)\s*(?=\w)", re.IGNORECASE)
_VOWELS = frozenset("aeiouyh")


@dataclass(frozen=True, slots=True)
class _OrganizationParts:
    """An organization as written: what stays before its name, the name, and what stays behind."""

    before: str
    preposition: str
    name: str
    behind: str
    kind: str = ""


def replace(mention: Mention, subject: Subject) -> str:
    """Return another organization of the same kind; one of no known kind is one of the list.

    In version 2 of the algorithm every organization is.
    """
    if subject.key.algorithm == _FIRST:
        return places.replace_listed(mention, subject)
    text, locale = mention.text, subject.locale
    parts = _part(text, locale)
    if parts is None:
        return places.replace_listed(mention, subject)
    if parts.kind:
        drawn = _WRITTEN[locale][parts.kind].format(_draw_name(text, text, subject))
        return apply_case(text, drawn) if len(text) > len("MAIF") else drawn
    is_saint = fold(parts.name).startswith(
        ("saint", "st ", "st.", "sankt", "san ", "santa", "sint")
    )
    if not is_saint and squeeze(parts.name) in lexicon.load("cities", locale).places:
        return parts.before + _name_town(parts, subject) + parts.behind
    name = parts.name.strip(" -,")
    if not name:
        joint = " " if parts.before and not parts.before[-1].isspace() else ""
        return parts.before + joint + _draw_name(text, text, subject) + parts.behind
    drawn = _draw_name(name, name, subject)
    if not parts.before:
        # `de la Citadelle` alone is no name of a firm.
        drawn = _LEADING.sub("", drawn, count=1) if _LEADING.match(drawn) else drawn
        drawn = drawn[:1].upper() + drawn[1:] if name[:1].isupper() else drawn
    return parts.before + drawn + parts.behind


def _name_town(parts: _OrganizationParts, subject: Subject) -> str:
    drawn, _ = places.draw_town(parts.name, subject)
    preposition = parts.preposition
    if subject.locale == "fr" and fold(preposition).strip() in ("de", "d'"):
        preposition = "d'" if fold(drawn)[:1] in _VOWELS else "de "
    return preposition + apply_case(parts.name, drawn)


def _draw_name(value: str, model: str, subject: Subject) -> str:
    sites, own = lexicon.load("hospitals", subject.locale), squeeze(value)
    words = frozenset(WORD.findall(fold(value)))

    def accept(entry: str) -> bool:
        telling = {word for word in WORD.findall(fold(entry)) if len(word) > len("Les")}
        return words.isdisjoint(telling) and subject.allows(entry)

    drawn = subject.pick(Label.ORGANIZATION, own, sites, accept=accept)
    return apply_case(model, drawn) if len(model) > len("MAIF") else drawn


@lru_cache(_REMEMBERED)
def _part(text: str, locale: str) -> _OrganizationParts | None:
    """Part an organization into its name and the words for its kind; None where there are none."""
    folded = fold(text)
    named = _NAMED[locale]
    words = WORD.findall(folded)
    for kind, brands in named.items():
        if words and words[0] in brands.split():
            return _OrganizationParts("", "", text, "", kind)
    start, end = 0, len(text)
    before = re.match(rf"(?:{_BEFORE[locale]})(?![\w'’])[\s-]*", folded)
    if before:
        start = before.end()
    forms = "|".join(filter(None, (_FORMS, _BEHIND.get(locale, ""))))
    behind = re.search(
        rf"(?<=\w)[\s,-]*(?<![\w])(?:{forms})(?!\w)(?:[\s,]+(?:{_FORMS}))?\.?$", folded
    )
    if behind and behind.start() >= start and behind.start():
        end = behind.start()
    if not before and end == len(text):
        compound = re.search(rf"(?<=[a-z])(?:{_COMPOUND.get(locale, '(?!)')})(?![a-z])", folded)
        return _OrganizationParts(f"{compound[0].title()} ", "", text, "") if compound else None
    preposition = _PREPOSITION.match(folded[start:end]) if before else None
    at = start + (preposition.end() if preposition else 0)
    return _OrganizationParts(text[:start], text[start:at], text[at:end], text[end:])
