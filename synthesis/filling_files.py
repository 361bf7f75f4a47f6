"""Filling as files: masked letters in, batches of synthetic letters out, then one manifest."""

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from models.language.masked import masked_model as models
from models.language.masked.private_filling import Ledger, Mechanism
from record.document import Annotated, Document
from record.errors import ConfigError
from synthesis.filling import Filled, Filling
from synthesis.generation import ORIGIN
from synthesis.generation_files import InBatches, Lost, note_in, noted
from synthesis.generation_summary import Account
from synthesis.masked_letters import FORM
from synthesis.masking import Masked

_FORMAT = 1


@dataclass(frozen=True)
class Cohort:
    """Under which key surrogates are drawn: locators and names, never a secret."""

    key: str
    name: str
    custody: Path | None = None
    policy: str | None = None


@dataclass(frozen=True)
class Refill(InBatches):
    """Which letters to write, `copies` of each masked one, by what, and where to.

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
        """Return what differs for work that must not be mixed; `keys` are ids of key and policy."""
        held = {
            "model": models.FORM.digest(self.model), "masked": FORM.digest(self.masked),
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

    def record(self, place: int, letter: Masked, made: Filled) -> dict[str, Any]:
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
        }  # fmt: skip
        return noted(Annotated(document, made.spans), about)

    def refused(self, place: int, reason: str) -> dict[str, Any]:
        """Return the line that stands for a letter that was not written, without its text."""
        return {"note_id": self.note_id(place), "refused": reason}


def put_together(
    refill: Refill, keys: Mapping[str, str], fresh: Collection[int], seconds: float
) -> dict[str, Any]:
    """Make notes.jsonl and the manifest out of all parts; returns the manifest.

    `fresh` are the batches that were written in so many seconds. Every letter that was planned is
    accounted for by its id, and raises Lost otherwise; what was refused is counted by reason.
    Raises ConfigError where every letter was.
    """
    account = Account()
    kept: list[bytes] = []
    seen: list[str] = []
    refused: Counter[str] = Counter()
    ledger = Ledger(Mechanism.of(refill.epsilon)) if refill.epsilon is not None else None
    letters = 0
    for unit, line, record in refill.lines():
        seen.append(record["note_id"])
        letters += unit in fresh
        if "refused" in record:
            refused[record["refused"]] += 1
            continue
        about = record["synthetic"]
        account.add(note_in(record), about)
        kept.append(line)
        if ledger is not None:
            ledger.charge(str(about["letter"]), record["note_id"], about["ids"])
    if seen != [refill.note_id(place) for place in range(refill.count)]:
        raise Lost(f"{len(seen)} letters were read back of {refill.count}; run again")
    if not kept:
        reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(refused.items()))
        raise ConfigError(str(refill.masked), f"every letter was refused: {reasons}", _REMEDY)
    content = b"".join(kept)
    manifest = {
        **_about(refill, keys),
        "notes_sha256": hashlib.sha256(content).hexdigest(),
        "privacy": ledger.to_json() if ledger is not None else None,
        "refused": dict(sorted(refused.items())),
        **account.to_json(),
        "seconds": seconds,
        "letters_per_minute": 60 * letters / max(seconds, 1e-9),
    }
    refill.finish(content, manifest)
    return manifest


_REMEDY = "mask letters whose labels the policy knows, or leave identifiers to the model"


def _about(refill: Refill, keys: Mapping[str, str]) -> dict[str, Any]:
    masked = FORM.read(refill.masked)
    trained = models.FORM.read(refill.model)
    return {
        "format": _FORMAT,
        "what": "synthetic letters, masked and filled",
        "screened": False,
        "model_sha256": models.FORM.digest(refill.model),
        "masked_sha256": FORM.digest(refill.masked),
        "corpus_sha256": masked["corpus_sha256"],
        "origin": masked["origin"],
        "model_origin": trained["about"].get("origin"),
        "masking": masked["masking"],
        "seed": refill.filling.seed,
        "batch": refill.batch,
        "copies": refill.copies,
        "decoding": asdict(refill.filling) | {"epsilon": refill.epsilon},
        "surrogates": dict(keys),
        "versions": {name: version(name) for name in ("cryptonym", "torch")},
    }
