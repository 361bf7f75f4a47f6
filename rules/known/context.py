"""Whether a word means a person, by its context: titles, verbs, neighbouring names."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rules.known.variants import Known
from rules.matching.normalization import View


class Hit(NamedTuple):
    """A known form in a view; offsets are code points of the view, half open."""

    start: int
    end: int
    known: Known


# Titles that stand before a name in whatever case it is.
_TITLES = frozenset(
    "mr mrs mme mlle dr dra sr sra srta monsieur madame mademoiselle docteur doctor doctora"
    " professeur ms miss hey hi hello hola salut bonjour hallo dear herr herrn frau dhr mevr"
    " mevrouw meneer nee senor senora".split()
)
# Labels of forms that do the same where a colon follows.
_FIELDS = frozenset(
    "patient patiente paciente patientin nom noms prenom prenoms name names surname nombre nombres"
    " apellido apellidos vorname nachname voornaam achternaam naam naissance usage marital fille"
    " geburtsname meisjesnaam soltera".split()
)
# What else announces a name that has a capital: only there do values of one or two letters count.
_CUES = (
    _TITLES
    | _FIELDS
    | frozenset(
        "m me drs pr prof don dona dna mx enfant ne born family given last first interne"
        " externe medecin medico referent infirmier infirmiere ide a habite vit ville city fr hr mw"
        " patienten geb geboren liebe lieber beste cher chere querido querida estimado"
        " estimada fils fille epouse mari femme mere pere frere soeur conjoint son daughter wife"
        " husband mother father brother sister madre padre hijo hija esposo esposa hermano"
        " hermana".split()
    )
)
_STAFF = frozenset(
    "dr drs dra pr prof docteur docteure doctor doctora professeur professeure professor"
    " professora medecin medico medica interne externe infirmier infirmiere ide arzt arztin"
    " chirurgien arts".split()
)
# From this length on a line is full and goes on in the next.
_FULL = 50
_WIDEST_GAP = 3
_BLANKS = " .:'\n"
# What follows a name that is the subject of its sentence.
_VERBS = frozenset(
    "a est va vit se s presente rapporte decrit signale souhaite refuse dit reste prend dort mange"
    " marche is was has had reports denies presents presented states says feels lives takes ha es"
    " esta fue refiere presenta niega vive acude ingresa hat ist war kommt lebt heeft woont"
    " komt".split()
)
_AGE_UNITS = frozenset(
    "y yo year years month months an ans mois ano anos mes meses jahr jahre jahrige jahriger"
    " jahrigen jaar".split()
)
_AGE = re.compile(r",? ?[(]?[0-9]{1,3}[ -]?")
_POSSESSIVE = re.compile(r"['’]s[ ]")
_OPENING = re.compile(r"(?:\A|[.!?:;\n*•>|\-–—]|[0-9]\))[ \t\"«(*\-•]{0,8}$")
_CAPITALS_BEFORE = re.compile(r"[A-ZÀ-ÖØ-Þ]{3,}[ ,:/\-]{1,2}$")
_CAPITALS_AFTER = re.compile(r"[ ,:/\-]{1,2}[A-ZÀ-ÖØ-Þ]{2,}")
# What a name makes a disease, a sign, a score or a device of where it stands before it, perhaps
# with a preposition between, or after it.
_BEFORE_EPONYMS = frozenset(
    "maladie maladies syndrome syndromes signe signes score test echelle classification sonde"
    " lymphome sarcome tumeur anomalie hernie fracture canal ligament kyste loi indice index stade"
    " grade manoeuvre operation intervention methode technique procedure reflexe oedeme purpura"
    " ataxie choree thyroidite neuropathie oesophage ulcere diverticule phenomene triade critere"
    " criteres enfermedad sindrome signo escala clasificacion linfoma morbus krankheit ziekte"
    " syndrom syndroom disease".split()
)
_AFTER_EPONYMS = frozenset(
    "disease level levels tube procedure manoeuvre maneuver syndrome sign score scale test criteria"
    " classification lymphoma tumor tumour catheter cyst esophagus hernia phenomenon fracture"
    " contracture palsy reflex ulcer krankheit syndrom zeichen ziekte syndroom positif positive"
    " positivo positiva negatif negative negativo negativa class grade stage ii iii iv".split()
)
_PREPOSITIONS = frozenset("de d du of von van del".split())
_ARTICLES = _PREPOSITIONS | frozenset("un le el the a l con avec".split())


def has_cue_before(view: View, start: int) -> bool:
    """Return whether what stands before announces a name, perhaps with initials between."""
    return _word_before_initials(view.folded, start) in _CUES


def has_title_before(view: View, start: int) -> bool:
    """Return whether a title or the label of a form announces a name, in whatever case it is."""
    word, end = word_before(view.folded, start)
    return word in _TITLES or (word in _FIELDS and ":" in view.folded[end:start])


def has_staff_title_before(view: View, start: int) -> bool:
    """Return whether a title of medical staff stands before, perhaps with initials between."""
    return _word_before_initials(view.folded, start) in _STAFF


def _word_before_initials(folded: str, start: int) -> str:
    word, end = word_before(folded, start)
    for _ in range(3):
        if len(word) != 1 or word == "m" or folded[end : end + 1] != ".":
            break
        word, end = word_before(folded, end - 1)
    return word


def word_before(folded: str, start: int) -> tuple[str, int]:
    """Return the word before a place, a few blanks and full stops between, and where it ends."""
    end = start
    while end > 0 and start - end < 4 and folded[end - 1] in _BLANKS:
        end -= 1
    first = end
    while first > 0 and end - first < 16 and folded[first - 1].isalpha():
        first -= 1
    return (folded[first:end], end) if end < start else ("", end)


class Neighbours:
    """Hits of a view by where they begin and end, so that those next to one are found at once."""

    __slots__ = ("_by_end", "_by_start", "_view")

    def __init__(self, view: View, hits: Iterable[Hit]) -> None:
        self._view = view
        self._by_start: dict[int, list[Hit]] = {}
        self._by_end: dict[int, list[Hit]] = {}
        for hit in hits:
            self._by_start.setdefault(hit.start, []).append(hit)
            self._by_end.setdefault(hit.end, []).append(hit)

    def beside(self, hit: Hit) -> Iterator[Hit]:
        """Yield the hits next to one: at most three characters between, no letter or digit.

        A line break may stand between where a long line is broken, not where lines are a list.
        """
        for gap in range(_WIDEST_GAP + 1):
            if hit.start - gap in self._by_end and self._is_gap(hit.start - gap, hit.start):
                yield from self._by_end[hit.start - gap]
            if hit.end + gap in self._by_start and self._is_gap(hit.end, hit.end + gap):
                yield from self._by_start[hit.end + gap]

    def _is_gap(self, start: int, end: int) -> bool:
        between = self._view.folded[start:end]
        if any(char.isalnum() for char in between):
            return False
        return "\n" not in between or self._view.folded.rfind("\n", 0, start) + _FULL < start


def opens_sentence(view: View, start: int) -> bool:
    """Return whether a sentence, a heading or an item of a list may begin here."""
    return _OPENING.search(view.plain, max(0, start - 12), start) is not None


def is_name(view: View, hit: Hit) -> bool:
    """Return whether a capitalised everyday word is a name by its place in the sentence.

    In the middle of a sentence a capital is enough; at its start only the verb that follows is;
    among words in capitals, nothing is. Of several words the last one counts.
    """
    plain, end = view.plain, hit.end
    parts = hit.known.form.count(" ")
    start = end - len(hit.known.form.rpartition(" ")[2]) if parts else hit.start
    if not plain[start].isupper():
        return False
    shouted = plain[start:end].isupper()
    follows = _CAPITALS_AFTER.match(plain, end) is not None if shouted else False
    if has_cue_before(view, hit.start):
        return not follows
    if not parts and opens_sentence(view, start):
        return not shouted and (_is_subject(view, end) or _is_alone_on_line(plain, start, end))
    before = shouted and _CAPITALS_BEFORE.search(plain, max(0, hit.start - 16), hit.start)
    return not (follows or before)


def _is_subject(view: View, end: int) -> bool:
    age = _AGE.match(view.folded, end)
    if age and _word_after(view.folded, age.end()) in _AGE_UNITS:
        return True
    if view.plain[end : end + 1] == " ":
        return _word_after(view.folded, end + 1) in _VERBS
    return _POSSESSIVE.match(view.plain, end) is not None


def _is_alone_on_line(plain: str, start: int, end: int) -> bool:
    return plain[end : end + 1] in ("", "\n") and (start == 0 or plain[start - 1] == "\n")


def is_eponym(view: View, hit: Hit, *, frequent: bool = False) -> bool:
    """Return whether the name of a person stands for a disease, a sign, a score or a device.

    With an article alone before it only the names do that are not `frequent` among persons.
    """
    folded, start, end = view.folded, hit.start, hit.end
    after = end + 2 if folded.startswith("'s", end) else end
    if folded[after : after + 1] in (" ", "-"):
        word = _word_after(folded, after + 1)
        if word in _AFTER_EPONYMS or folded[after + 1 : after + 2].isdigit():
            return True
    word, until = word_before(folded, start)
    article = word in _ARTICLES and not frequent
    if word in _PREPOSITIONS:
        word, _ = word_before(folded, until - len(word))
    return article or word in _BEFORE_EPONYMS


def _word_after(folded: str, start: int) -> str:
    end = start
    while end < len(folded) and end - start < 16 and folded[end].isalpha():
        end += 1
    return folded[start:end]
