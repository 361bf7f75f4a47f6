"""What happens to each label: frozen, default-deny, with a version that every release carries."""

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
"""The labels that a coarser value is made for; to generalize another is an error."""


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
    A generalized postal code keeps its first `zip_digits`, and zeros for those in `zeroed_zips`
    and, with a `zip_table`, for those of areas where 20,000 people or fewer live or nobody knows.
    Towns and postal codes are replaced by others of the same `keep_area`, if any; with any of
    them the country in which all of them lie stays, and another country becomes another still.
    `keep_weekday` shifts by whole weeks. `date_precision` cuts the shifted dates down to the first
    day of their month or year. `birth_dates` shifts a birth date as the others, cuts it down, or
    moves it back by up to `birth_jitter_months` more; with `old_births` as `cap`, one that tells
    an age over the cap tells `age_cap + 1` instead.
    Whoever is not the patient keeps the surrogate of the mention before with the chance
    `repeat_third_parties`, and gets another else.
    `columns` maps `table.column` of the output to `drop`, or to what happens to it anyway.
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
        if not 0.0 <= self.repeat_third_parties <= 1.0:
            raise ConfigError(
                "policy.repeat_third_parties", "not from 0 to 1", "choose a chance, such as 0.9"
            )
        self._check_dates()
        self._check_zips()
        self._check_columns()

    def _check_dates(self) -> None:
        for name, known in _CHOICES.items():
            if getattr(self, name) not in known:
                names = ", ".join(f'"{each}"' for each in known)
                raise ConfigError(f"policy.{name}", "no such choice", f"write one of {names}")
        if self.keep_weekday and self.max_shift_days // 7 * 7 < self.min_shift_days:
            raise ConfigError(
                "policy.keep_weekday",
                "no whole week lies between min_shift_days and max_shift_days",
                "raise max_shift_days to a multiple of 7 at least",
            )
        if not 1 <= self.birth_jitter_months <= 120:
            raise ConfigError(
                "policy.birth_jitter_months", "not from 1 to 120", "choose a number of months"
            )

    def _check_zips(self) -> None:
        coarse = [label for label, act in self.actions.items() if act is Action.GENERALIZE]
        if refused := sorted(set(coarse) - GENERALIZABLE):
            raise ConfigError(
                f"policy.actions.{refused[0]}",
                "nothing coarser is made for this label",
                'write "replace", "mask" or "keep"',
            )
        if not 1 <= self.zip_digits <= 4:
            raise ConfigError("policy.zip_digits", "not from 1 to 4", "choose how many digits stay")
        if self.zip_table != "none" and self.zip_digits != _TABLE_DIGITS:
            raise ConfigError(
                "policy.zip_table",
                f"tells of areas of {_TABLE_DIGITS} digits",
                f"set zip_digits = {_TABLE_DIGITS}",
            )
        size = self.zip_digits
        if any(not (code.isdecimal() and len(code) == size) for code in self.zeroed_zips):
            raise ConfigError(
                "policy.zeroed_zips", f"not all have {size} digits", "list them as zip_digits says"
            )

    def _check_columns(self) -> None:
        for name, wanted in sorted(self.columns.items()):
            rule = COLUMNS.get(name)
            key = f"policy.columns.{name}"
            if rule is None:
                raise ConfigError(key, "unknown column", "`cryptonym policy check` lists them")
            if wanted not in rule.allowed:
                names = " or ".join(f'"{each}"' for each in sorted(rule.allowed))
                raise ConfigError(key, f'"{wanted}" is not possible here', f"write {names}")

    def action(self, label: str) -> Action | None:
        """Return what to do with a label; None where the policy does not name it."""
        return self.actions.get(label)

    def treatment(self, column: str) -> Treatment:
        """Return what happens to a column of the output, `table.column`; unknown ones are dropped.

        So are births where ages over the cap may not be told: no row says on which day it is read.
        """
        rule = COLUMNS.get(column)
        if rule is None or (self.old_births == "cap" and column in BIRTHS):
            return Treatment.DROP
        return self.columns.get(column, rule.treatment)

    @property
    def policy_id(self) -> str:
        """A short digest that changes with any setting of the policy."""
        settings = {
            name: value
            for name, value in asdict(self).items()
            # A setting that came later counts where it is used, so that digests given before hold.
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
