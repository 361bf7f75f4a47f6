"""Simulated nightly counts of a hospital, as the quality gate sees them, with and without faults.

Volumes follow the weekday, fall on holidays and vary between nights; rates follow the weekday,
drift over the year and vary by night, by label, by site and by note (a note has many dates or
none); a fifth of the notes comes a night late. The faults are those that the gate is there for.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np

from pipeline.state.quality_counts import (
    MEASURES,
    NIGHTS,
    CountCell,
    Series,
    base_series,
    cluster_measures,
    series_of,
)
from pipeline.state.quality_series import make_title

START = date(2020, 1, 6)  # a Monday
WINDOW = 84

SITES = {"north": 0.5, "south": 0.3, "east": 0.2}
KINDS = {("discharge", "pdf"): 0.3, ("imaging", "pdf"): 0.3, ("nursing", "note_text"): 0.4}
LABELS = {  # rate a note, size of groups, whether it stands in letterheads
    "DATE": (8.0, 9.0, False), "LAST_NAME": (6.0, 7.0, False), "FIRST_NAME": (4.0, 5.0, False),
    "HOSPITAL": (2.0, 3.0, True), "PHONE": (1.5, 3.0, True), "CITY": (1.5, 2.5, True),
    "STREET": (0.5, 1.5, True), "ZIP": (0.5, 1.5, True), "AGE": (1.0, 1.5, False),
    "PATIENT_ID": (0.9, 1.2, False), "EMAIL": (0.05, 1.3, False), "SSN": (0.02, 1.1, False),
}  # fmt: skip
DETECTORS = {"rules": 0.4, "known": 0.35, "model": 0.25}
SHAPES = {"99/99/9999": 0.7, "99 Aaaa 9999": 0.2, "9999": 0.08, "9999-99-99": 0.0, "other": 0.02}
LENGTHS = {"512+": 0.15, "1024+": 0.3, "2048+": 0.35, "4096+": 0.2}
LINES = {"text": 45.0, "header": 8.0, "footer": 3.0}
SCORES = {"0.5": 0.05, "0.6": 0.05, "0.7": 0.1, "0.8": 0.2, "0.9": 0.6}
WEEKDAY_VOLUME = np.array([1.25, 1.1, 1.1, 1.05, 1.0, 0.35, 0.3])
WEEKDAY_RATE = np.array([1.15, 1.0, 1.0, 1.0, 0.95, 1.1, 1.1])
HOLIDAYS = 10


@dataclass(frozen=True)
class Feed:
    """How large and how restless the hospital is; variations are coefficients between nights."""

    notes: float = 1500.0
    volume: float = 0.12
    of_night: float = 0.04
    of_label: float = 0.05
    of_site: float = 0.05
    drift: float = 0.10


Fault = Callable[["Night"], None]


@dataclass
class Night:
    """The means that a night's counts are drawn from; a fault changes them."""

    weekday: int
    notes: np.ndarray  # sites x kinds
    spans: np.ndarray  # labels x detectors x sites x kinds, a note
    shapes: np.ndarray  # shapes x sites
    lines: np.ndarray  # classes x kinds
    copies: float = 0.002


@dataclass(frozen=True)
class Layout:
    """Which leaf adds to which series: matrices of series by leaves, and what the series are."""

    leaves: list[CountCell]
    series: list[Series]
    counts: np.ndarray
    bases: np.ndarray
    family: np.ndarray
    least: np.ndarray
    is_volume: np.ndarray
    is_notice: np.ndarray

    @property
    def titles(self) -> list[str]:
        """The names of the series, for people."""
        return [make_title(series) for series in self.series]


def list_leaves() -> list[CountCell]:
    """Every cell of this hospital, in the order of what `draw` gives."""
    places = [(site, *kind) for site in SITES for kind in KINDS]

    def at(measure: str, name: str = "", detector: str = "") -> Iterator[CountCell]:
        yield from (CountCell(measure, name, detector, k, s, x) for s, k, x in places)

    cells = [*at("notes"), *at("empty"), *at("copies")]
    cells += (CountCell("worked", "", "", k, s) for s, k, _ in places)
    cells += (CountCell("refused", "low-quality", "", k, s) for s, k, _ in places)
    for label in LABELS:
        for detector in DETECTORS:
            cells += at("spans", label, detector)
    for name in SHAPES:
        cells += at("dates", name)
    for name in LENGTHS:
        cells += at("lengths", name)
    for name in LINES:
        cells += at("lines", name)
    cells += (CountCell("scores", name, "model") for name in SCORES)
    cells += (CountCell("surrogates", label) for label in LABELS)
    cells += (CountCell("span-squares", label) for label in LABELS)
    cells += (CountCell("line-squares", name) for name in LINES)
    cells += (CountCell("date-squares", name) for name in SHAPES)
    return cells


def make_layout() -> Layout:
    """Ask the gate which series it makes of these cells."""
    cells = list_leaves()
    counted = [series_of(cell)[0] for cell in cells]
    series = sorted({each for some in counted for each in some})
    place = {each: k for k, each in enumerate(series)}
    counts = np.zeros((len(series), len(cells)))
    bases = np.zeros_like(counts)
    for number, cell in enumerate(cells):
        for each in counted[number]:
            counts[place[each], number] = 1
        shared = set(series_of(cell)[1])
        for each in series:
            bases[place[each], number] = base_series(each) in shared
    families = sorted({each.family for each in series})
    return Layout(
        cells,
        series,
        counts,
        bases,
        family=np.array([families.index(each.family) for each in series]),
        least=np.array([MEASURES[each.measure].least for each in series]),
        is_volume=np.array([MEASURES[each.measure].among == NIGHTS for each in series]),
        is_notice=np.array([MEASURES[each.measure].is_notice for each in series]),
    )


class Hospital:
    """Draws nights one after the other, always the same for a seed."""

    def __init__(self, feed: Feed, seed: int) -> None:
        self.feed = feed
        self._random = np.random.default_rng(seed)
        self._trend = np.zeros(len(LABELS))
        self._day = START
        self._share = np.outer(list(SITES.values()), list(KINDS.values()))
        letters = np.array([letterhead for _, _, letterhead in LABELS.values()])
        is_pdf = np.array([extractor == "pdf" for _, extractor in KINDS])
        rates = np.array([rate for rate, _, _ in LABELS.values()])
        by_kind = np.where(letters[:, None] & ~is_pdf[None, :], 0.4, 1.0)
        self._rates = np.einsum("l,d,lk->ldk", rates, list(DETECTORS.values()), by_kind)
        self._groups = np.array([size for _, size, _ in LABELS.values()])

    def night(self, fault: Fault | None = None) -> tuple[int, np.ndarray]:
        """Return the weekday of the notes of a night, and its counts: (days, leaves).

        The first day's notes were written that day, the second's a day before.
        """
        means = self._means()
        if fault is not None:
            fault(means)
        self._day += timedelta(days=1)
        parts = [0.8, 0.2]
        return means.weekday, np.stack([self._draw(means, part) for part in parts])

    def _means(self) -> Night:
        feed, random = self.feed, self._random
        weekday = self._day.weekday()
        pull = 1 / 90
        step = feed.drift * np.sqrt(2 * pull)
        self._trend += -pull * self._trend + step * random.standard_normal(len(LABELS))
        volume = WEEKDAY_VOLUME[weekday] * np.exp(feed.volume * random.standard_normal((3, 3)))
        if random.random() < HOLIDAYS / 365 and weekday < 5:
            volume = volume * 0.3
        shaken = (
            np.exp(self._trend + feed.of_night * random.standard_normal())
            * np.exp(feed.of_label * random.standard_normal(len(LABELS)))
        )[:, None] * np.exp(feed.of_site * random.standard_normal((len(LABELS), len(SITES))))
        spans = np.einsum("ldk,ls->ldsk", self._rates, shaken) * WEEKDAY_RATE[weekday]
        shapes = np.repeat(np.array(list(SHAPES.values()))[:, None], len(SITES), axis=1)
        shapes = shapes * np.exp(0.03 * random.standard_normal(shapes.shape))
        lines = np.repeat(np.array(list(LINES.values()))[:, None], len(KINDS), axis=1)
        lines = lines * np.exp(0.02 * random.standard_normal(lines.shape))
        return Night(weekday, feed.notes * self._share * volume, spans, shapes, lines)

    def _draw(self, means: Night, part: float) -> np.ndarray:
        random = self._random
        notes = random.poisson(means.notes * part)
        copies = random.binomial(notes, means.copies)
        expected = means.spans * notes
        spans = self._grouped(expected, self._groups[:, None, None, None])
        dates = spans[0].sum(axis=0)
        shapes = _divided(random, dates, means.shapes)
        lengths = _divided(random, notes, np.repeat(_column(LENGTHS), len(SITES), axis=1))
        each = means.lines[:, None]  # of a note; notes differ by 40 %
        lines = random.normal(each * notes, 0.4 * each * np.sqrt(np.maximum(notes, 1)))
        lines = np.maximum(lines.round(), 0)
        refused = random.binomial(notes, 0.01 * np.exp(0.3 * random.standard_normal()))
        scored = random.multinomial(int(spans[:, 2].sum()), list(SCORES.values()))
        labels = spans.sum(axis=(1, 2, 3))
        return np.concatenate([
            notes.ravel(), random.binomial(notes, 0.03).ravel(), copies.ravel(),
            (notes + refused).ravel(), refused.ravel(), spans.ravel(), shapes.ravel(),
            lengths.ravel(), lines.ravel(), scored, random.poisson(0.5 * labels),
            labels * self._groups, lines.sum(axis=(1, 2)) * np.array(list(LINES.values())) * 1.16,
            shapes.sum(axis=(1, 2)) * self._groups[0],
        ])  # fmt: skip

    def _grouped(self, means: np.ndarray, groups: np.ndarray) -> np.ndarray:
        """Draw counts whose variance is `groups` times their mean."""
        scale = np.maximum(groups - 1, 1e-9)
        return self._random.poisson(self._random.gamma(np.maximum(means, 1e-9) / scale, scale))


def _column(shares: dict[str, float]) -> np.ndarray:
    return np.array(list(shares.values()))[:, None]


def _divided(random: np.random.Generator, whole: np.ndarray, means: np.ndarray) -> np.ndarray:
    """Divide counts of sites x kinds by names x sites: names x sites x kinds."""
    parts = means / means.sum(axis=0)
    drawn = random.multinomial(whole, parts.T[:, None, :])
    return np.moveaxis(drawn, -1, 0)


# The faults


def dates_switch(night: Night) -> None:
    """Dates of site `north` are written as ISO 8601 from now on."""
    names = list(SHAPES)
    north = list(SITES).index("north")
    old, new = names.index("99/99/9999"), names.index("9999-99-99")
    night.shapes[new, north], night.shapes[old, north] = night.shapes[old, north], 0.0


def letterheads_lost(night: Night) -> None:
    """The extractor of PDF no longer gives letterheads."""
    for number, (_, _, letterhead) in enumerate(LABELS.values()):
        for kind, (_, extractor) in enumerate(KINDS):
            if letterhead and extractor == "pdf":
                night.spans[number, :, :, kind] *= 0.4
    for kind, (_, extractor) in enumerate(KINDS):
        if extractor == "pdf":
            night.lines[list(LINES).index("header"), kind] = 0.0


def fed_twice(night: Night) -> None:
    """Every document comes once more under another id."""
    night.notes *= 2
    night.copies = 0.5


def label_silent(night: Night) -> None:
    """The rules return nothing for phone numbers."""
    night.spans[list(LABELS).index("PHONE"), list(DETECTORS).index("rules")] = 0.0


def mondays_double(night: Night) -> None:
    """Twice as many last names are found in notes of Mondays."""
    if night.weekday == 0:
        night.spans[list(LABELS).index("LAST_NAME")] *= 2


FAULTS: dict[Fault, tuple[str, ...]] = {
    dates_switch: ("9999-99-99 at site north",),
    letterheads_lost: ("header read by pdf",),
    fed_twice: ("duplicate notes",),
    label_silent: ("PHONE by rules",),
    mondays_double: ("LAST_NAME",),
}
"""Each fault with words that a reason for the alarm must have, to name it."""


class CountBook:
    """The counts of the last nights of a hospital, laid out for the test: the last one at the end.

    The nights before it stand in no order, which the test does not ask for.
    """

    def __init__(self, plan: Layout, window: int = WINDOW) -> None:
        self.plan, self.window = plan, window
        shape = (len(plan.series), window + 1, 8)
        self.counts, self.bases = np.zeros(shape), np.zeros(shape)
        self.leaves = np.zeros((window + 1, len(plan.leaves)))
        self.nights = 0
        names = {name: k for k, name in enumerate({(c.measure, c.name) for c in plan.leaves})}
        self._name_of = np.array([names[cell.measure, cell.name] for cell in plan.leaves])
        groups = [cluster_measures(series) for series in plan.series]
        self._squares = np.array([names.get(squares, -1) for squares, _ in groups])
        self._plain = np.array([names.get(plain, -1) for _, plain in groups])

    def add(self, weekday: int, drawn: np.ndarray) -> None:
        """Enter a night as the last one."""
        place = (self.nights - 1) % self.window
        for rows in (self.counts, self.bases):
            rows[:, place] = rows[:, -1]
            rows[:, -1] = 0.0
        self.leaves[place] = self.leaves[-1]
        for days_ago, counts in enumerate(drawn):
            day = (weekday - days_ago) % 7
            self.counts[:, -1, day] += self.plan.counts @ counts
            self.bases[:, -1, day] += self.plan.bases @ counts
        self.leaves[-1] = drawn.sum(axis=0)
        volume = self.plan.is_volume
        total = self.counts[volume, -1].sum(axis=1)
        self.counts[volume, -1] = self.bases[volume, -1] = 0.0
        self.counts[volume, -1, (weekday + 1) % 7] = total
        self.bases[volume, -1, (weekday + 1) % 7] = 1.0
        self.nights += 1

    def clusters(self) -> np.ndarray:
        """Return the mean size of the groups that each series comes in."""
        totals = np.bincount(self._name_of, self.leaves.sum(axis=0))
        sizes = totals[self._squares] / np.maximum(totals[self._plain], 1)
        return np.maximum(np.where(self._squares >= 0, sizes, 1.0), 1.0)
