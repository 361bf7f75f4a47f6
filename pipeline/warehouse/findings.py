"""Surrogates as rows of OMOP's table `note_nlp`, and their ids in the nightly output."""

from collections.abc import Iterable, Mapping
from importlib.metadata import version
from itertools import groupby
from operator import itemgetter
from typing import Any

NOTE_NLP = "note_nlp"
"""What programs found in notes: of ours, or of others as the source has them."""
LONGEST_VARIANT = 250
"""The width of `lexical_variant` in OHDSI's DDL."""
MOST_FINDINGS = 1 << 10
"""The rows that a note of the nightly output has at most: so many ids belong to each note."""
MOST_ID_BITS = 53
"""The most bits of a note's id with which the ids of its rows fit an integer of 64 bits."""

Note = Mapping[str, Any]
"""The values of a row of `note`, by column."""
Place = tuple[int, int, int, str]
"""The values of a row of `note_span`."""


def make_finding(note: Note, place: Place) -> dict[str, Any]:
    """Return the row of a surrogate, without an id.

    `offset` counts code points of the released text, `lexical_variant` is the surrogate.
    """
    note_id, start, end, label = place
    return {
        "note_id": note_id,
        "section_concept_id": 0,
        "note_nlp_concept_id": 0,
        "note_nlp_source_concept_id": 0,
        "offset": str(start),
        "lexical_variant": note["note_text"][start:end][:LONGEST_VARIANT],
        "nlp_system": f"cryptonym {version('cryptonym')}",
        "nlp_date": note["note_date"],
        "nlp_datetime": note["note_datetime"],
        "term_exists": "Y",
        "term_modifiers": f"label={label}",
    }


def make_finding_rows(notes: Iterable[Note], places: Iterable[Place]) -> list[dict[str, Any]]:
    """Return the rows of the nightly output, with all columns, sorted by id.

    An id is that of the note times `MOST_FINDINGS` and the surrogate's number in it, so that it
    tells no more than `note_span` does and is the same after an interruption.
    """
    texts = {note["note_id"]: note for note in notes}
    made = []
    for note_id, some in groupby(sorted(places), itemgetter(0)):
        for number, place in zip(range(MOST_FINDINGS), some, strict=False):
            row = make_finding(texts[note_id], place)
            made.append({"note_nlp_id": note_id * MOST_FINDINGS + number, "snippet": None,
                         "term_temporal": None, **row})  # fmt: skip
    return made
