"""Notes through `cryptonym pseudonymize` as an attacker sees it: files in, files out."""

import contextlib
import io
import json
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from pipeline.cli import main as run_cryptonym

Json = Mapping[str, Any]


@dataclass(frozen=True)
class Released:
    """The released notes and the reasons of the quarantined ones, by note id."""

    texts: Mapping[str, str] = field(repr=False)
    reasons: Mapping[str, str]


def release(
    notes: Sequence[Json],
    patients: Sequence[Json] = (),
    *,
    model: str | None = None,
    processes: int = 2,
) -> Released:
    """Pseudonymize notes under a new key, in several processes; note ids must be unique.

    Without `patients` nothing is known of anyone: the control of an attack on known values.
    """
    shares = [notes[at::processes] for at in range(processes)]
    with ProcessPoolExecutor(processes) as pool:
        done = list(pool.map(partial(_release_share, patients=patients, model=model), shares))
    texts = {note_id: text for share in done for note_id, text in share.texts.items()}
    return Released(texts, {id_: why for share in done for id_, why in share.reasons.items()})


def _release_share(notes: Sequence[Json], patients: Sequence[Json], model: str | None) -> Released:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source, records, out = (folder / f"{part}.jsonl" for part in ("notes", "patients", "out"))
        _write_lines(source, notes)
        _write_lines(records, patients)
        key = str(folder / "master.key")
        arguments = [str(source), "-o", str(out), "--key", key, "--cohort", "attack"]
        arguments += ["--patients", str(records), "--allow-unknown"] if patients else []
        arguments += ["--model", model] if model else []
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            run_cryptonym(["keys", "new", key])
            run_cryptonym(["pseudonymize", *arguments, "--json", "--max-quarantine-share", "1"])
        refused = out.with_suffix(".quarantine.jsonl")
        return Released(
            {note["note_id"]: note["text"] for note in _read_lines(out)},
            {note["note_id"]: note["reason"] for note in _read_lines(refused)},
        )


def _write_lines(path: Path, records: Iterable[Json]) -> None:
    with path.open("w", encoding="utf-8") as lines:
        lines.writelines(json.dumps(record) + "\n" for record in records)


def _read_lines(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]
