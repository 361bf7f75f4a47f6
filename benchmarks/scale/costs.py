"""What the parts of a night cost, as they were measured; files of JSON."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

MEASURED = Path(__file__).with_name("costs.json")


@dataclass(frozen=True, slots=True)
class Costs:
    """Seconds, bytes and counts; a transaction's seconds are those from its begin to its end.

    `unit` lists seconds a note, one for each unit that was measured. `plan`, `publish` and
    `reconcile` are the driver's seconds a note, `compare` a worker's for a note that is unchanged,
    `start` those until a worker claims its first unit. `server_share` is the share of a
    transaction that keeps a core of the database server busy, the rest being that of the worker
    and the network. `connections` are those of a worker, `peak_bytes` its memory, `staged_bytes`
    those in the state database for a note.
    """

    notes_per_unit: int
    unit: tuple[float, ...]
    claim: float
    commit_note: float
    commit_unit: float
    start: float
    plan: float
    publish: float
    reconcile: float
    compare: float
    server_share: float
    connections: int
    peak_bytes: int
    staged_bytes: int
    about: str

    def save(self, path: Path) -> None:
        """Write the costs to a file."""
        path.write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")


def load_costs(path: Path) -> Costs:
    """Read the costs from a file."""
    values = json.loads(path.read_text(encoding="utf-8"))
    return Costs(**values | {"unit": tuple(values["unit"])})
