from itertools import chain

import pytest

from record.document import Document
from record.label import Label
from record.span import Span
from rules.dates import spaced_digits
from rules.identifiers import (
    checksummed,
    identifiers,
    labelled,
    site_patterns,
)
from tests.rules.identifiers.forms_identifiers import named, shaped
from tests.rules.identifiers.forms_identifiers_each import each
from tests.rules.identifiers.forms_not_identifiers import nobody
from tests.rules.identifiers.test_identifiers import LABELLED, NEGATIVES, NIR, SHAPED
from tests.rules.identifiers.test_wrapped import wrapped_lines
from tests.rules.marked import detected, unmark
from tests.rules.mutation import survivors

MODULES = (identifiers, labelled, checksummed, site_patterns, spaced_digits)


@pytest.mark.parametrize("line", list(each()))
def test_finds_what_one_word_or_mark_decides(line: str) -> None:
    assert detected(identifiers.detect, line) == line


def detect(document: Document) -> list[Span]:
    try:
        return identifiers.detect(document)
    except IndexError:  # an expression lost a group that the rules read
        return [Span(0, 1, Label.ID, "mutant")]


@pytest.mark.slow
def test_every_alternative_of_the_rules_for_identifiers_is_needed() -> None:
    # Those that one mark decides come first, as only so many lines are tried.
    spoken = [(unmark(line)[0], lang) for lang, line in chain(named(), shaped(), nobody())]
    alone = chain(each(), NIR, LABELLED, SHAPED, NEGATIVES)
    lines = [*((unmark(line)[0], "") for line in alone), *((one, "") for one in wrapped_lines())]
    assert survivors(MODULES, detect, [*lines, *spoken]) == []
