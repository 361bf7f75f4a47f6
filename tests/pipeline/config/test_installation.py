"""A room that is not ours is refused, whichever way it got in."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pipeline.config.installation import ROOMS, check_installation

SOURCES = Path(__file__).parents[3]
CHECK = """
import sys
sys.path[:0] = {path!r}
from pipeline.config.installation import check_installation
from record.errors import ConfigError
try:
    check_installation()
except ConfigError as error:
    print(error)
"""


@pytest.fixture
def rooms(tmp_path: Path) -> Path:
    """The rooms as an installation holds them, reduced to what the check itself imports."""
    home = tmp_path / "site"
    for room in ROOMS:
        (home / room).mkdir(parents=True)
        (home / room / "__init__.py").touch()
    for file in ("pipeline/config/installation.py", "record/errors.py"):
        (home / file).parent.mkdir(exist_ok=True)
        shutil.copy(SOURCES / file, home / file)
    return home


def said_by_check(*path: Path) -> str:
    """What the check says in a fresh interpreter that looks in these folders first."""
    script = CHECK.format(path=[str(folder) for folder in path])
    # -P and -S keep this source tree and what is installed off the path.
    run = subprocess.run(
        [sys.executable, "-P", "-S", "-c", script],
        cwd=path[-1],
        check=True,
        capture_output=True,
        text=True,
    )
    return run.stdout.strip()


def claim(folder: Path, *packages: str, name: str = "rules") -> Path:
    """Put the metadata of a distribution into a folder."""
    metadata = folder / f"{name}-3.5.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 3.5\n")
    (metadata / "top_level.txt").write_text("\n".join(packages))
    return folder


def test_this_tree_is_sound() -> None:
    check_installation()


def test_an_installation_of_ours_is_sound(rooms: Path) -> None:
    claim(rooms, *ROOMS, name="cryptonym")
    assert said_by_check(rooms) == ""


@pytest.mark.parametrize("room", [room for room in ROOMS if room not in ("pipeline", "record")])
def test_a_package_found_first_is_refused(rooms: Path, tmp_path: Path, room: str) -> None:
    other = tmp_path / "other"
    (other / room).mkdir(parents=True)
    (other / room / "__init__.py").touch()
    said = said_by_check(other, rooms)
    assert f"'{room}' is imported from another place" in said
    assert "Remedy: install cryptonym alone" in said


def test_an_overwritten_room_is_refused(rooms: Path) -> None:
    (rooms / "rules" / "__init__.py").write_text("VERSION = (3, 5)\n")
    assert "'rules' was overwritten" in said_by_check(rooms)


def test_a_room_that_lost_its_files_is_refused(rooms: Path) -> None:
    (rooms / "rules" / "__init__.py").unlink()
    assert "'rules' is incomplete" in said_by_check(rooms)
    (rooms / "rules").rmdir()
    assert "'rules' is incomplete" in said_by_check(rooms)


def test_another_owner_of_a_name_is_refused(rooms: Path, tmp_path: Path) -> None:
    claim(rooms, *ROOMS, name="cryptonym")
    claim(tmp_path / "other", "rules")
    said = said_by_check(rooms, tmp_path / "other")
    assert "package 'rules' also belongs to the distribution rules" in said


@pytest.mark.parametrize("file", ["rules/__init__.py", "rules.py", "rules.cpython-311-x86.so"])
@pytest.mark.parametrize("has_record", [True, False])
def test_what_a_distribution_owns_is_read_from_its_files(
    rooms: Path, tmp_path: Path, file: str, has_record: bool
) -> None:
    other = claim(tmp_path / "other", name="stranger") / "stranger-3.5.dist-info"
    if has_record:
        (other / "RECORD").write_text(f"a/rules/x.py,,\nrules-3.5.pth,,\n{file},sha256=x,1\n")
    else:
        other = other.rename(other.with_name("stranger.egg-info"))
        (other / "SOURCES.txt").write_text(f"a/rules/x.py\n{file}\n")
        (other / "PKG-INFO").write_text((other / "METADATA").read_text())
        (other / "METADATA").unlink()
    claim(rooms, *ROOMS, name="cryptonym")
    said = said_by_check(rooms, tmp_path / "other")
    assert "package 'rules' also belongs to the distribution stranger" in said


def test_files_that_only_resemble_a_package_are_nobodys(rooms: Path, tmp_path: Path) -> None:
    other = claim(tmp_path / "other", name="stranger") / "stranger-3.5.dist-info"
    (other / "RECORD").write_text("a/rules/x.py,,\nrules_of_go/x.py,,\nrecords/x.py,,\n")
    claim(rooms, *ROOMS, name="cryptonym")
    assert said_by_check(rooms, tmp_path / "other") == ""
