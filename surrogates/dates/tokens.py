"""Tokenizes written dates: numbers, months, weekdays, seasons and parts of a year."""

import re
from dataclasses import dataclass, replace
from difflib import get_close_matches

from locales.language import DateStyle
from locales.roman_numbers import ROMAN_YEARS
from surrogates.dates.number_words import ROMAN, count_longest, list_first_words, list_spelt
from surrogates.dates.words import (
    CONNECTORS,
    DETACHED,
    MONTH_INDEX,
    ORDINALS,
    PERIOD_INDEX,
    PERIODS,
    ROMAN_INDEX,
    SEASON_INDEX,
    SHORT_WEEKDAY_INDEX,
    WEEKDAY_INDEX,
    ranked,
)
from surrogates.patient.text_normalization import apply_case, fold

_TIME = (
    r"(?<![\d:])(?:[01]?\d|2[0-4])\s?(?::\s?[0-5]\d|h\s?[0-5]\d|h(?:eures?)?\b)(?:\s?(?:mn|min)\b)?"
    r"(?::[0-5]\d(?:[.,]\d+)?)?(?:\s?[ap]\.?m\b\.?)?(?:\s?(?:z\b|[+-]\d\d:?\d\d))?(?![:\d])"
)
_UNITS = "|".join(PERIODS)
# A quarter or half of a year; its number is the group `rank`.
_PERIOD = (
    rf"(?<![^\W_])(?:[tq](?P<mark>[1-4])"
    rf"|(?P<rank>[1-4] ?(?:er|ere|eme|e|st|nd|rd|th|de|\.?[o°])?|{'|'.join(PERIOD_INDEX)})"
    rf"\.?\s?(?P<unit>{_UNITS})"
    # The number behind its noun: `Quartal 1`.
    rf"|(?P<noun>{_UNITS}) ?n?[°o]? ?(?P<number>[1-4])(?!\d|[ /](?:{_UNITS})))(?![^\W_])"
)
_TOKEN = re.compile(rf"(?P<time>{_TIME})|(?P<digits>\d+)|(?P<word>[^\W\d_]+)")
_WORD = re.compile(r"[^\W\d_]+")
_GERMAN = re.compile(r"\d\.\s[A-ZÄ]")
_TITLED = re.compile(r"(?<![^\W_])[A-ZÀ-Þ][a-zà-ÿ]{2}")
_PERIODIC = re.compile(_PERIOD)
_RANK = re.compile(r"([1-4])(.*)", re.DOTALL)
_YEARS = range(1800, 2200)
_SIGNS = "/.-"
# The similarity of a misspelt month, which has the same first letter.
_LIKE = 0.8
_LONG_MONTHS = sorted(word for word in MONTH_INDEX if len(word) >= 4)
_SHORTEST_MISSPELT = 5
_Names = dict[str, list[tuple[DateStyle, int]]]


@dataclass(slots=True, repr=False)
class DateToken:
    """A number, month, weekday, season or part of a year in a written date.

    `kind` is `Y` (a year of four digits), `n` (another number below 100), `6` or `8` (a run of as
    many digits), `m`, `w`, `s` or `q`. `value` is the number, or the word's number in `style`
    from 0. `suffix` is an ordinal ending. `spelt` is the manner of a number in words, which begins
    with its language. `glued` is set next to a digit, hyphen, slash or dot. `period` is the number
    of months in a part of a year.
    """

    kind: str
    start: int
    end: int
    value: int
    text: str
    style: DateStyle | None = None
    suffix: str = ""
    spelt: str = ""
    glued: bool = False
    period: int = 0


@dataclass(slots=True, repr=False)
class _DatePiece:
    kind: str
    start: int
    end: int
    word: str


@dataclass(slots=True, repr=False)
class _Context:
    """What the reading of a word depends on: other words, numbers and languages."""

    text: str
    pieces: list[_DatePiece]
    words: list[str]
    numbers: int
    langs: list[str]


def tokens(text: str, langs: list[str]) -> list[DateToken] | None:
    """Tokenize a written date; None where it has a word that is not part of a date.

    A word of several languages is read in the first of `langs`, as `languages` ranks them.
    """
    folded = fold(text)
    period = _PERIODIC.search(folded)
    found = [
        _DatePiece(match.lastgroup or "", match.start(), match.end(), match[0])
        for match in _TOKEN.finditer(folded)
    ]
    if period is None:
        pieces = found
    else:
        start, end = period.span()
        kept = [each for each in found if each.end <= start or each.start >= end]
        pieces = sorted([*kept, _DatePiece("period", start, end, "")], key=lambda each: each.start)
    words = [piece.word for piece in pieces if piece.kind == "word"]
    numbers = sum(piece.kind == "digits" for piece in pieces)
    context = _Context(text, pieces, words, numbers, langs)
    result: list[DateToken] = []
    place = 0
    while place < len(pieces):
        piece = pieces[place]
        place += 1
        if piece.kind == "period" and period is not None:
            result.append(_read_period(text, period, context.langs))
        elif piece.kind in ("digits", "word"):
            token = (_read_number if piece.kind == "digits" else _read_word)(context, place - 1)
            if token is not None:
                result.append(token)
                place += sum(1 for each in pieces[place:] if each.start < token.end)
            elif piece.word not in CONNECTORS:
                return None
    return result


def rank_languages(text: str, lang: str) -> list[str]:
    """Rank the languages by the number of known words in a date; `lang` is first among equals.

    Without words, only `lang` is returned.
    """
    words = [match[0] for match in _WORD.finditer(fold(text))]
    if not words:
        return [lang]
    # The languages with this style of dates: `12. April`, `12 April`, `12 april`.
    if _GERMAN.search(text):
        return ranked(words, lang, ("de",))
    return ranked(words, lang, ("en", "de") if _TITLED.search(text) else ("fr", "es", "nl"))


def _read_period(text: str, match: re.Match[str], langs: list[str]) -> DateToken:
    group = "mark" if match["mark"] else "number" if match["number"] else "rank"
    start, end = match.span(group)
    noun = match["unit"] or match["noun"]
    months, known = PERIODS[noun] if noun else (3, ())
    numbered = _RANK.fullmatch(match[group])
    if numbered:
        suffix = text[start + 1 : end].rstrip()
        value = int(numbered[1]) - 1
        end = start + 1 + len(suffix)
        return DateToken("q", start, end, value, text[start], suffix=suffix, period=months)
    fitting = [each for each in PERIOD_INDEX[match[group]] if each[0].lang in known]
    style, value = min(
        fitting or PERIOD_INDEX[match[group]], key=lambda each: langs.index(each[0].lang)
    )
    return DateToken("q", start, end, value, text[start:end], style=style, period=months)


def _read_number(context: _Context, place: int) -> DateToken | None:
    piece, text = context.pieces[place], context.text
    start, end = piece.start, piece.end
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
    piece = context.pieces[place]
    after = context.pieces[place + 1] if place + 1 < len(context.pieces) else None
    if after is None or after.kind != "word" or after.word not in ORDINALS:
        suffix = None
    else:
        blank = context.text[piece.end : after.start]
        detached = blank == " " and piece.word == "1" and after.word in DETACHED
        suffix = after if not blank or detached else None
    return DateToken(
        kind, start, suffix.end if suffix else end, value, digits,
        suffix=text[suffix.start : suffix.end] if suffix else "",
    )  # fmt: skip


def _read_word(context: _Context, place: int) -> DateToken | None:
    word = context.pieces[place].word
    spelt = _read_spelt_number(context, place)
    if spelt:
        return replace(spelt, text=context.text[spelt.start : spelt.end])
    if word in MONTH_INDEX or word in WEEKDAY_INDEX or word in SEASON_INDEX:
        return _make_name_token(context, place, *_find_kind(word, context))
    if word in ROMAN_YEARS:
        return _make_roman_year(context, place)
    if _is_roman(context, place):
        return _make_name_token(context, place, "m", ROMAN_INDEX)
    if _is_short_weekday(context, place):
        return _make_name_token(context, place, "w", SHORT_WEEKDAY_INDEX)
    if word in CONNECTORS:
        return None
    # Read a misspelt month (`fevier`) in a date with a number and no other month. The token has the
    # correct spelling: the word may be a name, and must not be kept.
    months = any(each in MONTH_INDEX for each in context.words)
    if len(word) < _SHORTEST_MISSPELT or months or not context.numbers:
        return None
    near = get_close_matches(word, _LONG_MONTHS, n=1, cutoff=_LIKE)
    if not near or near[0][0] != word[0]:
        return None
    token = _make_name_token(context, place, "m", {word: MONTH_INDEX[near[0]]})
    assert token.style is not None
    return replace(token, text=apply_case(token.text, token.style.words[token.value]))


def _read_spelt_number(context: _Context, place: int) -> DateToken | None:
    word = context.pieces[place].word
    # Whether `sept` is the month, not the number seven
    if word not in list_first_words() or (
        word in MONTH_INDEX
        and not any(other in MONTH_INDEX for other in context.words if other != word)
    ):
        return None
    run: list[str] = []
    best: tuple[list[tuple[str, int]], int] | None = None
    for piece in context.pieces[place : place + count_longest()]:
        if piece.kind != "word":
            break
        run.append(piece.word)
        known = list_spelt().get(tuple(run))
        if known:
            best = (known, piece.end)
    if best is None:
        return None
    manner, value = min(best[0], key=lambda each: context.langs.index(each[0][:2]))
    kind = "Y" if value >= 100 else "n"
    return DateToken(kind, context.pieces[place].start, best[1], value, "", spelt=manner)


def _make_roman_year(context: _Context, place: int) -> DateToken:
    piece = context.pieces[place]
    written = context.text[piece.start : piece.end]
    return DateToken("Y", piece.start, piece.end, ROMAN_YEARS[piece.word], written, spelt=ROMAN)


def _is_roman(context: _Context, place: int) -> bool:
    """Return whether a word is a Roman month as in `12-III-2024`."""
    piece, text = context.pieces[place], context.text
    around = text[piece.start - 2 : piece.start] + text[piece.end : piece.end + 2]
    return (
        piece.word in ROMAN_INDEX
        and len(around) == 4
        and around[1] == around[2]
        and around[1] in _SIGNS
        and around[0].isdigit()
        and around[3].isdigit()
    )


def _is_short_weekday(context: _Context, place: int) -> bool:
    """Return whether a short weekday (`Di`, `wo`) starts the date before a number."""
    pieces = context.pieces
    if place or len(pieces) == 1 or pieces[0].word not in SHORT_WEEKDAY_INDEX:
        return False
    between = context.text[pieces[0].end : pieces[1].start]
    return pieces[1].kind == "digits" and bool(between) and not between.strip(" .,\n\t\xa0")


def _make_name_token(context: _Context, place: int, kind: str, names: _Names) -> DateToken:
    text, piece = context.text, context.pieces[place]
    start, end = piece.start, piece.end
    before, after = text[start - 1 : start], text[end : end + 1]
    further = text[end + 1 : end + 2]
    dotted = after == "." and not further.isalnum()
    glued = before.isdigit() or after.isdigit() or before in ("-", "/") or after in ("-", "/")
    glued = glued or (after == "." and further.isalnum())
    candidates = names[piece.word]
    first = min((each[0].lang for each in candidates), key=[*context.langs, ""].index)
    fitting = [each for each in candidates if each[0].lang == first]
    fitting = [each for each in fitting if not each[0].rare] or fitting
    short = [each for each in fitting if each[0].short]
    style, value = short[0] if glued and short else fitting[0]
    if dotted and short:
        style, value = max(short, key=lambda each: sum(map(len, each[0].words)))
    return DateToken(kind, start, end, value, text[start:end], style=style, glued=glued)


def _find_kind(word: str, context: _Context) -> tuple[str, _Names]:
    if word in MONTH_INDEX:
        others = [other for other in context.words if other != word and other in MONTH_INDEX]
        # `mar` is a month, unless the month stands elsewhere in the date.
        if word not in WEEKDAY_INDEX or not (others or context.numbers >= 3):
            return "m", MONTH_INDEX
    if word in WEEKDAY_INDEX:
        return "w", WEEKDAY_INDEX
    return "s", SEASON_INDEX
