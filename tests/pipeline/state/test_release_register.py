"""Who released what, when, where to, and what was held: kept, told, drawn; nothing of patients."""

import json
from collections.abc import Callable, Iterable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.cli import main
from pipeline.config.settings import OutputSettings, StateSettings, load
from pipeline.night.release_history import ReleaseHistory, make_cohort_panels, render_release_page
from pipeline.release import run as running
from pipeline.release.release_context import staging_folder
from pipeline.release.targets import SqlTarget, describe_place
from pipeline.reports.charts import PANEL_HEIGHT, PANEL_WIDTH
from pipeline.state.ledger import open_state
from pipeline.state.quality_store import GateDecision
from pipeline.state.release_register import (
    PastRelease,
    find_account_name,
    read_register,
    register_release,
)
from pipeline.state.run_lock import make_run_lock
from pipeline.warehouse.warehouse import Source
from record.errors import ConfigError, Unavailable
from tests.pipeline.conftest import Ward

START = datetime(2026, 1, 17, 2, tzinfo=UTC)
STATE = StateSettings("sqlite:///state.db")


@pytest.fixture(scope="module")
def ward(
    night: Path, make_ward: Callable[[Path, Path], Ward], tmp_path_factory: pytest.TempPathFactory
) -> Ward:
    """A ward in which a release was made, repeated, refused, and failed."""
    made = make_ward(night, tmp_path_factory.mktemp("register"))
    made.release(spans=True)
    made.release(spans=True)
    made.hospital("update note set note_text = note_text || ' Fin.'")
    with pytest.raises(ConfigError, match="waiting for the nightly job"):
        made.release(spans=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(running, "find_persons", unreachable)
        with pytest.raises(Unavailable):
            made.release(spans=True)
    return made


def unreachable(source: Source, listed: Iterable[int]) -> None:
    raise Unavailable("source", "connection failed or lost", "run again")


def read(ward: Ward) -> list[PastRelease]:
    return read_register(load(ward.config).state, ward.config.parent)


def test_every_release_is_in_the_register(ward: Ward) -> None:
    failed, refused, again, first = read(ward)
    assert [each.status for each in (first, again, refused, failed)] == [
        *("finished", "finished", "refused", "failed"),
    ]
    assert [each.exit_code for each in (first, again, refused, failed)] == [0, 0, 2, 4]
    assert (first.ending, again.ending) == ("done", "unchanged")
    (spans,) = ward.rows("select count(*) from note_span")[0]
    (notes,) = ward.rows("select count(*) from note")[0]
    assert (first.released, sum(first.labels.values())) == (notes, spans)
    labels = dict(ward.rows("select label, count(*) from note_span group by label"))
    assert first.labels == again.labels == labels
    assert first.notes_changed == (notes, 0, 0)
    assert again.notes_changed == (0, 0, 0)
    assert first.about["key_id"] == ward.key().key_id
    assert first.account == find_account_name() != ""
    assert first.place == ward.url("sqlite:///cohort.db")
    assert refused.about["refused"]["stale-spans"] == refused.refused > 0
    assert "waiting for the nightly job" in refused.error
    assert (refused.released, refused.notes_changed) == (0, (0, 0, 0))
    assert failed.error.startswith("source: connection failed")
    assert first.ended is not None
    assert first.started < first.ended < again.started


def test_the_command_tells_runs_and_releases(
    ward: Ward, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["runs", str(ward.config)]) == 0
    table = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert table[0][-1] == "gate"
    place = [line[:1] for line in table].index(["release"])
    assert [line[:2] for line in table[place + 1 : place + 5]] == [
        *(["4", "asthma"], ["3", "asthma"], ["2", "asthma"], ["1", "asthma"]),
    ]
    assert main(["runs", str(ward.config), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [each["what"] for each in told] == [*["release"] * 4, "run"]
    assert told[0]["about"]["error"] == read(ward)[0].error
    assert main(["runs", str(ward.config), "--json", "--last", "1"]) == 0
    assert [each["what"] for each in json.loads(capsys.readouterr().out)] == ["release", "run"]


def test_the_page_shows_them_and_names_nobody(ward: Ward) -> None:
    page = ward.config.with_name("releases.html").read_text()
    assert page.count(">asthma<br>") == 4
    assert "waiting for the nightly job" in page
    assert "<h3>DATE</h3>" in page
    names = {
        name
        for row in ward.hospital("select given_names, family_names from patient_identity")
        for cell in row
        for name in (cell or "").split(";")
    }
    text = " ".join(Text(page).words)
    assert not {name for name in names if len(name) > 3 and name in text}


def test_a_browser_shows_the_page_without_complaint(
    ward: Ward, photograph: Callable[..., tuple[str, Path]]
) -> None:
    complaints, picture = photograph(ward.config.with_name("releases.html").read_text())
    assert "CONSOLE" not in complaints
    assert picture.stat().st_size > 10_000


class Text(HTMLParser):
    """The words of a page, its tags, and no style sheet."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self._skips = False
        self.words: list[str] = []
        self.tags: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self._skips = tag == "style"

    def handle_data(self, data: str) -> None:
        if not self._skips:
            self.words.append(data)


def release(number: int, *, labels: dict[Any, Any], notes: int = 10, **options: Any) -> PastRelease:
    values: dict[str, Any] = {
        "release_id": number, "cohort": "asthma", "account": "etl", "place": "parquet:/x",
        "status": "finished", "started": START + timedelta(days=number), "ended": None,
        "exit_code": 0,
        "about": {"labels": labels, "notes": {"released": notes}, "is_changed": True},
    }  # fmt: skip
    return PastRelease(**(values | options))


def test_what_people_wrote_cannot_script_the_page() -> None:
    hostile = '"><script>alert(1)</script>'
    past = ReleaseHistory(
        [release(1, labels={hostile: 3}, cohort=hostile, account=hostile, place=hostile)],
        [GateDecision(1, "accepted", hostile, hostile, new_normal=True, notes=7)],
    )
    page = render_release_page(past)
    assert Text(page).tags.count("script") == 1
    assert page.count("alert(1)") >= 5
    assert "No cohort has been released yet" in render_release_page(ReleaseHistory())


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 40), st.integers(0, 40)), max_size=8))
@settings(max_examples=30, deadline=None)
def test_a_chart_is_of_surrogates_in_a_released_note(counted: list[tuple[int, int, int]]) -> None:
    releases = [
        release(number, labels={"DATE": dates, "NAME": names}, notes=notes)
        for number, (notes, dates, names) in enumerate(counted)
    ]
    panels = {panel.title: panel for panel in make_cohort_panels(releases)}
    assert panels.keys() == ({"DATE", "NAME"} if counted else set())
    for label, place in (("DATE", 1), ("NAME", 2)) if counted else ():
        expected = [each[place] / each[0] if each[0] else None for each in counted]
        assert list(panels[label].rates) == expected
        for point in panels[label].path.replace("h.1", "").replace("L", "M").split("M")[1:]:
            x, y = map(float, point.split())
            assert 0 <= x <= PANEL_WIDTH
            assert 0 <= y <= PANEL_HEIGHT


def test_what_was_killed_is_interrupted_unless_it_goes_on(tmp_path: Path) -> None:
    where = {"cohort": "asthma", "place": "parquet:/x"}
    with make_run_lock(STATE.url, tmp_path):
        with pytest.raises(KeyboardInterrupt), register_release(STATE, tmp_path, **where) as entry:
            entry.set_about({"notes": {"released": 3}})
            entry.mark_publishing()
            raise KeyboardInterrupt
        (killed,) = read_register(STATE, tmp_path)
        assert killed.status == "running"
        with register_release(STATE, tmp_path, **where):
            latest, killed = read_register(STATE, tmp_path)
            assert (latest.status, killed.status) == ("running", "interrupted")
            assert killed.ending == "interrupted while publishing"
            assert killed.released == 3
    # Somebody who took the lock since is at work on something else.
    with closing(open_state(STATE, tmp_path)):
        assert [each.status for each in read_register(STATE, tmp_path)] == ["interrupted"] * 2


def test_a_register_that_is_away_does_not_hide_what_stopped_a_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(entry: Any, phase: Any, **values: Any) -> None:
        raise Unavailable("state", "disk full", "free space")

    with (
        pytest.raises(ConfigError, match="nobody is listed"),
        register_release(STATE, tmp_path, cohort="asthma", place="x") as entry,
    ):
        monkeypatch.setattr(type(entry), "_write", away)
        raise ConfigError("--persons", "nobody is listed", "name a person")


@pytest.mark.parametrize(
    ("url", "schema", "shown"),
    [
        ("postgresql://ann:s3cret@db:5433/cdm?password=s3cret", "x", "db:5433/cdm schema x"),
        ("parquet:/data/asthma", None, "parquet:/data/asthma"),
        ("sqlite:////data/a.db", None, "sqlite:////data/a.db"),
    ],
)
def test_a_place_is_shown_without_a_password(url: str, schema: str | None, shown: str) -> None:
    told = describe_place(OutputSettings(url, schema))
    assert told.endswith(shown)
    assert "s3cret" not in told
    assert "ann" not in told


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_withdrawal_is_traced_wherever_a_delivery_was_killed(
    night: Path,
    make_ward: Callable[[Path, Path], Ward],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    moment: str,
) -> None:
    ward = make_ward(night, tmp_path)
    ward.release(1, 2)
    gone = ward.key().pseudonym("person", "2")
    notes = {note for (note,) in ward.rows(f"select note_id from note where person_id = {gone}")}
    assert notes
    publish = SqlTarget._publish_rows

    def dying(target: Any, staging: Any, names: Any) -> None:
        if moment == "after":
            publish(target, staging, names)
        raise KeyboardInterrupt

    monkeypatch.setattr(SqlTarget, "_publish_rows", dying)
    with pytest.raises(KeyboardInterrupt):
        ward.release(1)
    monkeypatch.undo()
    assert read(ward)[0].ending == "interrupted while publishing"
    if moment == "before":
        # It was never visible: nobody is withdrawn as long as the person is asked for.
        assert ward.release(1, 2).manifest["withdrawn"] == {"person_id": [], "note_id": []}
    withdrawn = ward.release(1).manifest["withdrawn"]
    assert withdrawn == {"person_id": [gone], "note_id": sorted(notes)}
    assert ward.release(1).manifest["withdrawn"] == withdrawn
    assert ward.release(1, 2).manifest["withdrawn"] == {"person_id": [], "note_id": []}


def test_a_state_that_forgot_what_is_visible_withdraws_nothing(
    night: Path, make_ward: Callable[[Path, Path], Ward], tmp_path: Path
) -> None:
    ward = make_ward(night, tmp_path)
    ward.release(1, 2)
    before = ward.digest("sqlite:///cohort.db")
    with closing(open_state(load(ward.config).state, ward.config.parent)) as state:
        state.forget([note for (note,) in ward.hospital("select note_id from note")][5:])
    with pytest.raises(ConfigError, match="waiting for the nightly job"):
        ward.release(1, 2)
    assert ward.digest("sqlite:///cohort.db") == before
    assert read(ward)[0].status == "refused"


def test_configurations_side_by_side_make_their_releases_apart(
    night: Path, make_ward: Callable[[Path, Path], Ward], tmp_path: Path
) -> None:
    ward = make_ward(night, tmp_path)
    other = ward.config.with_name("other.toml")
    own = 'url = "sqlite:///other-state.db"'
    text = ward.config.read_text()
    assert 'url = "sqlite:///state.db"' in text or "[state]" not in text
    other.write_text(
        text.replace('url = "sqlite:///state.db"', own)
        if "[state]" in text
        else f"{text}\n[state]\n{own}\n"
    )
    folders = {staging_folder(load(path)) for path in (ward.config, other)}
    assert len(folders) == 2
