"""CPU time of rules on adversarial texts: by rule, by family, and of the shared scan.

    python -m benchmarks.detection.hostile [--characters 1000000] [--units 12,dr]

A text is one unit again and again: digits, separators, and what sets rules off. A rule is one
expression with what it captures; the scan that finds where expressions may match is one for all
of them. A family is given the whole of it: expressions, and what is made of two hundred thousand
finds. Everything runs on one core. Prints Markdown: each unit's slowest rule and family.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from functools import partial

from pipeline.notes.detection import FAMILIES
from record.document import Document
from rules.matching.language_identification import stretches
from rules.matching.normalized_document import cased_once, fold_once
from rules.matching.scanner import AUTOMATA, Pattern, forget_scans

UNITS = (
    *("7", " ", "\n", ", ", "a", "A", ".", "-", "[", "((", "é", "aaaa ", "A-A-A-", "1 ", "12/"),
    *("1/1/", "12.03.", "a@", "@ ", "a.", "www.", "a.com/", "::", "01 42 ", "+33 ", "(0)", "2-2-"),
    *("4111 ", "fr76 ", "n° ", "ipp:", "tel : au ", "poste ", "12 mars ", "du 12 au ", "age "),
    *("vingt ", "dix-sept ", "née le ", "patient ", "M. M. ", "A. ", "O1/", "rue de la "),
    *("12mar", "ipp: 8012345678 ", "Dr ", "Jean ", "RN A ", "CHU de ", "Hospital ", "75012 P "),
)


def main() -> None:
    options = _parse()
    units = options.units.split(",") if options.units else UNITS
    measure("12 mars 2024 Dr Martin", options.characters)  # what is made once is made here
    print(f"{options.characters:,} characters, CPU seconds on one core\n")
    print("| unit | language | scan | slowest rule | slowest family |")
    print("| --- | ---: | ---: | ---: | --- |")
    for unit in units:
        row = measure(unit, options.characters)
        print(f"| `{unit.replace(chr(10), chr(92) + 'n')}` | {' | '.join(row)} |", flush=True)


def measure(unit: str, characters: int) -> Sequence[str]:
    """Return for one unit the seconds of each column; nothing is kept of it, as in the job."""
    text = (unit * (characters // len(unit) + 1))[:characters]
    rules_scan = _seconds(lambda: stretches(text))
    readings = [fold_once(text), cased_once(text)]
    pairs = list(zip(AUTOMATA, readings, strict=True))
    scan = _seconds(lambda: [automaton.scan(reading) for automaton, reading in pairs])
    rules = [
        _seconds(partial(_count_matches, pattern, reading))
        for automaton, reading in pairs
        for pattern in automaton.patterns
    ]
    families = {
        family.__module__.removeprefix("rules."): _seconds(
            partial(family, Document("", text, lang="fr"))
        )
        for family in FAMILIES
    }
    forget_scans()
    worst = max(families, key=lambda name: families[name])
    return (
        f"{rules_scan:.2f}",
        f"{scan:.2f}",
        f"{max(rules):.2f}",
        f"{worst} {families[worst]:.2f}",
    )


def _count_matches(pattern: Pattern, text: str) -> int:
    return sum(1 for _ in pattern.finditer(text))


def _seconds(run: Callable[[], object]) -> float:
    started = time.process_time()
    run()
    return time.process_time() - started


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.detection.hostile")
    parser.add_argument(
        "--characters", type=int, default=1_000_000, help="characters per text (default 1000000)"
    )
    parser.add_argument("--units", default="", help="comma-separated units to repeat; default: all")
    return parser.parse_args()


if __name__ == "__main__":
    main()
