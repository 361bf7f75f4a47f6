"""A small hospital, what the plain engine makes of it, and a network that ends at this machine."""

import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pipeline.beam import session
from pipeline.night import engine
from pipeline.night.nightly import NightlyResult, run_nightly
from tests.pipeline.conftest import Site


@pytest.fixture(autouse=True)
def close_tools() -> Iterator[None]:
    """Tools that pipelines opened in this process are closed with the test."""
    yield
    session.close_all()


def undated(site: Site) -> Site:
    site.source(
        "update note set note_date = 'soon', note_datetime = 'soon' where note_id in (3, 17)"
    )
    return site


@pytest.fixture
def make_hospital(make_site: Callable[..., Site]) -> Callable[[], Site]:
    """Makes hospitals of forty notes in units of five; two of them have no date."""
    return lambda: undated(make_site(notes=40))


@pytest.fixture
def hospital(make_hospital: Callable[[], Site]) -> Site:
    """Forty notes in units of five; two of them have no date."""
    return make_hospital()


@pytest.fixture(scope="session")
def reference(template: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Any]:
    """What the plain engine makes of the hospital: digest of the output, and counts."""
    site = undated(Site(tmp_path_factory.mktemp("reference") / "site", template, 40))
    counts = count(run_nightly(site.config, engine.run_in_process))
    assert counts["outcomes"]["released"] > 30
    assert counts["outcomes"]["quarantined"] >= 2
    return site.digest(), counts


def count(ended: NightlyResult) -> dict[str, Any]:
    tally = ended.summary.tally.to_json()
    return {key: tally[key] for key in tally if key not in ("microseconds", "peak_memory")}


@pytest.fixture
def counted() -> Callable[[NightlyResult], Any]:
    """Return the tally of a run without what differs from one machine and minute to the next."""
    return count


@pytest.fixture(scope="session")
def isolated() -> tuple[str, ...]:
    """What a command is prefixed with to run where there is no network; () where that is denied."""
    prefix = ("unshare", "--map-root-user", "--net", "--uts")
    if not shutil.which("unshare"):
        return ()
    allowed = subprocess.run([*prefix, "true"], check=False, capture_output=True).returncode == 0
    return prefix if allowed else ()
