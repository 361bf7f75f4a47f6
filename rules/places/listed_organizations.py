"""Insurers, funds and large employers of the list, written as they write themselves."""

from collections.abc import Iterator
from functools import cache

from ahocorasick_rs import BytesAhoCorasick, MatchKind

from record.folding import unaccent
from rules.matching.lexicon import entries_as_written

Place = tuple[int, int]


def listed_organizations(cased: str) -> Iterator[Place]:
    """Yield the organizations of the list; `cased` is the text without accents, its case kept.

    Offsets are code points, half open.
    """
    # One byte for each code point, so that offsets hold in both.
    for _, start, end in _names().find_matches_as_indexes(cased.encode("ascii", "replace")):
        before, after = cased[start - 1 : start], cased[end : end + 1]
        if not (before.isalnum() or after.isalnum() or before in ("-", "@", ".")):
            yield start, end


@cache
def _names() -> BytesAhoCorasick:
    names = {unaccent(name) for name in entries_as_written("organizations")}
    return BytesAhoCorasick(
        [name.encode("ascii") for name in sorted(names)], matchkind=MatchKind.LeftmostLongest
    )
