"""A release is found where it was put, with the manifest that belongs to it."""

import json
import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest
from sqlalchemy import create_engine, text

from pipeline.cli import main
from pipeline.config.settings import load
from pipeline.release.manifest import parse_manifest
from pipeline.release.released_notes import open_release
from pipeline.release.request import ReleaseRequest, complete_request
from pipeline.release.targets import locate_release
from surrogates.keys.locators import write_private
from tests.pipeline.conftest import Ward


@pytest.mark.parametrize("output", ["sqlite:///cohort.db", "jsonl:cohort", "postgresql"])
def test_the_notes_of_a_configured_cohort_are_read_where_it_was_released(
    ward: Ward, output: str, request: pytest.FixtureRequest
) -> None:
    url, schema = ward.url(output), ""
    if output == "postgresql":
        url, schema = request.getfixturevalue("postgres_url"), 'schema = "cohort"\n'
        engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
        with engine.begin() as connection:
            connection.execute(text("create schema cohort"))
        engine.dispose()
    told = f'\n[cohorts.asthma]\noutput = "{url}"\n{schema}spans = true\n'
    ward.config.write_text(ward.config.read_text() + told)
    settings = load(ward.config)
    asked = complete_request(ReleaseRequest(ward.config, "asthma"), settings)
    place = locate_release(asked, settings)
    assert place.manifest is not None and not place.manifest.exists()
    released = ward.release(output="")
    assert parse_manifest(place.manifest.read_text()) == json.loads(json.dumps(released.manifest))
    notes = list(open_release(place).notes())
    assert len(notes) == released.counts.notes["released"] > 0
    assert {note.document.lang for note in notes} == {settings.lang}
    assert all(note.spans for note in notes if len(note.document.text) > 300)
    # Another cohort of the same place, or the same cohort elsewhere, has a manifest of its own.
    for other in (
        replace(asked, cohort="stroke"),
        replace(asked, output=ward.url("sqlite:///o.db")),
    ):
        if output.startswith("jsonl") and other.output == asked.output:
            continue
        assert locate_release(other, settings).manifest != place.manifest


def test_a_password_on_the_command_line_is_refused(
    ward: Ward, capsys: pytest.CaptureFixture[str]
) -> None:
    for url in ("postgresql://me:Wexlovitch@localhost/db", "postgresql://h/db?password=Wexlovitch"):
        words = ["release", str(ward.config), "--cohort", "asthma", "--output", url]
        assert main([*words, "--persons", str(ward.persons(1)), "--plain"]) == 2
        told = capsys.readouterr()
        assert "env:NAME" in told.err and "Wexlovitch" not in told.err + told.out


def test_urls_in_files_of_their_own(ward: Ward, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, config = ward.config.parent, ward.config.read_text()
    for name in ("hospital", "state"):
        url = f"sqlite:///{name}.db"
        assert f'url = "{url}"' in config
        config = config.replace(url, f"file:{name}.url")
        write_private(folder / f"{name}.url", f"{url}\n".encode())
    asked = '[cohorts.asthma]\noutput = "file:asthma.url"\n'
    ward.config.write_text(f"{config}\n{asked}")
    for place in (folder, ward.folder):
        write_private(place / "asthma.url", f"sqlite:///{place}/asthma.db\n".encode())
    monkeypatch.chdir(ward.folder)
    # The path of the command line is relative to its folder, that of the configuration to its own.
    words = ["release", str(ward.config), "--cohort", "asthma", "--plain"]
    words += ["--persons", str(ward.persons(*ward.FEW))]
    assert main([*words, "--output", "file:asthma.url"]) == 0
    assert main(words) == 0
    for place in (ward.folder, folder):
        with closing(sqlite3.connect(place / "asthma.db")) as database:
            assert database.execute("select count(*) from note").fetchone()[0] > 5
    (folder / "state.url").chmod(0o644)
    assert main(words) == 2
