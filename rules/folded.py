"""The readings of the document at hand that rules search, made once for all families."""

from functools import lru_cache

from record.folding import fold, unaccent


@lru_cache(maxsize=2)
def fold_once(text: str) -> str:
    """Fold a text, or give the fold again that was just made of it.

    The last two texts stay in memory.
    """
    return fold(text)


@lru_cache(maxsize=2)
def cased_once(text: str) -> str:
    """Strip the accents of a text but keep its case, or give what was just made of it.

    One code point stands for one, as in the folded text. The last two texts stay in memory.
    """
    return unaccent(text)
