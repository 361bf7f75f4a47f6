"""German and Dutch telephone numbers: how they part, and numbers that ring at nobody's.

German ones come from the blocks that the Bundesnetzagentur sets aside for films and books
(Mitteilung 148/2021). Where the area code is written with four digits or more, and in the
Netherlands, no block is set aside: area codes are real ones, the rest is random.
"""

import re
from dataclasses import dataclass

from surrogates.patient.lexicon import listed

GERMANY, NETHERLANDS = "49", "31"
# By the digits of the area code, without the zero before it.
_BLOCKS = {2: ("3023125", "6990009", "4066969", "8999998"), 3: ("2214710",)}
_MOBILE_BLOCKS = {10: "17139200", 11: "176040690"}
_OTHER_MOBILES = ("15228817386", "15228895456", "15254599371")
_AREAS = {
    (GERMANY, 4): listed(
        "2041 2104 2151 2202 2241 2303 2331 2361 2421 2501 2631 2841 3301 3501 3641 3841 4101 4131"
        " 4202 4331 4421 4921 5021 5101 5151 5241 5331 5451 5601 6021 6101 6151 6181 6221 6331 6421"
        " 6501 6721 7031 7121 7141 7221 7321 7361 7541 7721 7731 8031 8121 8161 8331 8421 8651 8821"
        " 9131 9171 9261 9421 9561 9721"
    ),
    (NETHERLANDS, 2): listed(
        "10 13 15 20 23 24 26 30 33 35 36 38 40 43 45 46 50 53 55 58 70 71 72 73 74 75 76 77 78 79"
    ),
    (NETHERLANDS, 3): listed(
        "111 113 114 115 117 118 161 162 164 165 166 167 168 172 174 180 181 182 183 184 186 187"
        " 222 223 224 226 227 228 229 251 252 255 294 297 299 313 314 315 316 317 318 320 321 341"
        " 342 343 344 345 346 347 348 411 412 413 416 418 475 478 481 485 486 487 488 492 493 495"
        " 497 499 511 512 513 514 515 516 517 518 519 521 522 523 524 525 527 528 529 541 543 544"
        " 545 546 547 548 561 562 566 570 571 572 573 575 577 578 591 592 593 594 595 596 597 598"
    ),
}
# The fewest digits of a German number with its area code.
_FEWEST = 6
_DUTCH_SIZE = 9
_FIRST_OF_SUBSCRIBER = "23456789"
_MOBILE_GERMAN = ("15", "16", "17")
_SERVICE = {GERMANY: ("1", "8", "9", "7"), NETHERLANDS: ("8", "9", "1")}
_GROUP = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Plan:
    """Where the national number begins in the digits, its country and its length."""

    country: str
    start: int
    size: int


def parse(digits: str, start: int, lang: str) -> Plan | None:
    """Part the digits of a number; `start` is behind `+` or `00`, negative for a national one.

    Returns None for numbers of other countries, and for those without an area code.
    """
    for country in (GERMANY, NETHERLANDS):
        if start >= 0 and digits.startswith(country, start):
            first = start + len(country)
            first += digits.startswith("0", first)
            return _plan(country, digits, first)
    country = {"de": GERMANY, "nl": NETHERLANDS}.get(lang, "")
    if start < 0 and country and digits[0] == "0" and digits[1:2] not in ("", "0"):
        return _plan(country, digits, 1)
    return None


def _plan(country: str, digits: str, first: int) -> Plan | None:
    rest = len(digits) - first
    if country == NETHERLANDS:
        return Plan(country, first, _DUTCH_SIZE) if rest >= _DUTCH_SIZE else None
    return Plan(country, first, rest) if rest >= _FEWEST else None


def area_length(written: str, plan: Plan, national: str) -> int:
    """Return how many digits the area code has as a number is written; 0 where no group tells it.

    `written` is the text with digits in ASCII.
    """
    seen = 0
    for group in _GROUP.finditer(written):
        end = seen + len(group[0])
        if end > plan.start:
            length = end - max(plan.start, seen)
            # A group that holds nearly all of the number is no area code.
            return length if length <= 5 and length < len(national) - 2 else 0
        seen = end
    return 0


def draw_head(country: str, national: str, area: int, number: int) -> str:
    """Return the first digits of a surrogate; `number` is pseudorandom, the rest is to be drawn."""
    if country == GERMANY:
        return _german(national, area, number)
    if national[0] == "6":
        return "6" + "12345"[number % 5]
    if national[0] in _SERVICE[NETHERLANDS] and national[:2] not in _DUTCH_ONES:
        return national[:3]
    return _area(NETHERLANDS, area if area in (2, 3) else 2, number)


# Areas whose codes begin like those of services.
_DUTCH_ONES = frozenset(code[:2] for code in _AREAS[NETHERLANDS, 2] + _AREAS[NETHERLANDS, 3])


def _german(national: str, area: int, number: int) -> str:
    size = len(national)
    if national[:2] in _MOBILE_GERMAN:
        return _MOBILE_BLOCKS.get(size, _OTHER_MOBILES[number % len(_OTHER_MOBILES)][: size - 2])
    if national[0] == "1" or national[:3] in ("700", "800", "900"):
        return national[:3]
    if area in (4, 5):
        return _area(GERMANY, 4, number)
    blocks = _BLOCKS.get(area, _BLOCKS[2])
    return blocks[number % len(blocks)][: size - 1]


def _area(country: str, length: int, number: int) -> str:
    areas = _AREAS[country, length]
    number, place = divmod(number, len(areas))
    return areas[place] + _FIRST_OF_SUBSCRIBER[number % len(_FIRST_OF_SUBSCRIBER)]
