"""False alarms of the quality gate over simulated years, and faults detected in the first night.

    python -m benchmarks.night.quality [--years 10] [--seeds 1] [--others 1] [--fault-nights 20]

No note is made: nights of counts are drawn (`benchmarks.night.count_feeds`) and tested as the
nightly job tests its own. Prints Markdown.
"""

import argparse
import time
from collections import Counter
from collections.abc import Iterator

import numpy as np

from benchmarks.night.count_feeds import (
    FAULTS,
    CountBook,
    Fault,
    Feed,
    Hospital,
    Layout,
    make_layout,
)
from pipeline.quality.drift import DriftFinding, compare_last_night
from pipeline.quality.gate import compute_allowance

DAYS_A_QUARTER = 365.25 / 4
MIN_DAYS = 28

FEEDS = {
    "typical hospital": Feed(),
    "small: 150 notes per night": Feed(notes=150.0),
    "large: 15,000 notes per night": Feed(notes=15_000.0),
    "volatile: variation doubled": Feed(
        volume=0.24, of_night=0.08, of_label=0.10, of_site=0.10, drift=0.2
    ),
}


def main() -> None:
    options = _parse()
    plan = make_layout()
    print(f"{len(plan.series)} series in {plan.family.max() + 1} families\n")
    print("| feed | nights | quarters | expected at most | holds | holds per quarter | notices |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    started = time.process_time()
    for name, feed in FEEDS.items():
        nights = held = noticed = 0
        causes: Counter[str] = Counter()
        # The ordinary hospital is looked at for all of the years, the others for a part of them.
        years = options.years if feed == Feed() else options.years * options.others
        for seed in range(1, options.seeds + 1):
            for found in judge_nights(plan, feed, seed, round(years * 365.25)):
                nights += 1
                held += bool((found.is_alarm & ~plan.is_notice).any())
                noticed += bool((found.is_alarm & plan.is_notice).any())
                causes.update(np.array(plan.titles)[found.is_alarm])
        quarters = nights / DAYS_A_QUARTER
        print(
            f"| {name} | {nights} | {quarters:.1f} | {options.budget * quarters:.1f} | {held} |"
            f" {held / quarters:.3f} | {noticed} |",
            flush=True,
        )
        if options.causes:
            print(causes.most_common(12))
    print("\n| fault | feed | nights | detected in the first night | reason |")
    print("| --- | --- | ---: | ---: | ---: |")
    for fault, words in FAULTS.items():
        for name, feed in FEEDS.items():
            seen = named = 0
            for seed in range(options.fault_nights):
                reasons = first_night_reasons(plan, feed, 1000 + seed, fault)
                seen += bool(reasons)
                named += any(word in reason for reason in reasons for word in words)
            what = (fault.__doc__ or "").rstrip(".")
            print(f"| {what} | {name} | {options.fault_nights} | {seen} | {named} |", flush=True)
    print(f"\n{time.process_time() - started:.0f} CPU-seconds")


def judge_nights(plan: Layout, feed: Feed, seed: int, nights: int) -> Iterator[DriftFinding]:
    """Test one night after the other, once there are enough to learn from."""
    hospital, books = Hospital(feed, seed), CountBook(plan)
    for _ in range(nights + MIN_DAYS):
        books.add(*hospital.night())
        if books.nights > MIN_DAYS:
            yield _test(books)


def first_night_reasons(
    plan: Layout, feed: Feed, seed: int, fault: Fault, nights: int = 84
) -> list[str]:
    """Name what alarms in the first night of a fault, after this many sound ones."""
    hospital, books = Hospital(feed, seed), CountBook(plan)
    for _ in range(nights):
        books.add(*hospital.night())
    books.add(*hospital.night(fault))  # the 85th night is that of a Monday
    found = _test(books)
    return [plan.titles[k] for k in np.flatnonzero(found.is_alarm & ~plan.is_notice)]


def _test(books: CountBook) -> DriftFinding:
    plan = books.plan
    return compare_last_night(
        books.counts,
        books.bases,
        books.clusters(),
        plan.family,
        plan.least,
        compute_allowance(0.5),
    )


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--years", type=float, default=10.0)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument(
        "--others", type=float, default=1.0, help="share of the years for the other feeds"
    )
    parser.add_argument("--budget", type=float, default=0.5)
    parser.add_argument("--fault-nights", type=int, default=20)
    parser.add_argument("--causes", action="store_true", help="print the series that raised alarms")
    return parser.parse_args()


if __name__ == "__main__":
    main()
