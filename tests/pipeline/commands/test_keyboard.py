"""Pages in a real browser, by keyboard alone: all is reached, seen where it is, and opened."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pipeline.cli import main
from pipeline.config.exit_codes import EXIT_GATE
from tests.pipeline.conftest import Ward

FOCUSABLE = "a[href], button, input, select, textarea, summary, [tabindex]:not([tabindex='-1'])"
FOCUS = """() => {
    const one = document.activeElement;
    const style = getComputedStyle(one), box = one.getBoundingClientRect();
    return {
        place: [...document.querySelectorAll(FOCUSABLE)].indexOf(one),
        outlined: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0,
        seen: box.bottom > 0 && box.top < innerHeight && box.width > 0 && box.height > 0,
    };
}""".replace("FOCUSABLE", repr(FOCUSABLE))
SHOWN = (
    """() => [...document.querySelectorAll(FOCUSABLE)].map(one => one.checkVisibility())""".replace(
        "FOCUSABLE", repr(FOCUSABLE)
    )
)


PAGES = ("report.html", "quality.html", "releases.html", "dpo.html")


@pytest.fixture(scope="module")
def pages(
    make_ward: Callable[[Path, Path], Ward], night: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[Any, Any]:
    """Pages that a night and a release wrote, by name."""
    ward = make_ward(night, tmp_path_factory.mktemp("keyboard"))
    ward.release()
    assert main(["quality", str(ward.config), "--plain"]) in (0, EXIT_GATE)
    dpo = ward.folder / "dpo.html"
    assert (
        main(
            [
                "report",
                "dpo",
                str(ward.config),
                "--from",
                "2020-01-01",
                "--to",
                "2035-01-01",
                "-o",
                str(dpo),
                "--plain",
            ]
        )
        == 0
    )
    return {name: next(ward.folder.rglob(name)).read_text() for name in PAGES}


@pytest.fixture(params=PAGES)
def written(request: pytest.FixtureRequest, pages: dict[Any, Any]) -> Any:
    return pages[request.param]


def test_tab_reaches_everything_in_order_and_shows_where_it_is(
    written: Any, browse: Callable[..., Any]
) -> None:
    page = browse(written)
    shown = page.evaluate(SHOWN)
    visited = []
    for _ in range(len(shown) + 1):
        page.keyboard.press("Tab")
        focus = page.evaluate(FOCUS)
        if focus["place"] < 0:
            break
        visited.append(focus["place"])
        assert focus["outlined"], focus
        assert focus["seen"], focus
    assert visited == [place for place, is_shown in enumerate(shown) if is_shown]


def test_what_is_folded_is_unfolded_by_keys(
    pages: dict[Any, Any], browse: Callable[..., Any]
) -> None:
    page = browse(pages["quality.html"])
    count = page.locator("summary").count()
    assert count
    opened = set()
    for _ in range(4 * count + 10):
        page.keyboard.press("Tab")
        state = """() => { const one = document.activeElement.closest("summary");
            return one && [[...document.querySelectorAll("summary")].indexOf(one),
                           one.parentElement.open]; }"""
        found = page.evaluate(state)
        if found:
            page.keyboard.press("Enter")
            place, was = found
            assert page.evaluate(state) == [place, not was]
            if was:
                page.keyboard.press("Space")
            opened.add(place)
    assert opened == set(range(count))
    assert page.evaluate("[...document.querySelectorAll('details')].every(one => one.open)")


def test_the_link_past_the_beginning_goes_there(
    pages: dict[Any, Any], browse: Callable[..., Any]
) -> None:
    page = browse(pages["quality.html"])
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.url.endswith("#over-time")
    top = page.evaluate("document.getElementById('over-time').getBoundingClientRect().top")
    assert -1 <= top < 900


def test_nothing_is_fetched_and_nothing_fails(
    written: Any, browse: Callable[..., Any], tmp_path: Path
) -> None:
    page = browse("")
    asked, said = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    file = tmp_path / "again.html"
    file.write_text(written, encoding="utf-8")
    page.goto(file.as_uri())
    page.wait_for_load_state("networkidle")
    assert asked == [file.as_uri()]
    assert said == []
