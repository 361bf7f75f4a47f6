"""A night of a large site, simulated from measured costs: time, price, and what breaks first.

    python -m benchmarks.scale [--costs FILE] [--nodes 1,2,...] [--full]
    python -m benchmarks.scale --measure URL [--save FILE] [--notes 2000]

130 million notes, of which 2 million are new or changed and found by the source's own dates;
`--full` compares all 130 million, as one night of several does. `--measure` takes the costs on this
machine instead, with databases that it makes on a PostgreSQL server here and drops again, and
compares the simulation with nights of one and two worker processes, by the wall. What it saves are
seconds of the processor. Prints Markdown.
"""

import argparse
import tempfile
from dataclasses import replace
from pathlib import Path

from benchmarks.night.nightly import new_database
from benchmarks.scale.costs import MEASURED, Costs, load_costs
from benchmarks.scale.measurement import PROCESSOR, WALL, measure_costs, prepare, run_workers
from benchmarks.scale.simulation import Site, simulate

NOTES, CHANGED = 130_000_000, 2_000_000
NODES = "1,2,5,10,20,50,100,200"


def main() -> None:
    options = _parse()
    if options.measure:
        print(measure(options.measure, options.notes, options.per_unit, options.save))
        return
    costs = load_costs(options.costs)
    site = Site(1, compared=NOTES if options.full else CHANGED, changed=CHANGED)
    print(f"Costs: {costs.about}\n")
    print("| nodes | workers | hours | of them driver | price | highest load | others above 1 |")
    print("| ---: | ---: | ---: | ---: | ---: | --- | --- |")
    for nodes in map(int, options.nodes.split(",")):
        print(describe(replace(site, nodes=nodes), costs))


def describe(site: Site, costs: Costs) -> str:
    """Return a row of the table: one simulated night."""
    night = simulate(site, costs)
    first = night.breaks_first
    others = [
        f"{name} {load:.2f}" for name, load in night.loads.items() if load > 1 and name != first
    ]
    return (
        f"| {site.nodes} | {site.workers} | {night.seconds / 3600:.2f} | "
        f"{(night.planning + night.publishing) / 3600:.2f} | {night.price:.2f} | "
        f"{first} {night.loads[first]:.2f} | {', '.join(others) or '-'} |"
    )


def measure(url: str, notes: int, per_unit: int, save: Path | None) -> str:
    """Measure costs and nights; return the errors of the simulation as Markdown."""
    lines = ["| workers | measured s | simulated s | error |", "| ---: | ---: | ---: | ---: |"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        count = prepare(folder, notes, 1_000)
        if save:
            with new_database(url, "costs") as state:
                measure_costs(folder, state, count, per_unit, PROCESSOR).save(save)
        with new_database(url, "wall") as state:
            costs = measure_costs(folder, state, count, per_unit, WALL)
        for workers in (1, 2):
            with new_database(url, f"workers_{workers}") as state:
                measured = run_workers(folder, state, workers, per_unit)
            site = Site(1, workers, compared=count, changed=count)
            simulated = simulate(site, costs).working
            error = simulated / measured - 1
            lines.append(f"| {workers} | {measured:.1f} | {simulated:.1f} | {error:+.0%} |")
    return "\n".join(lines)


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--costs", type=Path, default=MEASURED)
    parser.add_argument("--nodes", default=NODES, help=f"default: {NODES}")
    parser.add_argument("--full", action="store_true", help="compare all notes")
    parser.add_argument("--measure", metavar="URL", help="a PostgreSQL server")
    parser.add_argument("--save", type=Path, help="where measured costs go")
    parser.add_argument("--notes", type=int, default=2_000)
    parser.add_argument("--per-unit", type=int, default=50)
    return parser.parse_args()


if __name__ == "__main__":
    main()
