"""Quality scores of extracted text: readable characters, plausible words, OCR confidence."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from string import ascii_lowercase

from record.folding import strip_accents


@dataclass(frozen=True, slots=True)
class Quality:
    """Four shares from 0 (bad) to 1; `score` is the lowest.

    `readable`: characters other than U+FFFD and private use. `wordlike`: words with the
    structure of words in their script. `recognized`: mean confidence of OCR over pages; 1 without
    OCR. `read`: non-blank pages that gave text.
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
    """Return the quality of a text; `recognized` and `read` are those of its pages."""
    if not text or text.isspace():
        readable_share = 0.0
    else:
        strange = "\ufffd" in text or "(cid:" in text
        # Characters of private use are not printable, which is faster to check than to search them.
        if not strange and (text.replace("\n", " ").isprintable() or not _STRANGE.search(text)):
            readable_share = 1.0
        else:
            written = sum(map(len, text.split()))
            readable_share = 1.0 - min(1.0, sum(map(len, _UNREADABLE.findall(text))) / written)
    return Quality(
        readable=round(readable_share, 4),
        wordlike=round(_wordlike_share(text), 4),
        recognized=round(recognized, 4),
        read=round(read, 4),
    )


def mean_confidence(pages: Sequence[int], recognized: Mapping[int, float]) -> float:
    """Return the mean confidence over pages, weighted by length; a text layer counts as 1.

    `pages` holds the number of characters of each page, `recognized` the confidence by page.
    """
    written = sum(pages)
    if not written or not recognized:
        return 1.0
    return (
        sum(length * recognized.get(number, 1.0) for number, length in enumerate(pages)) / written
    )


BROKEN_CHARACTER = re.compile(
    "[\ufffd\ud800-\udfff\ue000-\uf8ff\U000f0000-\U0010ffff\0-\x08\x0e-\x1f]"
)
"""A character that a PDF has no text for."""

# Symbol fonts (bullets, telephones, boxes) map to private use: 1 to 2 % of correct letters.
_UNREADABLE_CHARACTER = re.compile("[\ufffd\ud800-\udfff\0-\x08\x0e-\x1f]")
# Letters of a font that has no names for them; pictures of a symbol font are few and alike.
_PRIVATE = re.compile("[\ue000-\uf01f\uf07f-\uf8ff\U000f0000-\U0010ffff]{4,}")
_FEWEST_LETTERS = 3
_GLYPH_NUMBER = re.compile(r"\(cid:\d+\)")
_MAX_BROKEN_SHARE = 0.20
_MAX_UNREADABLE_SHARE = 0.05
_ENOUGH_BROKEN = 5


def has_private_words(text: str) -> bool:
    """Return whether a word is of characters for private use, which only its font can show."""
    return any(len(set(word[0])) >= _FEWEST_LETTERS for word in _PRIVATE.finditer(text))


def has_garbled_characters(text: str) -> bool:
    """Return whether too many characters of a page, or all of a word, stand for none."""
    if has_private_words(text):
        return True
    glyph_numbers = len("".join(_GLYPH_NUMBER.findall(text))) if "(cid:" in text else 0
    broken = len(BROKEN_CHARACTER.findall(text)) + glyph_numbers
    if broken < _ENOUGH_BROKEN:
        return False
    written = sum(map(len, text.split()))
    unreadable = len(_UNREADABLE_CHARACTER.findall(text)) + glyph_numbers
    return broken > _MAX_BROKEN_SHARE * written or unreadable > _MAX_UNREADABLE_SHARE * written


_STRANGE = re.compile("[\ufffd\ue000-\uf8ff\U000f0000-\U0010ffff]")
_UNREADABLE = re.compile(f"{_STRANGE.pattern}|\\(cid:\\d+\\)")
_WORD = re.compile(r"[^\W\d_]{3,}")
_VOWELS = frozenset("aeiouyœæ")
_ENOUGH_WORDS = 20
# Correct letters in French, English and Spanish score above 0.85 (the rest are abbreviations);
# text with shifted glyphs or bad OCR scores below 0.5.
_USUAL_SHARE = 0.85
_MOST_CONSONANTS = 5
_LONGEST_INITIALISM = 5
_ENOUGH_LETTERS = 120
# Of the letters of French, English and Spanish, 38 to 48 % are vowels (y among them).
_FEWEST_VOWELS = 0.18
_USUAL_VOWELS = 0.33


# The counts of a token are packed into one integer, so that one sum gives the counts of a text:
# words, their length, words with the structure of words, letters from a to z, and vowels.
_PART = 32
_CACHED_TOKENS = 50_000
_LONGEST_TOKEN = 24


class _TokenCounts(dict[str, int]):
    """Maps a token to its packed counts; filled on demand up to a limit."""

    def __missing__(self, token: str) -> int:
        packed = sum(map(_pack_counts, _WORD.findall(token)))
        if len(self) < _CACHED_TOKENS and len(token) <= _LONGEST_TOKEN:
            self[token] = packed
        return packed

    def __repr__(self) -> str:
        return f"<{len(self)} tokens>"


def _pack_counts(word: str) -> int:
    numbers = [1, len(word), int(_has_word_structure(word))]
    if not (len(word) <= _LONGEST_INITIALISM and word.isupper()):
        latin = unicodedata.normalize("NFD", word.casefold())
        numbers += sum(map(ascii_lowercase.count, latin)), sum(map("aeiouy".count, latin))
    return sum(number << _PART * place for place, number in enumerate(numbers))


_COUNTS_BY_TOKEN = _TokenCounts()


def _wordlike_share(text: str) -> float:
    totals = sum(map(_COUNTS_BY_TOKEN.__getitem__, text.split()))
    words, length, sound, letters, vowels = (
        totals >> _PART * place & (1 << _PART) - 1 for place in range(5)
    )
    if words < _ENOUGH_WORDS:
        return 1.0
    built = min(1.0, sound / words / _USUAL_SHARE)
    if letters < length / 2:
        return built  # names and initialisms in another script
    # Substituted letters (a font with a wrong encoding) contain too few vowels.
    if letters < _ENOUGH_LETTERS:
        return built
    score = (vowels / letters - _FEWEST_VOWELS) / (_USUAL_VOWELS - _FEWEST_VOWELS)
    return built * max(0.0, min(1.0, score))


def _has_word_structure(word: str) -> bool:
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
