"""The nightly job on a small fictional hospital: incremental, resumable, complete or nothing."""

import json
import re
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pipeline.config.exit_codes import EXIT_DONE, EXIT_QUARANTINE
from pipeline.config.settings import load
from pipeline.night.engine import process_unit, run_in_process
from pipeline.night.nightly import Incomplete, Job, NightlyResult, run_nightly
from pipeline.notes.batch import Batch
from pipeline.notes.batch_commit import commit_batch
from pipeline.notes.claimed_units import claim_units
from pipeline.notes.worker_resources import open_resources, resolve_urls
from pipeline.reports.console import Console
from pipeline.warehouse.warehouse import open_output
from record.errors import ConfigError
from surrogates.keys.keys import load_master


def outcomes(ended: NightlyResult) -> dict[Any, Any]:
    return {name: count for name, count in ended.summary.tally.outcomes.items() if count}


def digest(config: Path) -> str:
    settings = resolve_urls(load(config))
    output = open_output(settings.output, settings.base)
    try:
        return output.digest()
    finally:
        output.close()


def source(config: Path) -> sqlite3.Connection:
    return sqlite3.connect(config.parent / "hospital.db")


def released(config: Path) -> dict[Any, Any]:
    with sqlite3.connect(config.parent / "research.db") as db:
        return dict(db.execute("select note_id, note_text from note"))


def out_id(config: Path, note_id: int) -> int:
    settings = load(config)
    cohort = load_master(settings.key.locator, settings.base).cohort(settings.cohort)
    return cohort.pseudonym("note", str(note_id))


def text_note(config: Path) -> tuple[Any, Any]:
    """A text note that was released: its id and its patient's."""
    rows = source(config).execute(
        "select note_id, person_id from note where note_text <> '' order by note_id"
    )
    texts = released(config)
    return next((note, person) for note, person in rows if out_id(config, note) in texts)


def test_every_note_is_accounted_for(config: Path) -> None:
    ended = run_nightly(config, run_in_process)
    counts = outcomes(ended)
    (total,) = source(config).execute("select count(*) from note").fetchone()
    assert counts["planned"] == counts["read"] == total
    assert counts["released"] + counts.get("quarantined", 0) == total
    assert len(released(config)) == counts["released"]
    assert ended.exit_code == EXIT_DONE


def test_second_run_processes_nothing(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = run_nightly(config, run_in_process)
    before = digest(config)
    second = run_nightly(config, run_in_process)
    Console().summary(first.summary, resumed=False)
    assert "nothing to do" not in capsys.readouterr().out
    Console().summary(second.summary, resumed=False)
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == f"nothing to do: {first.summary.tally.outcomes['planned']} notes unchanged"
    assert outcomes(second) == {
        "planned": first.summary.tally.outcomes["planned"],
        "read": first.summary.tally.outcomes["planned"],
        "unchanged": first.summary.tally.outcomes["planned"],
    }
    assert digest(config) == before


def test_a_changed_note_alone_is_done_again(config: Path) -> None:
    run_nightly(config, run_in_process)
    before = released(config)
    note, _ = text_note(config)
    with source(config) as db:
        db.execute(
            "update note set note_text = note_text || ' Vu le 12/03/2021.' where note_id = ?",
            (note,),
        )
    ended = run_nightly(config, run_in_process)
    assert outcomes(ended)["released"] == 1
    after = released(config)
    assert {key for key in after if after[key] != before[key]} == {out_id(config, note)}
    assert "12/03/2021" not in after[out_id(config, note)]


def test_a_renamed_patient_has_all_notes_done_again(config: Path) -> None:
    run_nightly(config, run_in_process)
    _, person = text_note(config)
    (notes,) = (
        source(config)
        .execute("select count(*) from note where person_id = ?", (person,))
        .fetchone()
    )
    with source(config) as db:
        db.execute(
            "update patient_identity set family_names = 'QUILLFEATHER' where person_id = ?",
            (person,),
        )
    counts = outcomes(run_nightly(config, run_in_process))
    assert counts.get("released", 0) + counts.get("quarantined", 0) == notes


def test_a_deleted_note_disappears(config: Path) -> None:
    run_nightly(config, run_in_process)
    note, _ = text_note(config)
    with source(config) as db:
        db.execute("delete from note where note_id = ?", (note,))
    ended = run_nightly(config, run_in_process)
    assert outcomes(ended)["deleted"] == 1
    assert "released" not in outcomes(ended)
    assert out_id(config, note) not in released(config)


def test_a_note_that_can_no_longer_be_vouched_for_is_withdrawn(config: Path) -> None:
    run_nightly(config, run_in_process)
    note, _ = text_note(config)
    with source(config) as db:
        db.execute(
            "update note set note_date = 'tomorrow', note_datetime = 'soon' where note_id = ?",
            (note,),
        )
    ended = run_nightly(config, run_in_process)
    assert outcomes(ended)["quarantined"] == 1
    assert out_id(config, note) not in released(config)


def test_another_policy_redoes_everything(config: Path) -> None:
    first = run_nightly(config, run_in_process)
    config.write_text(config.read_text() + "\n[policy]\nmax_shift_days = 200\n")
    second = run_nightly(config, run_in_process)
    assert outcomes(second)["released"] == outcomes(first)["released"]


class Lossy:
    """Drives the engine but loses one unit, or one note, on the way to the writer."""

    def __init__(self, lose: Callable[[Batch], Batch | None]) -> None:
        self.lose = lose

    def __call__(self, job: Job) -> dict[Any, Any]:
        with open_resources(job.settings) as tools:
            for unit in claim_units(tools, job.run_id, "lossy"):
                batch = self.lose(process_unit(unit, tools))
                if batch is not None:
                    commit_batch(batch, tools, job.run_id)
        return {}


def lose_second_unit(batch: Batch) -> Batch | None:
    return None if batch.unit.index == 1 else batch


def lose_one_note(batch: Batch) -> Batch:
    return replace(batch, items=batch.items[1:]) if batch.unit.index == 1 else batch


@pytest.mark.parametrize(("lose", "missing"), [(lose_second_unit, 10), (lose_one_note, 1)])
def test_lost_notes_fail_the_run_and_nothing_is_released(
    config: Path, lose: Callable[[Any], Any], missing: int
) -> None:
    with pytest.raises(
        Incomplete, match=rf"^{missing} of \d+ planned notes are unaccounted for"
    ) as caught:
        run_nightly(config, Lossy(lose))
    assert "nothing was released" in str(caught.value)
    assert released(config) == {}
    ended = run_nightly(config, run_in_process)
    assert ended.exit_code == EXIT_DONE
    assert ended.resumed


def test_too_much_quarantine_gives_exit_code_3(config: Path) -> None:
    config.write_text(
        config.read_text().replace("max_quarantine_share = 0.2", "max_quarantine_share = 0.0")
    )
    with source(config) as db:
        db.execute("update note set note_date = 'x', note_datetime = 'x' where note_id % 3 = 0")
    assert run_nightly(config, run_in_process).exit_code == EXIT_QUARANTINE


def test_reports_are_written(config: Path) -> None:
    ended = run_nightly(config, run_in_process)
    html = ended.report.read_text(encoding="utf-8")
    record = json.loads((config.parent / "report.json").read_text(encoding="utf-8"))
    assert "LAST_NAME" in html
    assert record["notes"]["released"] == outcomes(ended)["released"]
    assert record["unaccounted"] == 0
    section = html.partition("<h2>Detectors</h2>")[2].partition("</section>")[0]
    rows = re.findall(r'<td class="n">([^<]*)</td><td class="n">([^<]*)</td>', section)
    counts = [tuple(int(re.sub(r"\D", "", cell)) for cell in row) for row in rows]
    assert len(counts) > 3
    assert all(0 < kept <= found for found, kept in counts)


def test_an_output_of_another_key_is_refused(config: Path) -> None:
    run_nightly(config, run_in_process)
    config.write_text(config.read_text().replace('cohort = "research"', 'cohort = "other"'))
    with pytest.raises(ConfigError, match="another key"):
        run_nightly(config, run_in_process)


def test_paths_start_at_the_configuration(
    config: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    run_nightly(Path("../demo/nightly.toml"), run_in_process)
    assert (config.parent / "research.db").is_file()
    assert not list(elsewhere.iterdir())


def test_what_came_while_a_run_lay_broken_is_processed_too(config: Path) -> None:
    with pytest.raises(Incomplete):
        run_nightly(config, Lossy(lose_second_unit))
    with source(config) as db:
        columns = [row[1] for row in db.execute("pragma table_info(note)")]
        others = ", ".join(name for name in columns if name != "note_id")
        db.execute(
            f"insert into note (note_id, {others}) "
            f"select 999999, {others} from note where note_text <> '' limit 1"
        )
    run_nightly(config, run_in_process)
    assert out_id(config, 999999) in released(config)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [("research.db", "hospital.db"), ("research.db", "state.db"), ("state.db", "./hospital.db")],
)
def test_source_state_and_output_must_be_apart(config: Path, ours: str, theirs: str) -> None:
    config.write_text(config.read_text().replace(f"sqlite:///{ours}", f"sqlite:///{theirs}"))
    before = (config.parent / "hospital.db").read_bytes()
    with pytest.raises(ConfigError, match="the same database or folder"):
        run_nightly(config, run_in_process)
    assert (config.parent / "hospital.db").read_bytes() == before
