"""What stands for the identifiers of masked letters: surrogates of somebody who is nobody else."""

from collections.abc import Mapping
from dataclasses import replace

from record.errors import ConfigError
from record.patient import PatientRecord
from record.policy import Action, Policy
from surrogates.keys.keys import CohortKey
from surrogates.places.places import is_kept
from surrogates.rewrite import Rewriter
from synthesis.masking import Masked, MaskingDecision


class Standins:
    """Draws surrogates under the key of a cohort: one person one name, one shift of all dates.

    Raises ConfigError where the policy keeps anything that identifies.
    """

    def __init__(self, cohort: CohortKey, policy: Policy) -> None:
        kept = sorted(label for label, act in policy.actions.items() if act is Action.KEEP)
        if kept:
            problem = f"keeps {kept[0]} as it is, which would stand in synthetic letters"
            raise ConfigError("--policy", problem, "replace or mask it, or leave --policy out")
        self._rewriter = Rewriter(cohort, policy)
        self._policy = policy

    def keeps(self, label: str, value: str) -> bool:
        """Return whether a value stays, since it tells nobody apart: the country of all places."""
        return is_kept(label, value, self._policy)

    def of(
        self, letter: Masked, person: str, record: PatientRecord
    ) -> Mapping[MaskingDecision, str]:
        """Return surrogates of a letter's identifiers, as if it were `person`'s.

        Letters of the same person have the same surrogates, and none of what the `record` holds is
        among them. Raises Unsafe where a label has none.
        """
        document = replace(letter.document, person_id=person)
        identifiers = letter.identifiers
        known = replace(record, person_id=person)
        released = self._rewriter.rewrite(document, identifiers, known)
        found = {
            (span.start, span.end): released.text[made.start : made.end]
            for span, made in zip(identifiers, released.spans, strict=True)
        }
        return {
            each: found[each.start, each.end]
            for each in letter.decisions
            if (each.start, each.end) in found and each.is_masked
        }
