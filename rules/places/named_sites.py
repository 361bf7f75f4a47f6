"""Detection of hospitals and clinics whose kind stands behind their name, or ends it."""

import re
from collections.abc import Iterator

from rules.matching.lexicon import lexicon
from rules.matching.scanner import Pattern
from rules.names.words import clinical, common
from rules.places.proper_names import read_name

Place = tuple[int, int]

_ENGLISH = Pattern(
    r"\b(?:H(?:ospital|OSPITAL)|(?:Medical|MEDICAL|Health|Cancer|Rehabilitation|Surgery)"
    r" (?:Cent(?:er|re)|CENTER|System|Group|Institute)|C(?:linic|LINIC)|Infirmary|Hospice"
    r"|Nursing Home|Ward|Unit|Pavilion|Family Practice|Assisted Living|Surgery)\b",
    cased=True,
)
_CONTINENTAL = Pattern(
    r"(?:-(?:Krankenhaus|Klinikum|Klinik|Stift|Spital)|[a-z](?:hospital|krankenhaus))"
    r"(?![a-z])",
    cased=True,
)
_NAMED_DUTCH = Pattern(
    r"(?<=[a-z] )(?:[Zz]iekenhuis|Gasthuis|[Mm]edisch [Cc]entrum)(?![A-Za-z])", cased=True
)
_CHAIN = Pattern(
    r"\b(?:Asklepios|Helios|Sana|Vivantes|Median|Ameos|Paracelsus) Klini(?:k|kum) "
    r"(?=[A-Z])",
    cased=True,
)
# `Osler 7 West`, `Barton 4B`: a name and a number where a patient lies or goes to.
_NUMBERED = Pattern(
    r"\b(?:(?:admit(?:ted)?|transfer(?:red)?|moved|discharged?)\s(?:to|from|on)\s"
    r"|(?:unit|ward|floor) ?: {0,2}|nursing [a-z]{4,8} ?[\-:] "
    r"|(?:dr|prof)\.? (?:[a-z][a-z.'\-]{0,20} ){0,2}[a-z][a-z.'\-]{0,20}, )"
    r"(([a-z]{3,20}) [0-9]{1,2}(?: ?[a-h](?![a-z])| (?:north|south|east|west))?)(?![\w/.:%])"
)
_LONGEST_FIRST = sorted(lexicon("care_sites"), key=lambda name: (-len(name), name))
_KNOWN = Pattern(rf"\b(?:{'|'.join(map(re.escape, _LONGEST_FIRST))})(?![a-z0-9])")
_MOST_NAMES = 20
_OF = re.compile(r" (?:of|for|at) (?=[A-Z])")
_WORD = re.compile(r"(?:[A-Z][^\W\d_]*(?:['.\-][^\W\d_]*){0,4}|&)\Z")
_OTHER_SITES = frozenset(["Hospital", "Clinic", "Infirmary", "Hospice"])
_BETWEEN = frozenset("of de the and for".split())
_LEADING = frozenset(
    "the at from in to emergency dr. patient our local outside transfer admitted".split()
)
_NAMED_GENERIC = frozenset(
    "general memorial university community regional county city children's childrens women's"
    " medical health hospital clinic center veterans affairs va state national central public"
    " district rehabilitation psychiatric teaching university's".split()
)
# Kinds of care that lists of everyday words lack.
_CARE = frozenset(
    "outpatient inpatient burn dialysis stroke trauma urgent specialty mobility memory birth"
    " observation telemetry stepdown nursing assisted".split()
)
_ROADS = frozenset(
    "road street lane park house tree green hill village mill lodge bridge court grove farm church"
    " gate wood cross manor way".split()
)
# Saints and patrons whose names a German hospital runs together with its kind.
_PATRONS = frozenset(
    "marien josef josefs joseph josephs elisabeth elisabethen johannis johannes katharinen vinzenz"
    " franziskus luisen barbara annen theresien insel augusta georg georgs martin martins".split()
)
_COMPOUND = re.compile(r"[A-Z][^\s,;:()]+\Z")


def english_sites(cased: str, folded: str) -> list[Place]:
    """Find care sites in the English order: `St. Mary's Hospital`; code points, half open."""
    found = [
        span for match in _ENGLISH.finditer(cased) if (span := _before_kind(cased, match.span()))
    ]
    return found + _numbered(cased, folded)


def known_sites(folded: str) -> list[Place]:
    """Find care sites that go by a name without a kind; code points, half open."""
    return [match.span() for match in _KNOWN.finditer(folded)]


def continental_sites(cased: str, folded: str) -> list[Place]:
    """Find German and Dutch care sites named before their kind; code points, half open."""
    found = [
        span for match in _CONTINENTAL.finditer(cased) if (span := _compound(cased, match.end()))
    ]
    for match in _NAMED_DUTCH.finditer(cased):
        start = _first(cased, match.start())
        words = folded[start : match.start()].split()
        if start < match.start() and not all(common(word) for word in words):
            found.append((start, match.end()))
    return found + [
        (match.start(), read_name(cased, match.end())) for match in _CHAIN.finditer(cased)
    ]


def _compound(cased: str, end: int) -> Place | None:
    low = max(0, end - 50)
    word = _COMPOUND.search(cased[low:end])
    if word is None:
        return None
    name = word.group()
    parts = name.split("-")
    if len(parts) < 3 and not name.startswith("St") and not _of_a_patron(name.lower()):
        return None
    town = read_name(cased, end + 1) if cased[end : end + 1] == " " else end
    return low + word.start(), max(town, end) if town > end + 1 else end


def _of_a_patron(name: str) -> bool:
    return name.removesuffix("hospital").removesuffix("krankenhaus") in _PATRONS


def _numbered(cased: str, folded: str) -> list[Place]:
    """Find wards named by a word and a number, and again wherever the same name stands."""
    names = {
        cased[match.start(1) : match.end(1)]
        for match in _NUMBERED.finditer(folded)
        if cased[match.start(1)].isupper() and not common(match[2])
    }
    return [place for name in sorted(names)[:_MOST_NAMES] for place in _again(cased, name)]


def _again(cased: str, name: str) -> Iterator[Place]:
    at = cased.find(name)
    while at >= 0:
        end = at + len(name)
        if not (cased[at - 1 : at].isalnum() or cased[end : end + 1].isalnum()):
            yield at, end
        at = cased.find(name, end)


def _first(cased: str, start: int) -> int:
    """Go back over capitalised words, and the small words between them, to the first."""
    low = max(0, start - 70)
    line = max(cased.rfind("\n", low, start) + 1, low)
    first = at = start
    for word in reversed(cased[line : start - 1].split(" ")[-6:]):
        at -= len(word) + 1
        bare = word.lstrip('("«“')
        if bare in _OTHER_SITES:
            break
        if _WORD.match(bare):
            first = at + len(word) - len(bare)
            if bare != word:
                break
        elif word not in _BETWEEN or first - at > 12:
            break
    return first


def _tells_nothing(word: str) -> bool:
    return word in _CARE or common(word)


def _before_kind(cased: str, place: Place) -> Place | None:
    start, end = place
    first = _first(cased, start) if cased[start - 1 : start] == " " else start
    words = cased[first:start].split()
    while words and words[0].lower() in _LEADING:
        first = cased.find(" ", first) + 1
        words.pop(0)
    of = _OF.match(cased, end)
    after = read_name(cased, of.end()) if of else end
    if not words:
        named = (
            of is not None and after > of.end() and not clinical(cased[of.end() : after].lower())
        )
        return (start, after) if named else None
    telling = [
        word for word in words if word.lower() not in _NAMED_GENERIC and word not in _BETWEEN
    ]
    kind = cased[start:end]
    if kind == "Surgery" and (words[-1].lower() not in _ROADS or len(words) < 2):
        return None
    if all(_tells_nothing(word.lower().strip(".,'")) for word in telling):
        return None
    if kind == "Infirmary" and of and after > of.end():
        return first, after
    return first, end
