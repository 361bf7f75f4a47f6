"""Learning curve of a tagger over the number of annotated notes, alone and with rules.

    python -m benchmarks.detection.learning_curve TRAIN DEV SCORED -o FOLDER --max-minutes 10
    python -m benchmarks.detection.learning_curve TRAIN DEV SCORED -o FOLDER --leave-out imaging
        surgery

TRAIN is what is learnt from, DEV what weights are selected by, SCORED what is scored: three
different sets of notes in any format of `cryptonym evaluate`. With one seed a smaller training
set is part of each larger one. `--leave-out` trains on all notes, and on all but those of one
kind (`note_type`) at a time, and scores the notes of that kind. What stands behind `--` goes to
`cryptonym train`. Each training is written to FOLDER once: run again to go on or to add seeds.

`redacted` and notes without a leak do not look at labels, so the rules' own labels do not matter.
"""

import argparse
import json
import random
import statistics
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path

from scipy.stats import ttest_ind

from benchmarks.detection.curves import CurveLine, draw_curves
from benchmarks.synthesis.steps import split_arguments
from evaluation.detection.alignment import pair_annotations
from evaluation.detection.scores import score_pairs
from pipeline.files.gold import read_annotated
from pipeline.files.jsonl import dump_line, spans_to_json
from record.document import Annotated

SIZES = (10, 30, 100, 250, 500)
WAYS = {"model": "model", "hybrid": "rules,model", "rules": "rules"}
COLORS = {"model": "#2f6f9f", "hybrid": "#1d7a46", "rules": "#8a5a00"}
ALL = "all"


@dataclass(frozen=True)
class Point:
    """What one training scored: `case` is a size, or `all` or `without KIND` scored on KIND."""

    case: str
    scored: str
    way: str
    seed: int
    notes: int
    redacted: float
    zero_leak: float
    token_f1: float
    strict_f1: float


@dataclass(frozen=True)
class Case:
    """What to train on, under a name, and the kinds of notes to score."""

    name: str
    train: Sequence[Annotated]
    kinds: Sequence[str] = ("",)


def main() -> None:
    own, more = split_arguments(sys.argv[1:])
    options = _parser().parse_args(own)
    train, dev, scored = (_read(getattr(options, name)) for name in ("train", "dev", "scored"))
    options.output.mkdir(parents=True, exist_ok=True)
    points: list[Point] = []
    if options.max_minutes:
        more = ["--max-minutes", str(options.max_minutes), *more]
    for seed in range(1, options.seeds + 1):
        for case in cases(train, options.sizes, options.leave_out, seed):
            folder = options.output / f"{case.name.replace(' ', '-')}-{seed}"
            found = _points(case, folder, (dev, scored), seed, more, options.ways)
            print(f"seed {seed}\n{table(found)}", flush=True)
            points += found
    print("\n" + table(points))
    if options.leave_out:
        print("\n" + ablation(points, options.leave_out))
    else:
        (options.output / "curve.svg").write_text(draw_redaction(points), encoding="utf-8")
        print(f"\nwrote {options.output / 'curve.svg'}")


def cases(
    train: Sequence[Annotated], sizes: Sequence[int], kinds: Sequence[str], seed: int
) -> list[Case]:
    """Return the training sets of one seed; sizes beyond the notes there are count once."""
    shuffled = list(train)
    random.Random(seed).shuffle(shuffled)
    if not kinds:
        fitting = sorted({min(size, len(shuffled)) for size in sizes})
        return [Case(str(size), shuffled[:size]) for size in fitting]
    rest = {
        kind: [note for note in shuffled if note.document.kind != kind] for kind in sorted(kinds)
    }
    found = [Case(ALL, shuffled, tuple(rest))]
    return found + [Case(f"without {kind}", notes, (kind,)) for kind, notes in rest.items()]


def table(points: Sequence[Point]) -> str:
    """Return means over seeds, with the standard deviation, one row a case and way."""
    lines = [f"{'trained on':<22}{'scored':<14}{'way':<8}{'seeds':>6}{'redacted':>18}"]
    lines[0] += f"{'no leak':>18}{'token F1':>18}{'strict F1':>18}"
    groups = list(dict.fromkeys((point.case, point.scored, point.way) for point in points))
    for group in groups:
        rows = [p for p in points if (p.case, p.scored, p.way) == group]
        cells = "".join(
            f"{_spread([getattr(row, name) for row in rows]):>18}"
            for name in ("redacted", "zero_leak", "token_f1", "strict_f1")
        )
        lines.append(f"{group[0]:<22}{group[1]:<14}{group[2]:<8}{len(rows):>6}{cells}")
    return "\n".join(lines)


def ablation(points: Sequence[Point], kinds: Iterable[str]) -> str:
    """Compare each kind included and left out, Student's t over seeds."""
    lines = []
    for kind, name in product(sorted(kinds), ("redacted", "zero_leak", "token_f1")):
        without, included = (
            [getattr(p, name) for p in points if (p.case, p.scored, p.way) == (case, kind, "model")]
            for case in (f"without {kind}", ALL)
        )
        line = f"{kind:<14}{name:<10}{_spread(without):>18} -> {_spread(included)}"
        if min(len(without), len(included)) > 1:
            line += f"  p = {ttest_ind(without, included).pvalue:.3f}"
        lines.append(line)
    return "\n".join(lines)


def draw_redaction(points: Sequence[Point]) -> str:
    """Draw redaction over the number of notes, one line for each way."""
    sizes = sorted({point.notes for point in points})
    lines = []
    for way, color in COLORS.items():
        found = [
            (size, [p.redacted for p in points if (p.notes, p.way) == (size, way)])
            for size in sizes
        ]
        if all(held for _, held in found):
            lines.append(
                CurveLine(way, color, [(size, statistics.fmean(held)) for size, held in found])
            )
    return draw_curves(
        lines, "Share of identifiers redacted by number of training notes", "training notes"
    )


def _points(
    case: Case,
    folder: Path,
    notes: tuple[Sequence[Annotated], Sequence[Annotated]],
    seed: int,
    more: Sequence[str],
    ways: Iterable[str],
) -> list[Point]:
    kept = folder / "points.json"
    if kept.exists():
        return [Point(**point) for point in json.loads(kept.read_text(encoding="utf-8"))]
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / f"{name}.jsonl" for name in ("train", "dev", "scored")]
    for path, held in zip(files, (case.train, *notes), strict=True):
        path.write_text("".join(_line(note) for note in held), encoding="utf-8")
    train, dev, scored = map(str, files)
    tagger = str(folder / "tagger")
    done = folder / "trained"  # a finished training is not begun again, an interrupted one goes on
    if not done.exists():
        _run("train", "--train", train, "--dev", dev, "-o", tagger, "--seed", str(seed), *more)
        done.touch()
    points = []
    for way in ways:
        detectors = WAYS[way]
        found = folder / f"{way}.jsonl"
        model = ["--model", tagger] if "model" in detectors else []
        _run("detect", scored, "-o", str(found), "--detectors", detectors, *model)
        points += _scored(case, way, seed, (notes[1], _read(found)))
    kept.write_text(json.dumps([asdict(point) for point in points], indent=1), encoding="utf-8")
    return points


def _scored(
    case: Case, way: str, seed: int, notes: tuple[Sequence[Annotated], Sequence[Annotated]]
) -> list[Point]:
    pairs = pair_annotations(*notes).pairs
    points = []
    for kind in case.kinds:
        chosen = [each for each in pairs if not kind or each.kind == kind]
        if not chosen:
            raise SystemExit(f"no note in SCORED is of kind {kind}")
        found = score_pairs(chosen, resamples=1)
        shares = found["redacted"], found["fully_redacted"]["rate"]
        f1 = found["token"]["f1"], found["strict"]["f1"]
        points.append(Point(case.name, kind or ALL, way, seed, len(case.train), *shares, *f1))
    return points


def _run(*arguments: str) -> None:
    command = [sys.executable, "-m", "pipeline.cli", *arguments, "--plain"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(
            f"cryptonym {arguments[0]} exited with status {done.returncode}:\n{done.stderr}"
        )


def _read(path: Path) -> list[Annotated]:
    return list(read_annotated(path, []))


def _line(note: Annotated) -> str:
    document = note.document
    record = {"note_id": document.note_id, "text": document.text, "lang": document.lang}
    return (
        dump_line({**record, "note_type": document.kind, "spans": spans_to_json(note.spans)}) + "\n"
    )


def _spread(values: Sequence[float]) -> str:
    if not values:
        return "none"
    deviation = statistics.stdev(values) if len(values) > 1 else 0.0
    return f"{statistics.fmean(values):.4f} ± {deviation:.4f}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("train", "dev", "scored"):
        parser.add_argument(name, type=Path, metavar=name.upper())
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, metavar="N")
    parser.add_argument(
        "--seeds", type=int, default=3, metavar="N", help="number of seeds (default 3)"
    )
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=tuple(WAYS))
    parser.add_argument("--leave-out", nargs="+", default=(), metavar="KIND")
    parser.add_argument("--max-minutes", type=float, metavar="M", help="time limit per training")
    return parser


if __name__ == "__main__":
    main()
