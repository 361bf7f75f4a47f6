"""What is counted of a night, and which sums of it are compared with the nights before."""

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
"""Stands in a series for the sum over all values of a field."""


class Cell(NamedTuple):
    """The finest thing that is counted; none of its fields comes from a text.

    `measure` says what is counted and `name` of which label, shape, bin, class or reason. `day` is
    the ISO day on which the notes were written, empty for none or for many.
    """

    measure: str
    name: str = ""
    detector: str = ""
    kind: str = ""
    site: str = ""
    extractor: str = ""
    day: str = ""


Cells = Counter[Cell]


def pack_cells(cells: Cells) -> str:
    """Write counts as text that JSON can hold; equal counts give equal text, none an empty one.

    Packed, since a unit of work has thousands of them, made of few words.
    """
    rows = [[*cell, count] for cell, count in sorted(cells.items()) if count]
    if not rows:
        return ""
    data = json.dumps(rows, separators=(",", ":")).encode()
    return base64.b64encode(zlib.compress(data)).decode("ascii")


def unpack_cells(packed: str) -> Cells:
    """Read what `pack_cells` gave; raises ValueError for anything else."""
    if not packed:
        return Counter()
    try:
        rows = json.loads(zlib.decompress(base64.b64decode(packed, validate=True)))
    except zlib.error:
        raise ValueError("not counts") from None
    return Counter({Cell(*map(str, row[:-1])): int(row[-1]) for row in rows})


class Series(NamedTuple):
    """A sum of cells over days and over all fields that are `*`."""

    measure: str
    name: str = ALL
    detector: str = ALL
    kind: str = ALL
    site: str = ALL
    extractor: str = ALL

    @property
    def family(self) -> str:
        """Name what it shares its allowance of false alarms with: the measure and its facets."""
        facets = [field for field in _FACETS if getattr(self, field) != ALL]
        return " by ".join([self.measure, *facets])


_FACETS = ("detector", "kind", "site", "extractor")


@dataclass(frozen=True)
class Measure:
    """How one measure is summed up and what it is a share of.

    `by` lists the facets that it is looked at by, one set after the other; `named` keeps its names
    apart. `among` is the measure that it is a rate of; `own` of its fields hold for that, too.
    `squares` is the measure of its squared counts by note, where it comes in groups. A change by
    less than the factor `least` never is an alarm. What only is a notice holds nothing. The names
    of what is `whole` share it out: where one gains, others lose.
    """

    by: tuple[tuple[str, ...], ...]
    among: str
    own: tuple[str, ...] = ("kind", "site", "extractor")
    named: bool = True
    squares: str = ""
    least: float = 1.25
    is_notice: bool = False
    whole: bool = False


_PLACES = ((), ("kind",), ("site",), ("extractor",))

MEASURES = {
    "spans": Measure((*_PLACES, ("detector",)), "notes", squares="span-squares"),
    "empty": Measure(_PLACES, "notes"),
    "refused": Measure(((), ("kind",), ("site",)), "worked", own=("kind", "site")),
    "copies": Measure(_PLACES, "notes"),
    "dates": Measure(_PLACES, "dates", squares="date-squares", whole=True),
    "surrogates": Measure(((),), "spans", own=("name",), squares="span-squares"),
    "scores": Measure((("detector",),), "scores", own=("detector",), whole=True),
    "lengths": Measure((("kind",), ("site",), ("extractor",)), "notes", least=1.5, whole=True),
    "lines": Measure((("kind",), ("extractor",)), "notes", squares="line-squares", least=1.15),
    "notes": Measure(_PLACES, "nights", own=(), named=False, is_notice=True),
}
"""What is compared with the nights before; other measures are what these are a share of."""


NIGHTS = "nights"
"""What volumes are a rate of: one for each night."""


@lru_cache(maxsize=1 << 16)
def series_of(cell: Cell) -> tuple[tuple[Series, ...], tuple[Series, ...]]:
    """Return every series that a cell adds to, and every sum that others are a rate of."""
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


def _project(cell: Cell, name: str, facets: Iterable[str]) -> Series:
    return Series(cell.measure, name, **{facet: getattr(cell, facet) for facet in facets})


def among(series: Series) -> Series:
    """Return the sum that a series is a rate of."""
    measure = MEASURES[series.measure]
    return Series(measure.among, **{field: getattr(series, field) for field in measure.own})


def kin(series: Series) -> tuple[str, str]:
    """Return what changes together: a measure, with its name unless names share out a whole."""
    return series.measure, ALL if MEASURES[series.measure].whole else series.name


def group_of(series: Series) -> tuple[tuple[str, str], tuple[str, str]]:
    """Return measure and name of the squares, and of the counts, that tell the size of groups."""
    squares = MEASURES[series.measure].squares
    counted = "spans" if squares == "span-squares" else series.measure
    return (squares, series.name), (counted, series.name)


def weekday(day: str) -> int:
    """Return the place of a day in a track: Monday is 0; 7 for what is no single day."""
    try:
        return date.fromisoformat(day).weekday()
    except ValueError:
        return WEEKDAYS - 1
