"""What a patient's newest date tells of their date shift, with and without a hold-back.

    python -m benchmarks.attacks.newest_dates [--patients 300] [--seed 1]

Patients are simulated: follow-ups that begin and end at different times, visits at random times,
some of several days. An observer knows the policy's bounds and until when a release holds data, or
sees each night what is new. A shift stays possible where no date would be later than that. Two
ways of holding back are compared: by true dates, and by released ones, which leaves out what is
dated later than the end of the release less the days. Prints Markdown.
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from statistics import mean, median

from record.policy import Policy
from surrogates.keys.keys import MasterKey
from surrogates.patient.date_shift import shift_days

HOLDS = (0, 30, 90, 365)
YEARS = 3 * 365
# Rows appear up to so many days after what they are about.
DELAY = 3
Observer = Callable[["Scheme", "Patient", int], int]


@dataclass(frozen=True, slots=True)
class Scheme:
    """A direction of shifts, and days that are held back by true or by released dates."""

    name: str
    policy: Policy
    algorithm: int
    held: int
    is_by_released: bool = False

    @property
    def shifts(self) -> Sequence[int]:
        """All shifts that the policy's bounds allow."""
        least, most = self.policy.min_shift_days, self.policy.max_shift_days
        back = list(range(-most, -least + 1))
        if self.policy.under(self.algorithm).shift_direction == "past":
            return back
        return back + list(range(least, most + 1))

    def latest(self, shift: int) -> int:
        """Return the latest true day of a release, counted from its end, under a shift."""
        return -self.held - shift if self.is_by_released else -self.held


@dataclass(frozen=True, slots=True)
class Patient:
    """The true days of a patient's visits, counted from the end of the release, and when rows come.

    A row of a day comes `delays` days later.
    """

    days: list[int] = field(repr=False)
    delays: list[int] = field(repr=False)


def main() -> None:
    options = _parse()
    patients = simulate(options.patients, Random(options.seed))
    print(
        f"{options.patients} patients; narrowed: some shifts are ruled out; left: median of those\n"
    )
    observers = {
        "knows the end of the release": watch_end,
        "and the hold-back": watch_hold_back,
        "sees every night": watch_nights,
    }
    heads = " | ".join(f"{name}: narrowed | left" for name in observers)
    print(f"| shifts | held back | newest days missing | {heads} |")
    print("| --- | --- | ---: |" + " ---: | ---: |" * len(observers))
    for scheme in schemes():
        shifts = draw(scheme, len(patients))
        cells = [_hold(scheme), f"{mean(map(scheme_cost(scheme), shifts)):.0f}"]
        for observe in observers.values():
            left = [observe(scheme, *one) for one in zip(patients, shifts, strict=True)]
            narrowed = [count for count in left if count < len(scheme.shifts)]
            rest = f"{median(narrowed):g} of {len(scheme.shifts)}" if narrowed else "-"
            cells += [str(len(narrowed)), rest]
        print(f"| {scheme.name} | " + " | ".join(cells) + " |", flush=True)


def schemes() -> list[Scheme]:
    """Return what is compared: both directions (version 2), the past, two ways to hold back."""
    found = [Scheme("both directions", Policy(), 2, held) for held in HOLDS]
    found += [Scheme("past", Policy(), 3, held) for held in HOLDS]
    return found + [Scheme("past", Policy(), 3, held, True) for held in HOLDS[1:]]


def _hold(scheme: Scheme) -> str:
    if not scheme.held:
        return "nothing"
    return f"{scheme.held} days by {'released' if scheme.is_by_released else 'true'} date"


def scheme_cost(scheme: Scheme) -> Callable[[int], int]:
    """Return how many of a patient's newest days a release lacks under a shift."""
    return lambda shift: max(0, -scheme.latest(shift))


def draw(scheme: Scheme, size: int) -> list[int]:
    """Draw the shift of each patient as the engine does."""
    cohort = MasterKey(bytes(range(32))).cohort("newest", algorithm=scheme.algorithm)
    return [shift_days(cohort.patient(str(person)), scheme.policy) for person in range(size)]


def simulate(size: int, random: Random) -> list[Patient]:
    """Simulate follow-ups within three years: their length, rate and length of visits vary."""
    patients: list[Patient] = []
    while len(patients) < size:
        day = random.uniform(-YEARS, 0)
        end = day + random.expovariate(1 / 500)
        rate = random.gammavariate(1.5, 3) / 365
        days = []
        while day < min(end, 0):
            stay = random.choice((1, 1, 1, 2, 4, 7))
            days += [int(day) + more for more in range(stay) if int(day) + more <= 0]
            day += stay + random.expovariate(rate)
        if days:
            days.sort()
            patients.append(Patient(days, [random.randint(0, DELAY) for _ in days]))
    return patients


def watch_end(scheme: Scheme, patient: Patient, shift: int) -> int:
    """Count the shifts for who knows only when the release ends."""
    return _count(scheme, patient, shift, lambda _: 0)


def watch_hold_back(scheme: Scheme, patient: Patient, shift: int) -> int:
    """Count the shifts for who also knows how many days are held back, and how."""
    return _count(scheme, patient, shift, lambda other: min(0, scheme.latest(other)))


def _count(scheme: Scheme, patient: Patient, shift: int, latest: Callable[[int], int]) -> int:
    """Count the shifts under which the newest released day has a true one that is not too late."""
    known = [day for day in patient.days if day <= min(0, scheme.latest(shift))]
    if not known:
        return len(scheme.shifts)
    newest = max(known) + shift
    return sum(newest - other <= latest(other) for other in scheme.shifts)


def watch_nights(scheme: Scheme, patient: Patient, shift: int) -> int:
    """Count the shifts for who sees each night which days are new, and knows the hold-back."""
    possible = set(scheme.shifts)
    for day, delay in zip(patient.days, patient.delays, strict=True):
        night, released = _night(scheme, day, delay, shift), day + shift
        if night <= 0:
            possible = {
                other
                for other in possible
                if any(
                    _night(scheme, released - other, late, other) == night
                    for late in range(DELAY + 1)
                )
            }
    return len(possible)


def _night(scheme: Scheme, day: int, delay: int, shift: int) -> int:
    """Return the night in which a day is released under a shift."""
    held = day + scheme.held + (shift if scheme.is_by_released else 0)
    return max(day + delay, held)


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--patients", type=int, default=300, help="patients (default 300)")
    parser.add_argument("--seed", type=int, default=1, help="random seed (default 1)")
    return parser.parse_args()


if __name__ == "__main__":
    main()
