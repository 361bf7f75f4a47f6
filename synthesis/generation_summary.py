"""Summary statistics of a generation: requested and obtained tags, lengths, diversity."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from record.document import Annotated
from synthesis.corpus_statistics import corpus_statistics, distance, shares_of


@dataclass
class GenerationSummary:
    """Accumulates generated notes and computes their statistics."""

    notes: list[Annotated] = field(default_factory=list, repr=False)
    request_like: Counter[str] = field(default_factory=Counter)
    obtained: Counter[str] = field(default_factory=Counter)
    started: int = 0
    ids: int = 0
    cut: int = 0
    hurried: int = 0
    trimmed: int = 0
    limit_entities: int = 0
    exact: int = 0

    def add(self, note: Annotated, about: dict[str, Any]) -> None:
        """Take a note and what is kept with it."""
        obtained = Counter(span.label for span in note.spans)
        self.notes.append(note)
        self.request_like.update(about["requested"])
        self.obtained.update(obtained)
        self.started += about["started"]
        self.ids += about["ids"]
        self.cut += about["cut"]
        self.hurried += about["hurried"]
        self.trimmed += about["trimmed"]
        self.limit_entities += about["thinned"]
        self.exact += obtained == Counter(about["requested"])

    def to_json(self) -> dict[str, Any]:
        """Return the figures; shares are of notes, but for that of well-formed tags."""
        count = len(self.notes) or 1
        kept = self.obtained.total()
        found = corpus_statistics(self.notes)
        return {
            "notes": len(self.notes),
            "ids": self.ids,
            "words": found.words,
            "well_formed": kept / self.started if self.started else 1.0,
            "cut": self.cut / count,
            "hurried": self.hurried / count,
            "trimmed": self.trimmed / count,
            "thinned": self.limit_entities / count,
            "as_requested": self.exact / count,
            "distinct": len({note.document.text for note in self.notes}) / count,
            "tags": {
                "requested": dict(sorted(self.request_like.items())),
                "obtained": dict(sorted(self.obtained.items())),
                "requested_shares": shares_of(self.request_like),
                "obtained_shares": shares_of(self.obtained),
                "distance": distance(self.request_like, self.obtained),
            },
            "statistics": found.to_json(),
            "types_per_word": found.vocabulary / (found.words or 1),
        }
