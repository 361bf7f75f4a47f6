"""The record of a note in quarantine: note id, stage, error and reason, without its text."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Failure:
    """One note in quarantine.

    `stage` is the step that refused it (`read`, `extract`, `detect`, `rewrite`, `residue` ...),
    `error` the class name of what was raised, `reason` a fixed code or empty. No payload.
    """

    note_id: str
    stage: str
    error: str
    reason: str = ""
