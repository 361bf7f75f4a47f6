"""Texts of scanned pages, corrected where characters were mistaken for others, with offsets back.

Recognition takes `0` for `O`, `1` for `l` or `I`, `5` for `S`, `rn` for `m`, and sees blanks within
words: `HOSPlTAL`, `2OO8`, `Tirnothy`, `Marg aret`.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice, pairwise, product

from record.folding import fold
from rules.matching.lexicon import given_rank, place_rank, surname_rank, term_kind, word_rank
from rules.matching.repaired_text import RepairedText

LEAST, TOKENS_EACH = 4, 80
"""A text counts as badly recognized with 4 words that are surely damaged, and one of 80."""

_REMEMBERED_TEXTS = 4
_LONGEST_REMEMBERED = 100_000
_REMEMBERED_WORDS = 4096
_MOST_DOUBTS = 4
_LONGEST_PART = 9
_SHORTEST_WHOLE = 4
_COMMON = 3
_TOKEN = re.compile(r"[^\W_]+")
# What a damaged text has several of; most texts are passed over by this alone.
_SIGN = re.compile(
    r"[0-9][OIl]|[OIl][0-9]|[a-z\xdf-\xff][015][a-z\xdf-\xff]|[A-Z]{2}[l01][A-Z]|[A-Z][l01][A-Z]{2}"
    r"|\b0[a-z]|[a-z]0\b"
)
_AS_DIGITS = str.maketrans("OoIl", "0011")
_DIGITS = re.compile(r"(?=[OoIl]*[0-9])[0-9OoIl]{2,}")
# Oxygen and volumes are written so.
_NO_DIGITS = re.compile(r"O2|[0-9]{1,3}l")
_LONE = re.compile(r"[OIl]{1,4}")
_BEFORE_LONE = re.compile(r"[0-9OIl] ?[/.\-: ] ?\Z")
_BEHIND_LONE = re.compile(r" ?[/.\-: ] ?[0-9OIl]")
_LETTERS = {"0": "o", "1": "li", "5": "s"}
_MIXED = re.compile(r"[a-z]0|0[a-z]|(?=[^\W\d_]*[015])(?:[015]{0,2}[^\W\d_]){2,}[015]{0,2}")
_CAPITALS = re.compile(r"(?=.*l)(?:l?[A-Z]){2,}l?")
_APART = re.compile(
    r"(?<=[0-9]) (?=[/.\-] ?[0-9])|(?<=[0-9][/.\-]) (?=[0-9])"
    r"|(?<=(?<![0-9])[0-9]) (?=[0-9][/.\-][0-9])"
)
_SHORT_WORDS = frozenset(
    "a i an as at be by do go he if in is it me my no of on or so to up us we am"
    " de du en et il la le ma ne on ou sa se un"
    " al da di el es lo mi no se si su te un y o"
    " da er es im in ob so um wo zu ze je we op of er".split()
)

Piece = tuple[int, int, str]
"""A place of a text, half open, and what should stand there."""


def correct_recognition(text: str) -> RepairedText | None:
    """Correct a whole text; None where it does not look like one that was recognized badly."""
    # Rules, known values and tagger ask one after the other; a long text would take much memory.
    return _remember(text) if len(text) <= _LONGEST_REMEMBERED else _correct_text(text)


def _correct_text(text: str) -> RepairedText | None:
    if sum(1 for _ in islice(_SIGN.finditer(text), LEAST)) < LEAST:
        return None
    tokens = [match.span() for match in _TOKEN.finditer(text)]
    pieces = {
        start: (start, end, right)
        for start, end in tokens
        if (right := _correct(text[start:end])) is not None
    }
    if len(pieces) < LEAST or len(pieces) * TOKENS_EACH < len(tokens):
        return None
    for start, end in tokens:
        if start not in pieces and (guess := _guess(text, start, end)) is not None:
            pieces[start] = start, end, guess
    length = len(text)
    source = RepairedText(text, text, [*range(length)], [*range(1, length + 1)])
    corrected = _put(source, sorted(pieces.values()))
    joined = _put(corrected, _blanks_in_words(corrected.text))
    return _put(joined, ((*match.span(), "") for match in _APART.finditer(joined.text)))


_remember = lru_cache(_REMEMBERED_TEXTS)(_correct_text)


def _correct(token: str) -> str | None:
    """Return a token as it should be where it is surely damaged."""
    if _DIGITS.fullmatch(token):
        changed = token.translate(_AS_DIGITS)
        return changed if changed != token and not _NO_DIGITS.fullmatch(token) else None
    if len(token) < _SHORTEST_WHOLE:
        return None  # genes, stages and scores are written so
    if _MIXED.fullmatch(token) or _CAPITALS.fullmatch(token):
        return next((word for word in _readings(token) if _is_known(word)), None)
    if "rn" in token and not _is_known(token):
        changed = token.replace("rn", "m")
        return changed if _is_known(changed) else None
    return None


def _guess(text: str, start: int, end: int) -> str | None:
    """Return a token of a badly recognized text as it may have been, where it looks damaged."""
    token = text[start:end]
    if _DIGITS.fullmatch(token):
        return token.translate(_AS_DIGITS)
    if _LONE.fullmatch(token):
        before = _BEFORE_LONE.search(text, max(0, start - 4), start)
        is_number = before or _BEHIND_LONE.match(text, end)
        return token.translate(_AS_DIGITS) if is_number else None
    if _MIXED.fullmatch(token) or _CAPITALS.fullmatch(token):
        return next(_readings(token), None)
    return None


def _readings(token: str) -> Iterator[str]:
    """Yield a token with letters for its digits, among capitals also with `I` or `L` for `l`."""
    capitals = sum(letter.isupper() for letter in token)
    small = sum(letter.islower() and letter != "l" for letter in token)
    choices = []
    for at, letter in enumerate(token):
        meant = _LETTERS.get(letter, "")
        if meant and capitals > small:
            choices.append(meant.upper()[::-1])
        elif meant:
            choices.append(meant + meant.upper() if at == 0 else meant)
        elif letter == "l" and capitals and not small:
            choices.append("IL")
        else:
            choices.append(letter)
    if sum(len(each) > 1 for each in choices) > _MOST_DOUBTS:
        choices = [each[0] for each in choices]
    yield from (word for letters in product(*choices) if (word := "".join(letters)) != token)


@lru_cache(_REMEMBERED_WORDS)
def _is_known(word: str) -> bool:
    """Return whether a word of two letters or more is in a list of words, terms or names."""
    folded = fold(word)
    ranks = word_rank, given_rank, surname_rank, place_rank, term_kind
    return len(folded) > 1 and any(rank(folded) for rank in ranks)


def _blanks_in_words(text: str) -> Iterator[Piece]:
    """Yield the blanks between two or three parts that are one word, and not each a word."""
    tokens = list(_TOKEN.finditer(text))
    at = 0
    while at < len(tokens):
        for some in (tokens[at : at + 3], tokens[at : at + 2]):
            if _is_one_word(text, some):
                for one, other in pairwise(some):
                    yield one.end(), other.start(), ""
                at += len(some) - 1
                break
        at += 1


def _is_one_word(text: str, tokens: Sequence[re.Match[str]]) -> bool:
    gaps = [text[one.end() : other.start()] for one, other in pairwise(tokens)]
    start = tokens[0].start()
    if set(gaps) != {" "} or text[max(0, start - 1) : start] in ("'", "’"):
        return False
    parts = [token.group() for token in tokens]
    whole = "".join(parts)
    if not whole.isalpha() or max(map(len, parts)) > _LONGEST_PART:
        return False
    if not whole.isupper() and any(part[0].isupper() for part in parts[1:]):
        return False
    return len(whole) >= _SHORTEST_WHOLE and _is_known(whole) and not all(map(_is_word, parts))


def _is_word(part: str) -> bool:
    folded = fold(part)
    return folded in _SHORT_WORDS or (len(folded) > 2 and 0 < word_rank(folded) <= _COMMON)


def _put(source: RepairedText, pieces: Iterable[Piece]) -> RepairedText:
    """Return a text with other pieces at places in ascending order."""
    texts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    last = 0
    for start, end, right in pieces:
        texts += [source.text[last:start], right]
        if len(right) == end - start:
            starts += source.starts[last:end]
            ends += source.ends[last:end]
        else:
            # What has another length stands for the whole of its place.
            starts += [*source.starts[last:start], *([source.starts[start]] * len(right))]
            ends += [*source.ends[last:start], *([source.ends[end - 1]] * len(right))]
        last = end
    texts.append(source.text[last:])
    return RepairedText(
        source.source,
        "".join(texts),
        [*starts, *source.starts[last:]],
        [*ends, *source.ends[last:]],
    )
