"""What is counted of notes, how dates are classed, and how nights are set out to be compared."""

from collections import Counter
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.notes.batch import BatchNote, RefusedNote
from pipeline.notes.batch_commit import NO_SITE, OTHER_FORMAT, classify_date_format, count_cells
from pipeline.notes.stages import CareSites
from pipeline.state.quality_counts import (
    ALL,
    MEASURES,
    CountCell,
    Series,
    base_series,
    change_group,
    pack_cells,
    series_of,
    unpack_cells,
)
from pipeline.state.quality_series import RunCounts, compare_runs, make_title
from pipeline.warehouse.note_rows import NoteRow
from record.count_drift import WEEKDAYS
from record.document import Document
from record.failure import Failure
from record.release import Release
from record.span import Span

WORDS = st.sampled_from(["a", "b"])
CELLS = st.builds(
    CountCell, st.sampled_from([*MEASURES, "worked"]), WORDS, WORDS, WORDS, WORDS, WORDS,
    st.sampled_from(["", "2024-03-04", "2024-03-05"]),
)  # fmt: skip
NIGHT = date(2024, 3, 4)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("04/03/2024", "99/99/9999"), ("4/3/2024", "99/99/9999"), ("2024-03-04", "9999-99-99"),
        ("04.03.24", "99.99.99"), ("4 mars 2024", "99 Aaaa 9999"),
        ("1er août 2024", "99 Aaaa 9999"),
        ("4 de marzo de 2024", "99 Aaaa 9999"), ("March 4, 2024", "Aaaa 99, 9999"),
        ("mars 2024", "Aaaa 9999"), ("2024", "9999"), ("04/03", "99/99"), ("20240304", "99999999"),
        ("2024-03-04T10:15:00", "9999-99-99"), ("04/03/2024 à 10h15", "99/99/9999"),
        ("4 mars", "99 Aaaa"), ("hier", OTHER_FORMAT), ("", OTHER_FORMAT),
        ("9" * 200, OTHER_FORMAT),
    ],
)  # fmt: skip
def test_dates_are_classed_by_their_shape(text: str, expected: str) -> None:
    assert classify_date_format(text) == expected


@given(st.text(max_size=60))
@settings(max_examples=60)
def test_a_shape_is_one_of_a_few_whatever_the_text(text: str) -> None:
    assert (
        set(classify_date_format(text)) <= set("9/.-A a,")
        or classify_date_format(text) == OTHER_FORMAT
    )


@given(st.dictionaries(CELLS, st.integers(0, 10**12), max_size=6))
@settings(max_examples=40)
def test_packed_counts_come_back(cells: dict[CountCell, int]) -> None:
    packed = pack_cells(Counter(cells))
    assert unpack_cells(packed) == {cell: number for cell, number in cells.items() if number}


@pytest.mark.parametrize("packed", ["!", "AAAA", "eA=="])
def test_what_is_no_count_is_refused(packed: str) -> None:
    with pytest.raises(ValueError):
        unpack_cells(packed)


def note(
    number: int,
    text: str,
    spans: list[tuple[str, str]],
    *,
    kind: str = "imaging",
    site: str = "north",
    score: float = 1.0,
) -> BatchNote:
    """A note that went through all stages, with spans as (words, label)."""
    found = tuple(
        Span(text.index(word), text.index(word) + len(word), label, "rules", score)
        for word, label in spans
    )
    document = Document(str(number), text, kind=kind, written=datetime(2024, 3, 4, 9))
    return BatchNote(
        NoteRow(number), kind=kind, site=site, document=document, found=found,
        release=Release(str(number), text, found), classes={"header": 3},
    )  # fmt: skip


def test_what_a_note_adds() -> None:
    text = "Vu le 04/03/2024 et le 2024-03-05.\nMme Martin"
    spans = [("04/03/2024", "DATE"), ("2024-03-05", "DATE"), ("Martin", "LAST_NAME")]
    refused = RefusedNote(
        BatchNote(NoteRow(2), kind="imaging", site="north"), Failure("2", "x", "Y", "low")
    )
    cells = count_cells([note(1, text, spans), note(3, "Rien.", [], site="")], [refused])
    place = {"kind": "imaging", "site": "north", "extractor": "note_text", "day": "2024-03-04"}
    assert cells[CountCell("spans", "DATE", "rules", **place)] == 2
    assert cells[CountCell("dates", "9999-99-99", **place)] == 1
    assert cells[CountCell("span-squares", "DATE", day="2024-03-04")] == 4
    assert cells[CountCell("date-squares", "9999-99-99", day="2024-03-04")] == 1
    assert cells[CountCell("lines", "text", **place)] == 2
    assert cells[CountCell("lines", "header", **place)] == 3
    assert cells[CountCell("lengths", "32+", **place)] == 1
    assert cells[CountCell("empty", **place | {"site": NO_SITE})] == 1
    assert cells[CountCell("surrogates", "DATE", day="2024-03-04")] == 2
    assert cells[CountCell("scores", "0.9", "rules", day="2024-03-04")] == 3
    assert cells[CountCell("refused", "low", kind="imaging", site="north")] == 1
    worked: Counter[str] = Counter()
    for cell, number in cells.items():
        worked[cell.measure] += number
    assert (worked["worked"], worked["notes"]) == (3, 2)
    assert "Martin" not in repr(cells)


@given(st.dictionaries(CELLS, st.integers(1, 9), min_size=1, max_size=8))
@settings(max_examples=40)
def test_each_facet_of_a_measure_holds_all_of_it(cells: dict[CountCell, int]) -> None:
    """Sums by kind, by site and so on are the same sums: nothing is counted twice or lost."""
    sums: Counter[tuple[str, str]] = Counter()
    for cell, number in cells.items():
        for series in series_of(cell)[0]:
            sums[series.measure, series.family] += number
    for name, measure in MEASURES.items():
        total = sum(number for cell, number in cells.items() if cell.measure == name)
        found = {sums[key] for key in sums if key[0] == name}
        assert found <= {total}
        assert len({series.family for c in cells for series in series_of(c)[0]} & {name}) <= 1
        assert measure.among in {*MEASURES, "worked", "nights"}


def nights(count: int, **extra: Any) -> Iterator[RunCounts]:
    """Runs of so many nights, each with ten notes and five dates of one site."""
    for number in range(count):
        night = NIGHT + timedelta(days=number)
        place = {"kind": "k", "site": "north", "extractor": "pdf", "day": night.isoformat()}
        cells = {CountCell("notes", **place): 10, CountCell("dates", "9999-99-99", **place): 5}
        yield RunCounts(number + 1, night, "c", cells, **extra)


def test_nights_are_set_out_by_weekday_and_one_that_alarmed_is_left_out() -> None:
    past = list(nights(3))
    series = Series("dates", "9999-99-99", site="north")
    odd = RunCounts(9, past[1].night, "c", past[1].cells, frozenset([series]))
    past[1] = odd
    found = {each.series: each.track for each in compare_runs(past[:-1], past[-1])}
    track = found[series]
    assert list(track.counts) == [5, *[0] * 7, *[0] * 8, 0, 0, 5, *[0] * 5]
    assert sum(track.exposures[WEEKDAYS : 2 * WEEKDAYS]) == 0
    assert sum(found[Series("dates", "9999-99-99")].counts) == 15
    volume = found[Series("notes")]
    assert [sum(volume.exposures[k : k + 8]) for k in (0, 8, 16)] == [0, 1, 1]


def test_a_new_normal_starts_where_it_was_accepted() -> None:
    *past, tonight = nights(4)
    series = Series("dates", "9999-99-99", site="north")
    found = {e.series: e.track for e in compare_runs(past, tonight, {change_group(series): 3})}
    assert [sum(found[series].counts[k : k + 8]) for k in (0, 8, 16, 24)] == [0, 0, 5, 5]
    assert sum(found[Series("notes", kind="k")].counts) == 40


def test_two_runs_of_a_night_are_one_night_and_volumes_are_not_judged_then() -> None:
    past = [*nights(2), RunCounts(8, NIGHT + timedelta(days=1), "c", next(nights(1)).cells)]
    tonight = RunCounts(9, NIGHT + timedelta(days=2), "c", next(nights(1)).cells)
    found = {each.series: each for each in compare_runs(past, tonight)}
    assert len(found[Series("dates", "9999-99-99")].nights) == 3
    volume = found[Series("notes")].track
    assert [sum(volume.exposures[k : k + 8]) for k in (0, 8, 16)] == [0, 0, 1]


def test_series_have_names_for_people() -> None:
    series = Series("dates", "9999-99-99", site="north")
    assert make_title(series) == "dates written 9999-99-99 at site north"
    assert series.family == "dates by site"
    assert base_series(series) == Series("dates", ALL, site="north")
    assert make_title(Series("spans", "PHONE", "rules.contacts")) == "PHONE by rules.contacts"


class Tables:
    """Tables in memory, which count how often they were asked."""

    def __init__(self, **tables: Any) -> None:
        self.tables, self.asked = tables, 0

    @property
    def store(self) -> "Tables":
        return self

    def lookup(self, table: Any, columns: Any, key: Any, values: Any) -> list[Any]:
        self.asked += 1
        return [row for row in self.tables.get(table, ()) if row[key] in values]


def test_the_site_of_a_note_is_that_of_its_visit_or_else_of_its_author() -> None:
    tables = Tables(
        visit_occurrence=[
            {"visit_occurrence_id": 1, "care_site_id": 7},
            {"visit_occurrence_id": 2, "care_site_id": None},
        ],
        provider=[{"provider_id": 5, "care_site_id": 8}],
    )
    rows = [
        NoteRow(1, visit_occurrence_id=1, provider_id=5),
        NoteRow(2, visit_occurrence_id=2.0, provider_id=5),
        NoteRow(3, visit_occurrence_id="x", provider_id=6),
    ]
    sites = CareSites(rows, tables, {"7": "north"})
    assert [sites.name_of(row) for row in rows] == ["north", "site-8", ""]
    assert tables.asked == 2
    assert CareSites([NoteRow(1)], Tables(), {}).name_of(NoteRow(1)) == ""
