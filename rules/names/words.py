"""What the word lists say of a word of a name, and the words of a name as they are written."""

import re
from functools import cache, lru_cache
from typing import NamedTuple

from locales.registry import FOREIGN_PARTICLES, every
from rules.matching.lexicon import lexicon

# What a word may be, as bits of one number.
GIVEN = 1
FAMILY = 2
COMMON = 4
CLINICAL = 8
AMBIGUOUS = 16
BARRED = 32
FUNCTION = 64
PARTICLE = 128
# How it is written: else a capital and small letters.
INITIALS = 256
UPPER = 512
SMALL = 1024
WRITTEN = INITIALS | UPPER | SMALL

# Word lists and what a word that stands in one may be.
_LISTS: dict[str, int] = {
    "given_fr": GIVEN,
    "given_en": GIVEN,
    "given_es": GIVEN,
    "given_de": GIVEN,
    "given_nl": GIVEN,
    "family_fr": FAMILY,
    "family_en": FAMILY,
    "family_es": FAMILY,
    "family_de": FAMILY,
    "family_nl": FAMILY,
    "words_fr": COMMON,
    "words_en": COMMON,
    "words_es": COMMON,
    "words_de": COMMON,
    "words_nl": COMMON,
    "words_clinical": COMMON | CLINICAL,
    "function_words": COMMON | FUNCTION,
    "given_ambiguous": AMBIGUOUS,
    "eponyms": BARRED,
    "species": BARRED,
}
# Saints and elided particles begin names as well.
PARTICLES = (
    every(lambda language: language.persons.particles)
    | FOREIGN_PARTICLES
    | frozenset("saint st san santa abou ait zum 't d' l'".split())
)
_ELISION = re.compile(r"(?:[dlnsjm]|qu)'(?=.)")
# Endings of diseases, procedures and drugs.
_MEDICAL_ENDS = tuple(
    (
        "pathie pathy patia ite itis ose osis ome oma ectomie ectomy ectomia ologie ology"
        " ologia ologique ological ologico ologica scopie scopy scopia graphie graphy grafia"
        " emie emia urie uria algie algia plastie plasty plastia tomie tomy tomia therapie"
        " therapy terapia plegie plegia mab nib prazol prazole statin statine cilin ciline"
        " cillin cilline mycin mycine micina olol sartan pril azol azole oxacin oxacine tidin"
        " tidine parin parine tion cion"
    ).split()
)


@cache
def _bits_by_word() -> dict[str, int]:
    table: dict[str, int] = dict.fromkeys(PARTICLES, PARTICLE)
    for name, bit in _LISTS.items():
        for word in lexicon(name):
            table[word] = table.get(word, 0) | bit
    for word in [word for word in table if "-" in word]:
        table[word] |= _bits_of_compound(word, table)
    return table


@lru_cache(maxsize=1 << 15)
def bits(word: str) -> int:
    """Return what a folded word may be: the bits of all lists that hold it or its parts."""
    known = _bits_by_word().get(word)
    if known is not None:
        return known
    table = _bits_by_word()
    found = 0
    if "'" in word:
        found |= table.get(_ELISION.sub("", word, count=1), 0) & (COMMON | CLINICAL)
    if "-" in word:
        found |= _bits_of_compound(word, table)
    if (
        len(word) > 6
        and not found & (GIVEN | FAMILY)
        and (word.endswith(_MEDICAL_ENDS) or word.removesuffix("s").endswith(_MEDICAL_ENDS))
    ):
        found |= COMMON | CLINICAL
    return found


def _bits_of_compound(word: str, table: dict[str, int]) -> int:
    """Return what a compound may be by what all or some of its parts are."""
    parts = [table.get(part, 0) for part in word.split("-") if part]
    if not parts:
        return 0
    if parts[-1] & (CLINICAL | FAMILY) == CLINICAL:
        return COMMON | CLINICAL
    whole = _bit_of_all(parts, GIVEN) | _bit_of_all(parts, COMMON)
    return whole | _bit_of_any(parts, FAMILY) | _bit_of_any(parts, BARRED)


def _bit_of_all(parts: list[int], bit: int) -> int:
    return bit if all(part & bit for part in parts) else 0


def _bit_of_any(parts: list[int], bit: int) -> int:
    return bit if any(part & bit for part in parts) else 0


def is_given_name(word: str) -> bool:
    """Return whether a folded word, or each part of a compound, is a given name of the lexicons."""
    return bits(word) & GIVEN != 0


def is_surely_given(word: str) -> bool:
    """Return whether a folded word is a given name and no everyday word."""
    return is_sure(bits(word))


def is_family_name(word: str) -> bool:
    """Return whether a folded word is a family name of the lexicons."""
    return bits(word) & FAMILY != 0


def is_clinical(word: str) -> bool:
    """Return whether a folded word belongs to notes and their headings."""
    return bits(word) & CLINICAL != 0


def is_common(word: str) -> bool:
    """Return whether a folded word is an everyday or a clinical word."""
    return bits(word) & COMMON != 0


def is_sure(of: int) -> bool:
    """Return whether the bits of a word are those of a given name and nothing else."""
    return of & (GIVEN | COMMON | AMBIGUOUS) == GIVEN


@cache
def written_given_names() -> frozenset[str]:
    """Return the given names of the lexicons without accents, as notes write them with capitals."""
    words = [word for word, of in _bits_by_word().items() if of & GIVEN and of & FUNCTION == 0]
    parts = {part for word in words for part in re.split(r"[-' ]", word) if len(part) > 1}
    return frozenset(form for part in parts for form in (part.capitalize(), part.upper()))


class NameWord(NamedTuple):
    """One word of a name; offsets are code points of the text, half open.

    `bits` say what the word may be and how it is written.
    """

    start: int
    end: int
    folded: str
    bits: int

    @property
    def particle(self) -> bool:
        """Return whether it is a particle of a name."""
        return self.bits & (INITIALS | PARTICLE) == PARTICLE

    @property
    def named(self) -> bool:
        """Return whether it is a name of the lexicons or a particle of names."""
        return self.bits & (GIVEN | FAMILY | PARTICLE) != 0

    @property
    def sure(self) -> bool:
        """Return whether it is a given name and no everyday word."""
        return self.bits & (GIVEN | COMMON | AMBIGUOUS) == GIVEN
