"""What happens to each label: frozen, default-deny, with a version that every release carries."""

import hashlib
import json
from dataclasses import asdict, dataclass, field
from enum import StrEnum

from record.errors import ConfigError
from record.label import Label


class Action(StrEnum):
    """What a policy does with the spans of a label."""

    REPLACE = "replace"
    KEEP = "keep"


def _replace_all() -> dict[str, Action]:
    return {label.value: Action.REPLACE for label in Label}


@dataclass(frozen=True)
class Policy:
    """How spans become surrogates.

    `actions` names every label that may occur; a label it does not name is refused.
    `locale` (`fr`, `en`, `es`) chooses the lexicons surrogates are drawn from.
    `min_shift_days` and `max_shift_days` bound the size of a patient's date shift, either way;
    the shift is never zero. Ages over `age_cap` become `age_cap + 1` followed by a plus sign
    (45 CFR 164.514(b)(2)(i)(C)).
    """

    actions: dict[str, Action] = field(default_factory=_replace_all)
    locale: str = "fr"
    min_shift_days: int = 30
    max_shift_days: int = 365
    age_cap: int = 89

    def __post_init__(self) -> None:
        if self.locale not in ("fr", "en", "es"):
            raise ConfigError("policy.locale", "not one of fr, en, es", "choose one of them")
        if not 1 <= self.min_shift_days <= self.max_shift_days:
            raise ConfigError(
                "policy.min_shift_days",
                "must be at least 1 and at most max_shift_days",
                "set 1 <= min_shift_days <= max_shift_days",
            )
        unknown = sorted(set(self.actions) - {label.value for label in Label})
        if unknown:
            raise ConfigError(
                "policy.actions", f"unknown labels {unknown}", "see the list of labels"
            )

    def action(self, label: str) -> Action | None:
        """Tell what to do with a label; None where the policy does not name it."""
        return self.actions.get(label)

    @property
    def policy_id(self) -> str:
        """A short digest that changes with any setting of the policy."""
        canonical = json.dumps(asdict(self), sort_keys=True)
        return hashlib.blake2b(canonical.encode(), digest_size=6).hexdigest()
