"""Normalized forms of the document at hand, computed once for all rules."""

from functools import lru_cache

from record.folding import fold, unaccent

TOGETHER = 96
"""Documents that may be searched side by side: readings of as many stay in memory, and two more."""

REMEMBERED = TOGETHER + 2


@lru_cache(maxsize=REMEMBERED)
def fold_once(text: str) -> str:
    """Fold a text, or give the fold again that was just made of it.

    The last texts stay in memory.
    """
    return fold(text)


@lru_cache(maxsize=REMEMBERED)
def cased_once(text: str) -> str:
    """Strip the accents of a text but keep its case, or give what was just made of it.

    One code point stands for one, as in the folded text. The last texts stay in memory.
    """
    return unaccent(text)
