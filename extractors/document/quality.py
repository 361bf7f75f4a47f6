"""How far the text of a document can be trusted to be what a reader of it sees."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from string import ascii_lowercase

from record.folding import strip_accents


@dataclass(frozen=True, slots=True)
class Quality:
    """Four shares from 0 (bad) to 1; `score` is the lowest of them, for one bad sign is enough.

    `readable`: characters that stand for themselves (not U+FFFD, not of private use).
    `wordlike`: words built as words are, by a text's own script. `recognized`: confidence in
    what was read from pictures, weighted by page; 1 where nothing was. `read`: pages that show
    something and gave text.
    """

    readable: float = 1.0
    wordlike: float = 1.0
    recognized: float = 1.0
    read: float = 1.0

    @property
    def score(self) -> float:
        """The lowest share."""
        return min(self.parts().values())

    def parts(self) -> dict[str, float]:
        """Return the shares by name."""
        return asdict(self)


def judge_text(text: str, *, recognized: float = 1.0, read: float = 1.0) -> Quality:
    """Judge a text; the other two shares are those of the pages it came from."""
    return Quality(
        readable=round(_readable(text), 4),
        wordlike=round(_wordlike(text), 4),
        recognized=round(recognized, 4),
        read=round(read, 4),
    )


def confidence(pages: Sequence[int], recognized: Mapping[int, float]) -> float:
    """Return the mean confidence over pages (their lengths), where a text layer counts as 1.

    `pages` holds the number of characters of each page, `recognized` the confidence by number.
    """
    written = sum(pages)
    if not written or not recognized:
        return 1.0
    return (
        sum(length * recognized.get(number, 1.0) for number, length in enumerate(pages)) / written
    )


_STRANGE = re.compile("[\ufffd\ue000-\uf8ff\U000f0000-\U0010ffff]")
_UNREADABLE = re.compile(f"{_STRANGE.pattern}|\\(cid:\\d+\\)")
_WORD = re.compile(r"[^\W\d_]{3,}")
_VOWELS = frozenset("aeiouyœæ")
_ENOUGH_WORDS = 20
# Sound letters in French, English and Spanish keep above 0.85 (abbreviations and initialisms are
# the rest); text with shifted glyphs or bad recognition falls below 0.5.
_USUAL_SHARE = 0.85
_MOST_CONSONANTS = 5
_LONGEST_INITIALISM = 5
_ENOUGH_LETTERS = 120
# Of the letters of French, English and Spanish, 38 to 48 % are vowels (y among them).
_FEWEST_VOWELS = 0.18
_USUAL_VOWELS = 0.33


def _readable(text: str) -> float:
    if not text or text.isspace():
        return 0.0
    strange = "\ufffd" in text or "(cid:" in text
    # Characters of private use are not printable; that is told faster than they are searched.
    if not strange and (text.replace("\n", " ").isprintable() or not _STRANGE.search(text)):
        return 1.0
    written = sum(map(len, text.split()))
    return 1.0 - min(1.0, sum(map(len, _UNREADABLE.findall(text))) / written)


# What is known of the words between two blanks is packed into one integer, so that one sum tells
# about all of a text: how many words, their length, how many are built as words are, their letters
# from a to z, and the vowels among them.
_PART = 32
_CACHED_TOKENS = 50_000
_LONGEST_TOKEN = 24


class _Tokens(dict[str, int]):
    """Maps what stands between blanks to its packed description; filled up to a limit."""

    def __missing__(self, token: str) -> int:
        packed = sum(map(_packed, _WORD.findall(token)))
        if len(self) < _CACHED_TOKENS and len(token) <= _LONGEST_TOKEN:
            self[token] = packed
        return packed

    def __repr__(self) -> str:
        return f"<{len(self)} tokens>"


def _packed(word: str) -> int:
    numbers = [1, len(word), int(_is_built_as_words_are(word))]
    if not _is_initialism(word):
        latin = unicodedata.normalize("NFD", word.casefold())
        numbers += sum(map(ascii_lowercase.count, latin)), sum(map("aeiouy".count, latin))
    return sum(number << _PART * place for place, number in enumerate(numbers))


_KNOWN = _Tokens()


def _wordlike(text: str) -> float:
    told = sum(map(_KNOWN.__getitem__, text.split()))
    words, length, sound, letters, vowels = (
        told >> _PART * place & (1 << _PART) - 1 for place in range(5)
    )
    if words < _ENOUGH_WORDS:
        return 1.0
    built = min(1.0, sound / words / _USUAL_SHARE)
    if letters < length / 2:
        return built  # names and initialisms in another script
    return built * _vowels(letters, vowels)


def _vowels(letters: int, vowels: int) -> float:
    # Letters that stand for others (a font with a wrong table) have too few vowels among them.
    if letters < _ENOUGH_LETTERS:
        return 1.0
    share = vowels / letters
    return max(0.0, min(1.0, (share - _FEWEST_VOWELS) / (_USUAL_VOWELS - _FEWEST_VOWELS)))


def _is_initialism(word: str) -> bool:
    return len(word) <= _LONGEST_INITIALISM and word.isupper()


def _is_built_as_words_are(word: str) -> bool:
    if "LATIN" not in unicodedata.name(word[0], ""):
        return len({unicodedata.name(char, "?").split()[0] for char in word}) == 1
    letters = strip_accents(word.casefold())
    if word.isupper():
        return True  # initialisms are as common in headings as words
    if any(one.islower() and other.isupper() for one, other in pairwise(word[1:])):
        return False
    run = longest = 0
    for letter in letters:
        run = 0 if letter in _VOWELS else run + 1
        longest = max(longest, run)
    return longest < len(letters) and longest <= _MOST_CONSONANTS
