"""Every column of the tables that research reads, and what happens to it: default-deny."""

from dataclasses import dataclass, replace
from enum import StrEnum

from record.cdm import CDM
from record.label import Label


class Treatment(StrEnum):
    """What happens to the values of a column."""

    REKEY = "rekey"
    SHIFT = "shift"
    REWRITE = "rewrite"
    GENERALIZE = "generalize"
    KEEP = "keep"
    DROP = "drop"


class Holds(StrEnum):
    """What values a column may hold; what is of another form is never kept."""

    ID = "id"
    DATE = "date"
    MOMENT = "moment"
    CODE = "code"
    NUMBER = "number"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class ColumnRule:
    """What happens to a column, and why; `can_drop` where a policy may leave it out.

    `choices` are the other treatments that a policy may choose. `label` names the kind of
    identifier that the values are, where a note may hold them too.
    """

    treatment: Treatment
    reason: str
    can_drop: bool = False
    holds: Holds = Holds.TEXT
    choices: frozenset[Treatment] = frozenset()
    label: str = ""

    @property
    def allowed(self) -> frozenset[Treatment]:
        """Everything that a policy may write of the column."""
        dropped = {Treatment.DROP} if self.can_drop else set()
        return frozenset({self.treatment} | self.choices | dropped)


_REKEY, _SHIFT, _KEEP, _DROP = Treatment.REKEY, Treatment.SHIFT, Treatment.KEEP, Treatment.DROP
_REWRITE = Treatment.REWRITE
_JOIN = "the cohort's own id: joins hold inside the cohort and nowhere else"
_CODE = "a concept of the vocabulary, the same for many patients"
_MOVED = "moved by the patient's own days, as the dates in the text are"
_CLOCK = f"{_MOVED}; the time of day stays"
_SOURCE = "a value of the source, which may hold anything"
_BIRTH = "narrows down who it is"
_KEYED = frozenset((_REKEY,))
_AS_IN_NOTES = frozenset((_REKEY, _REWRITE))

_KINDS = {
    "row": ColumnRule(_REKEY, _JOIN, holds=Holds.ID),
    "link": ColumnRule(_REKEY, _JOIN, can_drop=True, holds=Holds.ID),
    "site": ColumnRule(_DROP, "leads to a place", holds=Holds.ID, choices=_KEYED),
    "physician": ColumnRule(
        _DROP, "leads to the patient's own physician", holds=Holds.ID, choices=_KEYED
    ),
    "event": ColumnRule(_DROP, "names a row of the source, or its table", holds=Holds.ID),
    "date": ColumnRule(_SHIFT, _MOVED, holds=Holds.DATE),
    "end": ColumnRule(_SHIFT, _MOVED, can_drop=True, holds=Holds.DATE),
    "clock": ColumnRule(_SHIFT, _CLOCK, can_drop=True, holds=Holds.MOMENT),
    "birth_year": ColumnRule(
        _SHIFT, f"{_MOVED}; of the birth date the year alone", can_drop=True, holds=Holds.NUMBER
    ),
    "birth": ColumnRule(_DROP, _BIRTH, holds=Holds.NUMBER, choices=frozenset((_SHIFT,))),
    "code": ColumnRule(_KEEP, _CODE, can_drop=True, holds=Holds.CODE),
    "fixed": ColumnRule(_KEEP, _CODE, holds=Holds.CODE),
    "source_code": ColumnRule(_DROP, _SOURCE, holds=Holds.CODE, choices=frozenset((_KEEP,))),
    "measure": ColumnRule(
        _KEEP, "a number that was measured or counted", can_drop=True, holds=Holds.NUMBER
    ),
    "title": ColumnRule(_REWRITE, "text: its spans are treated by label", can_drop=True),
    "text": ColumnRule(_REWRITE, "text: its spans are treated by label"),
    "free": ColumnRule(_DROP, "free text, which may hold anything"),
    "offset": ColumnRule(_DROP, "a place in the original text"),
    "place": ColumnRule(_KEEP, "a place in the new text", holds=Holds.NUMBER),
    "label": ColumnRule(_KEEP, "the kind of identifier that stood there"),
    "source": ColumnRule(_DROP, _SOURCE, choices=_KEYED),
    "patient_number": ColumnRule(_DROP, _SOURCE, choices=_AS_IN_NOTES, label=Label.PATIENT_ID),
    "visit_number": ColumnRule(_DROP, _SOURCE, choices=_AS_IN_NOTES, label=Label.VISIT_ID),
    "number": ColumnRule(_DROP, "a number of one thing or sample", choices=_KEYED),
    "name": ColumnRule(_DROP, "names a person or a place"),
    "town": ColumnRule(_DROP, "tells where somebody lives", choices=frozenset((_KEEP,))),
    "zip": ColumnRule(
        _DROP, "tells where somebody lives", choices=frozenset((_KEEP, Treatment.GENERALIZE))
    ),
}  # fmt: skip

COLUMNS = {
    f"{table}.{column}": _KINDS[kind]
    for table, kinds in CDM.items()
    for kind, columns in kinds.items()
    for column in columns.split()
}
"""Table and column of the output -> its rule; a column that is not here is not written."""
COLUMNS["person.birth_datetime"] = replace(_KINDS["birth"], holds=Holds.MOMENT)

BIRTHS = frozenset(
    f"person.{name}" for kind in ("birth_year", "birth") for name in CDM["person"][kind].split()
)
"""The columns that tell when a patient was born."""

TABLES = {
    table: tuple(name for columns in kinds.values() for name in columns.split())
    for table, kinds in CDM.items()
}
"""Table -> its columns."""

CHOSEN = {
    _REKEY: "by this policy the cohort's own code of it, the same wherever it recurs",
    _SHIFT: f"by this policy {_MOVED}",
    _REWRITE: "by this policy as the same number reads in the patient's notes",
    Treatment.GENERALIZE: "by this policy its first digits alone",
    _KEEP: "by this policy as it is",
}
"""Treatment that a policy chose in the place of the usual one -> what it says of it."""

_SHORTER = {"visit_occurrence": "visit"}
_ROLES = ("preceding_", "parent_")


def id_kind(column: str) -> str:
    """Return what a column of ids counts: every column of a kind has the same pseudonyms.

    `preceding_visit_occurrence_id` and `visit_occurrence_id` both count a `visit`.
    """
    name = column.removesuffix("_id")
    for role in _ROLES:
        name = name.removeprefix(role)
    return _SHORTER.get(name, name)
