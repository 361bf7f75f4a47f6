"""Reports are readable by their owner only, or as configured, whatever the umask."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pipeline.config.settings import load
from pipeline.night.engine import run_in_process
from pipeline.night.nightly import run_nightly
from pipeline.night.release_history import write_release_page
from record.atomic_write import make_folders, write_atomically
from tests.pipeline.conftest import Site, Ward


@pytest.fixture(params=[0o000, 0o022, 0o077], ids="umask {:03o}".format)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def modes(folder: Path) -> dict[str, int]:
    """The modes of a folder and all it holds, by path from there."""
    places = [folder, *folder.rglob("*")]
    return {str(place.relative_to(folder)): place.stat().st_mode & 0o777 for place in places}


@pytest.mark.usefixtures("umask")
def test_reports_and_state_belong_to_their_owner(make_site: Callable[..., Site]) -> None:
    site = make_site(3)
    site.config.write_text(site.config.read_text() + '\n[report]\nfolder = "reports/night"\n')
    run_nightly(site.config, run_in_process)
    write_release_page(load(site.config))
    found = modes(site.folder / "reports")
    assert len(found) >= 5
    assert set(found.values()) == {0o600, 0o700}
    assert {mode for name, mode in found.items() if "." in name.removeprefix(".")} == {0o600}
    state = [place for place in site.folder.iterdir() if place.name.startswith("state.db")]
    assert len(state) >= 2
    output = [place for place in site.folder.iterdir() if place.name.startswith("research.db")]
    assert output
    assert {place.stat().st_mode & 0o777 for place in (*state, *output)} == {0o600}


@pytest.mark.usefixtures("umask")
def test_a_group_may_read_where_that_is_configured(make_site: Callable[..., Site]) -> None:
    site = make_site(3)
    more = '\n[report]\nfolder = "reports"\nmode = "640"\n'
    site.config.write_text(site.config.read_text() + more)
    run_nightly(site.config, run_in_process)
    found = modes(site.folder / "reports")
    assert found.pop(".") == 0o750
    assert set(found.values()) == {0o640}


@pytest.mark.usefixtures("umask")
def test_the_manifest_of_a_release_into_a_database_is_a_report(ward: Ward) -> None:
    ward.release(1)
    manifests = list(ward.config.parent.glob("release-*"))
    assert len(manifests) == 2
    assert {path.stat().st_mode & 0o777 for path in manifests} == {0o600}
    staging = [path for path in (ward.config.parent / ".cryptonym").iterdir() if path.is_dir()]
    assert all(path.stat().st_mode & 0o777 == 0o700 for path in staging)
    assert (ward.config.parent / ".cryptonym").stat().st_mode & 0o777 == 0o700


def test_folders_that_exist_keep_their_mode(tmp_path: Path, umask: int) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there").chmod(0o755)
    make_folders(tmp_path / "there" / "a" / "b")
    assert (tmp_path / "there").stat().st_mode & 0o777 == 0o755
    assert modes(tmp_path / "there" / "a") == {".": 0o700, "b": 0o700}
    write_atomically(tmp_path / "there" / "umask", b"")
    assert modes(tmp_path / "there")["umask"] == 0o666 & ~umask
