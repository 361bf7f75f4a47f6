"""The policy: how each label and each output column is treated, and the bounds of date shifts."""

import hashlib
import json
from dataclasses import MISSING, asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any, Literal

from record.columns import BIRTHS, COLUMNS, STAFF_LINKS, VISIT_LINKS, Treatment
from record.errors import ConfigError
from record.label import Label
from record.languages import FIRST_LANGUAGES, LANGUAGES


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
    `locale` (`fr`, `en`, `es`, `de`, `nl`) selects the lexicons that surrogates are drawn from
    where a note does not name its language, and for the patient's own names.
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
    `names` draws the surrogates of names from all listed names of the gender (`mixed`), or from
    those of the same frequency and origin (`same-stratum`). `times` is what becomes of times of
    day: `midnight`, the `hour`, the `order` within the patient's day, or `exact`.
    `shift_direction` moves dates into the `past` only or in `both` directions; `keep_season` moves
    them by whole years and some days. A release holds back what happened in its last
    `hold_back_days`. `visits` releases visits and what hangs on them as they are (`keep`), at the
    first of their month (`month`), or not at all (`drop`). `clinicians` keeps or drops the ids of
    clinicians and care sites, and their tables: who shares them links patients under any key.
    `id_bits` bounds the pseudonyms of ids.
    `columns` maps `table.column` of the output to a treatment that its rule allows.

    Settings that are None have the default of the surrogate algorithm's version: see `under`.
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
    birth_dates: Literal["shift", "month", "year", "jitter"] | None = None
    birth_jitter_months: int = 3
    old_births: Literal["shift", "year", "cap"] | None = None
    repeat_third_parties: float = 1.0
    names: Literal["mixed", "same-stratum"] | None = None
    times: Literal["midnight", "hour", "order", "exact"] | None = None
    shift_direction: Literal["past", "both"] | None = None
    keep_season: bool = False
    hold_back_days: int | None = None
    visits: Literal["keep", "month", "drop"] = "keep"
    clinicians: Literal["keep", "drop"] | None = None
    id_bits: Literal[31, 53, 63] | None = None
    algorithm: int | None = field(default=None, init=False)
    given_id: str = field(default="", init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.locale not in LANGUAGES:
            known = ", ".join(LANGUAGES)
            raise ConfigError("policy.locale", f"must be one of {known}", "choose one of them")
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
            value = getattr(self, name)
            if value not in known and not (value is None and name in _DEFAULTS):
                names = ", ".join(f'"{each}"' for each in known)
                raise ConfigError(f"policy.{name}", "unknown value", f"choose one of {names}")
        if self.hold_back_days is not None and not 0 <= self.hold_back_days <= _LONGEST_HOLD:
            raise ConfigError(
                "policy.hold_back_days",
                f"must be between 0 and {_LONGEST_HOLD}",
                "choose a number of days",
            )
        if self.keep_weekday and self.keep_season:
            raise ConfigError(
                "policy.keep_season",
                "cannot be combined with keep_weekday",
                "choose one of them",
            )
        if self.keep_season and self.shift_years[0] > self.shift_years[1]:
            raise ConfigError(
                "policy.keep_season",
                "there must be a whole year between min_shift_days and max_shift_days",
                "raise max_shift_days to 365 or more",
            )
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

    @property
    def drops_birth_days(self) -> bool:
        """Whether a birth date is written without the parts that are truncated."""
        is_cut = self.birth_dates in ("month", "year")
        return is_cut and self.algorithm is not None and self.algorithm > _FIRST

    @property
    def shift_years(self) -> tuple[int, int]:
        """The fewest and the most whole years of a shift that keeps the season."""
        least = max(1, -(-self.min_shift_days // _LONGEST_YEAR))
        return least, self.max_shift_days // _SHORTEST_YEAR

    def action(self, label: str) -> Action | None:
        """Return the action for a label; None where the policy does not list it."""
        return self.actions.get(label)

    def treatment(self, column: str) -> Treatment:
        """Return the treatment of an output column, `table.column`; unknown ones are dropped.

        Birth columns are dropped too where ages over the cap must be hidden, because a row does
        not say at which date its age counts, and so are the ids of visits, clinicians and care
        sites where the policy drops these.
        """
        rule = COLUMNS.get(column)
        is_dropped = (
            (self.old_births == "cap" and column in BIRTHS)
            or (self.visits == "drop" and column in VISIT_LINKS)
            or (self.clinicians == "drop" and column in STAFF_LINKS)
        )
        if rule is None or is_dropped:
            return Treatment.DROP
        return self.columns.get(column, rule.treatment)

    def under(self, algorithm: int) -> "Policy":
        """Return the policy with the defaults of a version of the surrogate algorithm.

        The id stays that of the settings as they were given. Raises ConfigError for a setting that
        the version does not have.
        """
        if self.algorithm is not None:
            if self.algorithm != algorithm:
                raise ValueError(f"the policy is that of version {self.algorithm}")
            return self
        if algorithm == _FIRST:
            self._refuse_new()
        defaults = _FIRST_DEFAULTS if algorithm == _FIRST else _DEFAULTS
        unset = {name: each for name, each in defaults.items() if getattr(self, name) is None}
        if unset.get("hold_back_days", 0) is None:
            # As many days as a shift can have: newer dates would rule out some shifts.
            more = _SEASON_DAYS if self.keep_season else 0
            unset["hold_back_days"] = self.max_shift_days + more
        resolved = replace(self, **unset)
        object.__setattr__(resolved, "algorithm", algorithm)
        object.__setattr__(resolved, "given_id", self._make_id(algorithm))
        return resolved

    def _refuse_new(self) -> None:
        if self.locale not in FIRST_LANGUAGES:
            raise ConfigError(
                "policy.locale",
                f"the cohort has version {_FIRST} of the surrogate algorithm, which draws in "
                f"{', '.join(FIRST_LANGUAGES)} only",
                "publish it whole under the newest version with --rebase, or choose one of them",
            )
        for name in (*_NEW, *(("old_births",) if self.old_births == "year" else ())):
            if getattr(self, name) not in (None, False):
                raise ConfigError(
                    f"policy.{name}",
                    f"the cohort has version {_FIRST} of the surrogate algorithm, which does not "
                    "have this setting",
                    "publish it whole under the newest version with --rebase, or remove the "
                    "setting",
                )

    @property
    def policy_id(self) -> str:
        """A short digest of the settings, which changes with any of them."""
        return self.given_id or self._make_id(_FIRST)

    def _make_id(self, algorithm: int) -> str:
        given = asdict(self)
        del given["algorithm"], given["given_id"]
        if algorithm == _FIRST:
            # Written out, the defaults of the first version always had the id of no setting.
            given |= {name: None for name in _BIRTH if given[name] == _FIRST_DEFAULTS[name]}
        settings = {
            name: value
            for name, value in given.items()
            # Settings added later count only where they differ from the default, so that the ids
            # of existing policies stay the same.
            if name in _FIRST_SETTINGS or value != _default(name)
        }
        canonical = json.dumps(settings, sort_keys=True)
        return hashlib.blake2b(canonical.encode(), digest_size=6).hexdigest()


_FIRST = 2
_FIRST_DEFAULTS: dict[str, Any] = {
    "birth_dates": "shift",
    "old_births": "shift",
    "names": "same-stratum",
    "times": "exact",
    "shift_direction": "both",
    "hold_back_days": 0,
    "id_bits": 63,
    "clinicians": "keep",
}
_DEFAULTS: dict[str, Any] = {
    "birth_dates": "month",
    "old_births": "year",
    "names": "mixed",
    "times": "midnight",
    "shift_direction": "past",
    "hold_back_days": None,
    "id_bits": 31,
    "clinicians": "drop",
}
# Settings that the first version has, too.
_BIRTH = ("birth_dates", "old_births")
# Settings that the first version does not have.
_NEW = ("names", "clinicians", "times", "shift_direction", "keep_season", "id_bits")
# A shift by whole years is up to so many days longer.
_SEASON_DAYS = 10
_LONGEST_HOLD = 3650
_SHORTEST_YEAR, _LONGEST_YEAR = 365, 366
_TABLE_DIGITS = 3
_CHOICES: dict[str, tuple[Any, ...]] = {
    "zip_table": ("none", "census-2010"),
    "keep_area": ("none", "country", "region", "department"),
    "date_precision": ("day", "month", "year"),
    "birth_dates": ("shift", "month", "year", "jitter"),
    "old_births": ("shift", "year", "cap"),
    "names": ("mixed", "same-stratum"),
    "times": ("midnight", "hour", "order", "exact"),
    "shift_direction": ("past", "both"),
    "visits": ("keep", "month", "drop"),
    "clinicians": ("keep", "drop"),
    "id_bits": (31, 53, 63),
}
_FIRST_SETTINGS = ("actions", "locale", "min_shift_days", "max_shift_days", "age_cap")


def _default(name: str) -> object:
    given = Policy.__dataclass_fields__[name]
    return given.default if given.default_factory is MISSING else given.default_factory()
