"""Normalized forms of the document at hand, computed once for all rules."""

from functools import lru_cache

from record.folding import fold, unaccent

RECENT_TEXTS = 8
"""Texts whose readings stay in memory: the rules ask for each again and again, and as many threads
may search at once."""


@lru_cache(maxsize=RECENT_TEXTS)
def fold_once(text: str) -> str:
    """Fold a text, or give the fold again that was just made of it.

    The last texts stay in memory.
    """
    return fold(text)


@lru_cache(maxsize=RECENT_TEXTS)
def cased_once(text: str) -> str:
    """Strip the accents of a text but keep its case, or give what was just made of it.

    One code point stands for one, as in the folded text. The last texts stay in memory.
    """
    return unaccent(text)
