"""Where a release becomes visible: what is there is compared unit by unit, replaced all at once."""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from sqlalchemy.engine import URL, make_url

from pipeline.config.settings import OutputSettings, Settings
from pipeline.night.nightly import name_place
from pipeline.notes.worker_resources import settled
from pipeline.release.accompanying_files import SETTING, Papers
from pipeline.release.draft import ReleaseDraft, ReleaseUnit
from pipeline.release.folder_target import FolderTarget
from pipeline.release.request import ReleaseRequest
from pipeline.release.row_digests import Changes, Row
from pipeline.release.sql_target import SqlTarget
from pipeline.release.unit_files import JSONL_PART, PARQUET_PART
from pipeline.warehouse.databases import connect, database_path
from pipeline.warehouse.warehouse import JSONL, PARQUET
from record.errors import ConfigError


class Target(Protocol):
    """Where a release becomes visible; `names` are those of its manifest and its README.

    `suffix` is that of the files a draft for it is made of.
    """

    names: tuple[str, str]
    suffix: str

    def claim(self, key_id: str, names: tuple[str, ...]) -> None:
        """Raise ConfigError where the place holds anything but a release under this key."""
        ...

    def visible(self, name: str, unit: ReleaseUnit) -> Iterator[list[Row]]:
        """Stream the rows of a table that belong to a unit and are visible now."""
        ...

    def leftover(self, names: tuple[str, ...]) -> Changes:
        """Return what is visible of tables that the release does not have any more."""
        ...

    def papers(self) -> Papers:
        """Read the files of the release that is visible; those that are not there are left out."""
        ...

    def begun(self) -> str:
        """Read the manifest of a delivery that was interrupted, and may be visible; else nothing.

        Its withdrawals must not be forgotten.
        """
        ...

    def deliver(self, draft: ReleaseDraft, names: tuple[str, ...], papers: Papers) -> None:
        """Make a draft visible, all of it at once.

        Raises Incomplete, and changes nothing, where it does not read back as it is.
        """
        ...

    def close(self) -> None:
        """Return what is open."""
        ...


def open_target(order: ReleaseRequest, settings: Settings) -> Target:
    """Open the place of a release; a relative path starts at the working directory.

    Files that go with a database are written to the configuration's report folder.
    """
    output = output_of(order, settings)
    for form, suffix in ((PARQUET, PARQUET_PART), (JSONL, JSONL_PART)):
        if output.url.startswith(form):
            place = Path(output.url.removeprefix(form)).absolute()
            if place.name in ("", "..") or output.schema:
                problem = "names no folder" if not output.schema else "a folder has no schema"
                raise ConfigError(SETTING, problem, f"write {form}FOLDER, without --schema")
            return FolderTarget(place, suffix)
    engine = connect(output.url, Path(), what=SETTING, use="output")
    place_name = name_place(SETTING, output.url, output.schema, Path())
    slug = re.sub(r"[^A-Za-z0-9]+", "-", order.cohort).strip("-")[:40]
    digest = hashlib.blake2b(f"{order.cohort}\0{place_name}".encode(), digest_size=4).hexdigest()
    reports = settings.base / settings.report.folder
    return SqlTarget(engine, output.schema, reports, f"release-{slug}-{digest}")


def show_place(output: OutputSettings) -> str:
    """Name a place for people: without user, password or options; URLs are themselves."""
    for form in (PARQUET, JSONL):
        if output.url.startswith(form):
            return f"{form}{Path(output.url.removeprefix(form)).absolute()}"
    path = database_path(output.url, Path(), what=SETTING)
    if path is not None:
        return f"sqlite:///{path}"
    url = make_url(output.url)
    server = URL.create("postgresql", host=url.host, port=url.port, database=url.database)
    return f"{server}{f' schema {output.schema}' if output.schema else ''}"


def output_of(order: ReleaseRequest, settings: Settings) -> OutputSettings:
    """Return the output of an order, with its URL itself."""
    asked = OutputSettings(order.output, order.schema)
    return settled(replace(settings, output=asked)).output
