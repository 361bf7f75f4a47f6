"""A filling run as files: batches of filled letters, then the letters and a manifest."""

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from models.language.masked import masked_model as models
from models.language.masked.private_filling import ExponentialMechanism, PrivacyAccountant
from record.document import Annotated, Document
from record.errors import ConfigError
from synthesis.fill_summary import FillSummary
from synthesis.filling import FilledDocument, Filling
from synthesis.generation import ORIGIN
from synthesis.generation_files import BatchedWork, Lost, note_in, note_record
from synthesis.generation_summary import GenerationSummary
from synthesis.masked_letters import FOLDER_FORMAT
from synthesis.masking import MaskedDocument

_FORMAT = 1
_FILLS = "filled"


@dataclass(frozen=True)
class Cohort:
    """The key under which surrogates are drawn: locators and names, never a secret."""

    key: str
    name: str
    custody: Path | None = None
    policy: str | None = None


@dataclass(frozen=True)
class FillingJob(BatchedWork):
    """Which letters to fill, how often (`copies`), with which model, and where to.

    `count` is the number of all letters. Without a `cohort` identifiers are left to the model.
    With `epsilon` words are drawn privately, and neither `filling.top` nor the seed counts.
    """

    model: Path
    masked: Path
    out: Path
    count: int
    copies: int
    batch: int
    filling: Filling = field(default_factory=Filling)
    cohort: Cohort | None = None
    epsilon: float | None = None

    def fingerprint(self, keys: Mapping[str, str]) -> str:
        """Return a hash of the settings and inputs; `keys` are ids of key and policy."""
        held = {
            "model": models.FOLDER_FORMAT.digest(self.model),
            "masked": FOLDER_FORMAT.digest(self.masked),
            "count": self.count, "copies": self.copies, "batch": self.batch,
            "filling": asdict(self.filling), "epsilon": self.epsilon, "keys": dict(keys),
        }  # fmt: skip
        return hashlib.sha256(json.dumps(held, sort_keys=True).encode()).hexdigest()

    def source(self, place: int) -> tuple[int, int]:
        """Return which masked letter a place is made of, and which copy of it."""
        return divmod(place, self.copies)

    def note_id(self, place: int) -> str:
        """Return the id of the letter at a place."""
        return f"synthetic-{self.filling.seed}-{place:06d}"

    def record(self, place: int, letter: MaskedDocument, made: FilledDocument) -> dict[str, Any]:
        """Return a letter as a line of notes.jsonl."""
        document = Document(
            self.note_id(place), made.text, lang=letter.document.lang,
            kind=letter.document.kind, origin=ORIGIN,
        )  # fmt: skip
        about = {
            "requested": Counter(span.label for span in made.spans),
            "started": len(made.spans), "ids": made.places,
            "cut": False, "hurried": False, "trimmed": False, "thinned": False,
            "letter": self.source(place)[0], "copy": self.source(place)[1],
            _FILLS: {"fills": made.fills, "opened": made.opened, "medical": made.medical},
        }  # fmt: skip
        return note_record(Annotated(document, made.spans), about)

    def refused(self, place: int, reason: str) -> dict[str, Any]:
        """Return the line that stands for a letter that was not written, without its text."""
        return {"note_id": self.note_id(place), "refused": reason}


def assemble(
    job: FillingJob, keys: Mapping[str, str], fresh: Collection[int], seconds: float
) -> dict[str, Any]:
    """Combine all parts into notes.jsonl and the manifest; return the manifest.

    `fresh` are the batches that were written in so many seconds. Every letter that was planned is
    accounted for by its id, and raises Lost otherwise; what was refused is counted by reason.
    Raises ConfigError where every letter was.
    """
    account = GenerationSummary()
    kept: list[bytes] = []
    seen: list[str] = []
    refused: Counter[str] = Counter()
    fills = FillSummary()
    accountant = (
        PrivacyAccountant(ExponentialMechanism.of(job.epsilon)) if job.epsilon is not None else None
    )
    letters = 0
    for unit, _, record in job.lines():
        seen.append(record["note_id"])
        letters += unit in fresh
        if "refused" in record:
            refused[record["refused"]] += 1
            continue
        about = record["synthetic"]
        # Which words are filled in, and so which are the source's, stays inside.
        fills.add(**about.pop(_FILLS))
        account.add(note_in(record), about)
        kept.append((json.dumps(record, ensure_ascii=False) + "\n").encode("utf-8"))
        if accountant is not None:
            accountant.charge(str(about["letter"]), record["note_id"], about["ids"])
    if seen != [job.note_id(place) for place in range(job.count)]:
        raise Lost(f"{len(seen)} letters found, expected {job.count}; run again")
    if not kept:
        reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(refused.items()))
        raise ConfigError(str(job.masked), f"every letter was rejected: {reasons}", _REMEDY)
    content = b"".join(kept)
    manifest = {
        **_about(job, keys),
        "notes_sha256": hashlib.sha256(content).hexdigest(),
        "privacy": accountant.to_json() if accountant is not None else None,
        "refused": dict(sorted(refused.items())),
        "fills": fills.to_json(),
        **account.to_json(),
        "seconds": seconds,
        "letters_per_minute": 60 * letters / max(seconds, 1e-9),
    }
    job.finish(content, manifest)
    return manifest


_REMEDY = "use a policy that covers the labels, or let the model fill identifiers"


def _about(job: FillingJob, keys: Mapping[str, str]) -> dict[str, Any]:
    masked = FOLDER_FORMAT.read(job.masked)
    trained = models.FOLDER_FORMAT.read(job.model)
    return {
        "format": _FORMAT,
        "what": "synthetic letters, masked and filled",
        "screened": False,
        "model_sha256": models.FOLDER_FORMAT.digest(job.model),
        "masked_sha256": FOLDER_FORMAT.digest(job.masked),
        "corpus_sha256": masked["corpus_sha256"],
        "origin": masked["origin"],
        "model_origin": trained["about"].get("origin"),
        "masking": masked["masking"],
        "seed": job.filling.seed,
        "batch": job.batch,
        "copies": job.copies,
        "decoding": asdict(job.filling) | {"epsilon": job.epsilon},
        "surrogates": dict(keys),
        "versions": {name: version(name) for name in ("cryptonym", "torch")},
    }
