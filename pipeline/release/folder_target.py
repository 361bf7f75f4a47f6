"""A release in a folder: written anew beside its place, which is a link that is moved."""

import json
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from pipeline.release.accompanying_files import (
    ORIGIN,
    OTHERS,
    REMEDY,
    SETTING,
    WHAT,
    Papers,
    read_papers,
    sync,
    write_paper,
)
from pipeline.release.draft import ReleaseDraft, ReleaseUnit
from pipeline.release.plan import units_of_range
from pipeline.release.row_digests import Change, Changes, Row
from pipeline.release.tables import REFERRED, SELVES, make_tables
from pipeline.release.unit_files import PARQUET_PART, digest_file, read_part
from pipeline.warehouse.databases import guard
from pipeline.warehouse.omop_tables import CDM_SOURCE_COLUMNS
from pipeline.warehouse.parquet_source import reading
from record.errors import ConfigError

SUMS = "SHA256SUMS"
_ALONE = (*REFERRED, *SELVES)


class FolderTarget:
    """A release in a folder of Parquet files or JSON Lines, with its files inside.

    The place itself is a link to `.NAME-<16 hex digits>` beside it. What it does not point to is
    left over from a run that died, or withdrawn, and is removed.
    """

    names = ("manifest.json", "README.md")

    def __init__(self, place: Path, suffix: str = PARQUET_PART) -> None:
        self._place = place
        self.suffix = suffix
        self._tables = make_tables(None)

    def claim(self, key_id: str, names: tuple[str, ...]) -> None:  # noqa: ARG002 - as in a database
        """Raise ConfigError where the place holds anything but a release under this key."""
        with guard(WHAT):
            self._place.parent.mkdir(parents=True, exist_ok=True)
            is_free = not os.path.lexists(self._place)
            is_empty = self._place.is_dir() and not any(self._place.iterdir())
            is_ours = self._is_ours()
        if is_free or is_empty:
            return
        path = self._path(self._place, "cdm_source", 0)
        pages = read_part(path, self._tables["cdm_source"]) if is_ours else iter(())
        place = CDM_SOURCE_COLUMNS.index("cdm_etl_reference")
        if {row[place] for rows in pages for row in rows} != {ORIGIN + key_id}:
            raise ConfigError(SETTING, OTHERS, REMEDY)

    def visible(self, name: str, unit: ReleaseUnit) -> Iterator[list[Row]]:
        """Stream the rows of a table that belong to a unit and are visible now."""
        if not self._is_ours():
            return
        table = self._tables[name]
        if name in _ALONE:
            yield from read_part(self._path(self._place, name, 0), table)
            return
        names = [column.name for column in table.columns]
        for index in units_of_range(unit.low, unit.high, self._units):
            notes = self._notes(index, unit) if "person_id" not in names else None
            place = names.index("note_id" if notes is not None else "person_id")
            for rows in read_part(self._path(self._place, name, index), table):
                if notes is not None:
                    yield [row for row in rows if row[place] in notes]
                else:
                    yield [row for row in rows if unit.low <= row[place] <= unit.high]

    def leftover(self, names: tuple[str, ...]) -> Changes:
        """Return what is visible of tables that the release does not have any more."""
        if not self._is_ours():
            return {}
        found = {}
        for name in sorted(self._tables.keys() - set(names)):
            paths = sorted((self._place / name).glob(f"part-*.{self.suffix}"))
            pages = (rows for path in paths for rows in read_part(path, self._tables[name]))
            if keys := {row[0] for rows in pages for row in rows}:
                found[name] = Change(withdrawn=len(keys))
        return found

    def papers(self) -> Papers:
        """Read the files of the release."""
        return read_papers(self._place, self.names)

    def begun(self) -> str:
        """Nothing: files and tables become visible at once."""
        return ""

    def deliver(self, draft: ReleaseDraft, names: tuple[str, ...], papers: Papers) -> None:
        """Make a new folder of the draft's files and move the link to it; the old one is removed.

        A file that is byte for byte as before is the old one: those who copy releases see so.
        """
        made = self._place.with_name(f".{self._place.name}-{secrets.token_hex(8)}")
        with reading(WHAT):
            self._clear()
            made.mkdir()
            before = self._sums()
            sums = [self._move(draft, made, name, before) for name in names]
            for name, text in papers.items():
                write_paper(made / name, text)
            lines = sorted(line for some in sums for line in some)
            lines += [f"{digest_file(made / name)}  {name}\n" for name in sorted(papers)]
            write_paper(made / SUMS, "".join(lines))
            for folder, _, _ in os.walk(made):
                sync(Path(folder))
        with guard(WHAT):
            self._point_to(made)
            self._clear()

    def close(self) -> None:
        """Nothing is open between calls."""

    def _move(
        self, draft: ReleaseDraft, made: Path, name: str, before: dict[str, str]
    ) -> list[str]:
        """Put the files of a table into the new folder; returns their lines of the sums."""
        lines = []
        for index, part in draft.parts(name):
            if not part.rows:
                continue
            path = self._path(made, name, index)
            inside = path.relative_to(made).as_posix()
            path.parent.mkdir(exist_ok=True)
            old = self._place / inside
            if before.get(inside) == part.sha256 and digest_file(old) == part.sha256:
                os.link(old, path)
            else:
                # The draft may lie in another file system.
                shutil.move(draft.path(name, index, self.suffix), path)
                sync(path)
            lines.append(f"{part.sha256}  {inside}\n")
        return lines

    def _sums(self) -> dict[str, str]:
        """Read what the digests of the visible files should be."""
        lines = read_papers(self._place, (SUMS,)).get(SUMS, "").splitlines()
        found = (line.split("  ", 1) for line in lines if "  " in line)
        return {name: digest for digest, name in found if (self._place / name).is_file()}

    @cached_property
    def _units(self) -> int:
        """How many units the visible release was made in; its files are numbered by them."""
        told = read_papers(self._place, self.names[:1]).get(self.names[0], "{}")
        try:
            return int(json.loads(told).get("units", 1))
        except (ValueError, AttributeError):
            return 1

    def _notes(self, index: int, unit: ReleaseUnit) -> set[int]:
        table = self._tables["note"]
        place = [column.name for column in table.columns].index("person_id")
        pages = read_part(self._path(self._place, "note", index), table)
        return {
            row[0] for rows in pages for row in rows if unit.low <= row[place] <= unit.high
        }  # fmt: skip

    def _is_ours(self) -> bool:
        is_version = bool(self._versions().fullmatch(self._visible()))
        return is_version and self._path(self._place, "cdm_source", 0).is_file()

    def _visible(self) -> str:
        return self._place.readlink().name if self._place.is_symlink() else ""

    def _versions(self) -> re.Pattern[str]:
        return re.compile(rf"\.{re.escape(self._place.name)}-[0-9a-f]{{16}}(\.link)?")

    def _point_to(self, made: Path) -> None:
        link = made.with_name(f"{made.name}.link")
        link.symlink_to(made.name)
        if self._place.is_dir() and not self._place.is_symlink():
            self._place.rmdir()
        link.replace(self._place)
        sync(self._place.parent)

    def _clear(self) -> None:
        """Remove every version but the visible one."""
        visible = self._visible()
        for path in self._place.parent.iterdir():
            if not self._versions().fullmatch(path.name) or path.name == visible:
                continue
            if path.is_symlink():
                path.unlink()
            else:
                shutil.rmtree(path)

    def _path(self, folder: Path, name: str, index: int) -> Path:
        """Name a file as the nightly job does: one reader reads both."""
        if not self._tables[name].primary_key.columns:
            return folder / f"{name}.{self.suffix}"
        number = 0 if name in _ALONE else index
        return folder / name / f"part-{number:06d}.{self.suffix}"
