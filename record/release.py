"""A pseudonymized note with the ids of the key and policy that produced it."""

from dataclasses import dataclass, field

from record.span import Span


@dataclass(frozen=True, slots=True)
class Release:
    """The pseudonymized text of a note.

    `spans` are the surrogates' offsets in the new text (code points, half open), in order, one
    for each replaced span. `key_id` and `policy_id` identify the cohort key and the policy.
    """

    note_id: str
    text: str = field(repr=False)
    spans: tuple[Span, ...] = ()
    key_id: str = ""
    policy_id: str = ""
