"""Dates of birth that no word announces, beside the name or the number of a patient."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from record.folding import unaccent
from rules.dates.calendar import (
    Moment,
    full_year,
)
from rules.matching.scanner import Pattern
from rules.names.words import given

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


def beside_patients(folded: str, text: str, moments: Sequence[Moment], written: int) -> set[Moment]:
    """Return the whole dates that directly follow a patient's number, or name in a header or list.

    A comma or the end of a line may stand between. Their year lies before that of another date of
    the note, for a list of one outside of it. Without another date it lies before `written`, the
    year of the note, and for a name in a header long before. `moments` are sorted and disjoint,
    `folded` and `text` have the same offsets.
    """
    listed = set(_listed(folded, moments))
    numbered = {moment for moment in moments if _numbered(folded, moment)}
    named = {moment for moment in moments if _named(folded, text, moment)}
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


def _numbered(folded: str, moment: Moment) -> bool:
    start = moment.start
    if not folded[max(0, start - 4) : start].rstrip(" ,\n")[-1:].isdigit() or not _is_whole(moment):
        return False
    number = _NUMBER.search(folded, max(0, start - _WIDEST), start)
    return number is not None and number[1].count(" ") >= _LEAST_GROUPS


def _named(folded: str, text: str, moment: Moment) -> bool:
    """Return whether a date has its line for itself, and the line before holds a patient's name."""
    start = moment.start
    if not start or folded[start - 1] != "\n" or not _is_whole(moment):
        return False
    line = text[max(0, start - _WIDEST) : start - 1].rpartition("\n")[2]
    patient = _PATIENT.fullmatch(unaccent(line).strip())
    if patient is None or not _LINE_ENDS.match(folded, moment.end):
        return False
    return given(patient[1].lower())


def _listed(folded: str, moments: Sequence[Moment]) -> Iterator[Moment]:
    starts = [moment.start for moment in moments]
    for match in _LIST.finditer(folded):
        end = match.end()
        for at in range(bisect_left(starts, end), len(moments)):
            moment = moments[at]
            if not (_is_whole(moment) and _NEXT_IN_LIST.fullmatch(folded, end, moment.start)):
                break
            yield moment
            end = moment.end
