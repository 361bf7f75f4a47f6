"""Dates written in digits: whole ones, and parts of one where the words around say that it is."""

import re
from collections.abc import Iterator

from rules.calendar import SHORT_WEEKDAY, WEEKDAY, Moment, full_year, possible_day
from rules.scan import Pattern

# How far before a number a word can still say what the number is.
_REACH = 24

_THREE = Pattern(
    r"([0-9][0-9]{0,3})( ?)([/.|\-])( ?)([0-9]{1,2})( ?)\3( ?)([0-9]{4}|[0-9]{1,2})(?![0-9])"
)
_MIXED = Pattern(
    r"([0-9][0-9]?) ?[/.|,\-] ?([0-9]{1,2}) ?[/.|\- ] ?((?:1[89]|20|21)[0-9]{2})(?![0-9])"
)

_BLANKS = Pattern(r"([0-9][0-9]?) {1,2}([0-9]{1,2}) {1,2}((?:19|20)[0-9]{2})(?![0-9])")
_BLANKS_YEAR_FIRST = Pattern(r"((?:19|20)[0-9]{2}) ([01][0-9]) ([0-3][0-9])(?![0-9])")
_TWO = Pattern(r"([0-9][0-9]{0,3})( ?)([/.\-])( ?)([0-9]{1,4})(?![0-9])")
_RUN = Pattern(r"[0-9]{6}(?:[0-9]{2})?(?![0-9])")
# Scanners and typists put O, Û or l where a digit belongs.
_MISREAD = Pattern(r"([/.\-] ?)([0-9oul]{1,2})( ?[/.\-] ?)([0-9oul]{4})(?![0-9a-z])")
_MISREAD_DAY = re.compile(r"(?<![0-9a-z])[0-9oul]{1,2} ?\Z")
_DIGITS_OF_LETTERS = str.maketrans("oul", "001")

# What stands in a field for a date is taken for one, however badly it is typed.
_FIELD = Pattern(
    r"\b(?:fecha|date|f\. ?nac|naissance|nacimiento|birth|ddn|dob)[a-z' .]{0,28} ?[:=] {0,3}"
    r"([0-9]{1,6}(?: ?[/.\-|]{1,2} ?[0-9]{1,6}){1,3})(?![0-9])"
)
_TIME = re.compile(r"[ t]{0,2}[0-9]{1,2} ?[:h]")
_MORE = re.compile(r" ?[0-9]")
_VERSION = re.compile(r"\b(?:v|vers|version|release|logiciel|ip|firmware)[ .:]{0,2}\Z")

# After these a bare day and month, or a run of digits, is a date.
DAY_TRIGGER = re.compile(
    r"(?:\b(?:le|du|au|des|les|el|del|al|dia|on|until|till|since|depuis|date[ds]?|fecha|rdv"
    r"|dob|d\.o\.b\.?|ddn|ne\(?e?\)?(?: le)?|nee|born|nac|naissance|nacimiento"
    rf"|seance|visite|consultation|rencontre|{WEEKDAY}|{SHORT_WEEKDAY}\.?)(?:[ :(,]{{1,3}}"
    rf"| {{0,2}}\n)"
    r"|\b(?:date|ddn|dob|fecha|naissance|nacimiento|birth|nac\.?) ?[:=] ?"
    r"|\b(?:le|el|du|del)|\b[cjsd][0-9]{1,2} ?[:=]? ?)\Z"
)
_STRONG_TRIGGER = re.compile(
    r"(?:\b(?:le|el|dia|on|dated?|fecha|rdv|dob|ddn|nee?|born|naissance|nacimiento|nac"
    rf"|{WEEKDAY})(?:[ :=(,.]{{1,3}}|\n)"
    r"|\bau |\bdu )\Z"
)
_MONTH_TRIGGER = re.compile(r"\b(?:en|in|depuis|since|desde|fin|debut|until|hasta|mois de) \Z")
# Words of English notes that go before a day, and before scores out of ten as well.
_LOOSE_TRIGGER = re.compile(
    r"(?:(?<!pain )\bfrom|\blabs? (?:of|from)|\b(?:labs|urinalysis|cbc|cultures?|drawn"
    r"|expected|received|performed|admitted|discharged|seen|pending))[ \n]\Z"
)
# An entry of a log begins with the day, and the time or a colon after it.
_ENTRY_OPENS = re.compile(r"(?:\A|\n|[.!?)\]] )[ \t>*•+\-\[(]{0,4}\Z")
_ENTRY_GOES_ON = re.compile(r"[)\]]? {0,2}:(?![0-9])|[)\]]? {1,2}[-–] {1,2}[^\W\d]")
_CLOCK = re.compile(r"[)\]]?,? {0,2}(?:at |a |- )?(?:[01]?[0-9]|2[0-3]) ?[:h] ?[0-5][0-9](?![0-9])")
_NOT_A_DATE = re.compile(
    r"\b(?:ta|pa|t\.a\.?|p\.a\.?|pas|bp|tas|tad|tension|arterielle|pression|eva|ens?|score|glasgow"
    r"|gcs"
    r"|apgar|acuite|vision|visuelle|od|og|os|av|grade|stade|stage|ecog|oms|page|p\.?|pages|pg"
    r"|ratio|n[°o]|no\.?|vs|silverman|souffle|motricite|force)[ :=a]{0,4}\Z"
)
_UNIT = re.compile(
    r" ?(?:%|mm|cm|m[lg]\b|[µu]g|g\b|g/|kg|l\b|/|ui\b|u\b|h\b|eme|e\b|[0-9]|ml|mmol|[.,/\-][0-9]"
    r"|mois|ans|jours|semaines|months|weeks|days|years|dias|meses|anos)"
)


def find(folded: str) -> Iterator[Moment]:
    """Yield dates of digits in folded text; they may overlap."""
    yield from _THREE.convert(folded, _three_parts)
    yield from _mixed(folded)
    yield from _blanks(folded)
    yield from _misread(folded)
    yield from _TWO.convert(folded, _two_parts)
    yield from _runs(folded)
    yield from _fields(folded)


def _before(folded: str, at: int, pattern: re.Pattern[str]) -> bool:
    return pattern.search(folded, max(0, at - _REACH), at) is not None


def _glued(folded: str, start: int, separators: str) -> bool:
    """Tell whether more digits lead up to a number, at once or over one of the separators."""
    if not start:
        return False
    before = folded[start - 1]
    return before.isdigit() or (before in separators and start > 1 and folded[start - 2].isdigit())


def day_and_month(first: str, second: str) -> tuple[int, int] | None:
    """Read two numbers as day and month, in the order of Europe where both orders are possible."""
    a, b = int(first), int(second)
    if possible_day(a, b) or (a == 0 and len(first) == 2 and 1 <= b <= 12):
        return a, b
    if possible_day(b, a):
        return b, a
    return None


def _moment(start: int, end: int, year: str, first: str, second: str) -> Moment | None:
    parts = day_and_month(first, second)
    if parts is None:
        return None
    number = full_year(year)
    if not 1800 <= number < 2200:
        return None
    return Moment(start, end, number, parts[1], parts[0])


def _three_parts(folded: str, match: re.Match[str]) -> Moment | None:
    first, separator, second, third = match.group(1, 3, 5, 8)
    start, end = match.span()
    if _glued(folded, start, separator + ",") or len(first) == 3:
        return None
    if len(first) == 4:
        return _moment(start, end, first, third, second) if len(third) <= 2 else None
    if len(third) == 4 or _short_year(folded, match):
        return _moment(start, end, third, first, second)
    return None


def _short_year(folded: str, match: re.Match[str]) -> bool:
    """Tell whether three numbers of at most two digits are a date and not part of a series."""
    first, separator, second, third = match.group(1, 3, 5, 8)
    start, end = match.span()
    if len(third) != 2 or re.compile(rf" ?{re.escape(separator)} ?[0-9]").match(folded, end):
        return False
    blank = any(match.group(2, 4, 6, 7))
    if separator == "/" and not blank:
        return True
    if _before(folded, start, DAY_TRIGGER):
        return True
    if _before(folded, start, _VERSION) or blank:
        return False
    timed = _CLOCK.match(folded, end) is not None
    return len(first) == len(second) == 2 and (timed or not _UNIT.match(folded, end))


def _mixed(folded: str) -> Iterator[Moment]:
    for match in _MIXED.finditer(folded):
        first, second, year = match.groups()
        start, end = match.span()
        if _glued(folded, start, ",./-") or ("," in match[0] and len(first + second) < 4):
            continue
        found = _moment(start, end, year, first, second)
        if found:
            yield found


def _blanks(folded: str) -> Iterator[Moment]:
    for match in _BLANKS.finditer(folded):
        first, second, year = match.groups()
        start, end = match.span()
        if _glued(folded, start, " .-/,") or _another_group(folded, end):
            continue
        if len(first) + len(second) == 4 or _before(folded, start, _STRONG_TRIGGER):
            found = _moment(start, end, year, first, second)
            if found:
                yield found
    for match in _BLANKS_YEAR_FIRST.finditer(folded):
        year, month, day = match.groups()
        start, end = match.span()
        if _glued(folded, start, " .-/,") or _another_group(folded, end):
            continue
        if possible_day(int(day), int(month)):
            yield Moment(start, end, int(year), int(month), int(day))


def _another_group(folded: str, end: int) -> bool:
    return bool(_MORE.match(folded, end)) and not _TIME.match(folded, end)


def _misread(folded: str) -> Iterator[Moment]:
    for match in _MISREAD.finditer(folded):
        day = _MISREAD_DAY.search(folded, max(0, match.start() - 4), match.start())
        if day is None:
            continue
        start, end = day.start(), match.end()
        written = folded[start:end]
        if written.isascii() and not any(letter in written for letter in "oul"):
            continue
        if sum(char.isdigit() for char in written) < 4:
            continue
        parts = [p.translate(_DIGITS_OF_LETTERS) for p in (day[0].strip(), match[2], match[4])]
        found = _moment(start, end, parts[2], parts[0], parts[1])
        if found:
            yield found


def _two_parts(folded: str, match: re.Match[str]) -> Moment | None:
    first, separator, second = match.group(1, 3, 5)
    start, end = match.span()
    if len(first) == 3 or len(second) == 3 or _glued(folded, start, "./-,"):
        return None
    if _continues(folded, end, separator):
        return None
    if len(first) == 4 or len(second) == 4:
        return _month_and_year(folded, match)
    return _day_and_month(folded, match)


def _continues(folded: str, end: int, separator: str) -> bool:
    following = folded[end : end + 3].replace(" ", "")
    return following[:1] in {separator, "/"} and following[1:2].isdigit()


def _month_and_year(folded: str, match: re.Match[str]) -> Moment | None:
    first, separator, second = match.group(1, 3, 5)
    start, end = match.span()
    year, month = (first, second) if len(first) == 4 else (second, first)
    if not 1900 <= int(year) < 2100 or len(month) > 2 or not 1 <= int(month) <= 12:
        return None
    if len(month) == 1 and (separator != "/" or year is first):
        return None
    if month == "1" and not _before(folded, start, _MONTH_TRIGGER):
        return None  # a titre: 1/2048
    if any(match.group(2, 4)) and separator != "/":
        return None
    if separator == "." and _UNIT.match(folded, end):
        return None
    if _before(folded, start, _VERSION) or re.match(r" ?[%µ]", folded[end : end + 2]):
        return None
    return Moment(start, end, int(year), int(month), None)


# Shares and scores that are read as such even after `du` or `au`: 1/3, 2/3, 3/4, 7/7, 24/24.
def _fraction(first: str, second: str) -> bool:
    if len(first) == len(second) == 1:
        return int(second) in (2, 3, 4, 5) and int(first) < int(second)
    return False


def _day_and_month(folded: str, match: re.Match[str]) -> Moment | None:
    first, separator, second = match.group(1, 3, 5)
    start, end = match.span()
    parts = day_and_month(first, second)
    if parts is None or 0 in parts or _before(folded, start, _NOT_A_DATE):
        return None
    logged = separator == "/" and _opens_entry(folded, match)
    if _UNIT.match(folded, end) and not logged:
        return None
    triggered = logged or _before(folded, start, DAY_TRIGGER)
    if len(second) == 2 and not triggered:
        triggered = _before(folded, start, _LOOSE_TRIGGER)
    if separator == "/":
        if _fraction(first, second) or not (triggered or _looks_like_day(first, second)):
            return None
    elif not triggered or len(second) != 2 or not (separator == "." or _zero_led(first, second)):
        return None
    return Moment(start, end, None, parts[1], parts[0])


def _opens_entry(folded: str, match: re.Match[str]) -> bool:
    """Tell whether `n/n` is the day of an entry in a log: `29/12 : vu`, `22/05 16h41`."""
    first, second = match.group(1, 5)
    if len(second) != 2 or any(match.group(2, 4)):
        return False
    if len(first) == 2 and _CLOCK.match(folded, match.end()):
        return True
    if not _before(folded, match.start(), _ENTRY_OPENS):
        return False
    return any(after.match(folded, match.end()) for after in (_CLOCK, _ENTRY_GOES_ON))


def _zero_led(first: str, second: str) -> bool:
    return first[0] == "0" or second[0] == "0"


def _looks_like_day(first: str, second: str) -> bool:
    """Tell whether `n/n` is written as days are: two digits each, a zero before one of them.

    Scores out of ten are left out unless a trigger stands before them.
    """
    if len(second) != 2:
        return False
    return second[0] == "0" or (first[0] == "0" and len(first) == 2 and second not in ("10", "20"))


def _runs(folded: str) -> Iterator[Moment]:
    for match in _RUN.finditer(folded):
        start, end = match.span()
        if _glued(folded, start, ".,-/") or folded[end : end + 1].isalpha():
            continue
        digits = match[0]
        wanted = DAY_TRIGGER if len(digits) == 8 else _STRONG_TRIGGER
        if not _before(folded, start, wanted):
            continue
        found = run_of_digits(digits)
        if found:
            yield Moment(start, end, *found)


def run_of_digits(digits: str) -> tuple[int, int, int] | None:
    """Read 6 or 8 digits as day, month, year, or 8 as year, month, day; give (year, month, day)."""
    year = full_year(digits[4:])
    parts = day_and_month(digits[:2], digits[2:4])
    if parts and parts[0] and 1880 <= year < 2100:
        return year, parts[1], parts[0]
    if len(digits) == 8 and 1900 <= int(digits[:4]) < 2100:
        month, day = int(digits[4:6]), int(digits[6:])
        if possible_day(day, month):
            return int(digits[:4]), month, day
    return None


def _fields(folded: str) -> Iterator[Moment]:
    for match in _FIELD.finditer(folded):
        if 6 <= sum(char.isdigit() for char in match[1]) <= 9:
            yield Moment(match.start(1), match.end(1), None, None, None)
