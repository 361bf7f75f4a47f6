"""What was probably meant by a misspelt word."""

from collections.abc import Iterable
from difflib import SequenceMatcher, get_close_matches

_NEAR = 0.6
_AS_NEAR = 0.9


def suggest(word: str, known: Iterable[str], *, least: float = _NEAR) -> str:
    """Return a question such as `did you mean text?`, or nothing if no known word is near.

    `least` is how alike the words must be, from 0 to 1.
    """
    typed, spelled = word.lower(), {each.lower(): each for each in known}
    near = get_close_matches(typed, spelled, n=2, cutoff=least)
    likeness = [SequenceMatcher(None, each, typed).ratio() for each in near]
    pairs = zip(near, likeness, strict=True)
    kept = [each for each, like in pairs if like >= _AS_NEAR * likeness[0]]
    return f"did you mean {' or '.join(spelled[each] for each in kept)}?" if kept else ""
