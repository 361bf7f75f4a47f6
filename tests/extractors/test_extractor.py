"""What reading a document does to the process that reads it."""

import gc
from collections.abc import Callable

import pytest

from extractors import extractor
from extractors.document.limits import Limits
from extractors.document.options import Layout, Options
from extractors.extractor import Extractor
from record.errors import Unreadable

LETTER = "\n".join(["Le patient a été opéré à l'hôpital, sans complication."] * 30)


@pytest.mark.parametrize("layout", [Layout.FULL, Layout.BODY])
def test_what_is_made_of_a_document_is_freed_without_looking_for_cycles(
    pdf: Callable[..., bytes], layout: Layout
) -> None:
    extractor = Extractor(Limits(), Options(layout=layout, languages=()))
    left = []
    for pages in (1, 1, 40):
        data = pdf(*[LETTER] * pages)
        gc.collect()
        gc.disable()
        try:
            extractor.extract(data)
        finally:
            gc.enable()
        left.append(gc.collect())
    assert left[2] <= left[1] + 40, "some for each document, none for each line"


def test_cycles_are_looked_for_again_whatever_came_of_the_document(
    pdf: Callable[..., bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def stopped(*_: object, **__: object) -> object:
        seen.append(gc.isenabled())
        raise Unreadable("broken")

    monkeypatch.setattr(extractor.Extractor, "read_pages", stopped)
    with pytest.raises(Unreadable):
        Extractor(Limits(), Options(languages=())).extract(pdf("a"))
    assert seen == [False]
    assert gc.isenabled()
