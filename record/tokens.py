"""The tokenizer: splits a text losslessly into words, numbers, punctuation and line breaks.

A token is a pair of offsets (code points, half open). Tokens are in order, disjoint and never
empty, and contain everything but white space, so tokens and the white space between them restore
the text. The rules, which differ from those of simpler tokenizers:

1.  Every punctuation mark is a token, so that a year is not joined to the `).` after it.
2.  A number keeps one decimal separator (`12.5`). What may also be a date (`12.03`) has two
    readings, see `readings`. Numbers with more separators (`12.03.2021`, `10.0.0.1`) are split
    at each.
3.  A slash splits: `tom/smith`.
4.  A lowercase letter is split from the capitals that follow it (`SmithSURGEON`), and a surname in
    capitals from the given name that follows it (`DUPONTJean`).
5.  A lowercase letter is also split from a single capital: `JamesSmith`. Units and formulas
    (`mL`, `pH`, `mmHg`, `PaO`) and `McDonald` are not split.
6.  Words keep their case and are not normalized: `Rose` may be a name or a flower.
7.  Titles keep their dot (`M.`, `Dr.`), and `M` alone is a token; as the dot may also end a
    sentence or an initial, `M.` has two readings.

Digits are split from letters everywhere (`12nov`, `5mL`, `ACR5`). A run of line breaks is one
token.
"""

import re

Token = tuple[int, int]
"""Start and end in code points, half open."""

_BREAKS = "\n\r\v\f\x85\u2028\u2029"
_UPPER = "".join(
    chr(code)
    for code in (*range(0x0250), *range(0x0370, 0x0530), *range(0x1E00, 0x2000))
    if chr(code).isupper()
)
# A letter that is not a capital, or a digit that is not decimal (`²`); accents may follow it.
_SMALL = rf"[^\W\d_{_UPPER}]"
_ACCENTS = "\u0300-\u036f"
_BIG = f"[{_UPPER}]"
_SMALLS = rf"(?:{_SMALL}++|[{_ACCENTS}]++)"
_TITLES = (
    "Dr Dra Drs Dres Pr Prof M MM Mme Mmes Mlle Mlles Mr Mrs Ms Sr Sra Srta D Dn St Ste Ep Ép Hr"
    " Fr Dhr Mw Mevr"
)
# In lowercase some are units or words: `5 mm.`, `24 hr.`
_SMALL_TITLES = "dr dra drs pr prof mme mmes mlle mlles ep ép sr sra srta dhr mw mevr"
_ABBREVIATION = "|".join(
    sorted({*_TITLES.split(), *_TITLES.upper().split(), *_SMALL_TITLES.split()}, reverse=True)
)
_WHOLE = rf"(?:mm|cm)Hg|cmH|HbA|[PSF][aipv]C?O(?!{_SMALL})|Ma?c{_BIG}{_SMALLS}+"
# The first branch matches most words, so that the others are not tried; blanks are skipped.
_TOKEN = re.compile(
    rf"([A-ZÀ-ÖØ-Þ]?[a-zß-öø-ÿ]++(?![^\W\d_]|[.{_ACCENTS}])"
    r"|[^\w\s]|_"
    r"|(?<!\d[.,])\d+[.,]\d+(?![.,]?\d)|\d++"
    rf"|[{_BREAKS}]++"
    rf"|(?<![^\W\d_])(?:(?:{_ABBREVIATION})\.|{_WHOLE}|{_SMALL}{_BIG}++{_SMALLS}*)"
    rf"|{_BIG}{{3,}}(?={_BIG}{_SMALL}{_SMALL})"
    rf"|{_BIG}++{_SMALLS}*|{_SMALLS}+)"
    rf"[^\S{_BREAKS}]*+"
)
_DAY_AND_MONTH = re.compile(r"(?:0?[1-9]|[12]\d|3[01])\.(?:0?[1-9]|1[0-2])", re.ASCII)
_MONTH_AND_DAY = re.compile(r"(?:0?[1-9]|1[0-2])\.(?:0?[1-9]|[12]\d|3[01])", re.ASCII)
_MONTH_AND_YEAR = re.compile(
    r"(?:0?[1-9]|1[0-2])\.(?:19|20)\d\d|(?:19|20)\d\d\.(?:0?[1-9]|1[0-2])", re.ASCII
)


def tokens(text: str) -> list[Token]:
    """Return the tokens of a text."""
    return [match.span(1) for match in _TOKEN.finditer(text)]


def is_break(text: str, token: Token) -> bool:
    """Return whether a token is a run of line breaks."""
    return text[token[0]] in _BREAKS


def readings(text: str, token: Token) -> list[list[Token]]:
    """Return every reading of a token: the token itself and, where ambiguous, its parts.

    A decimal that may be a day and month, or month and year, may also be two numbers and a dot.
    A title may also be a word and a dot. The caller decides.
    """
    start, end = token
    value = text[start:end]
    whole = [token]
    at = value.find(".")
    if at < 1:
        return [whole]
    if value[0].isalpha():
        return [whole, [(start, end - 1), (end - 1, end)]]
    if any(shape.fullmatch(value) for shape in (_DAY_AND_MONTH, _MONTH_AND_DAY, _MONTH_AND_YEAR)):
        dot = start + at
        return [whole, [(start, dot), (dot, dot + 1), (dot + 1, end)]]
    return [whole]
