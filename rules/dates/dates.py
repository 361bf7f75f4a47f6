"""Dates of any spelling, and which of them are dates of birth."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from record.document import Document
from record.folding import unaccent
from record.label import Label
from record.span import Span
from rules.dates import (
    beside_dates,
    feasts,
    machine_dates,
    numeric,
    telegraphic,
    told_days,
    weeks,
    written,
)
from rules.dates.calendar import (
    PERIOD,
    PERIOD_RANK,
    SEASON,
    SHORT_WEEKDAY,
    SHORTEST_WEEKDAYS,
    WEEKDAY,
    WEEKDAY_NAMES,
    Moment,
    full_year,
)
from rules.dates.context import UNITS, WEAK_YEAR_WORDS, YEAR_WORDS
from rules.dates.partial import german_days, log_entries, unannounced_days
from rules.dates.spaced_digits import digit_boxes
from rules.dates.written import days_in_series
from rules.matching.normalized_document import fold_once
from rules.matching.preceding_words import words_before
from rules.matching.scanner import Pattern, longest_first
from rules.names.words import is_given_name

_ENDS = r"(?![0-9a-z])(?![.,][0-9])(?! ?-[0-9]{1,2}(?![0-9]))"
_YEAR = Pattern(rf"\b(?<![/.'\-])((?:19|20)[0-9]{{2}})(?:[\-/]((?:19|20)[0-9]{{2}}))?{_ENDS}")
# A blank forgotten: `depuis2009`.
_RUN_ON = Pattern(r"\b(?:depuis|since|desde|seit|sinds|en|in)((?:19|20)[0-9]{2})(?![0-9a-z])")
_SHORT_YEAR = Pattern(r"(?<![0-9a-z])'([0-9]{2})(?![0-9a-z'])")
_SEASON = Pattern(
    rf"\b{SEASON} (?:de |del |of |van |des jahres )?((?:19|20)[0-9]{{2}})(?![0-9a-z])"
)
_QUARTER = Pattern(
    rf"\b(?:[tq][1-4]|(?:[1-4](?:er|e|eme|st|nd|rd|th|\.?[°o]?)|{PERIOD_RANK}) ?{PERIOD})"
    r"[ /](?:de |del |of |van )?((?:19|20)[0-9]{2})(?![0-9a-z])"
)
# The number behind its noun: `Quartal 1 2021`, `Q1/21`.
_QUARTER_NUMBERED = Pattern(
    rf"\b(?:{PERIOD} ?n?[o°]? ?[1-4](?:[ /]|, )(?:de |del |of |van )?((?:19|20)[0-9]{{2}})"
    r"|[tq][1-4]/([0-9]{2}))(?![0-9a-z/])"
)
_UNIT = re.compile(r" ?([%/€$]|[a-zμ]+)")
_FOLLOWING_NUMBER = re.compile(r" ?[0-9]")
_IN_BRACKETS = re.compile(r"[(\[] ?\Z")
_CLOSES = re.compile(r" ?[)\];,:/]| ?(?:-|y|et|and|a|to|und|en) ?(?:19|20)[0-9]{2}")
_HEAD = re.compile(r"(?:(?:\A|\n) {0,8}[\-•*·>+] {0,3}|[ :;,]- )\Z")
_HEADED = re.compile(r" {0,2}[:\-.]? {0,2}[a-z]")
_LINE_STARTS = re.compile(r"(?:\A|\n) {0,8}\Z")
_LINE_GOES_ON = re.compile(
    r" {0,2}[:\-] {0,2}[a-z]| ?(?:-|to|a) ?(?:19|20)[0-9]{2} {0,2}[:\-] {0,2}[a-z]"
)
_JOINS = frozenset(
    "a au to - / et y e and o ou or puis hasta bis und oder en tot of t/m jusqu'en ,".split()
)
# A disease or an operation that is history: `s/p CABG 2014`, `Z.n. TEP 2016`.
_HISTORY = re.compile(r"\b(?:s/p|status post|z\. ?n\.|st\. ?n\.|atcd)(?: [a-z\-]{2,20}){1,3} \Z")
_FIELD = re.compile(r"\b(?:fecha|date|datum)[a-z ]{0,24} ?: ?\Z")


def find(folded: str) -> Iterator[Moment]:
    """Yield years alone, and seasons and quarters of a year; they may overlap."""
    for pattern in (_SEASON, _QUARTER):
        for match in pattern.finditer(folded):
            yield Moment(match.start(), match.end(), int(match[1]), None, None)
    for match in _QUARTER_NUMBERED.finditer(folded):
        yield Moment(match.start(), match.end(), int(match[1] or match[2]), None, None)
    for match in _SHORT_YEAR.finditer(folded):
        if words_before(folded, match.start())[1] in YEAR_WORDS:
            yield Moment(match.start(), match.end(), int(match[1]), None, None)
    for match in _RUN_ON.finditer(folded):
        yield Moment(match.start(1), match.end(1), int(match[1]), None, None)
    yield from _years_alone(folded)


def _years_alone(folded: str) -> Iterator[Moment]:
    last = -1
    for match in _YEAR.finditer(folded):
        start, end = match.span()
        if _has_unit(folded, end):
            continue
        listed = 0 <= last <= start and _is_list_joint(folded[last:start])
        if listed or _is_year(folded, start, end):
            last = end
            for group in (1, 2):
                if match[group]:
                    yield Moment(*match.span(group), int(match[group]), None, None)


def _is_list_joint(between: str) -> bool:
    words = between.split()
    return len(words) <= 2 and len(between) < 12 and all(word in _JOINS for word in words)


def _has_unit(folded: str, end: int) -> bool:
    match = _UNIT.match(folded, end)
    return match is not None and (match[1] in UNITS or not match[1].isalpha())


def _is_year(folded: str, start: int, end: int) -> bool:
    previous, last = words_before(folded, start)
    if previous.isdigit():
        return False
    if last in YEAR_WORDS or (last == "el" and previous in YEAR_WORDS):
        return True
    if last in WEAK_YEAR_WORDS and folded[start - 1] == " " and folded[start:end] != "2000":
        return not _FOLLOWING_NUMBER.match(folded, end)
    return _is_set_apart(folded, start, end) or _follows_field_or_history(folded, start)


def _is_set_apart(folded: str, start: int, end: int) -> bool:
    """Return whether a year stands in brackets, or at the head of a line or of an item."""
    left = max(0, start - 12)
    if _IN_BRACKETS.search(folded, left, start):
        return _CLOSES.match(folded, end) is not None
    if _LINE_STARTS.search(folded, left, start):
        return _LINE_GOES_ON.match(folded, end) is not None
    return bool(_HEAD.search(folded, left, start) and _HEADED.match(folded, end))


def _follows_field_or_history(folded: str, start: int) -> bool:
    left = max(0, start - 60)
    return any(before.search(folded, left, start) for before in (_FIELD, _HISTORY))


# A French social security number, digit by digit or in groups; forms are full of mistyped ones.
_NUMBER = re.compile(
    r"(?<![0-9.,/\-])(?<![0-9.,/\-] )([1-478](?: ?[0-9]){12,14}) {0,3},?[ \n]{0,3}\Z"
)
_LEAST_GROUPS = 4
# A line that holds nothing but a patient: `ROBERT, ROBERT HENRI`, `Madame HEGE Sophie`.
_SURNAME = r"[A-Z][A-Z'\-]+(?: [A-Z'\-]{2,}){0,2}"
_PATIENT = re.compile(
    rf"(?:{_SURNAME}, {_SURNAME}|(?:Madame|Monsieur|Mademoiselle|Mme|Mlle|Mr|M\.) {_SURNAME})"
    r"[ \-]([A-Z][A-Z]+|[A-Z][a-z]+)"
)
_LINE_ENDS = re.compile(r" {0,3}(?:\n|\Z)")
_LIST = Pattern(r"\bpatient(?:e|\(e\))?s present(?:e|\(e\))?s ?:")
_NEXT_IN_LIST = re.compile(r"[ ,;\n\-]{0,4}[^\W\d_][\w'\-]+(?: [\w'\-]+){1,3} ?, ?")
_WIDEST = 60
# A note without another date may be that much older than its reader knows, in years.
_OLDEST_NOTE = 25


def dates_beside_patients(
    folded: str, text: str, moments: Sequence[Moment], written: int
) -> set[Moment]:
    """Return the whole dates that directly follow a patient's number, or name in a header or list.

    A comma or the end of a line may stand between. Their year lies before that of another date of
    the note, for a list of one outside of it. Without another date it lies before `written`, the
    year of the note, and for a name in a header long before. `moments` are sorted and disjoint,
    `folded` and `text` have the same offsets.
    """
    listed = set(_dates_in_patient_lists(folded, moments))
    numbered = {moment for moment in moments if _follows_patient_number(folded, moment)}
    named = {moment for moment in moments if _follows_patient_name(folded, text, moment)}
    found = listed | numbered | named
    if not found:
        return found
    years = {m.value: full_year(m.year, written) for m in moments if m.year is not None}
    among = {moment.value for moment in listed}
    newest = max((year for value, year in years.items() if value not in among), default=written)
    alone = len(years) == 1
    if alone:
        newest = written
    return {
        moment
        for moment in found
        if years[moment.value] < newest - (_OLDEST_NOTE if alone and moment in named else 0)
    }


def _is_whole(moment: Moment) -> bool:
    return moment.year is not None and bool(moment.month) and bool(moment.day)


def _follows_patient_number(folded: str, moment: Moment) -> bool:
    start = moment.start
    if not folded[max(0, start - 4) : start].rstrip(" ,\n")[-1:].isdigit() or not _is_whole(moment):
        return False
    number = _NUMBER.search(folded, max(0, start - _WIDEST), start)
    return number is not None and number[1].count(" ") >= _LEAST_GROUPS


def _follows_patient_name(folded: str, text: str, moment: Moment) -> bool:
    """Return whether a date has its line for itself, and the line before holds a patient's name."""
    start = moment.start
    if not start or folded[start - 1] != "\n" or not _is_whole(moment):
        return False
    line = text[max(0, start - _WIDEST) : start - 1].rpartition("\n")[2]
    patient = _PATIENT.fullmatch(unaccent(line).strip())
    if patient is None or not _LINE_ENDS.match(folded, moment.end):
        return False
    return is_given_name(patient[1].lower())


def _dates_in_patient_lists(folded: str, moments: Sequence[Moment]) -> Iterator[Moment]:
    starts = [moment.start for moment in moments]
    for match in _LIST.finditer(folded):
        end = match.end()
        for at in range(bisect_left(starts, end), len(moments)):
            moment = moments[at]
            if not (_is_whole(moment) and _NEXT_IN_LIST.fullmatch(folded, end, moment.start)):
                break
            yield moment
            end = moment.end


_BIRTH = Pattern(
    r"\b(nees?|nes?(?!\()|naiss(?:ances?)?|ddn|au monde"
    r"|born|birth(?:date|day)?|dob|nacid[oa]|nacio|nacimiento|nac|fn|fdn"
    r"|geb(?:oren|urtsdatum|urtstag|oortedatum|dat)?"
    # The birthday, whose day and month are those of the birth.
    r"|anniversaire|cumpleanos|verjaardag|jour de ses [0-9]{1,3} ans|fete ses [0-9]{1,3} ans"
    r"|cumplio [0-9]{1,3} anos|cumple [0-9]{1,3} anos|turned [0-9]{1,3})(?:\b|[0-9])"
    r"|\b(?:ne\(e\)|d\.d\.n\b|d\.o\.b\b|f\.n\.)"
)
# German letters mark the day of birth with a star, and lists of patients put it after the sex.
_MARKED = re.compile(r"(?:[\w,;(] ?\(?\* ?|[|;,] ?[mfhvw] ?[|;,] ?)\Z")
_MARKS = frozenset("*|;,")
_TOKEN = re.compile(r"\w+")
# Between a word for birth and a date, these name some other event.
_EVENTS = tuple(
    (
        "hospitalis vu vue vus vues admis admitted seen consult oper suivi entree sortie decede"
        " deceased died fallec ingres exit visite rdv rendez redig edite imprime present adresse"
        " aufgenommen aufnahme entlassen vorstellung gestorben verstorben"
        " opgenomen opname ontslag gezien overleden"
    ).split()
)
_BETWEEN_DATE_AND_BIRTH = re.compile(r"[ (:,=\-]{0,4}(?:date )?(?:de |of )?(?:la )?")
_NE_THEN = re.compile(r"\.? {0,2}(?:([a-z]+)|[:(=0-9\n])")
_PLACES = frozenset({"le", "la", "en", "a", "au", "aux", "vers"})

_TOKENS_AWAY = 5


def find_birth_dates(
    folded: str, text: str, moments: list[Moment], *, written: int, month_first: bool
) -> set[Moment]:
    """Return the dates that a word for birth points at within five tokens, and all of their value.

    Those that directly follow a patient's name or number count as well. The date that follows the
    word wins over one before it; `moments` are sorted and disjoint, `written` is the note's year.
    With `month_first`, 03/04/1950 may also be 4 March 1950.
    """
    pointed = _dates_near_birth_words(folded, text, moments)
    pointed |= dates_beside_patients(folded, text, moments, written)
    if not pointed:
        return pointed
    values = {value for moment in pointed for value in _possible_values(moment, written)}
    values.discard((None, None, None))
    turned = {(year, day, month) for year, month, day in values if month_first and day}
    found = set(pointed)
    for moment in moments:
        value = _full_value(moment, written)
        if value in values or (value in turned and _has_letters(folded, moment)):
            found.add(moment)
    return found


def _dates_near_birth_words(folded: str, text: str, moments: list[Moment]) -> set[Moment]:
    starts = [moment.start for moment in moments]
    found = {moment for moment in moments if _follows_birth_mark(folded, moment)}
    for match in _BIRTH.finditer(folded):
        if _is_negation(folded, text, match):
            continue
        end = match.end(1) if match[1] else match.end()
        at = bisect_left(starts, end)
        following = moments[at] if at < len(moments) else None
        preceding = moments[at - 1] if at else None
        if following and _is_near_birth_word(folded, end, following.start):
            found.add(following)
        elif preceding and preceding.end <= match.start():
            between = folded[preceding.end : match.start()]
            if len(between) < 60 and _BETWEEN_DATE_AND_BIRTH.fullmatch(between):
                found.add(preceding)
    return found


def _has_letters(folded: str, moment: Moment) -> bool:
    return any(char.isalpha() for char in folded[moment.start : moment.end])


def _follows_birth_mark(folded: str, moment: Moment) -> bool:
    start = moment.start
    if moment.year is None or _MARKS.isdisjoint(folded[max(0, start - 2) : start]):
        return False
    return _MARKED.search(folded, max(0, start - 6), start) is not None


def _is_negation(folded: str, text: str, match: re.Match[str]) -> bool:
    """Return whether `ne` is a negation, `ne tousse pas`, and not `né` without its accent."""
    if match[1] != "ne" or not text.startswith(("ne", "Ne"), match.start()):
        return False
    following = _NE_THEN.match(folded, match.end(1))
    return following is None or (following[1] is not None and following[1] not in _PLACES)


_Value = tuple[int | None, int | None, int | None]


def _full_value(moment: Moment, written: int) -> _Value:
    year = moment.year
    return (None if year is None else full_year(year, written)), moment.month, moment.day


def _possible_values(moment: Moment, written: int) -> list[_Value]:
    """Return the readings of a date of birth: one in two digits may lie a hundred years earlier."""
    year, month, day = _full_value(moment, written)
    if year is None or moment.year is None:
        return [(year, month, day)]
    if moment.year < 100:
        return [(year, month, day), (year - 100, month, day)]
    return [(year, month, day), *([(year + 100, month, day)] if year + 100 > written else [])]


def _is_near_birth_word(folded: str, start: int, end: int) -> bool:
    if end - start > 90:
        return False
    words = _TOKEN.findall(folded, start, end)
    return len(words) <= _TOKENS_AWAY and not any(word.startswith(_EVENTS) for word in words)


_NAMED_DAY = re.compile(rf"\b(?:{WEEKDAY}|{SHORT_WEEKDAY}\.?),? {{1,2}}(?:[a-z]{{2,3}} )?\Z")
# Two letters name a day in German and Dutch, and are words elsewhere.
_SHORTEST_DAY = re.compile(rf"\b(?:{longest_first(SHORTEST_WEEKDAYS)})\.?,? (?:den )?\Z")
_DAY_STARTS = frozenset(name[:3] for name in WEEKDAY_NAMES) | SHORTEST_WEEKDAYS
_ARTICLES = frozenset({"le", "the", "el", "dia", "den"})
_TWO_LETTERS = frozenset({"", "de", "nl"})


def detect(document: Document) -> list[Span]:
    """Find dates (DATE) and dates of birth (BIRTH_DATE), whole or partial.

    A span holds the date alone: the name of a weekday just before it belongs to it, a time after
    it, a full stop after it and words such as `le` do not; the two ends of a range are two spans
    (`rules.dates.ranges` joins them where the first is a day alone).
    A season, a quarter or a feast belongs to the year after it. A weekday, a feast or the number of
    a week beside a date is one of its own. Every date of the same value as a
    date of birth is one as well; years of two digits are those of a century that ends ten years
    after the note was written, or after today where that is unknown. Spans are sorted and disjoint.
    """
    text = document.text
    folded = fold_once(text)
    moments = _without_overlaps(_find_all(folded, text, document.lang), len(folded))
    further = [*days_in_series(folded, moments), *beside_dates.find(folded, moments)]
    if not moments and not further:
        return []
    if further:
        moments = _without_overlaps([*moments, *further], len(folded))
    births = find_birth_dates(
        folded,
        text,
        moments,
        written=(document.written or date.today()).year,
        month_first=document.lang in ("en", ""),
    )
    two_letters = document.lang in _TWO_LETTERS
    spans: list[Span] = []
    for moment in moments:
        start = _weekday_start(folded, moment.start, two_letters and moment.day is not None)
        if spans and spans[-1].end > start:
            if spans[-1].start < start:
                start = moment.start  # the weekday is part of a feast
            else:
                del spans[-1]  # a weekday, which belongs to the date after it
        label = Label.BIRTH_DATE if moment in births else Label.DATE
        spans.append(Span(start, moment.end, label, "rules.dates"))
    return spans


def _find_all(folded: str, text: str, lang: str) -> Iterator[Moment]:
    yield from numeric.find(folded)
    yield from numeric.find_pairs(folded)
    yield from log_entries(folded)
    yield from unannounced_days(folded, lang)
    if lang == "de":
        yield from german_days(folded, text)
    yield from written.find(folded, text)
    yield from find(folded)
    yield from feasts.find(folded, text)
    yield from weeks.find(folded)
    yield from told_days.find(folded, lang)
    yield from telegraphic.find(folded)
    yield from machine_dates.find(folded)
    for box in digit_boxes(folded):
        if box.is_date:
            year, month, day = numeric.run_of_digits(box.digits) or (None, None, None)
            yield Moment(box.start, box.end, year, month, day)


def _without_overlaps(moments: Iterable[Moment], length: int) -> list[Moment]:
    """Keep the longest of dates that overlap, of equal ones the leftmost."""
    taken = bytearray(length)
    kept = []
    for moment in sorted(moments, key=lambda m: (m.start - m.end, m.start)):
        if taken.find(1, moment.start, moment.end) < 0:
            taken[moment.start : moment.end] = b"\1" * (moment.end - moment.start)
            kept.append(moment)
    return sorted(kept)


def _weekday_start(folded: str, start: int, two_letters: bool) -> int:
    before = folded[max(0, start - 20) : start].split()
    if not before or folded[start - 1] != " ":
        return start
    word = before[-2 if len(before) > 1 and before[-1] in _ARTICLES else -1].strip(",.(")
    if word[:3] not in _DAY_STARTS:
        return start
    match = _NAMED_DAY.search(folded, max(0, start - 20), start)
    if match is None and two_letters:
        match = _SHORTEST_DAY.search(folded, max(0, start - 9), start)
    return match.start() if match else start
