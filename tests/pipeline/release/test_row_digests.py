"""Rows that are not what they should be cost themselves alone."""

import sqlite3
from collections import Counter
from typing import Any

import pytest

from pipeline.night.engine import run_in_process
from pipeline.night.nightly import run_nightly
from tests.pipeline.conftest import Site

SECRET = "Zyxwvutsrq"
WHOLE = 30


def site_quarantine(site: Site) -> Counter[Any]:
    """Notes in quarantine: how many for which cause."""
    with sqlite3.connect(site.folder / "state.db") as state:
        return Counter(state.execute("select stage, error, reason from quarantine"))


@pytest.fixture
def loose(site: Site) -> Site:
    """The same notes in a table that takes anything."""
    site.source("create table loose as select * from note")
    site.source("drop table note")
    site.source("alter table loose rename to note")
    site.configure("max_quarantine_share = 0.2", "max_quarantine_share = 1.0")
    return site


MALFORMED = [
    ("person_id = null", ("extract", "Unreadable", "no-person")),
    ("person_id = 'abc'", ("extract", "Unreadable", "no-person")),
    ("person_id = 999", ("extract", "Unreadable", "unknown-patient")),
    ("person_id = 1e300", ("extract", "Unreadable", "no-person")),
    ("note_date = 'x', note_datetime = 'x'", ("extract", "Unreadable", "malformed")),
    ("note_date = null, note_datetime = null", ("extract", "Unreadable", "no-date")),
    ("note_date = '9999-12-31', note_datetime = null", "either"),
    ("note_date = '0001-01-01', note_datetime = null", "either"),
    ("note_text = cast(x'436166e9' as text)", ("extract", "Unreadable", "malformed-text")),
    ("note_text = x'25504446'", ("extract", "Unreadable", "malformed-text")),
    ("note_text = null", ("extract", "Unreadable", "no-text")),
    ("note_text = ' ' || char(10)", ("extract", "Unreadable", "no-text")),
    ("note_text = hex(zeroblob(600000))", ("extract", "Unreadable", "too-long")),
    ("note_title = cast(x'e9' as text)", ("extract", "Unreadable", "malformed-text")),
    ("note_text = '', note_source_value = 'no.pdf'", ("fetch", "Unreadable", "missing-document")),
    ("note_text = '', note_source_value = '../master.key'",
     ("fetch", "Unreadable", "outside-folder")),
    ("note_text = '', note_source_value = x'00ff'", None),
    ("language_concept_id = 'abc'", "released"),
    ("provider_id = 'abc', visit_occurrence_id = 'def'", "released"),
    ("note_class_concept_id = 'a title of Mme Durand'", "released"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "cause"), MALFORMED)
def test_a_malformed_row_alone_is_refused(
    loose: Site, change: str, cause: tuple[str, str, str] | str | None
) -> None:
    loose.source("delete from note where note_id > 4 or note_source_value is not null")
    loose.source(f"update note set {change} where note_id = 2")
    run_nightly(loose.config, run_in_process)
    others = {loose.out_id(1), loose.out_id(3)}
    if cause == "released":
        assert loose.released().keys() == others | {loose.out_id(2)}
    elif cause == "either":
        # The key decides whether the shifted date is one that calendars hold.
        assert others <= loose.released().keys()
        assert len(loose.released()) + site_quarantine(loose).total() == 3
    else:
        assert loose.released().keys() == others
        found = site_quarantine(loose)
        assert found.total() == 1
        assert cause is None or found == Counter([cause])


def test_malformed_rows_by_the_dozen(loose: Site) -> None:
    for number, (change, _) in enumerate(MALFORMED, start=1):
        loose.source(f"update note set {change} where note_id = ?", number)
    loose.source("insert into note (person_id, note_text) values (1, 'no id')")
    loose.source(f"insert into note (note_id, person_id) values ('{SECRET}', 1)")
    loose.source("insert into note (note_id, note_text) select note_id, 'twice' from note limit 1")
    ended = loose.call("--workers", "1")
    assert ended.returncode == 0, ended.stderr
    assert "malformed-id" in ended.stdout
    assert "duplicate-id" in ended.stdout
    assert SECRET not in ended.stdout + ended.stderr
    planned = int(ended.stdout.split(" planned")[0].split()[-1])
    quarantined = int(ended.stdout.split(" quarantined")[0].split()[-1])
    assert planned == len(loose.released()) + quarantined
    assert loose.out_id(WHOLE) in loose.released()


def test_an_id_is_given_out_twice(loose: Site) -> None:
    run_nightly(loose.config, run_in_process)
    assert loose.out_id(1) in loose.released()
    loose.source("insert into note select * from note where note_id = 1")
    ended = run_nightly(loose.config, run_in_process)
    assert loose.out_id(1) not in loose.released()
    assert (("read", "Unreadable", "duplicate-id", "other"), 1) in (
        ended.summary.tally.quarantine.items()
    )
