"""Passages in a script or language that no detector speaks: their names would stay in clear.

Function words and everyday words of the spoken languages tell most passages in microseconds.
Only where words that none of them knows follow one another is the language identified, by n-grams
(py3langid): what it is not sure of is not unspoken, such as shorthand, tables and lists of names.
"""

import re
import unicodedata
from collections.abc import Collection, Iterator
from contextlib import suppress
from functools import cache, lru_cache
from itertools import islice
from string import ascii_lowercase

from py3langid.langid import MODEL_FILE, LanguageIdentifier

from record.folding import fold
from rules.matching.language_identification import (
    LANGUAGES,
    NEIGHBOURS,
    WORD,
    encode_words,
    split_once,
    stretches,
)
from rules.matching.lexicon import (
    given_rank,
    lexicons,
    place_rank,
    surname_rank,
    term_kind,
    wide_list,
    word_rank,
)

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
# So many of them one after another, parted by signs and blanks, are such a word.
_SPACED = 5
_PARTED = re.compile(r"[\W_]{1,4}")


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
    spaced, until = 0, 0
    for script, start, end in _runs(text, foreign):
        parted = end - start == 1 and _PARTED.fullmatch(text, until, start)
        spaced, until = spaced + 1 if parted else 1, end
        if spaced >= _SPACED:
            found.add(script)
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


# No language of ours, but so close to one that its cues of names stand there too; dead and made-up
# ones, which anatomy and drugs are taken for; and `zxx`, no language at all.
_UNSURE = frozenset("af an eo ext fy gcf gcr gl ht la lb lij oc pcm vec vo wa zxx".split())
_SURE = 0.9
_SURE_AS_WELL = 0.75
"""Where function words say the same."""
_LEAST_WORDS = 6
_FREQUENT_NAME = 2
_LONGEST = 400
"""Characters that are identified at once: of a longer passage each piece."""

# Words that are not known, each with two at most that are: short ones, and those that languages
# share. A name, a list of drugs and most shorthand are shorter, or in the lists of rare words.
# Fewer are enough where the language of the note is not sure either.
_RUNS = {
    True: (re.compile(rb"(?:\x01\0{0,2}){8,}"), 7),
    False: (re.compile(rb"(?:\x01\0{0,2}){6,}"), 5),
}
_LEAST_UNKNOWN = 6
_STRANGE_SHARE = 0.6
_SHORT = 2
# Its words are of two or three letters, which are known or tell little without their accents.
_VIETNAMESE = re.compile("[\u01a0\u01a1\u01af\u01b0\u1ea0-\u1ef9]")
_MANY_VIETNAMESE = 8
_FREQUENT = re.compile(rb"(?m)^([a-z']{3,})\t[^\n]*[1-3]")
_ADDRESS_OR_NUMBER = re.compile(r"[@\d/\\_]|www\.")
_WORDS = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_PIECE = re.compile(rf".{{1,{_LONGEST}}}(?:\s|\Z)|.{{{_LONGEST}}}", re.DOTALL)


def holds_unspoken(text: str, allowed: frozenset[str] = frozenset()) -> bool:
    """Return whether a text, or a passage of it, is surely in a language that no rule speaks.

    `allowed` are languages (ISO 639-1) that are let through. Unsure is not unspoken.
    """
    if any(allowed.isdisjoint(languages_of(script)) for script in foreign_scripts(text)):
        return True
    spoken = allowed | _UNSURE | frozenset(LANGUAGES)
    return any(
        _is_unspoken(piece[0], spoken, sure)
        for start, end, sure in _strange_passages(text)
        for piece in _PIECE.finditer(text[start:end])
    )


def _strange_passages(text: str) -> Iterator[tuple[int, int, float]]:
    """Yield the passages whose words the spoken languages do not know, and how sure it has to be
    that they are in none.
    """
    words, distinct = split_once(text)
    curated, frequent = _known_words()
    # First the few thousand that make up most of a text, which stay in the processor's cache.
    unknown = {word for word in distinct - curated - frequent if word.isalpha()}
    if len(unknown) < _LEAST_UNKNOWN:
        return
    strange = bytes(map(unknown.__contains__, words))
    told = stretches(text)
    spoken = all(lang in LANGUAGES for _, _, lang in told)
    pattern, least = _RUNS[spoken]
    runs = [
        run.span()
        for run in pattern.finditer(strange)
        if _is_strange(frozenset(words[run.start() : run.end()]), unknown, least)
    ]
    if runs:
        places = [match.span() for match in islice(WORD.finditer(encode_words(text)), runs[-1][1])]
        yield from ((places[start][0], places[end - 1][1], _SURE) for start, end in runs)
    vietnamese = [] if is_western(text) else [at.start() for at in _VIETNAMESE.finditer(text)]
    if len(vietnamese) >= _MANY_VIETNAMESE:
        yield vietnamese[0], vietnamese[-1] + 1, _SURE
    yield from ((start, end, _SURE_AS_WELL) for start, end, lang in told if lang in NEIGHBOURS)


def _is_strange(words: frozenset[bytes], unknown: Collection[bytes], least: int) -> bool:
    """Return whether most words, and so many, are in no list of words or of medical terms."""
    folded = (word.decode("latin-1") for word in words.intersection(unknown))
    strangers = sum(not (word_rank(word) or term_kind(word)) for word in folded)
    return strangers >= max(least, _STRANGE_SHARE * sum(len(word) > _SHORT for word in words))


@cache
def _known_words() -> tuple[frozenset[bytes], frozenset[bytes]]:
    """Return the words that the spoken languages know: curated ones and all of one or two
    letters; and all that are frequent.
    """
    letters = [letter.encode() for letter in ascii_lowercase]
    names = [f"{kind}_{lang}" for kind in ("language", "words") for lang in LANGUAGES]
    listed = lexicons(*names, "words_clinical", "function_words")
    curated = frozenset(
        [
            *(part for word in listed for part in word.encode("latin-1", "replace").split()),
            *letters,
            *(first + second for first in letters for second in letters),
        ]
    )
    return curated, frozenset(_FREQUENT.findall(wide_list("wide_words").lines)) - curated


def _is_unspoken(passage: str, spoken: frozenset[str], sure: float) -> bool:
    plain = " ".join(each for each in passage.split() if not _ADDRESS_OR_NUMBER.search(each))
    words = _WORDS.findall(plain)
    ordinary = [word for word in words if word[0].islower()]
    if len(ordinary) < len(words) // 3:  # in capitals, or of a script without them
        ordinary = [word for word in words if not _is_name(word)]
    if len(ordinary) < _LEAST_WORDS:
        return False
    # Without its names as well: a list of Turkish patients is not Turkish.
    return all(_probability(each, spoken) >= sure for each in (plain, " ".join(ordinary)))


def _is_name(word: str) -> bool:
    """Return whether a word is a frequent name: rare ones are words of many languages."""
    folded = fold(word)
    ranks = surname_rank(folded), given_rank(folded), place_rank(folded)
    return any(0 < rank <= _FREQUENT_NAME for rank in ranks)


def _probability(text: str, spoken: frozenset[str]) -> float:
    """Return the probability that a text is in none of the languages."""
    ranked: list[tuple[str, float]] = _identifier().rank(text)
    return sum(share for lang, share in ranked if lang not in spoken)


@cache
def _identifier() -> LanguageIdentifier:
    """Load the model, which takes most of a second, when the first passage needs it."""
    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
