"""Words in other scripts than the Latin one, whose letters no rule reads."""

import re
import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache

_LANGUAGES = {
    "arabic": "ar fa ku ps ug ur",
    "armenian": "hy",
    "bengali": "as bn",
    "bopomofo": "zh",
    "cjk": "ja zh",
    "cyrillic": "be bg kk ky mk mn ru sr tg tt uk",
    "devanagari": "hi mr ne sa",
    "ethiopic": "am ti",
    "georgian": "ka",
    "greek": "el",
    "gujarati": "gu",
    "gurmukhi": "pa",
    "hangul": "ko",
    "hebrew": "he yi",
    "hiragana": "ja",
    "kannada": "kn",
    "katakana": "ja",
    "khmer": "km",
    "lao": "lo",
    "malayalam": "ml",
    "myanmar": "my",
    "oriya": "or",
    "sinhala": "si",
    "tamil": "ta",
    "telugu": "te",
    "thai": "th",
    "tibetan": "bo dz",
}
"""The languages written in a script, as ISO 639-1 codes."""

# Not words of a language: modifiers, and letters of Latin-1 that stand for ordinals.
_NO_SCRIPT = frozenset(("latin", "modifier", "feminine", "masculine", ""))
# Letters of these stand for look-alikes of Latin ones, or for quantities: `Маrtin`, `αβ`.
_LEAST = {"cyrillic": 3, "greek": 4, "armenian": 3, "cherokee": 3, "coptic": 3, "lisu": 3}
_LEAST_ELSEWHERE = 2
_LATIN_LETTER = re.compile(r"[A-Za-z\u00c0-\u024f]")
# As they stand in the confusables of Unicode (UTS 39), capitals and small letters.
_LOOK_ALIKES = frozenset(
    "АВЕЅІЈКМНОРСТУХѴԌԚԜаеѕіјорсухѵԁһԛԝкмнтвΑΒΕΖΗΙΚΜΝΟΡΤΥΧαικνορτυχՕՍԼԱոսօհցզԁ"
)
# More single letters than symbols would be: a word whose letters were parted.
_MANY = 8


def foreign_scripts(text: str) -> frozenset[str]:
    """Return the scripts, beside the Latin one, that a text has a word in.

    One word is enough, since no rule reads a name in it. Symbols, units and Latin words with a
    look-alike letter are no words of another script.
    """
    foreign = _foreign_letters(text)
    if not foreign:
        return frozenset()
    found = set[str]()
    singles = dict[str, int]()
    for script, start, end in _runs(text, foreign):
        if script in _LEAST and not _is_word_apart(text, start, end):
            continue
        if end - start >= _LEAST.get(script, _LEAST_ELSEWHERE):
            found.add(script)
        elif script != "greek":
            singles[script] = singles.get(script, 0) + end - start
    return frozenset(found | {script for script, count in singles.items() if count >= _MANY})


def languages_of(script: str) -> frozenset[str]:
    """Return the languages written in a script; none where they are not listed."""
    return frozenset(_LANGUAGES.get(script, "").split())


def is_western(text: str) -> bool:
    """Return whether a text has characters of Windows-1252 alone, as most have: at once."""
    for encoding in ("latin-1", "cp1252"):
        with suppress(UnicodeEncodeError):
            text.encode(encoding)
            return True
    return False


def _foreign_letters(text: str) -> dict[str, str]:
    """Return each letter of another script with its script."""
    if is_western(text):
        return {}
    return {char: script for char in set(text) if (script := _script(char))}


@lru_cache(1 << 12)
def _script(char: str) -> str:
    """Return the script of a letter, by the first word of its name; empty for all else."""
    plain = unicodedata.normalize("NFKC", char)[:1]
    if not plain.isalpha():
        return ""
    script = unicodedata.name(plain, "").partition(" ")[0].lower().partition("-")[0]
    return "" if script in _NO_SCRIPT else script


def _runs(text: str, foreign: dict[str, str]) -> Iterator[tuple[str, int, int]]:
    """Yield each run of letters of other scripts: the script of its first letter, and offsets."""
    letters = "".join(map(re.escape, foreign))
    for match in re.finditer(f"[{letters}](?:[\u0300-\u036f]|[{letters}])*", text):
        yield foreign[match[0][0]], *match.span()


def _is_word_apart(text: str, start: int, end: int) -> bool:
    """Return whether a run is no part of a Latin word, nor made of look-alikes alone."""
    beside = text[max(start - 1, 0) : start] + text[end : end + 1]
    return not _LATIN_LETTER.search(beside) and not _LOOK_ALIKES.issuperset(text[start:end])
