"""Words of medicine in notes, marked by public lists: a task to learn, with labels that are silver.

Nobody annotated them. The lists are those of the rules (names of drugs, words of diseases, see
NOTICE); what a word is that no list has, its ending tells. An entity of several words is marked
word by word, and the same word is always the same: what is measured is whether notes keep the
words and the company in which they stand, not whether a note is medically right.
"""

import re

from record.document import Annotated
from record.folding import fold
from record.span import Span
from record.tokens import is_break, tokens
from rules.matching.lexicon import term_kind, word_rank

DISEASE, DRUG, TEST = "DISEASE", "DRUG", "TEST"
"""The classes."""

_LEAST = 7  # letters of a word whose ending tells what it is
_EVERYDAY = 2  # class of the 5,000 most frequent words of any language, see `word_rank`
_DISEASES = re.compile(
    r"(?:ites?|itis|oses?|osis|emies?|emias?|emia|algies?|algias?|algia|pathies?|patias?|pathy"
    r"|plegies?|plegias?|plegia|omes?|omas?|uries?|urias?|uria)$"
)
_TESTS = re.compile(
    r"(?:scopies?|scopias?|scopy|graphies?|grafias?|graphy|grammes?|gramas?|grams?|metries?"
    r"|metrias?|metry)$"
)
_OPERATIONS = re.compile(
    r"(?:ectomies?|ectomias?|ectomy|plasties?|plastias?|plasty|stomies?|stomy)$"
)
_NAMED_TESTS = frozenset(
    (
        *("biopsia", "biopsie", "biopsy", "ct", "ecg", "eeg", "ekg", "emg", "irm", "mri", "rmn"),
        *("scanner", "tac", "tdm", "ultrasound", "xray"),
    )
)


def mark_terms(note: Annotated) -> Annotated:
    """Return a note with the words of medicine as its only spans; identifiers are none."""
    text = note.document.text
    taken = [(span.start, span.end) for span in note.spans]
    spans = []
    for start, end in tokens(text):
        if is_break(text, (start, end)) or any(a < end and start < b for a, b in taken):
            continue
        label = _class_of(fold(text[start:end]))
        if label:
            spans.append(Span(start, end, label, "silver"))
    return Annotated(note.document, tuple(spans))


def _class_of(word: str) -> str:
    """Return the class of a folded word, empty for a word of none."""
    if word in _NAMED_TESTS:
        return TEST
    kind, is_long = term_kind(word), len(word) >= _LEAST and word.isalpha()
    if is_long and _TESTS.search(word):
        return TEST
    if is_long and _OPERATIONS.search(word):
        return ""
    if is_long and _DISEASES.search(word):
        return DISEASE
    # The list has been taken apart into words, so that it has everybody's words, too.
    if 0 < word_rank(word) <= _EVERYDAY:
        return ""
    if "d" in kind:
        return DRUG
    return DISEASE if "t" in kind else ""
