"""Published notes where somebody else can write beside them: no link is followed."""

from pathlib import Path
from typing import Any

import pytest

from pipeline.synthetic.schedule.publication import GENERATED, check_place, replace_folder
from record.errors import ConfigError
from synthesis.generation_files import NOTES

MINE = "the state database"


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    path = tmp_path / "victim" / "state.db"
    path.parent.mkdir()
    path.write_text(MINE)
    return path


def publish(tmp_path: Path, content: str = "first") -> Path:
    made = tmp_path / "made"
    made.mkdir(exist_ok=True)
    for name in (NOTES, GENERATED):
        (made / name).write_text(content)
    output = tmp_path / "share" / "out"
    replace_folder(output, [(made / name, name) for name in (NOTES, GENERATED)])
    return output


def test_a_folder_is_replaced_as_a_whole(tmp_path: Path) -> None:
    output = publish(tmp_path)
    (output / "more").write_text("")
    assert publish(tmp_path, "second") == output
    assert [path.name for path in output.parent.iterdir()] == ["out"]
    assert {path.name: path.read_text() for path in output.iterdir()} == {
        NOTES: "second", GENERATED: "second",
    }  # fmt: skip
    assert output.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("name", [".out.new", ".out.old"])
def test_a_link_in_place_of_what_an_interrupted_run_left(
    tmp_path: Path, victim: Path, name: str
) -> None:
    output = publish(tmp_path)
    evil = tmp_path / "evil"
    evil.mkdir()
    (evil / NOTES).symlink_to(victim)
    (output.parent / name).symlink_to(evil, target_is_directory=True)
    publish(tmp_path, "second")
    assert (output / NOTES).read_text() == "second" and not (output / NOTES).is_symlink()
    assert victim.read_text() == MINE and (evil / NOTES).is_symlink()
    assert not (output.parent / name).is_symlink()


def test_what_an_interrupted_run_left_is_removed(tmp_path: Path, victim: Path) -> None:
    output = publish(tmp_path)
    for name in ("new", "old"):
        left = output.with_name(f".out.{name}")
        left.mkdir()
        (left / NOTES).symlink_to(victim)
        (left / "inside").symlink_to(victim.parent, target_is_directory=True)
    publish(tmp_path, "second")
    assert victim.read_text() == MINE
    assert [path.name for path in output.parent.iterdir()] == ["out"]


def test_a_link_that_is_planted_in_the_new_folder_stops_it(
    tmp_path: Path, victim: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    create = Path.mkdir

    def plant(self: Path, *args: Any, **options: Any) -> None:
        create(self, *args, **options)
        if self.name == ".out.new":
            (self / NOTES).symlink_to(victim)

    output = publish(tmp_path)
    monkeypatch.setattr(Path, "mkdir", plant)
    with pytest.raises(ConfigError, match=r"synthesis\.output"):
        publish(tmp_path, "second")
    assert victim.read_text() == MINE and (output / NOTES).read_text() == "first"


def test_a_new_folder_that_is_not_ours_stops_it(
    tmp_path: Path, victim: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    create = Path.mkdir

    def plant(self: Path, *args: Any, **options: Any) -> None:
        if self.name == ".out.new":
            self.symlink_to(victim.parent, target_is_directory=True)
        create(self, *args, **options)

    output = publish(tmp_path)
    monkeypatch.setattr(Path, "mkdir", plant)
    with pytest.raises(ConfigError, match=r"synthesis\.output"):
        publish(tmp_path, "second")
    assert list(victim.parent.iterdir()) == [victim]
    assert (output / NOTES).read_text() == "first"


@pytest.mark.parametrize("is_there", [True, False])
def test_a_place_that_is_a_link_is_refused(tmp_path: Path, is_there: bool) -> None:
    (tmp_path / "share").mkdir()
    elsewhere = tmp_path / "elsewhere"
    if is_there:
        elsewhere.mkdir()
    (tmp_path / "share" / "out").symlink_to(elsewhere, target_is_directory=True)
    with pytest.raises(ConfigError, match="is a symbolic link"):
        publish(tmp_path)
    assert not elsewhere.exists() or not any(elsewhere.iterdir())


def test_a_place_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text(MINE)
    (tmp_path / "folder").mkdir()
    check_place(tmp_path / "folder")
    (tmp_path / "folder" / "mine.txt").write_text(MINE)
    for name in ("file", "folder"):
        with pytest.raises(ConfigError, match="something other"):
            check_place(tmp_path / name)
