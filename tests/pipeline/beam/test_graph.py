"""The Beam graph: equal to the plain engine, complete or nothing, silent, without ports."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, NoReturn, cast

import apache_beam as beam
import psutil
import pytest
from apache_beam import coders

from pipeline.beam.failures import RunnerFailed
from pipeline.beam.metrics import NAMESPACE
from pipeline.beam.runners import make_pipeline
from pipeline.beam.session import tools_of
from pipeline.beam.worker import UnitShare, build_nightly_graph, work
from pipeline.config.exit_codes import EXIT_USAGE
from pipeline.config.settings import Settings, load
from pipeline.night import supervisor
from pipeline.night.nightly import Incomplete, Job, NightlyResult, run_nightly
from pipeline.notes.batch import Batch
from pipeline.notes.claimed_units import StageFailed, run_guarded_stage
from pipeline.notes.worker_resources import WorkerResources
from pipeline.warehouse.note_rows import NoteRow, Unit
from record.errors import Unavailable
from tests.pipeline.conftest import Site

CANARY = "Quillfeather"


def graph(between: "Lose | None" = None) -> Callable[[Job], dict[str, int]]:
    """A drive that runs the graph in this process."""

    def drive(job: Job) -> dict[str, int]:
        summary = job.scratch / "worker-0.json"
        work(UnitShare(job.settings, job.run_id, summary), [], between=between)
        return {}

    return drive


def outcomes(ended: NightlyResult) -> dict[str, int]:
    return {name: count for name, count in ended.summary.tally.outcomes.items() if count}


# Parity ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("drive", "workers"),
    [(graph(), 1), (supervisor.run_in_workers, 2)],
    ids=["graph", "two workers"],
)
def test_equals_the_engine(
    hospital: Site,
    reference: tuple[str, Any],
    counted: Callable[[NightlyResult], Any],
    drive: Callable[..., Any],
    workers: int,
) -> None:
    ended = run_nightly(hospital.config, drive, workers=workers)
    assert (hospital.digest(), counted(ended)) == reference


def test_pipelines_at_once_claim_from_one_another(
    hospital: Site, reference: tuple[str, Any], counted: Callable[[NightlyResult], Any]
) -> None:
    def three(job: Job) -> dict[Any, Any]:
        with ThreadPoolExecutor(3) as pool:
            names = [f"worker-{number}" for number in range(3)]
            shares = [
                UnitShare(job.settings, job.run_id, job.scratch / f"{name}.json", holder=name)
                for name in names
            ]
            list(pool.map(lambda share: work(share, []), shares))
        return {}

    ended = run_nightly(hospital.config, three)
    assert (hospital.digest(), counted(ended)) == reference


def test_the_combined_summary_is_the_tally(
    hospital: Site, counted: Callable[[NightlyResult], Any]
) -> None:
    ended = run_nightly(hospital.config, graph())
    (path,) = hospital.folder.glob(".cryptonym/run-*/worker-0.json")
    combined = json.loads(path.read_text())
    expected = counted(ended)
    for known_to_the_run_alone in ("deleted", "planned"):
        expected["outcomes"].pop(known_to_the_run_alone, None)
    expected.pop("cells")  # those of the gate are stored with each unit
    assert {key: combined[key] for key in expected} == expected


def test_a_second_run_finds_nothing_to_do(hospital: Site) -> None:
    run_nightly(hospital.config, graph())
    before = hospital.digest()
    second = run_nightly(hospital.config, graph())
    assert outcomes(second) == {"planned": 40, "read": 40, "unchanged": 40}
    assert hospital.digest() == before


# Loss --------------------------------------------------------------------------------------------


class Lose(beam.PTransform[Any, Any]):
    """Loses notes in the middle of the graph, as a broken runner would."""

    def __init__(self, lose: Callable[[Batch], list[Batch]]) -> None:
        super().__init__()
        self.lose = lose

    def expand(self, batches: Any) -> Any:
        return batches | beam.FlatMap(self.lose).with_output_types(Batch)


def lose_second_batch(batch: Batch) -> list[Batch]:
    return [] if batch.unit.index == 1 else [batch]


def lose_one_note(batch: Batch) -> list[Batch]:
    return [replace(batch, items=batch.items[1:]) if batch.unit.index == 1 else batch]


def lose_every_batch(batch: Batch) -> list[Batch]:
    return []


@pytest.mark.parametrize(
    ("lose", "missing"), [(lose_second_batch, 5), (lose_one_note, 1), (lose_every_batch, 40)]
)
def test_notes_lost_in_the_graph_fail_the_run(
    hospital: Site, reference: tuple[str, Any], lose: Callable[[Any], Any], missing: int
) -> None:
    with pytest.raises(
        Incomplete, match=rf"^{missing} of 40 planned notes are unaccounted for"
    ) as caught:
        run_nightly(hospital.config, graph(Lose(lose)))
    assert "nothing was released" in str(caught.value)
    assert hospital.released() == {}
    ended = run_nightly(hospital.config, graph())
    assert ended.resumed
    assert hospital.digest() == reference[0]


def double(batch: Batch) -> list[Batch]:
    return [batch, batch]


def test_a_batch_that_comes_twice_counts_once(
    hospital: Site, reference: tuple[str, Any], counted: Callable[[NightlyResult], Any]
) -> None:
    ended = run_nightly(hospital.config, graph(Lose(double)))
    assert (hospital.digest(), counted(ended)) == reference


# Dead letters ------------------------------------------------------------------------------------


def test_dead_letters_and_counters_agree_with_the_tally(hospital: Site, tmp_path: Path) -> None:
    letters = tmp_path / "letters.jsonl"
    seen = {}

    def drive(job: Any) -> Any:
        pipeline = make_pipeline([])
        share = UnitShare(job.settings, job.run_id, job.scratch / "worker-0.json")
        dead = build_nightly_graph(pipeline, share)
        dead | beam.Map(lambda failure: append(letters, failure))
        result = pipeline.run()
        result.wait_until_finish()
        found = result.metrics().query(beam.metrics.MetricsFilter().with_namespace(NAMESPACE))
        seen["counters"] = {m.key.metric.name: m.committed for m in found["counters"]}
        seen["spans"] = {m.key.metric.name: m.committed for m in found["distributions"]}
        return {}

    ended = run_nightly(hospital.config, drive)
    tally = ended.summary.tally
    counts = outcomes(ended)
    assert seen["counters"] == {
        "notes_read": counts["read"],
        "notes_released": counts["released"],
        "notes_quarantined": counts["quarantined"],
        "notes_unchanged": 0,
    }
    assert seen["spans"]["spans_per_note"].count == counts["released"]
    assert seen["spans"]["characters_per_note"].sum == tally.characters

    failures = [json.loads(line) for line in letters.read_text().splitlines()]
    assert len(failures) == counts["quarantined"]
    assert all(set(failure) == {"note_id", "stage", "error", "reason"} for failure in failures)
    causes = {(stage, error, reason) for stage, error, reason, _ in tally.quarantine}
    assert {(f["stage"], f["error"], f["reason"]) for f in failures} == causes


def append(path: Path, failure: Any) -> None:
    with path.open("a") as lines:
        lines.write(json.dumps(asdict(failure)) + "\n")


def explode(batch: Batch, tools: WorkerResources) -> NoReturn:
    raise ValueError(f"cannot read {CANARY} of {batch.items}")


def silent(error: BaseException | None) -> bool:
    """Every text that can be got out of an error, its causes included."""
    texts = []
    while error is not None:
        texts += [str(error), repr(error), repr(vars(error))]
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return CANARY not in "".join(texts)


def test_a_stage_that_fails_on_a_whole_batch_says_no_text(make_note: Callable[..., Any]) -> None:
    batch = Batch(unit=Unit(3, "", 1, 2, 1), read_ids=(1,))
    row = NoteRow(**make_note(1, note_text=CANARY))
    assert CANARY not in repr(batch) + repr(row)
    with pytest.raises(StageFailed, match=r"^detect failed on unit 3: ValueError$") as caught:
        run_guarded_stage("detect", explode, batch, cast(WorkerResources, None))
    assert silent(caught.value)


def fail_guarded(settings: Settings) -> Callable[[Any], list[Batch]]:
    return lambda batch: [run_guarded_stage("detect", explode, batch, tools_of(settings))]


def fail_bare(settings: Settings) -> Callable[[Any], NoReturn]:
    return lambda batch: explode(batch, cast(WorkerResources, None))


@pytest.mark.parametrize(
    ("fail", "message"),
    [(fail_guarded, "detect failed on unit"), (fail_bare, "ValueError|RuntimeError")],
)
def test_an_error_in_the_graph_leaves_it_without_text(
    hospital: Site, fail: Callable[[Any], Any], message: str
) -> None:
    with pytest.raises((StageFailed, RunnerFailed), match=message) as caught:
        run_nightly(hospital.config, graph(Lose(fail(load(hospital.config)))))
    assert silent(caught.value)
    assert hospital.released() == {}


def lose_connection(batch: Batch) -> NoReturn:
    raise Unavailable("source.url", "connection failed or lost", "run again")


def test_a_service_that_is_gone_stays_told_apart(hospital: Site) -> None:
    with pytest.raises(Unavailable, match="connection failed"):
        run_nightly(hospital.config, graph(Lose(lose_connection)))


# Ports and runners -------------------------------------------------------------------------------


def sockets(process: psutil.Process) -> list[tuple[Any, Any]]:
    """Every network socket of a process and its descendants: (process, socket)."""
    found = []
    for one in [process, *process.children(recursive=True)]:
        try:
            found += [(one.pid, socket) for socket in one.net_connections(kind="inet")]
        except psutil.Error:  # it ended while we looked
            continue
    return found


def test_no_port_is_opened(make_site: Callable[..., Site]) -> None:
    site = make_site(notes=20)
    started = site.start("--workers", "2")
    process, seen, workers = psutil.Process(started.pid), [], set()
    while started.poll() is None:
        seen += sockets(process)
        workers |= set(site.workers())
        time.sleep(0.1)
    started.communicate()
    assert started.returncode == 0
    # A worker that has just forked to start its reader of PDFs looks like two for a moment.
    assert len(workers) >= 2
    assert seen == []


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--runner=DirectRunner"], "--runner=DirectRunner: it downloads an executable"),
        (["--runner=apache_beam.runners.DirectRunner"], "--runner=DirectRunner: it downloads"),
        (["--runner", "PrismRunner"], "--runner=PrismRunner: it downloads an executable"),
        (["--runner=PrismRunner", "--prism_location=https://example.org/prism"], "it downloads"),
        (["--runner=DaskRunner"], "--runner=DaskRunner: it loses the output"),
        (["--runner=RayRunner"], "--runner=RayRunner: it does not work"),
        (
            ["--no_such_option=3"],
            "--no_such_option: neither an option of cryptonym nor of Apache Beam",
        ),
        (["--environment_type=DOCKER"], "--environment_type=DOCKER: FnApiRunner works in its own"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_unsafe_runners_and_unknown_options_are_refused(
    site: Site, arguments: list[str], problem: str
) -> None:
    done = site.call(*arguments)
    assert done.returncode == EXIT_USAGE, done.stderr
    assert problem in done.stderr
    assert "Remedy: " in done.stderr
    assert "Traceback" not in done.stderr
    assert site.output("select * from note") == []


def test_works_without_any_network(
    hospital: Site, reference: tuple[str, Any], isolated: tuple[str, ...]
) -> None:
    if not isolated:
        pytest.skip("this system does not allow network namespaces")
    # No interface of the namespace is up, not even loopback.
    command = [sys.executable, "-P", "-m", "pipeline.cli", "run", str(hospital.config), "--plain"]
    done = subprocess.run(
        [*isolated, *command, "--workers", "1"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert hospital.digest() == reference[0]


def test_a_batch_of_notes_is_never_encoded() -> None:
    coder = coders.registry.get_coder(Batch)
    batch = Batch(unit=Unit(0, "", 1, 2, 2))
    for refused in (lambda: coder.encode(batch), lambda: coder.decode(b"")):
        with pytest.raises(TypeError, match="never leaves its process"):
            refused()
    assert coder.estimate_size(batch) == 1
