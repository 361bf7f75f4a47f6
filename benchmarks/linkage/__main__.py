"""Linkage of two cohorts of the same patients by what their releases show, for each policy.

    python -m benchmarks.linkage [--patients 300 5000] [--lang fr] [--seed 1]
        [--attacker own outside]

Both cohorts hold the same fictional patients under keys of their own; all identifiers are known and
replaced. An attacker names for each patient of the first release one of the second. The share of
right guesses stands beside its 95 % interval (Wilson 1927), for demographics alone (sex, birth) and
with one more kind of evidence each. What adds nothing leaves the figure within the interval of
demographics alone. `names` can be taken apart: `surrogates` is what was drawn for each name,
`mentions` the pattern in which names recur (it is text, whatever stands for a name). A dash stands
where an attacker does not know a kind of evidence. Prints Markdown.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from scipy.stats import binomtest

from benchmarks.linkage.likelihood import LikelihoodAttack
from benchmarks.linkage.outside_matching import OutsideAttack
from benchmarks.linkage.releases import Pair, make_pair
from record.policy import Policy
from synthesis.fictional.hospital import make_hospital


class Attack(Protocol):
    """An attack on a pair of releases, by kinds of evidence."""

    @property
    def kinds(self) -> Sequence[str]:
        """The kinds of evidence that it can be told to use."""
        ...

    def link(self, use: Sequence[str]) -> dict[int, int]:
        """Guess for each person of the first release which one of the second it is."""
        ...


ATTACKERS: dict[str, Callable[[Pair, Pair], Attack]] = {
    "own": LikelihoodAttack,
    "outside": OutsideAttack,
}
BASE = "demographics"
ARMS: tuple[tuple[str, ...], ...] = (
    (BASE,),
    *((BASE, more) for more in ("names", "times", "ids", "order")),
    (BASE, "surrogates"),
    (BASE, "mentions"),
    (BASE, "mentions", "surrogates"),
    (BASE, "names", "times", "ids", "order"),
    (BASE, "visits"),
)
SETTINGS: tuple[tuple[str, int, dict[str, Any]], ...] = (
    ("version 2", 2, {}),
    ("version 3", 3, {}),
    ("names = same-stratum", 3, {"names": "same-stratum"}),
    ("times = hour", 3, {"times": "hour"}),
    ("times = order", 3, {"times": "order"}),
    ("times = exact", 3, {"times": "exact"}),
    ("birth_dates = shift", 3, {"birth_dates": "shift"}),
    ("keep_weekday", 3, {"keep_weekday": True}),
    ("keep_season", 3, {"keep_season": True}),
    ("date_precision = month", 3, {"date_precision": "month"}),
    ("visits = month", 3, {"visits": "month"}),
    ("visits = drop", 3, {"visits": "drop"}),
    ("clinicians = keep", 3, {"clinicians": "keep"}),
)
_TRAINED = 300
_OTHER_SEED = 1000


def main() -> None:
    options = _parse()
    for patients in options.patients:
        for attacker in options.attacker:
            print(f"\n{patients} patients, attacker: {attacker}\n")
            heads = [" + ".join(arm) for arm in _arms(options)]
            print("| policy | " + " | ".join(heads) + " |")
            print("| --- |" + " ---: |" * len(heads))
            for line in _rows(options, patients, ATTACKERS[attacker]):
                print(line, flush=True)


def _rows(
    options: argparse.Namespace, patients: int, attack: Callable[[Pair, Pair], Attack]
) -> Iterator[str]:
    hospital = make_hospital(patients, seed=options.seed, lang=options.lang)
    own = make_hospital(min(patients, _TRAINED), seed=options.seed + _OTHER_SEED, lang=options.lang)
    for name, algorithm, settings in SETTINGS:
        if options.only and name not in options.only:
            continue
        policy = Policy(locale=options.lang, **settings)
        pair = make_pair(hospital, policy, algorithm)
        trained = make_pair(own, policy, algorithm, ("own", "other"))
        attacked = attack(pair, trained)
        cells = [_cell(attacked, arm, pair) for arm in _arms(options)]
        yield f"| {name} | " + " | ".join(cells) + " |"


def _cell(attack: Attack, arm: Sequence[str], pair: Pair) -> str:
    return score(attack.link(arm), pair) if set(arm) <= set(attack.kinds) else "-"


def _arms(options: argparse.Namespace) -> list[tuple[str, ...]]:
    return [arm for arm in ARMS if not options.arms or " + ".join(arm) in options.arms]


def score(guesses: dict[int, int], pair: Pair) -> str:
    """Return the number of right guesses, their share and its interval."""
    hits = sum(guesses.get(person) == other for person, other in pair.truth.items())
    bounds = binomtest(hits, len(pair.truth)).proportion_ci(method="wilson")
    return f"{hits} ({hits / len(pair.truth):.1%}, {bounds.low:.1%} to {bounds.high:.1%})"


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--patients", type=int, nargs="+", default=[300, 5000])
    parser.add_argument("--lang", default="fr")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--attacker", nargs="+", choices=ATTACKERS, default=list(ATTACKERS))
    parser.add_argument("--only", nargs="*", help="names of settings (default: all)")
    parser.add_argument("--arms", nargs="*", help="kinds of evidence, as in the heads of the table")
    return parser.parse_args()


if __name__ == "__main__":
    main()
