"""Detection of postal codes of many countries with the towns and states beside them."""

import re
from collections.abc import Callable, Iterator, Set
from typing import NamedTuple

from record.label import Label
from rules.matching.lexicon import surname_rank, term_kind, word_rank
from rules.matching.scanner import Pattern, Patterns
from rules.names.words import is_common
from rules.places.gazetteer import is_town, label_of, surely_town
from rules.places.town_names import read_town

Found = tuple[int, int, str]


class Around(NamedTuple):
    """Where streets and care sites begin and end, in code points of the text."""

    starts: Set[int]
    ends: Set[int]


_CUED = Pattern(
    r"\b(?:c\.? ?p\.?|code postal|codigo postal|cod\.? postal|zip(?: code)?|postcode|plz"
    r"|postleitzahl|dans le)[ :.]{1,4}([0-9]{5}|[0-9]{2} [0-9]{3}|[0-9]{4} ?[a-z]{2})"
    r"(?![a-z0-9])"
)
_FIVE = Pattern(r"\b(?<![.,/])([0-9]{5})\b(?![/%]|[.,][0-9]|-[0-9]{1,3}(?![0-9]))")
_SPLIT = Pattern(r"\b(?<![.,/\-])(?<![0-9] )[0-9]{2} [0-9]{3},? [A-Z](?![a-z]?/)", cased=True)
_FOUR = Pattern(r"\b(?<![.,/\-])(?:(?:B|CH|A|L)-)?[0-9]{4} [A-Z](?![A-Z](?![A-Za-z]))", cased=True)
_DUTCH = Pattern(r"\b(?<![.,/\-])[1-9][0-9]{3} ?[A-Z]{2}\b", cased=True)
_BRITISH = Pattern(r"\b[A-Z]{1,2}[0-9][A-Z0-9]? [0-9][ABD-HJLNP-UW-Z]{2}\b", cased=True)
_CANADIAN = Pattern(
    r"\b[A-CEGHJ-NPR-TVXY][0-9][A-CEGHJ-NPR-TV-Z] [0-9][A-CEGHJ-NPR-TV-Z][0-9]\b",
    cased=True,
)
_COUNTRY_LETTERS = ("F-", "E-", "D-", "I-")
_FURTHER_FOUR = re.compile(r"-[0-9]{4}(?![0-9])")
_STATES = (
    "AL|AK|AZ|AR|CA|CO|CT|DE|FL|GA|HI|ID|IL|IN|IA|KS|KY|LA|ME|MD|MA|MI|MN|MS|MO|MT|NE|NV|NH|NJ"
    "|NM|NY|NC|ND|OH|OK|OR|PA|RI|SC|SD|TN|TX|UT|VT|VA|WA|WV|WI|WY|DC|PR"
)
_PROVINCES = "AB|BC|MB|NB|NL|NS|ON|PE|QC|SK|YT"
STATE = re.compile(rf"(?:{_STATES}|{_PROVINCES})(?![A-Za-z])")
"""The two letters of an American state or a Canadian province."""
_IDAHO = "83"
_CITY_STATE = Pattern(r"[a-zA-Z], [A-Z]{2}\b", cased=True)
_STATE_BEFORE = re.compile(r"(?:[A-Z]{2}|[A-Z][a-z]+(?: [A-Z][a-z]+)?),?[ \n]\Z")
_CITY_BEFORE = re.compile(
    r"(?<![A-Za-z])[A-Z][A-Za-z.'\-]+(?: (?:(?:de|del|la|los|of) ){0,2}[A-Z][A-Za-z.'\-]+){0,3}\Z"
)
_GAP_BEFORE = re.compile(r"(?:,? (?:dans le |\()?|\. |,?\n)\Z")
_UNITS = frozenset("ml mg kg ie me ui iu kj eh ma mm cm dl".split())
_YEARS = ("19", "20")


def postcodes(cased: str, folded: str, around: Around, lang: str) -> list[Found]:
    """Find postal codes with the towns and states beside them; code points, half open.

    `cased` is the text without accents, `folded` without case too; what follows the streets and
    care sites of `around` needs no other proof.
    """
    found: list[Found] = []
    cued: set[int] = set()
    for match in _CUED.finditer(folded):
        cued.add(match.start(1))
        found.append((*match.span(1), Label.ZIP))
        found += _with_town(cased, folded, match.end(1), lang, certain=False)
        before = _town_before(cased, folded, match.start(1), lang)
        found += [(*before, Label.CITY)] if before else []
    for match in _FIVE.finditer(folded):
        if match.start(1) not in cued and match.start(1) not in around.starts:
            found += _read_five_digits(cased, folded, match.span(1), around, lang)
    for index, match in _SHAPES.finditer(cased):
        found += _READ[index](cased, folded, match, around, lang)
    return found


def _follows_street(ends: Set[int], start: int) -> bool:
    return start in ends or any(at in ends for at in range(start - 4, start))


def _read_five_digits(
    cased: str, folded: str, place: tuple[int, int], around: Around, lang: str
) -> list[Found]:
    start, end = place
    if cased[start - 2 : start] in _COUNTRY_LETTERS and not cased[max(0, start - 3)].isalnum():
        start -= 2
    elif start and cased[start - 1] == "-":
        return []
    if lang in ("en", ""):
        further = _FURTHER_FOUR.match(cased, end)
        end = further.end() if further else end
        american = _american_town_and_state(cased, start)
        if american:
            return [*american, (start, end, Label.ZIP)]
    follows = _follows_street(around.ends, start)
    found = _with_town(
        cased,
        folded,
        end,
        lang,
        certain=follows,
        broken=lang != "en" and _follows_break(cased, start),
    )
    if found:
        return [(start, end, Label.ZIP), *found]
    if follows:
        return [(start, end, Label.ZIP)]
    before = _town_before(cased, folded, start, lang)
    return [(start, end, Label.ZIP), (*before, Label.CITY)] if before else []


def _with_town(
    cased: str, folded: str, end: int, lang: str, *, certain: bool, broken: bool = False
) -> list[Found]:
    """Read the town behind a postal code; without proof it must be a listed one."""
    begin = end
    while begin < min(len(cased), end + 3) and cased[begin] in " ,\n.-":
        begin += 1
    town_end = read_town(cased, folded, begin)
    if town_end == begin:
        return []
    name = folded[begin:town_end]
    first = name.partition(" ")[0]
    plain = (
        broken
        and len(first) > 2
        and not is_common(first)
        and _is_town_or_opens_line(cased, end, name)
    )
    if (
        certain
        or plain
        or " cedex" in name
        or surely_town(name.partition(" cedex")[0].partition(" 1")[0].partition(" 2")[0], lang)
    ):
        return [(begin, town_end, Label.CITY)]
    return []


def _is_town_or_opens_line(cased: str, code_end: int, name: str) -> bool:
    """Return whether a town is known, or its code opens a line and it is no word at all."""
    if is_town(name):
        return True
    line = cased.rfind("\n", max(0, code_end - 9), code_end) >= 0 or code_end < 9
    first = name.partition(" ")[0]
    return line and not term_kind(first) and not word_rank(first)


def _follows_break(cased: str, start: int) -> bool:
    before = cased[max(0, start - 2) : start]
    return start == 0 or before[-1:] == "\n" or before in (", ", "- ", ". ")


def _town_before(cased: str, folded: str, start: int, lang: str) -> tuple[int, int] | None:
    """Return the listed town right before a postal code."""
    low = max(0, start - 44)
    gap = _GAP_BEFORE.search(cased[max(low, start - 10) : start])
    if gap is None:
        return None
    end = max(low, start - 10) + gap.start()
    name = _CITY_BEFORE.search(cased[low:end])
    at = low + name.start() if name else end
    while at < end:
        if surely_town(folded[at:end], lang):
            return at, end
        at = folded.find(" ", at, end) + 1 or end
    return None


def _american_town_and_state(cased: str, start: int) -> list[Found]:
    """Read the town and the state before an American or Canadian code."""
    low = max(0, start - 64)
    window = cased[low:start]
    state = _STATE_BEFORE.search(window[-26:])
    if state is None:
        return []
    at = max(low, start - 26) + state.start()
    name = state.group().rstrip(" ,\n")
    two = " " in name and Label.REGION not in label_of(name.lower())
    if two:  # `Paul Minnesota`: the first word belongs to the town
        at, name = at + name.index(" ") + 1, name[name.index(" ") + 1 :]
    known = STATE.fullmatch(name) if len(name) == 2 else Label.REGION in label_of(name.lower())
    city_end = at
    while city_end > low and cased[city_end - 1] in " ,":
        city_end -= 1
    city = _CITY_BEFORE.search(cased[low:city_end])
    if not known or city is None or city_end == at:
        return []
    if name == "ID" and cased[city_end] != "," and not cased.startswith(_IDAHO, start):
        return []  # `Badge ID 30301`
    return [
        (low + city.start(), city_end, Label.CITY),
        (at, at + len(name), Label.REGION),
    ]


def _read_split_digits(
    cased: str, folded: str, match: re.Match[str], around: Around, lang: str
) -> list[Found]:
    start, end = match.start(), match.start() + 6
    if lang not in ("fr", ""):
        return []
    town = _with_town(cased, folded, end, lang, certain=_follows_street(around.ends, start))
    return [(start, end, Label.ZIP), *town] if town else []


def _read_four_digits(
    cased: str, folded: str, match: re.Match[str], around: Around, lang: str
) -> list[Found]:
    start, end = match.start(), match.end() - 2
    if lang in ("en", "es"):
        return []
    prefixed = cased[start].isupper()
    dated = lang == "fr" and cased[start : start + 2] in _YEARS
    certain = prefixed or _follows_street(around.ends, start)
    if not certain and (dated or not _follows_break(cased, start)):
        return []
    town = _with_town(cased, folded, end, lang, certain=certain)
    return [(start, end, Label.ZIP), *town] if town else []


def _read_dutch(
    cased: str, folded: str, match: re.Match[str], around: Around, lang: str
) -> list[Found]:
    start, end = match.span()
    if lang not in ("nl", "") or folded[end - 2 : end] in _UNITS:
        return []
    follows = _follows_street(around.ends, start)
    town = _with_town(
        cased, folded, end, lang, certain=follows, broken=_follows_break(cased, start)
    )
    return [(start, end, Label.ZIP), *town] if town or follows else []


def _read_anglophone(
    cased: str, folded: str, match: re.Match[str], around: Around, lang: str
) -> list[Found]:
    start, end = match.span()
    if lang not in ("en", "") or (cased[start] == "T" and cased[start + 2] == "N"):
        return []  # the second is a stage: `T1N 0M0`
    found = _american_town_and_state(cased, start)
    if not found:
        before = _town_before(cased, folded, start, lang) or _town_behind_street(
            cased, start, around
        )
        found = [(*before, Label.CITY)] if before else []
    return [*found, (start, end, Label.ZIP)]


def _town_behind_street(cased: str, start: int, around: Around) -> tuple[int, int] | None:
    end = start
    while end and cased[end - 1] in " ,\n":
        end -= 1
    low = max(0, end - 40)
    name = _CITY_BEFORE.search(cased[low:end])
    if name and end < start and _follows_street(around.ends, low + name.start()):
        return low + name.start(), end
    return None


_Read = Callable[[str, str, re.Match[str], Around, str], list[Found]]
_SHAPES = Patterns([_SPLIT, _FOUR, _DUTCH, _BRITISH, _CANADIAN])
_READ: tuple[_Read, ...] = (
    _read_split_digits,
    _read_four_digits,
    _read_dutch,
    _read_anglophone,
    _read_anglophone,
)


def city_and_state(cased: str, folded: str, ends: Set[int]) -> Iterator[Found]:
    """Yield towns before the two letters of their states where no postal code follows."""
    for match in _CITY_STATE.finditer(cased):
        end = match.start() + 1
        if not STATE.match(cased, end + 2):
            continue
        low = max(0, end - 40)
        name = _CITY_BEFORE.search(cased[low:end])
        if name is None:
            continue
        start = low + name.start()
        if _follows_street(ends, start) or _is_unlikely_person(folded[start:end]):
            yield start, end, Label.CITY


def _is_unlikely_person(name: str) -> bool:
    return surely_town(name, "en") and (not surname_rank(name) or Label.CITY in label_of(name))
