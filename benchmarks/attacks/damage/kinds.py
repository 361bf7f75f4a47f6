"""All kinds of damage."""

from benchmarks.attacks.damage.damage import Damage
from benchmarks.attacks.damage.date_kinds import DATE_KINDS
from benchmarks.attacks.damage.earlier_kinds import EARLIER_KINDS
from benchmarks.attacks.damage.number_kinds import NUMBER_KINDS
from benchmarks.attacks.damage.text_kinds import NAME_KINDS, TEXT_KINDS
from benchmarks.attacks.damage.unreadable_kinds import UNREADABLE_KINDS

DAMAGES: tuple[Damage, ...] = (
    *EARLIER_KINDS, *NAME_KINDS, *TEXT_KINDS, *NUMBER_KINDS, *DATE_KINDS, *UNREADABLE_KINDS,
)  # fmt: skip
