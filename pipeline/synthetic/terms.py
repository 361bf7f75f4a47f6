"""Words of medicine by lists and endings alone: the floor under every medical tagger."""

import re
from collections.abc import Sequence

from record.document import Document
from record.folding import fold
from record.span import Span
from record.tokens import is_break, tokens
from rules.matching.lexicon import term_kind

DETECTOR = "terms"

DRUG, TERM = "DRUG", "TERM"
"""The classes: names of drugs, and words of diseases, tests and operations."""

_LEAST = 7  # letters of a word whose ending tells that it is one of medicine
_ENDINGS = re.compile(
    r"(?:ites?|itis|oses?|osis|emies?|emias?|algies?|algias?|pathies?|patias?|pathy|ectomies?"
    r"|ectomias?|ectomy|scopies?|scopias?|scopy|graphies?|grafias?|graphy|plegies?|plegias?"
    r"|plasties?|plastias?|plasty|omes?|omas?|uries?|urias?|uria|grammes?|gramas?)$"
)


class Terms:
    """Finds single words: drugs and terms of a list that is mostly English, and Greek endings.

    It knows no entity of several words. Where more is to be protected, train a tagger.
    """

    def spans(self, documents: Sequence[Document]) -> list[list[Span]]:
        """Find the words of each document."""
        return [_words(document.text) for document in documents]


def _words(text: str) -> list[Span]:
    found = []
    for start, end in tokens(text):
        if is_break(text, (start, end)):
            continue
        word = fold(text[start:end])
        kind = term_kind(word)
        if "d" in kind:
            found.append(Span(start, end, DRUG, DETECTOR))
        elif "t" in kind or (
            len(word) >= _LEAST and (word.isalpha() and _ENDINGS.search(word) is not None)
        ):
            found.append(Span(start, end, TERM, DETECTOR))
    return found
