"""Tasks on a node that cannot take part, as one without a variable: the others' night goes on."""

import json
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

import pytest

from pipeline.night.nightly import NightlyResult, run_nightly
from record.errors import CryptonymError, Unavailable
from tests.pipeline.conftest import Site
from tests.pipeline.spark.test_cluster import on_server

VARIABLE = "CRYPTONYM_TEST_STATE"
AWAY = Unavailable("state.url", "no answer from db:5432", "start it")
DEFECT = ["node-9:1:task-0", 7, "StageFailed", "detect failed on unit 0: ValueError"]


@pytest.fixture
def night(make_site: Callable[..., Site], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Runs a night whose tasks are run here, one after another, on nodes that differ."""
    pytest.importorskip("pyspark", reason="PySpark is not installed")
    from pipeline.spark import cluster

    site = on_server(make_site(6), "")
    monkeypatch.setenv(VARIABLE, f"sqlite:///{site.folder}/state.db")

    def run(*nodes: str) -> NightlyResult:
        def run_tasks(_: object, task: Any, shares: Sequence[int], watch: object) -> list[Any]:
            return [end for node, share in zip(nodes, shares, strict=True)
                    for end in run_on(node, task, share)]  # fmt: skip

        monkeypatch.setattr(cluster, "check_cluster", lambda master, settings: None)
        monkeypatch.setattr(cluster, "open_context", lambda *_: nullcontext())
        monkeypatch.setattr(cluster, "_run_tasks", run_tasks)
        return run_nightly(site.config, cluster.drive_on_spark("local[1]"), workers=len(nodes))

    def run_on(node: str, task: Any, share: int) -> list[Any]:
        with monkeypatch.context() as patch:
            if node == "bare":
                patch.delenv(VARIABLE)
            elif node == "away":
                patch.setattr(cluster, "admit_worker", raise_away)
            elif node == "defect":
                return [cluster.TaskEnd(*DEFECT)]  # type: ignore[arg-type]
            return [cluster.TaskEnd(*json.loads(end)) for end in task([share])]

    def raise_away(*_: object) -> None:
        raise AWAY

    return run


@pytest.mark.parametrize("nodes", [("bare", "sound", "away"), ("away", "bare", "sound")])
def test_a_node_that_cannot_take_part_is_refused(
    night: Callable[..., NightlyResult], nodes: Sequence[str]
) -> None:
    ended = night(*nodes)
    assert ended.exit_code == 0
    assert ended.summary.tally.outcomes["released"] == 6
    said = [warning for warning in ended.warnings if warning.startswith("worker ")]
    bare, away = nodes.index("bare"), nodes.index("away")
    assert sorted(warning.partition(" was ")[0][-6:] for warning in said) == sorted(
        [f"task-{bare}", f"task-{away}"]
    )
    assert any(VARIABLE in one and f"task-{bare} was refused: " in one for one in said)
    assert any(f"task-{away} was refused: {AWAY}" in one for one in said)


@pytest.mark.parametrize(
    ("nodes", "error", "said"),
    [
        (["bare"], "ConfigError", VARIABLE),
        (["away"], "Unavailable", "no answer from db:5432"),
        (["away", "bare"], "Unavailable", "no answer from db:5432"),
        # What is no fault of its node ends the run, although others did the work.
        (["sound", "defect"], "TaskFailed", "detect failed on unit 0"),
    ],
)
def test_where_no_node_can_take_part_the_run_ends(
    night: Callable[..., NightlyResult],
    nodes: Sequence[str],
    error: str,
    said: str,
) -> None:
    with pytest.raises(CryptonymError, match=said) as caught:
        night(*nodes)
    assert type(caught.value).__name__ == error
    # The next run goes on.
    assert night("sound").exit_code == 0
