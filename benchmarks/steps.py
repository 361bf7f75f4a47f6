"""Steps of a benchmark that are commands, done once."""

from pathlib import Path
from time import process_time

from pipeline.cli import main as cryptonym


def once(done: Path, name: str, *arguments: str, o: Path) -> None:
    """Run `cryptonym synthesize NAME` into a folder, unless `done` is there; say how long."""
    if not done.exists():
        began = process_time()
        run("synthesize", name, *arguments, "-o", str(o), "--plain")
        print(f"{o.name}: {process_time() - began:.0f} s of processor time", flush=True)


def run(*arguments: str) -> None:
    """Run a command; ends the benchmark where it fails."""
    code = cryptonym(list(arguments))
    if code:
        raise SystemExit(f"cryptonym {' '.join(arguments[:2])} ended with {code}")
