"""A small hospital, what the plain engine makes of it, and a network that ends at this machine."""

import shutil
import subprocess

import pytest

from pipeline import engine
from pipeline.beam import session
from pipeline.nightly import run_nightly


@pytest.fixture(autouse=True)
def close_tools():
    """Tools that pipelines opened in this process are closed with the test."""
    yield
    session.close_all()


@pytest.fixture
def hospital(make_site):
    """Forty notes in units of five; two of them have no date."""
    site = make_site(notes=40)
    site.source(
        "update note set note_date = 'soon', note_datetime = 'soon' where note_id in (3, 17)"
    )
    return site


@pytest.fixture
def reference(hospital, counted):
    """What the plain engine makes of the hospital: digest of the output, and counts."""
    before = hospital.folder.with_name("before")
    shutil.copytree(hospital.folder, before)
    counts = counted(run_nightly(hospital.config, engine.drive))
    assert counts["outcomes"]["released"] > 30
    assert counts["outcomes"]["quarantined"] >= 2
    digest = hospital.digest()
    shutil.rmtree(hospital.folder)
    before.rename(hospital.folder)
    return digest, counts


@pytest.fixture
def counted():
    """Gives the tally of a run without what differs from one machine and minute to the next."""

    def count(ended):
        tally = ended.summary.tally.to_json()
        return {key: tally[key] for key in tally if key not in ("microseconds", "peak_memory")}

    return count


@pytest.fixture(scope="session")
def isolated():
    """What a command is prefixed with to run where there is no network; () where that is denied."""
    prefix = ("unshare", "--map-root-user", "--net", "--uts")
    if not shutil.which("unshare"):
        return ()
    allowed = subprocess.run([*prefix, "true"], check=False, capture_output=True).returncode == 0
    return prefix if allowed else ()
