"""How easy a text is to read, by the formulas that were published for its language.

Syllables are counted as the places where a word may be hyphenated, plus one, which finds a few too
few (`area` has one). Numbers of two texts of one language may be compared, not those of two
languages.

The formulas of `textstat` are the same (tested), its counts are not made for notes: a heading
without a full stop runs into the next sentence. That moves the reading ease of a case report of
MEDDOCAN by up to 10 points. It also starts the formula of Szigriszt Pazos at 206.84.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

from pyphen import Pyphen

from record.errors import ConfigError

_WORD = re.compile(r"\w+(?:[-.,'’]\w+)*")
# A dot ends a sentence before a blank, so that numbers and dates stay whole; so does an empty line.
_SENTENCE = re.compile(r"[.!?…]+(?=\s|$)|\n\s*\n")
_HYPHENATION = {"en": "en_US", "fr": "fr", "es": "es"}
_LONG = 6  # letters that a word may have before it is long
_POLYSYLLABLE = 3


@dataclass(frozen=True, slots=True)
class TextCounts:
    """What the formulas are made of; `polysyllables` have three syllables or more."""

    sentences: int
    words: int
    syllables: int
    polysyllables: int
    long: int

    @property
    def words_of_sentence(self) -> float:
        """Words for each sentence."""
        return self.words / self.sentences

    @property
    def syllables_of_word(self) -> float:
        """Syllables for each word."""
        return self.syllables / self.words


Formula = Callable[[TextCounts], float]


def _flesch(each: TextCounts) -> float:
    """Flesch (1948), English."""
    return 206.835 - 1.015 * each.words_of_sentence - 84.6 * each.syllables_of_word


def _flesch_kincaid(each: TextCounts) -> float:
    """Kincaid et al. (1975), English: a grade of school."""
    return 0.39 * each.words_of_sentence + 11.8 * each.syllables_of_word - 15.59


def _smog(each: TextCounts) -> float:
    """McLaughlin (1969), English: a grade; made for 30 sentences, less sure with fewer."""
    return 1.0430 * math.sqrt(30 * each.polysyllables / each.sentences) + 3.1291


def _kandel_moles(each: TextCounts) -> float:
    """Kandel and Moles (1958), French, on Flesch's scale."""
    return 207 - 1.015 * each.words_of_sentence - 73.6 * each.syllables_of_word


def _lix(each: TextCounts) -> float:
    """Bjornsson (1968), any language: it needs no syllables."""
    return each.words_of_sentence + 100 * each.long / each.words


def _fernandez_huerta(each: TextCounts) -> float:
    """Fernandez Huerta (1959), Spanish, on Flesch's scale.

    With words of a sentence, as the author computed, not the sentences of a hundred words that
    the article printed by mistake.
    """
    return 206.84 - 1.02 * each.words_of_sentence - 60 * each.syllables_of_word


def _szigriszt(each: TextCounts) -> float:
    """Szigriszt Pazos (1993), Spanish; the INFLESZ scale of texts for patients reads it."""
    return 206.835 - each.words_of_sentence - 62.3 * each.syllables_of_word


FORMULAS: Mapping[str, Mapping[str, Formula]] = {
    "en": {
        "flesch-reading-ease": _flesch,
        "flesch-kincaid-grade": _flesch_kincaid,
        "smog": _smog,
    },
    "fr": {"kandel-moles": _kandel_moles, "lix": _lix},
    "es": {"fernandez-huerta": _fernandez_huerta, "szigriszt-pazos": _szigriszt},
}
"""The formulas of each language; the first one is its reading ease, from about 0 to 100."""


def readability(text: str, lang: str) -> dict[str, float]:
    """Return the numbers of a text by formula; none where it has no word.

    Raises ConfigError where no formula is known for the language.
    """
    formulas = formulas_of(lang)
    counts = counted(text, lang)
    return {name: formula(counts) for name, formula in formulas.items()} if counts.words else {}


def formulas_of(lang: str) -> Mapping[str, Formula]:
    """Return the formulas of a language; raises ConfigError where there are none."""
    if lang not in FORMULAS:
        problem = f"no measure of readability is known for {lang or 'notes without a language'}"
        raise ConfigError("lang", problem, f"give one of {', '.join(FORMULAS)}")
    return FORMULAS[lang]


def counted(text: str, lang: str) -> TextCounts:
    """Count sentences, words and syllables; there is at least one sentence.

    What stands between two ends of sentences is a sentence if it holds a word.
    """
    words = [word.lower() for word in _WORD.findall(text)]
    syllables = [len(_hyphenation(lang).positions(word)) + 1 for word in words]
    return TextCounts(
        sentences=max(1, sum(bool(_WORD.search(part)) for part in _SENTENCE.split(text))),
        words=len(words),
        syllables=sum(syllables),
        polysyllables=sum(count >= _POLYSYLLABLE for count in syllables),
        long=sum(len(word) > _LONG for word in words),
    )


@cache
def _hyphenation(lang: str) -> Pyphen:
    return Pyphen(lang=_HYPHENATION[lang])
