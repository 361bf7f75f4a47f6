"""Throughput of replacement: notes per second and core from known spans, and table rows.

    python -m benchmarks.night.surrogates [--notes 400] [--rows 200000] [--rounds 3] [--profile]

Notes of 3,000 characters with 25 identifiers, in French, English and Spanish, ten a patient; the
identifiers beyond 25 are left out of the spans. Each round has patients and notes that the process
never met, but for those that are read again. Rows are of every OMOP table with every column filled,
30 a patient (one in `person` and `death`) in order of patient, in batches; in the last row all
tables of the same patients one after the other, as a release treats them. Ids are permuted in
batches of a column, and one by one, for each size that a policy can choose. Processor time of one
process that collects garbage as a night's worker does, the median of the rounds; compare with the
time of a plain loop, which is printed too. Prints Markdown tables.
"""

import argparse
import cProfile
import pstats
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path

import numpy as np
import pyarrow as pa

from record.columns import COLUMNS, FACTS, TABLES, ColumnType, domains_of
from record.document import Document
from record.garbage_collection import collect_garbage_rarely
from record.patient import PatientRecord
from record.policy import Policy
from record.span import Span
from surrogates.ciphers.id_permutation import ID_BITS
from surrogates.keys.keys import MasterKey
from surrogates.rewrite import Rewriter
from surrogates.tables.columns import Columns, IdPseudonyms, Subjects
from synthesis.fictional.hospital import make_hospital

MASTER = MasterKey(bytes(range(32)))
LANGUAGES = ("fr", "en", "es")
CHARACTERS = 3000
SPANS = 25
NOTES_PER_PATIENT = 10
ROWS_PER_PATIENT = 30
BATCH = 50_000
LOOP = 10_000_000
PARTS = {"year_of_birth": (1930, 2010), "month_of_birth": (1, 12), "day_of_birth": (1, 28)}
ROOT = Path(__file__).parents[2]
# Tables with one row a patient.
OF_PERSONS = frozenset(("person", "death"))

Case = tuple[Document, tuple[Span, ...], PatientRecord]
Arm = Callable[[], int]


def main() -> None:
    options = _parse()
    print(f"{LOOP:,} additions in a loop: {_loop():.2f} s\n")
    print(notes_table(options.notes, options.rounds))
    print(rows_table(options.rows, options.rounds))
    print(ids_table(options.rows, options.rounds))
    if options.profile:
        for lang in LANGUAGES:
            arm = _fresh(_lots(lang, options.notes, 2), lang)
            print(f"{lang}, ten notes per patient, by module:\n{profile_shares(arm)}")


def make_cases(lang: str, notes: int, seed: int = 1) -> list[Case]:
    """Write notes with so many spans each, those of a patient one after the other."""
    hospital = make_hospital(
        -(-notes // NOTES_PER_PATIENT),
        seed=seed,
        lang=lang,
        notes_per_patient=NOTES_PER_PATIENT,
        mean_characters=CHARACTERS,
        pdf_share=0,
        scan_share=0,
    )
    found = sorted(hospital.notes(), key=lambda note: (note.person_id, note.note_id))
    return [
        (note.annotated.document, _some(note.annotated.spans), hospital.patients[note.person_id])
        for note in found[:notes]
    ]


def _lots(lang: str, notes: int, number: int, first: int = 1) -> list[list[Case]]:
    """Write lots of notes of different patients."""
    return [make_cases(lang, notes, seed) for seed in range(first, first + number)]


def _some(spans: Sequence[Span]) -> tuple[Span, ...]:
    """Keep so many spans, evenly over the note."""
    places = np.linspace(0, len(spans) - 1, min(SPANS, len(spans))).round().astype(int)
    return tuple(spans[place] for place in dict.fromkeys(places.tolist()))


def notes_table(notes: int, rounds: int) -> str:
    """Measure the first note of each patient, ten of each, and ten of each read again."""
    lines = [
        "| notes | identifiers per note | characters | first note of a patient "
        "| ten per patient | repeated |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for lang in LANGUAGES:
        # The first lot warms the process up.
        lots = _lots(lang, notes, rounds + 1)
        firsts = [lot[::NOTES_PER_PATIENT] for lot in _lots(lang, notes, rounds + 1, rounds + 2)]
        collect_garbage_rarely()
        found, warm = lots[-1], Rewriter(MASTER.cohort("warm"), Policy(locale=lang))
        rates = (
            _rate(_fresh(firsts, lang), rounds),
            _rate(_fresh(lots, lang), rounds),
            _rate(lambda w=warm, f=found: _rewrite(w, f), rounds),  # type: ignore[misc]
        )
        spans = statistics.mean(len(spans) for _, spans, _ in found)
        size = statistics.mean(len(document.text) for document, _, _ in found)
        cells = " | ".join(f"{rate:,.0f}/s" for rate in rates)
        lines.append(f"| {lang} | {spans:.0f} | {size:,.0f} | {cells} |")
    return "\n".join(lines) + "\n"


def _fresh(lots: Sequence[Sequence[Case]], lang: str) -> Arm:
    """Return an arm in which no patient is known: each call is another lot and cohort."""
    calls = count()

    def run() -> int:
        call = next(calls)
        rewriter = Rewriter(MASTER.cohort(f"cohort-{call}"), Policy(locale=lang))
        return _rewrite(rewriter, lots[call])

    return run


def _rewrite(rewriter: Rewriter, found: Sequence[Case]) -> int:
    for document, spans, record in found:
        rewriter.rewrite(document, spans, record)
    return len(found)


def rows_table(rows: int, rounds: int) -> str:
    """Measure tables whose patients are new, and the next rows of the same patients."""
    lines = [
        "| table | columns | rows per patient | rows of new patients | rows of known patients |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for table in TABLES:
        each = 1 if table in OF_PERSONS else ROWS_PER_PATIENT
        batches = make_rows(table, rows, each).to_batches(max_chunksize=BATCH)
        known = Columns(MASTER.cohort("known"), Policy())
        fresh = _rate(lambda t=table, b=batches: _treat(None, t, b), rounds)  # type: ignore[misc]
        again = _rate(lambda k=known, t=table, b=batches: _treat(k, t, b), rounds)  # type: ignore[misc]
        lines.append(
            f"| {table} | {len(TABLES[table])} | {each} | {fresh:,.0f}/s | {again:,.0f}/s |"
        )
    persons = rows // ROWS_PER_PATIENT
    every = {
        table: make_rows(table, persons * each, each).to_batches(max_chunksize=BATCH)
        for table in TABLES
        for each in (1 if table in OF_PERSONS else ROWS_PER_PATIENT,)
    }
    known = Columns(MASTER.cohort("known"), Policy())
    fresh = _rate(lambda: _treat_all(None, every), rounds)
    again = _rate(lambda: _treat_all(known, every), rounds)
    columns = sum(map(len, TABLES.values()))
    each = ROWS_PER_PATIENT * (len(TABLES) - len(OF_PERSONS)) + len(OF_PERSONS)
    lines.append(f"| all tables in turn | {columns} | {each} | {fresh:,.0f}/s | {again:,.0f}/s |")
    return "\n".join(lines) + "\n"


def ids_table(rows: int, rounds: int) -> str:
    """Measure the pseudonyms of so many ids of one kind: of a column, and one by one."""
    lines = ["| pseudonyms | of a column | one by one |", "| --- | ---: | ---: |"]
    numbers = np.arange(1, rows + 1, dtype=np.int64)
    some = [str(number) for number in range(1, rows // 10 + 1)]
    for name, cohort in (
        ("version 2, hashed", MASTER.cohort("ids", algorithm=2)),
        *((f"{bits} bits", MASTER.cohort("ids").with_id_bits(bits)) for bits in ID_BITS),
    ):
        ids = IdPseudonyms(cohort)
        column = pa.array(numbers)
        many = _rate(lambda i=ids, c=column: len(i.rekey(c, "visit", is_distinct=True)), rounds)  # type: ignore[misc]
        each = _rate(lambda c=cohort: len([c.pseudonym("visit", text) for text in some]), rounds)  # type: ignore[misc]
        lines.append(f"| {name} | {many:,.0f}/s | {each:,.0f}/s |")
    return "\n".join(lines) + "\n"


def _treat_all(columns: Columns | None, every: Mapping[str, Sequence[pa.RecordBatch]]) -> int:
    """Treat the tables of the same patients, as a release does."""
    columns = columns or Columns(MASTER.cohort(f"c{time.perf_counter_ns()}"), Policy())
    return sum(_treat(columns, table, batches) for table, batches in every.items())


def _treat(columns: Columns | None, table: str, batches: Sequence[pa.RecordBatch]) -> int:
    columns = columns or Columns(MASTER.cohort(f"c{time.perf_counter_ns()}"), Policy())
    # Whose the notes of `note_nlp` are.
    owners = Subjects({note: note for note in range(1, 1000)}) if table == "note_nlp" else None
    return sum(columns.treat(table, batch, owners).rows.num_rows for batch in batches)


def make_rows(table: str, rows: int, each: int) -> pa.Table:
    """Make rows of a table with every column of the CDM filled."""
    chance = np.random.default_rng(1)
    persons = np.arange(rows) // each + 1
    days = chance.integers(14_000, 20_000, rows)
    own = TABLES[table][0]
    made: dict[str, pa.Array] = {}
    for name in TABLES[table]:
        holds = COLUMNS[f"{table}.{name}"].holds
        if name == "person_id":
            made[name] = pa.array(persons)
        elif name == own:
            made[name] = pa.array(np.arange(rows) + 1)
        elif name == "visit_occurrence_id":
            made[name] = pa.array(persons * 10 + chance.integers(0, 5, rows))
        elif name in FACTS.get(table, {}).values():
            domain = next(iter(domains_of(f"{table}.{name}")))
            made[name] = pa.array([domain] * rows)
        else:
            made[name] = _values(holds, name, days, chance)
    return pa.table(made)


def _values(
    holds: ColumnType,
    name: str,
    days: "np.ndarray[tuple[int], np.dtype[np.int64]]",
    chance: np.random.Generator,
) -> pa.Array:
    size = len(days)
    match holds:
        case ColumnType.DATE:
            return pa.array(days.astype(np.int32)).cast(pa.date32())
        case ColumnType.MOMENT:
            seconds = days * 86_400 + chance.integers(0, 86_400, size)
            return pa.array(seconds * 1_000_000).cast(pa.timestamp("us"))
        case ColumnType.ID | ColumnType.CODE:
            return pa.array(chance.integers(1, 1000, size))
        case ColumnType.NUMBER:
            low, high = PARTS.get(name, (1, 100))
            return pa.array(chance.integers(low, high, size, endpoint=True))
    return pa.array(chance.integers(1, 1000, size)).cast(pa.string())


def _rate(arm: Arm, rounds: int) -> float:
    """Return the median of things a second of processor time; the first round does not count."""
    arm()
    rates = []
    for _ in range(rounds):
        started = time.process_time()
        count = arm()
        rates.append(count / (time.process_time() - started))
    return statistics.median(rates)


def _loop() -> float:
    started = time.process_time()
    total = 0
    for number in range(LOOP):
        total += number
    return time.process_time() - started


def profile_shares(arm: Arm) -> str:
    """Return which modules the time goes to, and which functions most; calls cost more here."""
    profile = cProfile.Profile(time.process_time)
    arm()
    profile.runcall(arm)
    modules: dict[str, float] = defaultdict(float)
    functions: dict[str, float] = defaultdict(float)
    for (file, line, function), (_, _, own, _, _) in pstats.Stats(profile).stats.items():  # type: ignore[attr-defined]
        name = Path(file).relative_to(ROOT).as_posix() if file.startswith(str(ROOT)) else "others"
        modules[name] += own
        functions[f"{name}:{line} {function}"] += own
    total = sum(modules.values())
    return "\n".join((*_most(modules, total, 12), "", *_most(functions, total, 15))) + "\n"


def _most(spent: dict[str, float], total: float, count: int) -> Iterator[str]:
    for name in sorted(spent, key=lambda name: -spent[name])[:count]:
        yield f"{spent[name] / total:6.1%}  {name}"


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--notes", type=int, default=400, help="notes per language")
    parser.add_argument("--rows", type=int, default=200_000, help="rows per table")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--profile", action="store_true", help="print a profile")
    return parser.parse_args()


if __name__ == "__main__":
    main()
