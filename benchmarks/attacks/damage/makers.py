"""Makers of kinds of damage, which let what happens to written text happen to a date."""

from benchmarks.attacks.damage.damage import DATES, Apply, Damage
from benchmarks.attacks.damage.dates import on_date


def new_kind(
    name: str, applies_to: frozenset[str], group: str, apply: Apply, why: str, load: str = "light"
) -> Damage:
    """Make a readable kind of damage of written text that was not known from an earlier test."""
    return Damage(name, applies_to, on_date(apply), True, why, group=group, load=load)


def earlier_kind(
    name: str, applies_to: frozenset[str], group: str, apply: Apply, why: str, load: str = "light"
) -> Damage:
    """Make a readable kind of damage of written text that was known from an earlier test."""
    damaged = on_date(apply)
    return Damage(name, applies_to, damaged, True, why, new=False, group=group, load=load)


def date_kind(
    name: str, group: str, apply: Apply, why: str, *, new: bool = True, load: str = "light"
) -> Damage:
    """Make a readable kind of damage that writes a date itself."""
    return Damage(name, DATES, apply, True, why, on_text=False, new=new, group=group, load=load)


def unreadable(name: str, applies_to: frozenset[str], apply: Apply, why: str) -> Damage:
    """Make a kind of damage after which no human recognizes the value."""
    return Damage(name, applies_to, on_date(apply), False, why, group="unreadable", load="heavy")
