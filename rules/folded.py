"""The folded text of the document at hand, made once for all families of rules."""

from functools import lru_cache

from record.folding import fold


@lru_cache(maxsize=1)
def fold_once(text: str) -> str:
    """Fold a text, or give the fold again that was just made of it.

    One text stays in memory until the next is folded.
    """
    return fold(text)
