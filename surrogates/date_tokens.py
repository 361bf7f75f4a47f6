"""Cuts a written date into numbers, months, weekdays, seasons and the text between them."""

import re
from dataclasses import dataclass, replace

from record.folding import fold
from surrogates.date_words import (
    CONNECTORS,
    LANGUAGES,
    LONGEST_SPELT,
    MONTH_INDEX,
    ORDINALS,
    SEASON_INDEX,
    SPELT,
    SPELT_STARTS,
    WEEKDAY_INDEX,
    Style,
)

_TIME = (
    r"(?<![\d:])(?:[01]?\d|2[0-4])\s?(?::\s?[0-5]\d|h\s?[0-5]\d|h(?:eures?)?\b)(?:\s?(?:mn|min)\b)?"
    r"(?::[0-5]\d(?:[.,]\d+)?)?(?:\s?[ap]\.?m\b\.?)?(?:\s?(?:z\b|[+-]\d\d:?\d\d))?(?![:\d])"
)
_TOKEN = re.compile(rf"(?P<time>{_TIME})|(?P<digits>\d+)|(?P<word>[^\W\d_]+)")
_YEARS = range(1800, 2200)


@dataclass(frozen=True, slots=True)
class Token:
    """A number, month, weekday or season of a written date.

    `kind` is `Y` (a year of four digits), `n` (another number below 100), `6` or `8` (a run of as
    many digits), `m`, `w` or `s`. `value` is the number, or the word's number in `style` from 0.
    `suffix` is an ordinal ending. `spelt` is the language of a number in words. `glued` tells that
    it touches a digit, hyphen, slash or dot.
    """

    kind: str
    start: int
    end: int
    value: int
    text: str
    style: Style | None = None
    suffix: str = ""
    spelt: str = ""
    glued: bool = False


def tokens(text: str, lang: str) -> list[Token] | None:
    """Cut a written date; None where it has a word that belongs to no date."""
    folded = fold(text)
    found = [
        (match.lastgroup or "", match.start(), match.end(), match[0])
        for match in _TOKEN.finditer(folded)
    ]
    words = [word for kind, _, _, word in found if kind == "word"]
    numbers = sum(kind == "digits" for kind, *_ in found)
    result: list[Token] = []
    place = 0
    while place < len(found):
        kind, start, end, word = found[place]
        place += 1
        if kind == "digits":
            suffix = _suffix(found[place : place + 1], end, words)
            token = _number(text, start, end, suffix)
            place += bool(suffix)
        elif kind == "word":
            spelt = _spelt(found, place - 1, words)
            if spelt:
                token = replace(spelt, text=text[spelt.start : spelt.end])
                place += sum(1 for each in found[place:] if each[1] < spelt.end)
            elif _is_name(word):
                token = _name(text, start, end, lang, (words, numbers))
            elif word in CONNECTORS or word == "t":
                continue
            else:
                return None
        else:
            continue
        if token is None:
            return None
        result.append(token)
    return result


def _suffix(following: list[tuple[str, int, int, str]], end: int, words: list[str]) -> str:
    if not following or following[0][1] != end or following[0][0] != "word":
        return ""
    word = following[0][3]
    return word if word in ORDINALS and word in words else ""


def _number(text: str, start: int, end: int, suffix: str) -> Token | None:
    digits = text[start:end]
    if not digits.isascii():
        return None
    width, value = end - start, int(digits)
    if width == 4 and value in _YEARS:
        kind = "Y"
    elif width <= 2:
        kind = "n"
    elif width in (6, 8):
        kind = str(width)
    else:
        return None
    shown = text[end : end + len(suffix)]
    return Token(kind, start, end + len(suffix), value, digits, suffix=shown)


def _spelt(found: list[tuple[str, int, int, str]], place: int, words: list[str]) -> Token | None:
    word = found[place][3]
    if word not in SPELT_STARTS or _is_only_month(word, words):
        return None
    run: list[str] = []
    best: tuple[str, int, int] | None = None
    for kind, _, end, each in found[place : place + LONGEST_SPELT]:
        if kind != "word":
            break
        run.append(each)
        known = SPELT.get(tuple(run))
        if known:
            best = (*known, end)
    if best is None:
        return None
    lang, value, end = best
    kind = "Y" if value >= 100 else "n"
    return Token(kind, found[place][1], end, value, "", spelt=lang)


def _is_only_month(word: str, words: list[str]) -> bool:
    """Tell whether `sept` is the month here, not the number seven."""
    return word in MONTH_INDEX and not any(other in MONTH_INDEX for other in words if other != word)


def _is_name(word: str) -> bool:
    return word in MONTH_INDEX or word in WEEKDAY_INDEX or word in SEASON_INDEX


def _name(text: str, start: int, end: int, lang: str, context: tuple[list[str], int]) -> Token:
    word = fold(text[start:end])
    kind, index = _kind(word, context)
    before, after = text[start - 1 : start], text[end : end + 1]
    further = text[end + 1 : end + 2]
    dotted = after == "." and not further.isalnum()
    glued = before.isdigit() or after.isdigit() or before in ("-", "/", ".") or after in ("-", "/")
    glued = glued or (after == "." and further.isalnum())
    style, value = _style(index[word], lang, dotted=dotted, glued=glued)
    return Token(kind, start, end, value, text[start:end], style=style, glued=glued)


def _kind(
    word: str, context: tuple[list[str], int]
) -> tuple[str, dict[str, list[tuple[Style, int]]]]:
    words, numbers = context
    if word in MONTH_INDEX:
        others = [other for other in words if other != word and other in MONTH_INDEX]
        # `mar` is a month, unless the month stands elsewhere in the date.
        if word not in WEEKDAY_INDEX or not (others or numbers >= 3):
            return "m", MONTH_INDEX
    if word in WEEKDAY_INDEX:
        return "w", WEEKDAY_INDEX
    return "s", SEASON_INDEX


def _style(
    candidates: list[tuple[Style, int]], lang: str, *, dotted: bool, glued: bool
) -> tuple[Style, int]:
    langs = [lang, *LANGUAGES]
    first = min(langs.index(style.lang) for style, _ in candidates)
    fitting = [each for each in candidates if style_lang(each) == langs[first]]
    short = [each for each in fitting if each[0].short]
    if dotted and short:
        return max(short, key=lambda each: sum(map(len, each[0].words)))
    return short[0] if glued and short else fitting[0]


def style_lang(candidate: tuple[Style, int]) -> str:
    """Name the language of a style among the candidates."""
    return candidate[0].lang
