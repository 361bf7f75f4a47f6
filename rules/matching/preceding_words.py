"""The two words before a number."""

_REACH = 40
_BETWEEN = " :(=,.\n["
_WIDEST = 4
_OPENING = "([{\"'*-•>/|+"


def words_before(folded: str, at: int) -> tuple[str, str]:
    """Return the last two words before an offset, without articles' apostrophes and punctuation.

    Either is empty where there is none; both are where more than a few blanks or marks lie
    between the last one and the offset. What an apostrophe ties to a word is left out.
    """
    window = folded[max(0, at - _REACH) : at]
    head = window.rstrip(_BETWEEN)
    if len(window) - len(head) > _WIDEST:
        return "", ""
    words = head.rsplit(None, 2)
    last = _without_punctuation(words[-1]) if words else ""
    return (_without_punctuation(words[-2]) if len(words) > 1 else ""), last


def _without_punctuation(word: str) -> str:
    return word.rpartition("'")[2].strip(_OPENING)
