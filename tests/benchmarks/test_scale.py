"""The simulated night: what can be computed by hand is the same."""

import math
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("simpy", reason="simpy is missing")

from benchmarks.scale.costs import MEASURED, Costs, load_costs
from benchmarks.scale.simulation import Site, simulate

COSTS = Costs(
    notes_per_unit=100, unit=(0.02,), claim=0.01, commit_note=0.001, commit_unit=0.05, start=3.0,
    plan=1e-5, publish=2e-5, reconcile=0.0, compare=1e-4, server_share=0.5, connections=3,
    peak_bytes=600 * 2**20, staged_bytes=1_000, about="by hand",
)  # fmt: skip
SITE = Site(1, 1, compared=1_000, changed=1_000, lease_seconds=1e9)


def test_one_worker_is_the_sum_of_its_parts() -> None:
    night = simulate(SITE, COSTS)
    assert math.isclose(night.working, 3 + 10 * (0.01 + 2.0 + 0.05 + 0.1))
    assert math.isclose(night.planning, 0.01)
    assert math.isclose(night.publishing, 0.02)
    assert night.waited == 0
    assert night.loads["database connections"] == 0.03


def test_unchanged_notes_are_compared_only() -> None:
    night = simulate(replace(SITE, changed=0), COSTS)
    assert math.isclose(night.working, 3 + 10 * (0.01 + 0.01 + 0.05))


def test_more_workers_are_faster_until_the_server_has_no_core_left() -> None:
    site = replace(SITE, compared=20_000, changed=20_000, database_cores=1)
    seconds = [simulate(replace(site, nodes=n), COSTS).working for n in (1, 2, 4)]
    assert math.isclose((seconds[0] - 3) / (seconds[1] - 3), 2, rel_tol=0.05)
    assert seconds[2] < seconds[1]
    # Two hundred units, of each of which the one core of the server has half of 0.16 s.
    busy = simulate(replace(site, nodes=200), COSTS)
    assert busy.working >= 3 + 200 * 0.08
    assert busy.waited > 0
    assert busy.breaks_first == "database connections"


def test_the_costs_that_were_measured(tmp_path: Path) -> None:
    costs = load_costs(MEASURED)
    assert min(costs.unit) > 0
    assert 0 < costs.server_share < 1
    costs.save(tmp_path / "costs.json")
    assert load_costs(tmp_path / "costs.json") == costs


def test_leases_are_renewed_as_often_as_workers_do() -> None:
    # 10 units of 100 notes of 1 s: 1,000 s a worker, in which a lease of a minute has 250 beats.
    costs = replace(COSTS, unit=(1.0,), claim=0.0, commit_note=0.0, commit_unit=0.0, start=0.0)
    quiet = simulate(replace(SITE, lease_seconds=1e9), costs)
    assert quiet.loads["database cores"] == pytest.approx(0)
    costs = replace(costs, claim=0.01)
    busy = {lease: simulate(replace(SITE, lease_seconds=lease), costs) for lease in (4.0, 60.0)}
    share = 0.01 * costs.server_share / SITE.database_cores
    for lease, between in ((4.0, 1.0), (60.0, 4.0)):
        beats = busy[lease].loads["database cores"] / share
        assert beats == pytest.approx(1 / between, abs=0.03)


def test_what_is_staged_fills_the_disk() -> None:
    site = replace(SITE, database_bytes=2_000_000)
    assert simulate(site, COSTS).loads["database disk"] == 0.5
