"""The outside attacker's evidence in columns: birth, visits, times of day, ids, order of rows."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from benchmarks.linkage.outside_files import (
    Bag,
    Files,
    Pairs,
    clock_of,
    compare_numbers,
    compare_values,
    day_of,
    integer_of,
    moment_of,
)

CLOCK_BESIDE_DATE = re.compile(
    r"(?:\d{1,4}[/.-]\d{1,2}(?:[/.-]\d{2,4})?|(?:19|20)\d\d)(?!\d)[ ,]{0,2}(?:à|at|a las|um|om)?\s?"
    r"([01]?\d|2[0-3])\s?[hH:]\s?([0-5]\d)\b"
)


# Demographics -------------------------------------------------------------------------------------


def _birth(files: Files, person: int) -> float | None:
    """The time of birth in years, as exact as the columns tell."""
    row = files.person[person]
    if row.get("year_of_birth") is None:
        moment = moment_of(row.get("birth_datetime"))
        return None if moment is None else moment.toordinal() / 365.25
    month = row.get("month_of_birth")
    return row["year_of_birth"] + (
        0.5 if month is None else (month - 1) / 12 + (row.get("day_of_birth") or 15) / 372
    )


def compare_demographics(pairs: Pairs) -> None:
    """Sex, time of birth, and which of these columns are empty."""
    pairs.add(
        "sex",
        compare_values(
            *pairs.both(lambda files, person: files.person[person].get("gender_concept_id"))
        ),
        strength=0.9,
    )
    pairs.scalar("birth", _birth)
    columns = ("year_of_birth", "month_of_birth", "day_of_birth", "birth_datetime")
    empty = pairs.both(
        lambda files, person: tuple(files.person[person].get(column) is None for column in columns)
    )
    pairs.add("birth known", compare_values(*empty))


# Visits -------------------------------------------------------------------------------------------


def _events(files: Files, person: int) -> list[tuple[int, str]]:
    """The days of a file in order: starts and ends of stays, and notes, with their type."""
    return files.once("events", person, _events_read)


def _events_read(files: Files, person: int) -> list[tuple[int, str]]:
    """Read what `_events` gives."""
    events = set()
    for _, row in files.rows("visit_occurrence", person):
        kind = row.get("visit_concept_id")
        for end in ("start", "end"):
            day = day_of(row, f"visit_{end}_date", f"visit_{end}_datetime")
            if day is not None:
                events.add((day, f"{end}{kind}"))
    for _, row in files.rows("note", person):
        day = day_of(row, "note_date", "note_datetime")
        if day is not None:
            events.add((day, f"note{row.get('note_class_concept_id')}"))
    return sorted(events)


def _gaps(unit: int) -> Callable[[Files, int], Bag]:
    """Gaps between the events of a file and up to six that follow, in units of so many days."""

    def read(files: Files, person: int) -> Bag:
        events = _events(files, person)
        return Counter(
            (kind, later_kind, round((later - day) / unit))
            for place, (day, kind) in enumerate(events)
            for later, later_kind in events[place + 1 : place + 7]
            if later > day
        )

    return read


def _stays(files: Files, person: int) -> Bag:
    """Type, length and number of notes of each stay."""
    notes = Counter(row.get("visit_occurrence_id") for _, row in files.rows("note", person))
    bag: Bag = Counter()
    for _, row in files.rows("visit_occurrence", person):
        start, end = (
            day_of(row, "visit_start_date", "visit_start_datetime"),
            day_of(row, "visit_end_date", "visit_end_datetime"),
        )
        length = None if start is None or end is None else end - start
        bag[row.get("visit_concept_id"), length, notes[row.get("visit_occurrence_id")]] += 1
    return bag


def _types(files: Files, person: int) -> Bag:
    """Types of events in order, three at a time, and how often each comes."""
    kinds = [kind for _, kind in _events(files, person)]
    return Counter([*kinds, *zip(kinds, kinds[1:], kinds[2:], strict=False)])


def _edge(which: int) -> Callable[[Files, int], float | None]:
    """The first (0) or last (-1) day of a file."""

    def read(files: Files, person: int) -> float | None:
        events = _events(files, person)
        return events[which][0] if events else None

    return read


def _age(which: int) -> Callable[[Files, int], float | None]:
    """The age at the first (0) or last (-1) day of a file, which no shift changes."""

    def read(files: Files, person: int) -> float | None:
        birth, day = _birth(files, person), _edge(which)(files, person)
        return None if birth is None or day is None else day / 365.25 - birth

    return read


def _rows_of(table: str) -> Callable[[Files, int], float]:
    """The number of rows of a file in a table."""
    return lambda files, person: len(files.rows(table, person))


def compare_visits(pairs: Pairs, with_birth: bool) -> None:
    """Gaps, stays, types, numbers of rows, and about when.

    With birth also the age at the first event.
    """
    pairs.bag("gaps", _gaps(1), strength=0.9)
    pairs.bag("gaps, months", _gaps(30))
    pairs.bag("stays", _stays)
    pairs.bag("types", _types)
    for table in ("visit_occurrence", "note"):
        pairs.scalar(f"rows of {table}", _rows_of(table))
    pairs.scalar("first day", _edge(0), strength=0.3)
    pairs.scalar("last day", _edge(-1), strength=0.3)
    pairs.scalar(
        "span",
        lambda files, person: (_edge(-1)(files, person) or 0) - (_edge(0)(files, person) or 0),
    )
    if with_birth:
        pairs.scalar("age at first", _age(0))


# Times --------------------------------------------------------------------------------------------


def _clocks(files: Files, person: int) -> Bag:
    """Times of day of a file, each once.

    Of stays (alone and start with end), of notes, beside dates in text.
    """
    return files.once("clocks", person, _clocks_read)


def _clocks_read(files: Files, person: int) -> Bag:
    """Read what `_clocks` gives."""
    bag: Bag = Counter()
    for _, row in files.rows("visit_occurrence", person):
        start, end = clock_of(row, "visit_start_datetime"), clock_of(row, "visit_end_datetime")
        bag.update([("start", start), ("end", end), ("stay", start, end)])
    for _, row in files.rows("note", person):
        bag["note", clock_of(row, "note_datetime")] = 1
        for hour, minute in CLOCK_BESIDE_DATE.findall(row.get("note_text") or ""):
            bag["text", int(hour) * 60 + int(minute)] = 1
    return Counter({token: 1 for token in bag if None not in token[1:]})


def _hours(files: Files, person: int) -> Bag:
    """The same times, blurred to hours."""
    return Counter(
        {(token[0], *(minute // 60 for minute in token[1:])): 1 for token in _clocks(files, person)}
    )


def compare_times(pairs: Pairs) -> None:
    """Times of day."""
    pairs.bag("times", _clocks, strength=0.9, counted=False)
    pairs.bag("hours", _hours, trusted=False, counted=False)


# Ids ----------------------------------------------------------------------------------------------


def _ids(files: Files, person: int) -> Bag:
    """All ids of a file that name something of this person alone."""
    own: list[tuple[str, Any]] = [("person", person)]
    own += [
        ("visit", row.get("visit_occurrence_id"))
        for _, row in files.rows("visit_occurrence", person)
    ]
    own += [("note", row.get("note_id")) for _, row in files.rows("note", person)]
    return Counter(own)


def _id_steps(files: Files, person: int) -> Bag:
    """Differences between neighbouring ids of a file."""
    bag: Bag = Counter()
    for kind in ("visit", "note"):
        ids = sorted(
            number
            for k, value in _ids(files, person)
            if k == kind and (number := integer_of(value)) is not None
        )
        bag.update((kind, later - earlier) for earlier, later in pairwise(ids))
    return bag


def _ranks(files: Files, kind: str) -> dict[int, float]:
    """The mean rank of a person's ids of a kind among all of them, from 0 to 1."""
    owned = [
        (number, person) for person in files.persons for k, value in _ids(files, person)
        if k == kind and (number := integer_of(value)) is not None
    ]  # fmt: skip
    ranks: dict[int, list[float]] = defaultdict(list)
    for place, (_, person) in enumerate(sorted(owned)):
        ranks[person].append(place / len(owned))
    return {person: float(np.mean(places)) for person, places in ranks.items()}


def _arithmetic(pairs: Pairs) -> None:
    """Person ids that are a constant apart, or share leading or trailing bits.

    A constant apart by addition or by exclusive or.
    """
    sides = [
        np.array(
            [(integer_of(person) or 0) & (2**62 - 1) for person in files.persons], dtype=np.int64
        )
        for files in (pairs.first, pairs.second)
    ]
    difference = sides[0][:, None] - sides[1][None, :]
    exclusive = sides[0][:, None] ^ sides[1][None, :]
    for name, values in (("sum", difference), ("xor", exclusive)):
        found, counts = np.unique(values, return_counts=True)
        if counts.max() >= max(4, len(sides[0]) // 10):
            pairs.add(
                f"ids: constant {name}",
                (values == found[counts.argmax()]).astype(np.float32),
                False,
                0.9,
            )
    del difference
    low = np.where(exclusive == 0, 2**62, exclusive & -exclusive)
    pairs.add("ids: trailing bits", np.log2(low).astype(np.float32), False)
    del low
    pairs.add("ids: leading bits", -np.log2(np.maximum(exclusive, 1).astype(np.float32)), False)


def compare_ids(pairs: Pairs) -> None:
    """Equal ids, equal steps, ranks, and arithmetic relations."""
    pairs.bag("ids: equal", _ids, trusted=False, strength=0.9, counted=False)
    pairs.bag("ids: steps", _id_steps, trusted=False, strength=0.9, counted=False)
    for kind in ("person", "visit", "note"):
        ranks = [_ranks(pairs.first, kind), _ranks(pairs.second, kind)]
        scores = [
            [rank.get(person) for person in files.persons]
            for rank, files in zip(ranks, (pairs.first, pairs.second), strict=True)
        ]
        pairs.add(f"ids: rank of {kind}", compare_numbers(scores[0], scores[1]), False)
    _arithmetic(pairs)


def staff_of(files: Files, person: int) -> Bag:
    """Clinicians and care sites of a file, with how often each occurs."""
    bag: Bag = Counter()
    rows = [("person", files.person[person])]
    rows += [
        (table, row)
        for table in ("visit_occurrence", "note")
        for _, row in files.rows(table, person)
    ]
    for _, row in rows:
        bag.update(
            (column, row[column])
            for column in ("provider_id", "care_site_id")
            if row.get(column) is not None
        )
    return bag


# Order --------------------------------------------------------------------------------------------


def _places(files: Files, table: str, rng: np.random.Generator) -> list[float | None]:
    """The position of one row of each person in a table, from 0 to 1.

    The row is picked at random: the first one, or the mean, would tell how many there are.
    """
    if table == "person":
        return [files.position[person] / len(files.persons) for person in files.persons]
    length = sum(len(files.rows(table, person)) for person in files.persons)
    owned = [files.rows(table, person) for person in files.persons]
    return [rows[rng.integers(len(rows))][0] / length if rows else None for rows in owned]


def compare_order(pairs: Pairs, *, with_visits: bool, with_birth: bool) -> None:
    """Positions of rows, how long before the end of the release a file ends, the age then.

    The last two are intervals between dates, as visits are, and are compared only with them; that
    the newest date rules out shifts is measured apart (`benchmarks.attacks.newest_dates`).
    """
    for table in ("person", "visit_occurrence", "note"):
        sides = [_places(files, table, pairs.rng) for files in (pairs.first, pairs.second)]
        pairs.add(f"position in {table}", compare_numbers(sides[0], sides[1]), False, 0.8)
    if not with_visits:
        return
    ends = [
        [_edge(-1)(files, person) for person in files.persons]
        for files in (pairs.first, pairs.second)
    ]
    newest = [max((day for day in side if day is not None), default=0) for side in ends]
    until = [
        [None if day is None else newest[k] - day for day in side] for k, side in enumerate(ends)
    ]
    pairs.add("newest date", compare_numbers(until[0], until[1]), True, 0.3)
    if with_birth:
        pairs.scalar("age at newest", _age(-1))
