"""No alternative of the expressions for names can be dropped unnoticed."""

import itertools
from collections.abc import Callable, Iterator
from types import ModuleType

import pytest

from record.document import Document
from record.span import Span
from rules.names import (
    cues,
    names,
    parsing,
    plausibility,
    words,
)
from tests.rules.marked import mark, unmark
from tests.rules.mutation import Line, survivors
from tests.rules.names import test_name_words, test_names
from tests.rules.names.forms_names import valid
from tests.rules.names.forms_names_each import each
from tests.rules.names.forms_no_names import invalid

MODULES = (names, cues, words, plausibility, parsing)  # fmt: skip
# These keep a step from matching at all, which a record of matches does not hold.
GUARDS = {"[a-zœæß]", "[A-Z](?![A-Za-z])"}


def _detect(document: Document) -> list[Span]:
    words.bits.cache_clear()
    return names.detect(document)


@pytest.mark.parametrize(("lang", "marked"), sorted(set(each())))
def test_each_form_is_read(lang: str, marked: str) -> None:
    text, _ = unmark(marked)
    assert mark(text, names.detect(Document("n", text, lang=lang))) == marked


@pytest.mark.slow
def test_every_alternative_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [(unmark(line)[0], lang) for lang, line in (*valid(), *invalid(each=30), *each())]
    for module in (test_name_words, test_names):
        lines += _asked(module, monkeypatch)
    # Given names of the lists would be found without what announces them.
    monkeypatch.setattr(names, "lone_given_names", lambda _finds: ())
    alive = survivors(MODULES, _detect, lines)
    assert [one for one in alive if one.partition(": ")[2] not in GUARDS] == []


def _asked(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> list[Line]:
    """Return the lines that the tables of a module's tests ask about."""
    asked: list[Line] = []

    def note(document: Document) -> list[Span]:
        asked.append((document.text, document.lang))
        return names.detect(document)

    monkeypatch.setattr(module, "detect", note)
    for test in vars(module).values():
        for case in _cases(test):
            test(**case)
    return asked


def _cases(test: Callable[..., None]) -> Iterator[dict[str, object]]:
    """Yield the arguments of a test with tables, as its marks give them."""
    if getattr(test, "__name__", "").startswith("test_long_"):
        return
    tables = []
    for table in getattr(test, "pytestmark", ()):
        named, values = table.args
        if isinstance(named, str):
            tables.append([{named: value} for value in values])
        else:
            tables.append([dict(zip(named, value, strict=True)) for value in values])
    for rows in itertools.product(*tables) if tables else ():
        yield {name: value for row in rows for name, value in row.items()}
