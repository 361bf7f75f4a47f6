"""The policy: how each label and each output column is treated, and the bounds of date shifts."""

import hashlib
import json
from dataclasses import MISSING, asdict, dataclass, field
from enum import StrEnum
from typing import Literal

from record.columns import BIRTHS, COLUMNS, Treatment
from record.errors import ConfigError
from record.label import Label


class Action(StrEnum):
    """What a policy does with the spans of a label."""

    REPLACE = "replace"
    KEEP = "keep"
    MASK = "mask"
    GENERALIZE = "generalize"


GENERALIZABLE = frozenset((Label.ZIP.value,))
"""The labels that can be generalized; generalizing another one is an error."""


def _replace_all() -> dict[str, Action]:
    return {label.value: Action.REPLACE for label in Label}


@dataclass(frozen=True)
class Policy:
    """How spans become surrogates.

    `actions` lists every label that may occur; other labels are refused.
    `locale` (`fr`, `en`, `es`) selects the lexicons that surrogates are drawn from.
    `min_shift_days` and `max_shift_days` bound the absolute value of a patient's date shift,
    which is never zero. Ages over `age_cap` become `age_cap + 1` followed by a plus sign
    (45 CFR 164.514(b)(2)(i)(C)).
    A generalized postal code keeps its first `zip_digits`; codes in `zeroed_zips` become zeros,
    and with a `zip_table` so do areas with 20,000 inhabitants or fewer, or an unknown number.
    Towns and postal codes are replaced by others of the same `keep_area`, if set; then the
    country of the locale is kept and other countries are replaced by others.
    `keep_weekday` shifts by whole weeks. `date_precision` truncates shifted dates to the first
    day of their month or year. `birth_dates` shifts a birth date like other dates, truncates it,
    or moves it back by up to `birth_jitter_months` more; with `old_births` set to `cap`, a birth
    date that implies an age over the cap is changed to imply `age_cap + 1`.
    A person other than the patient keeps the surrogate of the previous mention with probability
    `repeat_third_parties`, and otherwise gets a new one.
    `columns` maps `table.column` of the output to a treatment that its rule allows.
    """

    actions: dict[str, Action] = field(default_factory=_replace_all)
    locale: str = "fr"
    min_shift_days: int = 30
    max_shift_days: int = 365
    age_cap: int = 89
    zip_digits: int = 3
    zeroed_zips: tuple[str, ...] = ()
    zip_table: Literal["none", "census-2010"] = "none"
    keep_area: Literal["none", "country", "region", "department"] = "none"
    columns: dict[str, Treatment] = field(default_factory=dict)
    keep_weekday: bool = False
    date_precision: Literal["day", "month", "year"] = "day"
    birth_dates: Literal["shift", "month", "year", "jitter"] = "shift"
    birth_jitter_months: int = 3
    old_births: Literal["shift", "cap"] = "shift"
    repeat_third_parties: float = 1.0

    def __post_init__(self) -> None:
        if self.locale not in ("fr", "en", "es"):
            raise ConfigError("policy.locale", "must be fr, en or es", "choose one of them")
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
        if not 0.0 <= self.repeat_third_parties <= 1.0:
            raise ConfigError(
                "policy.repeat_third_parties",
                "must be between 0 and 1",
                "choose a probability, such as 0.9",
            )
        self._check_dates()
        self._check_zips()
        self._check_columns()

    def _check_dates(self) -> None:
        for name, known in _CHOICES.items():
            if getattr(self, name) not in known:
                names = ", ".join(f'"{each}"' for each in known)
                raise ConfigError(f"policy.{name}", "unknown value", f"choose one of {names}")
        if self.keep_weekday and self.max_shift_days // 7 * 7 < self.min_shift_days:
            raise ConfigError(
                "policy.keep_weekday",
                "there must be a multiple of 7 between min_shift_days and max_shift_days",
                "raise max_shift_days to the next multiple of 7 or more",
            )
        if not 1 <= self.birth_jitter_months <= 120:
            raise ConfigError(
                "policy.birth_jitter_months",
                "must be between 1 and 120",
                "choose a number of months",
            )

    def _check_zips(self) -> None:
        coarse = [label for label, act in self.actions.items() if act is Action.GENERALIZE]
        if refused := sorted(set(coarse) - GENERALIZABLE):
            raise ConfigError(
                f"policy.actions.{refused[0]}",
                "this label cannot be generalized",
                'choose "replace", "mask" or "keep"',
            )
        if not 1 <= self.zip_digits <= 4:
            raise ConfigError(
                "policy.zip_digits", "must be between 1 and 4", "choose how many digits to keep"
            )
        if self.zip_table != "none" and self.zip_digits != _TABLE_DIGITS:
            raise ConfigError(
                "policy.zip_table",
                f"the table lists areas by {_TABLE_DIGITS} digits",
                f"set zip_digits = {_TABLE_DIGITS}",
            )
        size = self.zip_digits
        if any(not (code.isdecimal() and len(code) == size) for code in self.zeroed_zips):
            raise ConfigError(
                "policy.zeroed_zips",
                f"every entry must have {size} digits, as zip_digits says",
                "shorten or lengthen the entries",
            )

    def _check_columns(self) -> None:
        for name, wanted in sorted(self.columns.items()):
            rule = COLUMNS.get(name)
            key = f"policy.columns.{name}"
            if rule is None:
                raise ConfigError(key, "unknown column", "`cryptonym policy check` lists them")
            if wanted not in rule.allowed:
                names = " or ".join(f'"{each}"' for each in sorted(rule.allowed))
                raise ConfigError(
                    key, f'"{wanted}" is not allowed for this column', f"choose {names}"
                )

    def action(self, label: str) -> Action | None:
        """Return the action for a label; None where the policy does not list it."""
        return self.actions.get(label)

    def treatment(self, column: str) -> Treatment:
        """Return the treatment of an output column, `table.column`; unknown ones are dropped.

        Birth columns are dropped too where ages over the cap must be hidden, because a row does
        not say at which date its age counts.
        """
        rule = COLUMNS.get(column)
        if rule is None or (self.old_births == "cap" and column in BIRTHS):
            return Treatment.DROP
        return self.columns.get(column, rule.treatment)

    @property
    def policy_id(self) -> str:
        """A short digest of the settings, which changes with any of them."""
        settings = {
            name: value
            for name, value in asdict(self).items()
            # Settings added later count only where they differ from the default, so that the ids
            # of existing policies stay the same.
            if name in _FIRST_SETTINGS or value != _default(name)
        }
        canonical = json.dumps(settings, sort_keys=True)
        return hashlib.blake2b(canonical.encode(), digest_size=6).hexdigest()


_TABLE_DIGITS = 3
_CHOICES = {
    "zip_table": ("none", "census-2010"),
    "keep_area": ("none", "country", "region", "department"),
    "date_precision": ("day", "month", "year"),
    "birth_dates": ("shift", "month", "year", "jitter"),
    "old_births": ("shift", "cap"),
}
_FIRST_SETTINGS = ("actions", "locale", "min_shift_days", "max_shift_days", "age_cap")


def _default(name: str) -> object:
    given = Policy.__dataclass_fields__[name]
    return given.default if given.default_factory is MISSING else given.default_factory()
