"""A kind of damage, and the sorts of known values that one can happen to."""

import random
from collections.abc import Callable
from dataclasses import dataclass

Apply = Callable[[str, random.Random], str]
WordEdit = Callable[[str, random.Random], str]


@dataclass(frozen=True, slots=True)
class Damage:
    """One kind of damage, or two kinds one after the other.

    It happens to the sorts of values in `applies_to` ("name", "number", "date"); `apply` returns
    the value unchanged where it cannot be damaged so. `readable` is set where a human still
    recognizes the value, and `why` says where such damage comes from, or why nobody does.
    `on_text` is set where it takes any written text, a date that is already written too, and
    `new` where the kind was not known from an earlier test. Two kinds of one `group` are not
    composed, letter edits excepted. The `load` on a reader is "light", "edit" (a sign is wrong or
    lost) or "heavy" (laborious to read).
    """

    name: str
    applies_to: frozenset[str]
    apply: Apply
    readable: bool
    why: str
    on_text: bool = True
    new: bool = True
    group: str = "edit"
    load: str = "light"


NAMES, NUMBERS, DATES = frozenset({"name"}), frozenset({"number"}), frozenset({"date"})
NOT_DATES, NOT_NUMBERS, NOT_NAMES = NAMES | NUMBERS, NAMES | DATES, NUMBERS | DATES
ALL = NAMES | NUMBERS | DATES
