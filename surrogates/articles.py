"""Fits the article or preposition directly before a span to the surrogate that follows it.

`l'`, `d'` or `an` would otherwise tell how the original began, and `le` before a month that it had
a day. What is written depends on the surrogate and on those words alone.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from locales import name_endings
from record.label import Label
from record.span import Span
from surrogates import professions
from surrogates.patient.text_normalization import fold

_REMEMBERED = 1 << 12
_LONGEST = 24
_SEPARATORS = frozenset(" \u00a0\u202f'’")
_LAST_WORDS = frozenset(
    "de que la le les du des au aux en a an on the el del al am den dem vom zum op jusqu'au"
    " jusqu’au".split()
)
_LONGEST_WORD = 10
_BLANK = r"[ \u00a0\u202f]"

_PEOPLE = frozenset({Label.FIRST_NAME, Label.LAST_NAME, Label.NAME})
_DATES = frozenset({Label.DATE, Label.BIRTH_DATE})
# Names of things, which may have an article.
_THINGS = frozenset(
    {Label.HOSPITAL, Label.ORGANIZATION, Label.COUNTRY, Label.REGION, Label.PROFESSION}
)
_APOSTROPHES = ("'", "’")
_ELISIONS = "'’‘ʼ´`′＇"
FITTED = _PEOPLE | _DATES | _THINGS | {Label.CITY}
"""The labels whose surrogates the word before them is fitted to."""


class Surrogate(NamedTuple):
    """A surrogate and its label; `drops_day` where it is a date that lost its day."""

    text: str
    label: str
    drops_day: bool = False


def ends_with_article(before: str) -> bool:
    """Return, at little cost, whether a text ends with a word that may have to be fitted."""
    last = before[-1:]
    if last in _ELISIONS:
        return True
    if last not in _SEPARATORS:
        return False
    stop = len(before) - 1
    least = max(0, stop - _LONGEST_WORD)
    start = max(before.rfind(" ", least, stop), before.rfind("\n", least, stop), least - 1) + 1
    word = before[start:stop]
    return word[-1:] in _ELISIONS or word.lower().lstrip("(«") in _LAST_WORDS


def fit_preceding(before: str, surrogate: Surrogate, lang: str) -> str:
    """Return the text before a surrogate, its last word fitted to it; most often it is unchanged.

    `lang` is the language of the note. Line breaks and everything before the last two words stay.
    """
    if not (surrogate.text and ends_with_article(before)):
        return before
    cut = max(0, len(before) - _LONGEST)
    head, tail = before[:cut], before[cut:]
    if surrogate.drops_day:
        tail = _fit_to_month(tail, surrogate.text, lang)
    fit = _FITTERS.get(lang)
    return head + (fit(tail, surrogate) if fit else tail)


def fit_genitive(text: str, span: Span, surrogate: str, lang: str) -> str:
    """Return what stands for the apostrophe of a genitive behind a name: `Jones' note`.

    It is empty where there is none, or the surrogate takes one as well. The apostrophe would tell
    that the original ends in a sibilant.
    """
    after = text[span.end : span.end + 2]
    if after[:1] not in _APOSTROPHES or not after[1:].isspace():
        return ""
    is_quoted = text[max(0, span.start - 1) : span.start] in (*_APOSTROPHES, "‘", "‚")
    if is_quoted or not name_endings.ends_in_sibilant(text[span.start : span.end], lang):
        return ""
    if name_endings.ends_in_sibilant(surrogate, lang):
        return ""
    if lang == "en":
        return f"{after[0]}s"
    ending = name_endings.inflect(surrogate, lang).removeprefix(surrogate)
    return ending.upper() if surrogate.isupper() else ending


def starts_alike(one: str, other: str) -> bool:
    """Return whether two texts have the same first word, as a care site and its surrogate do."""
    return _first_word(one) == _first_word(other)


def _replace_end(tail: str, length: int, written: str, text: str = "") -> str:
    """Replace the end of a text, in the capitals of what was there; `text` follows."""
    old = tail[len(tail) - length :]
    letters = [each for each in old if each.isalpha()]
    if old.isupper() and (len(letters) > 1 or (text.isupper() and len(text) > 1)):
        written = written.upper()
    elif letters and letters[0].isupper():
        written = written[:1].upper() + written[1:]
    return tail[: len(tail) - length] + written


# Dates that lost their day ------------------------------------------------------------------------

_BEFORE = rf"(?<![^\W_])(?:{{}}){_BLANK}\Z"


def _compile(*pairs: tuple[str, str]) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(_BEFORE.format(words), re.IGNORECASE), new) for words, new in pairs)


_UNDATED = {
    # Words before the article stay: they are in group 1.
    "fr": _compile(
        (r"(depuis|avant|après|apres|dès|vers|pour) le", r"\1 "),
        (r"jusqu['’]au", "jusqu'en "),
        ("le", "en "),
        ("du", "de "),
        ("au", "à "),
    ),
    "en": _compile((r"on the", "in "), ("on", "in "), (r"(since|of|from|until|by) the", r"\1 ")),
    "es": _compile(
        (r"(desde|hasta|hacia) el", r"\1 "), ("el", "en "), ("del", "de "), ("al", "a ")
    ),
    "de": _compile(
        (r"(bis) zum", r"\1 "),
        (r"(seit|ab|vor|nach) dem", r"\1 "),
        ("am|den", "im "),
        ("vom", "von "),
        ("zum", "zu "),
    ),
    "nl": _compile(("op", "in "), (r"(sinds|vanaf|tot) de", r"\1 ")),
}
_STARTS_WITH_DIGIT = re.compile(r"\d")


def _fit_to_month(tail: str, written: str, lang: str) -> str:
    """Replace what stands before a day by what stands before a month or year."""
    for pattern, replacement in _UNDATED.get(lang, ()):
        found = pattern.search(tail)
        if found is None:
            continue
        new = found.expand(replacement)
        if lang == "de" and new == "im " and _STARTS_WITH_DIGIT.match(written):
            # `geboren 1949`: German years have no preposition.
            new = ""
        return _replace_end(tail, len(found[0]), new)
    return tail


# French -------------------------------------------------------------------------------------------

_ASPIRATED = frozenset(
    "hongrie honduras hollande hambourg hanovre havre haut haute hauts hautes halle halles ham"
    " hameau harfleur haye hainaut hague hesse".split()
)
_ELIDED = re.compile(rf"(?<![^\W_])(d|qu) ?[{_ELISIONS}]{_BLANK}?\Z", re.IGNORECASE)
_WHOLE = re.compile(rf"(?<![^\W_])(de|que){_BLANK}\Z", re.IGNORECASE)
_ARTICLE = re.compile(
    rf"(?<![^\W_])(?:(?:(de|à){_BLANK})?(?:l['’]|(?:la|le|les){_BLANK})|(du|des|au|aux){_BLANK})\Z",
    re.IGNORECASE,
)
_IN = re.compile(rf"(?<![^\W_])(en|au|aux){_BLANK}\Z", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")
_MASCULINE = frozenset(
    "cabinet centre chr chu ch chi ghu gh college garage groupe lycee pavillon secteur service"
    " batiment batiments ssr foyer sanatorium laboratoire"
    " bresil cambodge cameroun canada chili congo danemark gabon ghana guatemala honduras japon"
    " kenya laos liban luxembourg mali maroc mexique niger nigeria pakistan panama paraguay perou"
    " portugal rwanda senegal soudan tchad togo uruguay venezuela vietnam benin mozambique zimbabwe"
    " bas calvados cantal cher doubs finistere gard gers grand haut jura loiret lot morbihan nord"
    " pas pays puy rhone tarn territoire val var vaucluse loir maine printemps".split()
)
_FEMININE = frozenset(
    "banque boulangerie caisse cartonnerie cimenterie clinique conserverie cooperative creche"
    " faiencerie ferme filature fonderie fondation imprimerie laiterie librairie maconnerie"
    " mairie maison manufacture maternite minoterie mutuelle pharmacie polyclinique residence"
    " salle scierie societe sucrerie tannerie tuilerie verrerie"
    " belgique bolivie bulgarie chine colombie coree croatie finlande france georgie grece guinee"
    " hongrie jordanie lettonie lituanie malaisie mauritanie moldavie mongolie norvege pologne"
    " roumanie russie serbie slovaquie slovenie suede suisse syrie tanzanie thailande tunisie"
    " turquie zambie bretagne charente correze corse cote creuse dordogne drome gironde haute"
    " loire lozere manche marne mayenne meurthe meuse moselle nievre normandie nouvelle saone"
    " sarthe savoie seine somme vendee vienne".split()
)
_PLURAL = frozenset(
    "ateliers chantiers charpentes editions etablissements jardineries laboratoires messageries"
    " meubles papeteries pepinieres textiles transports hospices hopitaux"
    " comores philippines ardennes cotes hautes hauts landes vosges pyrenees bouches".split()
)
_PLURAL_NAMES = frozenset({"pays-bas", "etats-unis", "emirats arabes unis"})
_SEASONS = frozenset("printemps ete automne hiver".split())
_WITHOUT_ARTICLE = frozenset(
    "chypre cuba haiti madagascar malte singapour maurice sri israel monaco".split()
)


@lru_cache(_REMEMBERED)
def _first_word(text: str) -> str:
    found = _WORD.search(text)
    return fold(found[0]) if found else ""


def _elides(text: str) -> bool:
    """Return whether `de` is elided before a French word; a mute h counts as a vowel."""
    word = _first_word(text)
    if not word or not text[:1].isalpha():
        return False
    if word[0] == "h":
        return word not in _ASPIRATED
    if word[0] == "y":
        return len(word) > 1 and word[1] not in "aeiou"
    return word[0] in "aeiouœæ" and word not in ("onze", "oui")


def _gender(text: str) -> str:
    """Return `m`, `f` or `p` (plural), `-` for names without an article, empty if unknown."""
    word = _first_word(text)
    if word in _PLURAL or fold(text) in _PLURAL_NAMES:
        return "p"
    if word in _WITHOUT_ARTICLE:
        return "-"
    return "m" if word in _MASCULINE else "f" if word in _FEMININE else ""


def _fit_french(tail: str, surrogate: Surrogate) -> str:
    text, label = surrogate.text, surrogate.label
    elides = _elides(text)
    if label in (Label.COUNTRY, Label.REGION) and (found := _IN.search(tail)):
        return _replace_end(tail, len(found[0]), _where(text, label, found[1].lower()))
    season = _first_word(text) if label in _DATES else ""
    if season in _SEASONS and (found := _IN.search(tail)):
        return _replace_end(tail, len(found[0]), "au " if season == "printemps" else "en ")
    if found := _ELIDED.search(tail):
        if elides:
            # Nothing but the sign of elision: a blank would tell how the original was written.
            is_plain = found[0][-1] in "'’"
            return tail if is_plain else _replace_end(tail, len(found[0]), f"{found[1]}'")
        whole = "de " if found[1].lower() == "d" else "que "
        return _replace_end(tail, len(found[0]), whole, text)
    if found := _WHOLE.search(tail):
        if not elides:
            return tail
        return _replace_end(tail, len(found[0]), "d'" if found[1].lower() == "de" else "qu'")
    has_article = label in _THINGS or (label in _DATES and _first_word(text) in _SEASONS)
    if has_article and (found := _ARTICLE.search(tail)):
        gender = _gender_of(text, label)
        written = _with_article(found, gender, elides=elides)
        return _replace_end(tail, len(found[0]), written, text)
    if (found := _ARTICLE.search(tail)) and found[0][-1] in "'’" and not elides:
        # `l'Alès` is a typing error, but would tell how the original begins.
        written = _with_article(found, _gender(text), elides=False)
        return _replace_end(tail, len(found[0]), written, text)
    return tail


def _gender_of(text: str, label: str) -> str:
    """Return what `_gender` does, and `f` for a woman's occupation."""
    if label == Label.PROFESSION and professions.is_female(text, "fr"):
        return "f"
    return _gender(text)


def _with_article(found: re.Match[str], gender: str, *, elides: bool) -> str:
    """Return the article of a surrogate, joined with `de` or `à` if that stands before it."""
    written = found[0].lower()
    preposition = (found[1] or "").lower()
    if found[2]:
        preposition = "de" if found[2].lower() in ("du", "des") else "à"
    if gender == "-":
        return f"{preposition} " if preposition else ""
    if gender == "p":
        return {"": "les ", "de": "des ", "à": "aux "}[preposition]
    if elides:
        article = "l'"
    elif gender or written.endswith(("'", "’")):
        article = "la " if gender == "f" else "le "
    else:
        return found[0]
    if article == "le " and preposition:
        return "du " if preposition == "de" else "au "
    return f"{preposition} {article}" if preposition else article


def _where(text: str, label: str, written: str) -> str:
    """Return what stands between `vit` and a country, department or region."""
    gender = _gender(text)
    if gender == "-":
        return "à "
    if gender == "p":
        return "aux " if label == Label.COUNTRY else "dans les "
    if gender == "m" and not _elides(text):
        return "au " if label == Label.COUNTRY else "dans le "
    return "en " if gender == "f" or _elides(text) else f"{written} "


# English ------------------------------------------------------------------------------------------

# A capital may be that of a blood group: only at the start of a sentence it is an article.
_INDEFINITE = re.compile(rf"(?:(?<![^\W_])an?|(?:\A|(?<=[.!?]\s)|(?<=\n))An?){_BLANK}\Z")
_SPOKEN_VOWEL = re.compile(r"8|1[18](?![0-9])")
_VOWEL = re.compile(r"(?!uni|eur?o|eu|one\b|use|ur[aeiou])[aeiou]")


def _fit_english(tail: str, surrogate: Surrogate) -> str:
    found = _INDEFINITE.search(tail)
    fitted = _THINGS | _DATES | _PEOPLE | {Label.CITY, Label.AGE}
    if found is None or surrogate.label not in fitted:
        return tail
    is_vowel = _VOWEL.match(fold(surrogate.text)) or _SPOKEN_VOWEL.match(surrogate.text)
    article = "an " if is_vowel else "a "
    return _replace_end(tail, len(found[0]), article)


_FITTERS: dict[str, Callable[[str, Surrogate], str]] = {"fr": _fit_french, "en": _fit_english}
