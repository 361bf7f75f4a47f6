"""`note_nlp` in the nightly output: the surrogates of its notes, night by night."""

import pytest

from pipeline.night.engine import run_in_process
from pipeline.night.nightly import run_nightly
from record.errors import ConfigError
from tests.pipeline.conftest import Site

pytestmark = pytest.mark.slow
JOINED = (
    "select s.note_id, s.start_offset, s.label, "
    "substr(n.note_text, s.start_offset + 1, s.end_offset - s.start_offset) "
    "from note_span s join note n using (note_id) order by 1, 2, 3"
)
FOUND = (
    'select f.note_id, cast(f."offset" as integer), substr(f.term_modifiers, 7), '
    "f.lexical_variant from note_nlp f order by 1, 2, 3"
)


def check(site: Site) -> list[tuple[object, ...]]:
    rows = site.output(FOUND)
    assert rows == site.output(JOINED)
    assert len(rows) > 50
    dates = "select count(*) from note_nlp f join note n using (note_id) where nlp_date = note_date"
    assert site.output(dates) == [(len(rows),)]
    assert site.output("select count(distinct note_nlp_id) from note_nlp") == [(len(rows),)]
    return site.output("select * from note_nlp order by 1")


def test_each_night_has_the_surrogates_of_its_notes(site: Site) -> None:
    run_nightly(site.config, run_in_process)
    with pytest.raises(Exception, match="no such table"):
        site.output("select count(*) from note_nlp")
    site.configure("[output]", '[output]\ntables = ["note_nlp"]')
    assert run_nightly(site.config, run_in_process).exit_code == 0  # notes of before get theirs
    first = check(site)
    described = "select source_description from cdm_source"
    assert "Structured tables: care_site, note_nlp," in site.output(described)[0][0]
    assert run_nightly(site.config, run_in_process).exit_code == 0
    assert check(site) == first
    gone, changed = (row[0] for row in site.source("select note_id from note limit 2"))
    site.source(f"delete from note where note_id = {gone}")
    site.source(f"update note set note_text = 'Vu le 3 mai 2021.' where note_id = {changed}")
    assert run_nightly(site.config, run_in_process).exit_code == 0
    assert check(site) != first
    site.configure('tables = ["note_nlp"]', "tables = []")
    assert run_nightly(site.config, run_in_process).exit_code == 0
    assert site.output("select count(*) from note_nlp") == [(0,)]


def test_ids_without_room_for_its_rows_are_refused(site: Site) -> None:
    site.configure("[output]", '[output]\ntables = ["note_nlp"]')
    site.configure("[limits]", "[policy]\nid_bits = 63\n\n[limits]")
    with pytest.raises(ConfigError, match="63 bits leave no room for those of note_nlp"):
        run_nightly(site.config, run_in_process)
