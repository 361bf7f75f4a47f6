"""Counts for the quality gate: the cells counted per run, and the series summed from them."""

import base64
import json
import zlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import NamedTuple

from record.count_drift import WEEKDAYS

ALL = "*"
"""Value of a series field that is summed over."""


class CountCell(NamedTuple):
    """The key of a count; none of its fields comes from the text of a note.

    `measure` is what is counted, `name` the label, date format, bin, line class or reason. `day`
    is the ISO date on which the notes were written, empty if unknown or several.
    """

    measure: str
    name: str = ""
    detector: str = ""
    kind: str = ""
    site: str = ""
    extractor: str = ""
    day: str = ""


CellCounts = Counter[CountCell]


def pack_cells(cells: CellCounts) -> str:
    """Return counts as a compressed string for JSON; equal counts give equal strings.

    Compressed, since a unit has thousands of cells made of few distinct words.
    """
    rows = [[*cell, count] for cell, count in sorted(cells.items()) if count]
    if not rows:
        return ""
    data = json.dumps(rows, separators=(",", ":")).encode()
    return base64.b64encode(zlib.compress(data)).decode("ascii")


def sum_detected(cells: CellCounts) -> CellCounts:
    """Return the counts of spans alone, by label and detector over all notes."""
    detected: CellCounts = Counter()
    for cell, count in cells.items():
        if cell.measure == "spans":
            detected[CountCell("spans", cell.name, cell.detector)] += count
    return detected


def unpack_cells(packed: str) -> CellCounts:
    """Return the counts packed by `pack_cells`; raises ValueError for anything else."""
    if not packed:
        return Counter()
    try:
        rows = json.loads(zlib.decompress(base64.b64decode(packed, validate=True)))
    except zlib.error:
        raise ValueError("not packed counts") from None
    return Counter({CountCell(*map(str, row[:-1])): int(row[-1]) for row in rows})


class Series(NamedTuple):
    """A time series: the sum of cells over days and over all fields that are `*`."""

    measure: str
    name: str = ALL
    detector: str = ALL
    kind: str = ALL
    site: str = ALL
    extractor: str = ALL

    @property
    def family(self) -> str:
        """Return the family that shares an allowance of false alarms: measure and facets."""
        facets = [field for field in _FACETS if getattr(self, field) != ALL]
        return " by ".join([self.measure, *facets])


_FACETS = ("detector", "kind", "site", "extractor")


@dataclass(frozen=True)
class Measure:
    """How a measure is summed into series, and which measure it is a rate of.

    `by` lists the sets of facets that series are formed by; with `named` each name is a series of
    its own. `among` is the base measure of the rate, restricted by the fields in `own`. `squares`
    is the measure of squared counts per note, for counts that are clustered in notes. A change by
    less than the factor `least` is never an alarm. A notice never holds a run. The names of a
    `whole` measure are shares of a total: if one increases, others decrease. What is `is_detected`
    depends on the detectors, and is compared with nights of the same ones.
    """

    by: tuple[tuple[str, ...], ...]
    among: str
    own: tuple[str, ...] = ("kind", "site", "extractor")
    named: bool = True
    squares: str = ""
    least: float = 1.25
    is_notice: bool = False
    whole: bool = False
    is_detected: bool = False


WITHDRAWN = "withdrawn"
"""Measure of withdrawn notes and persons, which have a fixed limit and no nightly counts."""

_PLACES = ((), ("kind",), ("site",), ("extractor",))

MEASURES = {
    "spans": Measure((*_PLACES, ("detector",)), "notes", squares="span-squares", is_detected=True),
    "empty": Measure(_PLACES, "notes", is_detected=True),
    "refused": Measure(
        ((), ("kind",), ("site",)), "worked", own=("kind", "site"), is_detected=True
    ),
    "copies": Measure(_PLACES, "notes"),
    "dates": Measure(_PLACES, "dates", squares="date-squares", whole=True, is_detected=True),
    "surrogates": Measure(((),), "spans", own=("name",), squares="span-squares", is_detected=True),
    "scores": Measure((("detector",),), "scores", own=("detector",), whole=True, is_detected=True),
    "lengths": Measure((("kind",), ("site",), ("extractor",)), "notes", least=1.5, whole=True),
    "lines": Measure((("kind",), ("extractor",)), "notes", squares="line-squares", least=1.15),
    "notes": Measure(_PLACES, "nights", own=(), named=False, is_notice=True),
    WITHDRAWN: Measure(((),), "nights", own=()),
}
"""The measures compared with earlier nights; all other measures are bases of these rates."""

DETECTED = frozenset(
    name
    for measure, how in MEASURES.items()
    if how.is_detected
    for name in (measure, how.squares)
    if name
)
"""Measures that depend on the detectors, and the squares that tell how they are clustered."""


NIGHTS = "nights"
"""Base measure of volumes: 1 for each night."""

VOLUME = Series("notes")
"""The notes of a night, which are a notice unless their number is far from the expected one."""


@lru_cache(maxsize=1 << 16)
def series_of(cell: CountCell) -> tuple[tuple[Series, ...], tuple[Series, ...]]:
    """Return the series that a cell is counted in, and the base series that it is counted in."""
    measure = MEASURES.get(cell.measure)
    counted: list[Series] = []
    if measure is not None:
        name = cell.name if measure.named else ALL
        counted = [_project(cell, name, facets) for facets in measure.by]
    shared: list[Series] = []
    for other in MEASURES.values():
        if other.among == cell.measure:
            name = cell.name if "name" in other.own else ALL
            shared += (_project(cell, name, set(by) & set(other.own)) for by in other.by)
    return tuple(counted), tuple(dict.fromkeys(shared))


def _project(cell: CountCell, name: str, facets: Iterable[str]) -> Series:
    return Series(cell.measure, name, **{facet: getattr(cell, facet) for facet in facets})


def base_series(series: Series) -> Series:
    """Return the base series that a series is a rate of."""
    measure = MEASURES[series.measure]
    return Series(measure.among, **{field: getattr(series, field) for field in measure.own})


def change_group(series: Series) -> tuple[str, str]:
    """Return the group of series that change together: the measure, and its name unless `whole`."""
    return series.measure, ALL if MEASURES[series.measure].whole else series.name


def cluster_measures(series: Series) -> tuple[tuple[str, str], tuple[str, str]]:
    """Return measure and name of the squares and of the counts that give the cluster size."""
    squares = MEASURES[series.measure].squares
    counted = "spans" if squares == "span-squares" else series.measure
    return (squares, series.name), (counted, series.name)


def weekday_index(day: str) -> int:
    """Return the index of a day in a track: 0 for Monday, 7 if it is not a single day."""
    try:
        return date.fromisoformat(day).weekday()
    except ValueError:
        return WEEKDAYS - 1
