"""How many notes and persons may be withdrawn without a decision."""

import pytest

from pipeline.config.settings import QualitySettings
from pipeline.quality.gate import describe_alarm
from pipeline.quality.withdrawal_limit import WithdrawalCounts, compute_limit, find_excesses


@pytest.mark.parametrize(
    ("total", "limit"),
    [(0, 30), (1, 30), (30, 29), (600, 30), (620, 31), (10_000, 500), (10**7, 500_000)],
)
def test_the_limit_is_a_share_with_a_floor(total: int, limit: int) -> None:
    assert compute_limit(total, QualitySettings()) == limit


@pytest.mark.parametrize(
    ("counts", "held"),
    [
        (WithdrawalCounts(30, 31, 30, 31), []),
        (WithdrawalCounts(30, 30, 30, 30), ["withdrawn notes", "withdrawn persons"]),
        (WithdrawalCounts(31, 31, 8, 9), ["withdrawn notes"]),
        (WithdrawalCounts(500, 10_000, 31, 620), []),
        (WithdrawalCounts(501, 10_000, 32, 620), ["withdrawn notes", "withdrawn persons"]),
        (WithdrawalCounts(400, 10_000, 40, 600), ["withdrawn persons"]),
    ],
)
def test_either_of_notes_and_persons_holds(counts: WithdrawalCounts, held: list[str]) -> None:
    excesses = find_excesses(counts, QualitySettings())
    assert [alarm.title for alarm in excesses] == held
    assert all(alarm.holds for alarm in excesses)


def test_all_of_an_output_is_held_however_small() -> None:
    def held(notes: int, total: int, **settings: float) -> bool:
        counts = WithdrawalCounts(notes, total)
        return bool(find_excesses(counts, QualitySettings(**settings)))  # type: ignore[arg-type]

    assert held(14, 14)
    assert not held(13, 14)
    assert not held(4, 4)
    assert not held(14, 14, max_withdrawn_share=1.0)


def test_a_share_of_one_switches_it_off() -> None:
    counts = WithdrawalCounts(10_000, 10_000, 500, 500)
    assert find_excesses(counts, QualitySettings(max_withdrawn_share=1.0)) == ()
    (notes, persons) = find_excesses(counts, QualitySettings(min_withdrawn=0))
    assert describe_alarm(notes) == (
        "withdrawn notes: 10,000 of 10,000 in the output; more than 500 need a decision"
    )
    assert persons.high == 25
