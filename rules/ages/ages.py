"""Ages of people, in digits or words, and not the durations that look like them."""

import re
from collections.abc import Iterator

from locales.age_units import unit_end
from locales.registry import alternatives, every
from record.document import Document
from record.label import Label
from record.span import Span
from rules.ages.told_ages import told_ages
from rules.dates.context import is_followed_by_unit
from rules.dates.number_words import is_ordinal, read_number_before
from rules.matching.lexicon import given_rank, lexicon, lexicons, surname_rank, term_kind, word_rank
from rules.matching.normalized_document import cased_once, fold_once
from rules.matching.scanner import Pattern, Patterns
from rules.names.words import is_common, is_family_name, is_given_name, is_surely_given

# Between these and a number stand no more than a few words such as `de`, `is`, `environ`.
AGE_WORDS = every(lambda language: language.ages.announcing)
AGE_FILLERS = every(lambda language: language.ages.fillers) | {""}

PERSONS = every(lambda language: language.ages.persons)
# They may stand between a child and its age.
SEXES = frozenset(
    "sexo sexe sex masculin masculino feminin femenino varon mujer male female".split()
)
LINKS = frozenset({"de", "d", "of", "von", "van", ""})
PREGNANT = frozenset("gestante primipara enceinte embarazada pregnant schwanger zwanger".split())

# A number of years after these says how long, how often or how late, not how old.
BEFORE_DURATION = every(lambda language: language.ages.before_duration)
DURATION_FILLERS = every(lambda language: language.ages.duration_fillers)
# What goes on after a length of time; of two words where the first says too little.
AFTER_DURATION = every(lambda language: language.ages.after_duration)
OF_AGE = every(lambda language: language.ages.of_age)
NOT_OF_AGE = frozenset({"gestacional", "en"})
# Between a person's years and nothing else.
GROWN = frozenset({"male", "female", "man", "woman", "old"})
# A comma, a name and a number of years: what may follow.
THEN = frozenset("a con with presente consulte mit met".split())
BIRTH_WORDS = frozenset(
    "ne nee naissance nacido nacida nacimiento nac born birth dob ddn geb geboren".split()
)
LIMITS = frozenset({"<", ">", "≥", "≤", "entre", "between", "zwischen", "tussen"})
JOINS = frozenset("y et and und o ou or e en a to bis".split())
AT_AGE = frozenset("a desde hasta hacia sobre entre y".split())
BROUGHT = frozenset("with who presents presenting hx h/o w/ c/o admitted s/p pmh known".split())
COUNTED = frozenset("mg ml kg cm mm mmhg g days weeks months minutes hours times degrees".split())
# What lasts some years, after a German or Dutch adjective: `5-jährige Anamnese`.
LASTING = tuple(
    (
        "anamnes verlauf therap behand nachbeob uberleb overlev follow pause raucher abstinen"
        " karenz interval beobacht erfahrung ervaring einnahme historie beloop gebruik krankh"
        " leiden dauer duur bestehen medikat"
    ).split()
)


# What follows the number: "72-year-old", "72 jaar oud"; "72-jähriger"; "72 ans"; "3 mois".
_OLD = alternatives(lambda language: language.ages.old_pattern)
_ADJECTIVE = f"(?:{alternatives(lambda language: language.ages.adjective_pattern)})"
_YEARS = alternatives(lambda language: language.ages.years_pattern)
_SMALL = alternatives(lambda language: language.ages.units_pattern)
_DIGITS = Pattern(
    r"(?<![0-9a-z])(?<![0-9][.,/+\-])([0-9]{1,3}(?:[.,][0-9])?)"
    rf"(?:[ \-]{{0,3}}(?:(?P<old>{_OLD}|y/?o[mf]?|y\.o)"
    rf"|(?P<adjective>{_ADJECTIVE})|(?P<years>{_YEARS})|(?P<small>{_SMALL}))(?![a-z])"
    r"|(?P<edad> de edad)| ?(?P<short>[jay]|jr)(?:\.|(?=[,;)\n]|\Z)))"
)
_WORDS = Pattern(
    rf"[a-zß](?:[ \-](?:(?P<old>{_OLD})|(?P<years>{_YEARS})|(?P<small>{_SMALL}))"
    rf"|[ \-]?(?P<adjective>{_ADJECTIVE}))(?![a-z])"
)
# The rest of an age in two units, and the first of two ages that share theirs.
_AND_SMALLER = re.compile(rf"(?:,| (?:y|et|and|und|en))? ([0-9]{{1,2}})(?= ?(?:{_SMALL})(?![a-z]))")
_ALSO_BEFORE = re.compile(r"(?<![0-9a-z.,/\-])([0-9]{1,3}) ([a-z]{1,3}) \Z")
_LISTED_BEFORE = re.compile(r"(?<![0-9a-z.,/\-])([0-9]{1,3})(), ?\Z")
# A bare number is an age only right after the word.
_BARE = Pattern(
    r"\b(?:age|agee|age\(e\)|ages|aged|edad|alter|leeftijd)(?![a-z])(?: ?/ ?[a-z]{3,10})?"
    r"(?: ?\([a-z]{3,5}\))? {0,2}(?:[:=|\-] {0,2}|[a-z]{2,5} )?([0-9]{1,3})"
    r"(?![0-9%.,:\-]*[0-9%])(?! ?/ ?[0-9])(?![b-eg-ln-z])"
)
_TURNED = Pattern(
    r"\b(?:turned|cumplio|i'm|i am|when s?he was) ([0-9]{1,3})(?![0-9a-z/%])(?![.,:\-][0-9])"
)
# `67/M`, and `67F` before what brings somebody to hospital.
_SEXED = Pattern(r"\b([1-9][0-9]) ?/ ?[mf]\b")
_SEXED_AND_BROUGHT = Pattern(r"\b([1-9][0-9])y?o?([mf]) ([a-z/]{2,10})\b")
# `A 79M.`: nothing but a stop follows; a catheter `24F` is no larger than 34.
_SEXED_ALONE = Pattern(r"\ba ([1-9][0-9])([mf])(?=[.,])")
_PERSON_OF = Pattern(
    r"\b(?:varon|mujer|hombre|homme|femme) (?:de )?([1-9][0-9])(?=[.,](?![0-9])|\n| (?:con|avec)\b)"
)
# `V 61`, at the beginning of a note or after a word for the patient.
_SEX_FIRST = Pattern(r"(?:\A|\bpatiente? )[vhmfw] ([1-9][0-9])(?=[.,](?![0-9])|\n)")
# A name and a number in brackets, or between commas: `Bosse (2)`, `Mrs Teague, 81, fell`.
_NAMED = Patterns([
    Pattern(r"[a-zA-Z] ?\(([1-9][0-9]?)(?=[),;](?![0-9]))", cased=True),
    Pattern(r"[a-zA-Z], ([1-9][0-9]?)(?=[,;:).](?![0-9])| ?\n| ?\Z)", cased=True),
    Pattern(r"[a-zA-Z], ([1-9][0-9]?)(?= (?!min)[a-z]{3})", cased=True),
])  # fmt: skip
_GOES_ON = 2
_LEAST_BEFORE_STOP = 10
_NAME_ENDS = re.compile(r"(?<![\w.'\-])([A-Z][A-Za-z'\-]{1,24})\Z")
_DECADE = Pattern(
    r"\b(?:(?:la|sa|leur) ((?:trent|quarant|cinquant|soixant)aine)\b(?! d[e'])"
    r"|(?:his|her|their)(?: early| mid| late)?[ \-]"
    r"([2-9]0'?s|twenties|thirties|forties|fifties|sixties|seventies|eighties|nineties)\b"
    r"|((?:quadragen|quinquagen|sexagen|septuagen|octogen|nonagen)a[a-z]{2,5})\b)"
)
_WORD_AFTER = re.compile(r" ?([a-z]+)")
_AFTER_WORD = re.compile(r"(?<!\w)([a-z][a-z'\-]{2,24}), {1,2}(?:de )?\Z")
_OLDEST = 120
_WIDEST_CATHETER = 34
_GROWN = 16
_REACH = 48
_MOST_WORDS = 6
_MOST_LISTED = 5


def detect(document: Document) -> list[Span]:
    """Find ages (AGE) in years, months, weeks or days, and decades of life.

    A span covers the number, in digits or words, and its unit (`72 ans`, `67-jährige`, `40 y/o`,
    the `79` of `79M`); of a decade it covers the word (`soixantaine`, `60s`, `nonagénaire`).
    Durations are left out. Spans are sorted and disjoint.
    """
    folded = fold_once(document.text)
    spans: list[Span] = []
    for number in detect_numbers(document):
        if not spans or number.start >= spans[-1].end:
            end = unit_end(folded, number.end)
            spans.append(Span(number.start, end, Label.AGE, number.detector))
    return spans


def detect_numbers(document: Document) -> list[Span]:
    """Find the numbers of ages without their units, and decades of life; sorted and disjoint."""
    text = document.text
    folded = fold_once(text)
    found = dict(_ages_without_unit(folded))
    found |= dict(_ages_behind_names(cased_once(text), folded))
    for start, end in _ages_with_unit(text, folded):
        found[start] = end
    found |= dict(told_ages(cased_once(text), folded, document.lang))
    return [Span(start, end, Label.AGE, "rules.ages") for start, end in sorted(found.items())]


def _ages_without_unit(folded: str) -> Iterator[tuple[int, int]]:
    for pattern in (_BARE, _TURNED):
        for match in pattern.finditer(folded):
            following = _WORD_AFTER.match(folded, match.end())
            if int(match[1]) <= _OLDEST and not (following and following[1] in COUNTED):
                yield match.span(1)
    for pattern in (_SEXED, _PERSON_OF, _SEX_FIRST):
        for match in pattern.finditer(folded):
            yield match.span(1)
    for match in _SEXED_ALONE.finditer(folded):
        if match[2] == "m" or int(match[1]) > _WIDEST_CATHETER:
            yield match.span(1)
    for match in _SEXED_AND_BROUGHT.finditer(folded):
        # `24F with a balloon` is a catheter: no larger than 34.
        if match[3] in BROUGHT and (match[2] == "m" or int(match[1]) > _WIDEST_CATHETER):
            yield match.span(1)
    for match in _DECADE.finditer(folded):
        yield match.span(match.lastindex or 0)


def _ages_behind_names(cased: str, folded: str) -> Iterator[tuple[int, int]]:
    for which, match in _NAMED.finditer(cased):
        end = match.start() + 1
        name = _NAME_ENDS.search(cased, max(0, end - 28), end)
        if name is None or not _is_name(folded[name.start() : end]):
            continue
        start, stop = match.span(1)
        figure = int(match[1])
        # `Cormac, 2. cycle`, `Rusu, 4 steps`, `Danzin, 60 j`
        if figure < _LEAST_BEFORE_STOP and cased[stop : stop + 1] == ".":
            continue
        if which == _GOES_ON and (figure < _GROWN or is_followed_by_unit(folded, stop)):
            continue
        yield start, stop


def _is_name(word: str) -> bool:
    """Return whether a folded word is a name of the wide lists, and no word, term or eponym."""
    if is_surely_given(word):
        return word not in lexicon("given_eponyms")
    if is_common(word) or word_rank(word) or term_kind(word):
        return False
    if word in lexicons("eponyms", "eponyms_families", "given_eponyms"):
        return False
    return bool(surname_rank(word) or given_rank(word))


def _ages_with_unit(text: str, folded: str) -> Iterator[tuple[int, int]]:
    for match in _DIGITS.finditer(folded):
        start, end = match.span(1)
        figure = float(match[1].replace(",", "."))
        if figure <= _OLDEST and _is_age(text, folded, start, figure, match):
            yield start, end
            # The rest of an age in two units, and the ages listed before one in years.
            smaller = _AND_SMALLER.match(folded, match.end())
            if smaller:
                yield smaller.span(1)
            if match.lastgroup == "years":
                yield from _ages_listed_before(folded, start)
    for match in _WORDS.finditer(folded):
        words = read_number_before(folded, match.start() + 1)
        if words is None or is_ordinal(folded[words[0] : match.start() + 1].rsplit(maxsplit=1)[-1]):
            continue
        start, number = words
        if 0 < number <= _OLDEST and _is_age(text, folded, start, number, match):
            yield start, match.start() + 1


def _ages_listed_before(folded: str, start: int) -> Iterator[tuple[int, int]]:
    joined = _ALSO_BEFORE
    for _ in range(_MOST_LISTED):
        also = joined.search(folded, max(0, start - 10), start)
        if also is None or int(also[1]) > _OLDEST or (also[2] and also[2] not in JOINS):
            return
        yield also.span(1)
        start, joined = also.start(), _LISTED_BEFORE


def _is_age(text: str, folded: str, start: int, number: float, unit: re.Match[str]) -> bool:
    kind = unit.lastgroup
    if kind in ("old", "edad"):
        return True
    if kind == "adjective":
        return _describes_person(text, folded, unit)
    following = _words_after(folded, unit.end())
    if _is_followed_by_age_word(following):
        return True
    if kind == "years":
        start = min((first for first, _ in _ages_listed_before(folded, start)), default=start)
    words = _words_before(folded, start)
    if _follows_word(words, AGE_WORDS, AGE_FILLERS):
        return True
    if kind == "small" and folded[start - 1 : start] != "(" and words and words[0][-1] != ",":
        return _follows_child(words) and not _continues_as_duration(folded, unit.end(), following)
    lasts = _continues_as_duration(folded, unit.end(), following)
    if kind == "years" and _follows_at_age(words):
        return not lasts
    if lasts or _is_duration(words):
        return False
    return _is_plain_age(following, number, unit, words) or _follows_name_or_birth(
        text, folded, start, unit
    )


def _words_after(folded: str, end: int) -> list[str]:
    """Return the words right after an offset, up to three, none where a mark comes first."""
    if folded[end : end + 1] != " ":
        return []
    return [word.strip(".,;:)") for word in folded[end : end + 40].split()[:3]]


def _is_followed_by_age_word(following: list[str]) -> bool:
    if following[2:3] and following[2] in NOT_OF_AGE:
        return False
    return following[:1] != [] and (following[0] in OF_AGE or "/".join(following[:2]) in OF_AGE)


def _continues_as_duration(folded: str, end: int, following: list[str]) -> bool:
    """Return whether what follows makes a length of time of a number of years."""
    if folded[end : end + 1] == "/" or folded.startswith(("-paquet", " paquet"), end):
        return True
    return any("/".join(following[:count]) in AFTER_DURATION for count in (1, 2, 3))


def _follows_at_age(words: list[str]) -> bool:
    """Return whether the words before give an age: `a los 31 años`, `mit 67 Jahren`."""
    return words[:1] == ["mit"] or (
        words[:1] == ["los"] and words[1:2] != [] and words[1] in AT_AGE
    )


def _is_plain_age(
    following: list[str], number: float, unit: re.Match[str], words: list[str]
) -> bool:
    kind = unit.lastgroup
    if kind == "small":
        return _follows_child(words)
    if kind == "years" and unit[kind] in ("years", "yrs"):
        return (following[:1] != [] and following[0] in GROWN) or (
            words[:1] == ["of"] and _follows_person(words)
        )
    if _follows_person(words):
        return True
    if words and words[0] in ("van", "von"):
        return False
    return kind == "years" and number >= _GROWN


def _describes_person(text: str, folded: str, unit: re.Match[str]) -> bool:
    """Return whether `67-jährige` is of a person, and not of a thing as in `5-jährige Anamnese`."""
    start, end = unit.span("adjective")
    if text[start].isupper():
        return True
    following = _words_after(folded, end)[:2]
    return following != [] and not any(stem in word for word in following for stem in LASTING)


def _words_before(folded: str, start: int) -> list[str]:
    """Return the last words before an offset, the nearest first, with their punctuation."""
    left = max(0, start - _REACH)
    words = folded[left:start].split()
    if left and words and not folded[left - 1].isspace():
        del words[0]
    return words[: -_MOST_WORDS - 1 : -1]


def _bare_word(word: str) -> str:
    """Take the last piece of a word, without punctuation: `Niña` of `paciente:Niña`."""
    bare = word.rpartition("'")[2].strip(".,:;=|-([/")
    return bare.rpartition(":")[2]


def _follows_word(words: list[str], wanted: frozenset[str], between: frozenset[str]) -> bool:
    for word in words:
        bare = _bare_word(word)
        if word[-1] == "." and len(bare) > 2:
            return False
        if bare in wanted or bare.partition("/")[0] in wanted:
            return True
        if bare not in between or word[-1] == ".":
            return False
    return False


def _is_duration(words: list[str]) -> bool:
    if words and words[0] in LIMITS:
        return True
    return _follows_word(words[:3], BEFORE_DURATION, DURATION_FILLERS)


def _follows_person(words: list[str]) -> bool:
    """Return whether a person is named with at most three plain words between."""
    for place, word in enumerate(words[:5]):
        if _bare_word(word) in PERSONS:
            return True
        if place and not word.replace("'", "").replace("-", "").isalpha():
            return False
        if any(char.isdigit() for char in word) or word[-1] in ".;":
            return False
    return False


def _follows_child(words: list[str]) -> bool:
    """Return whether the words right before are a child and `de`, or a child and a comma."""
    kept = [_bare_word(word) for word in words[:5]]
    if not PREGNANT.isdisjoint(kept) or not kept:
        return False
    linked = kept[0] in LINKS or words[0][-1] in ",("
    if kept[0] in LINKS:
        del kept[0]
    while kept and kept[0] in SEXES and kept[0] not in PERSONS:
        del kept[0]
    if len(kept) > 1 and kept[0] in LINKS:
        del kept[0]
    return linked and bool(kept) and kept[0] in PERSONS


def _follows_name_or_birth(text: str, folded: str, start: int, unit: re.Match[str]) -> bool:
    """Return whether an age follows a name, `Laurent, 11 ans,`, or a date of birth, in brackets."""
    end = unit.end()
    if folded[start - 1 : start] == "(":
        born = {_bare_word(word) for word in folded[max(0, start - 60) : start].split()}
        return folded.startswith(")", end) and not BIRTH_WORDS.isdisjoint(born)
    name = _AFTER_WORD.search(folded, max(0, start - 32), start)
    if name is None or not text[name.start(1)].isupper():
        return False
    following = _words_after(folded, end)
    ends = folded[end : end + 1] in ",.;)" or (following != [] and following[0] in THEN)
    if not ends:
        return False
    return is_surely_given(name[1]) or (
        (is_given_name(name[1]) or is_family_name(name[1])) and not is_common(name[1])
    )
