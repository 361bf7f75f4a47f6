"""Word segmentation for tagging: tokens, with ambiguous ones split into their parts."""

from record.tokens import Token, readings, tokens


def words(text: str) -> list[Token]:
    """Split a text into words, in order and disjoint; all but white space is in one.

    Of a token with two readings (`12.03`, `M.`) the parts are the words: whether they belong
    together is for the sequence of tags to say.
    """
    return [part for token in tokens(text) for part in readings(text, token)[-1]]
