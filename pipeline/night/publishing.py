"""Publication: moves staged notes to the output, withdraws others, compares output and ledger."""

import hashlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import wraps
from typing import Any, cast

from pipeline.night.structured_tables import StructuredTables
from pipeline.night.withdrawals import (
    contains,
    make_released_id,
    withdraw_accepted,
    withdraw_deleted,
    withdraw_refused,
    withdraw_rejected,
)
from pipeline.state.ledger import StagedNote, State
from pipeline.state.row_codes import AlteredState
from pipeline.state.span_sealing import Seal
from pipeline.warehouse.databases import chunks
from pipeline.warehouse.note_rows import OutputRow, unpack
from pipeline.warehouse.warehouse import Output
from record.errors import Unsafe
from surrogates.keys.keys import CohortKey

_CHUNK = 500
_WRITES = frozenset({
    "check_writable", "clear_tables", "describe", "fill_findings", "prune_persons", "publish",
    "restart", "withdraw", "write_facts", "write_references", "write_rows",
})  # fmt: skip
"""The methods of an output that write to it."""


def fence(output: Output, keep: Callable[[], None]) -> Output:
    """Return an output that calls `keep` before each write: what that raises prevents the write.

    `keep` is that of the run lock, which a restart of the database server releases to others.
    """
    return cast(Output, _FencedOutput(output, keep))


class _FencedOutput:
    def __init__(self, output: Output, keep: Callable[[], None]) -> None:
        self._output = output
        self._keep = keep

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._output, name)
        if name not in _WRITES:
            return found

        @wraps(found)
        def write(*arguments: Any, **options: Any) -> Any:
            self._keep()
            return found(*arguments, **options)

        return write


def publish_run(
    run_id: int, state: State, tables: StructuredTables, cohort: CohortKey, seal: Seal
) -> int:
    """Apply a run to the output; return the number of notes deleted at the source.

    Withdrawals that a run holds wait until it is accepted. Each step is idempotent and recorded in
    the state database after it was written to the output, so that a run that was killed resumes
    from there. A run of new notes alone leaves the rows of other persons for a whole one.
    """
    output = tables.output
    publish_staged(state, output, seal, tables=tables)
    withdraw_accepted(state, output, cohort)
    withdraw_rejected(state, output, cohort)
    withdraw_refused(state, output, cohort)
    deleted = withdraw_deleted(run_id, state, output, cohort)
    output.prune_persons()
    if state.scope(run_id) == "all":
        output.fill_findings()
        tables.write_all()
    return deleted


def publish_staged(
    state: State,
    output: Output,
    seal: Seal,
    *,
    only: int | None = None,
    tables: StructuredTables | None = None,
) -> int:
    """Write staged notes that are not held to the output; return their number.

    The rows of their persons are written before them, so that no note refers to an absent one.
    Without `tables` a note keeps the ids of rows that are there, and the next whole run adds the
    others. `only` is the number of an accepted run: only the notes that it held are published.
    Raises AlteredState for notes that were staged or changed outside the program.
    """
    count = 0
    while staged := state.read_staged(limit=_CHUNK, accepted=only):
        if tables is not None:
            tables.write([note.person_id for note in staged])
        output.publish(_open_rows(staged, state, seal))
        state.mark_published(staged)
        count += len(staged)
    return count


def _open_rows(staged: Sequence[StagedNote], state: State, seal: Seal) -> list[OutputRow]:
    rows: list[OutputRow] = []
    broken: list[int] = []
    for note in staged:
        try:
            rows.append(unpack(seal.open_staged(note.version, note.payload)))
        except Unsafe:
            broken.append(note.note_id)
    if broken:
        state.discard(broken)
        raise AlteredState(
            f"{len(broken)} staged notes were changed outside the program (first id: {broken[0]}): "
            "they were not released, and the next run processes them again. Remedy: find out who "
            "wrote to the state database, then run again"
        )
    return rows


def is_output_complete(state: State, output: Output, cohort: CohortKey) -> bool:
    """Return whether the ids in the output are exactly those released according to the ledger.

    Both sides are streamed; counts and order-independent sums of hashed ids are compared.
    """
    expected = _fingerprint_ids(
        make_released_id(cohort, note_id) for note_id in state.read_released_ids()
    )
    return expected == _fingerprint_ids(output.ids())


def withdraw_unknown(state: State, output: Output, cohort: CohortKey) -> int:
    """Remove notes that are not in the ledger from the output; return their number.

    They exist only after the state database was restored from a backup, which does not know what
    was released since. Uses eight bytes of memory per released note.
    """
    known = array(
        "q", sorted(make_released_id(cohort, note_id) for note_id in state.read_released_ids())
    )
    unknown = [note_id for note_id in output.ids() if not contains(known, note_id)]
    for some in chunks(unknown, _CHUNK):
        output.withdraw(some)
    output.prune_persons()
    return len(unknown)


def _fingerprint_ids(note_ids: Iterable[int]) -> tuple[int, int]:
    count = total = 0
    for hashed in _hash_ids(note_ids):
        count += 1
        total = (total + hashed) % 2**128
    return count, total


def _hash_ids(note_ids: Iterable[int]) -> Iterator[int]:
    for note_id in note_ids:
        digest = hashlib.blake2b(note_id.to_bytes(8, "big", signed=True), digest_size=16).digest()
        yield int.from_bytes(digest, "big")
