"""Whether a word means a person, by its context: titles, verbs, neighbouring names."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rules.known.variants import Known
from rules.matching.lexicon import term_kind
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
CUES = (
    _TITLES
    | _FIELDS
    | frozenset(
        "m me drs pr prof don dona dna mx pt pte pat famille familie familia family"
        " enfant ne born family given last first interne"
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
VERBS = frozenset(
    "a est va vit se s presente rapporte decrit signale souhaite refuse dit reste prend dort mange"
    " marche is was has had reports denies presents presented states says feels lives takes ha es"
    " esta fue refiere presenta niega vive acude ingresa hat ist war kommt lebt heeft woont"
    " komt".split()
)
"""What follows a name that is the subject of its sentence."""
AGE_UNITS = frozenset(
    "y yo year years month months an ans mois ano anos mes meses jahr jahre jahrige jahriger"
    " jahrigen jaar".split()
)
"""Units of ages, and what is written for them behind a number."""
_OPENING = re.compile(r"(?:\A|[.!?:;\n*•>|\-–—]|[0-9]\))[ \t\"«(*\-•]{0,8}$")
# What a name makes a disease, a sign, a score or a device of where it stands before it, perhaps
# with a preposition between, or after it.
_BEFORE_EPONYMS = frozenset(
    "maladie maladies syndrome syndromes signe signes score test echelle classification sonde"
    " lymphome sarcome tumeur anomalie hernie fracture canal ligament kyste loi indice index stade"
    " grade manoeuvre operation intervention methode technique procedure reflexe oedeme purpura"
    " ataxie choree thyroidite neuropathie oesophage ulcere diverticule phenomene triade critere"
    " criteres bacille bacilo kyste quiste zyste bazillus"
    " enfermedad sindrome signo escala clasificacion linfoma morbus krankheit ziekte"
    " syndrom syndroom disease".split()
)
_AFTER_EPONYMS = frozenset(
    "disease level levels tube procedure manoeuvre maneuver syndrome sign score scale test criteria"
    " classification lymphoma tumor tumour catheter cyst esophagus hernia phenomenon fracture"
    " contracture palsy reflex ulcer krankheit syndrom zeichen ziekte syndroom positif positive"
    " positivo positiva negatif negative negativo negativa class grade stage ii iii iv".split()
)
_GRADE = re.compile(r"[ \-][0-9]{1,2}(?![0-9/:.,h])")
_PREPOSITIONS = frozenset("de d du of von van del".split())
_ARTICLES = frozenset("un le el the a l con avec".split())


def has_cue_before(view: View, start: int) -> bool:
    """Return whether what stands before announces a name, perhaps with initials between."""
    return _word_before_initials(view.folded, start) in CUES


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

        A line break may stand between where a line of words is broken, not where lines are a list.
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
        if "\n" not in between:
            return True
        line = self._view.folded[max(0, start - _FULL) : start].rpartition("\n")[2]
        return len(line) == _FULL or line.count(" ") > 1


def opens_sentence(view: View, start: int) -> bool:
    """Return whether a sentence, a heading or an item of a list may begin here."""
    return _OPENING.search(view.plain, max(0, start - 12), start) is not None


def is_eponym(view: View, hit: Hit, *, frequent: bool = False) -> bool:
    """Return whether the name of a person stands for a disease, a sign, a score or a device.

    With an article alone before it only the names do that are not `frequent` among persons; a
    preposition alone proves nothing.
    """
    folded, start, end = view.folded, hit.start, hit.end
    after = end + 2 if folded.startswith("'s", end) else end
    if folded[after : after + 1] in (" ", "-"):
        word = _word_after(folded, after + 1)
        if word in _AFTER_EPONYMS or (not frequent and _GRADE.match(view.plain, after)):
            return True
    word, until = word_before(folded, start)
    article = word in _ARTICLES and not frequent
    if word in _PREPOSITIONS:
        word, _ = word_before(folded, until - len(word))
        # `corps de Lewy` is of medicine, `fils de Parkinson` is not.
        if not frequent and "t" in term_kind(word):
            return True
    return article or word in _BEFORE_EPONYMS


def names_a_disease(before: str) -> bool:
    """Return whether folded text makes what follows it a disease, a sign or a score: `signe de`."""
    word, until = word_before(before, len(before))
    if word in _PREPOSITIONS:
        word, _ = word_before(before, until - len(word))
    return word in _BEFORE_EPONYMS


def is_named_after(after: str) -> bool:
    """Return whether folded text behind a name makes it that of a disease: ` fracture`."""
    start = len("'s") if after.startswith("'s") else 0
    return after[start : start + 1] in (" ", "-") and (
        _word_after(after, start + 1) in _AFTER_EPONYMS
    )


def _word_after(folded: str, start: int) -> str:
    end = start
    while end < len(folded) and end - start < 16 and folded[end].isalpha():
        end += 1
    return folded[start:end]
