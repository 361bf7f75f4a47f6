"""From a source that nothing was ever read from to a night with a tagger of its own, by commands.

    python -m benchmarks.night.first_corpus [--patients 12] [--per-kind 12] [--minutes 3]

The demo hospital before its first night: `corpus sample` writes notes for two annotators. By this
script the first of them leaves what detection had marked, and the second differs in planted places.
`corpus read` must print that agreement and list those places, each as planted, and refuse to write
a corpus before a third has decided; then `corpus table`, `train` with its defaults for the minutes
given, and `run` with that tagger. What is not as planted ends this program with exit code 1.
Prints Markdown.
"""

import argparse
import io
import json
import os
import random
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from benchmarks.night.upgrade import TrialFailed, require
from models.tagger.shipped_model import digest
from pipeline.audit.formats import FORMATS, READ
from pipeline.audit.review import split_at_line_breaks
from pipeline.cli import main as call_command
from pipeline.config.exit_codes import EXIT_DONE, EXIT_USAGE
from pipeline.config.progress import Progress
from pipeline.files.brat import read_brat
from pipeline.night.demo import DemoOptions, make_demo
from record.document import Annotated
from record.span import Span

KINDS = ("missing", "label", "border", "border and label")
PLANTED_OF_EACH = 4
SEED = 7


@dataclass
class Planted:
    """What the second annotator does otherwise: places by note, start and end."""

    places: dict[tuple[str, int, int], str] = field(default_factory=dict)
    spans: int = 0

    def expected(self) -> dict[str, int]:
        """Return the exact spans of both passes and of either alone."""
        changed = len(self.places)
        missing = sum(kind == "missing" for kind in self.places.values())
        return {
            "both": self.spans - changed,
            "first_only": changed,
            "second_only": changed - missing,
        }


@dataclass
class Trial:
    """The commands so far; `rows` are those of the table."""

    folder: Path
    rows: list[tuple[str, float, str]] = field(default_factory=list)

    @property
    def config(self) -> Path:
        return self.folder / "demo" / "nightly.toml"

    def call(self, told: str, *words: object, code: int = EXIT_DONE) -> tuple[str, str]:
        """Call a command, add it to the table, and return its output and its errors."""
        out, err = io.StringIO(), io.StringIO()
        started = time.monotonic()
        with redirect_stdout(out), redirect_stderr(err):
            ended = call_command([*map(str, words), "--plain"])
        said = err.getvalue()
        require(ended == code, f"{words[0]}: exit code {ended}\n{said[-2000:]}")
        self.rows.append((told, time.monotonic() - started, ""))
        return out.getvalue(), said

    def ask(self, told: str, *words: object) -> dict[str, Any]:
        """Call a command with --json, and return what it prints."""
        answer: dict[str, Any] = json.loads(self.call(told, *words, "--json")[0])
        return answer

    def conclude(self, what: str) -> None:
        """Say what came of the last command."""
        told, seconds, _ = self.rows[-1]
        self.rows[-1] = told, seconds, what


def main() -> None:
    options = _parse()
    with tempfile.TemporaryDirectory() as folder:
        trial = Trial(Path(folder))
        try:
            run_trial(trial, options)
        except TrialFailed as failed:
            print(f"failed: {failed}", file=sys.stderr)
            raise SystemExit(1) from None
        finally:
            print("| command | seconds | what |\n| --- | ---: | --- |")
            for told, seconds, what in trial.rows:
                print(f"| {told} | {seconds:.0f} | {what} |")


def run_trial(trial: Trial, options: argparse.Namespace) -> None:
    """Go from the sample to the first night. Raises TrialFailed."""
    make_demo(DemoOptions(trial.folder / "demo", options.patients), Progress())
    with closing(sqlite3.connect(trial.config.with_name("hospital.db"))) as db, db:
        db.execute("delete from note where note_text = ''")  # documents take longer to read
    sample, corpus, tagger = (trial.folder / name for name in ("sample", "corpus", "tagger"))
    drawing = ("--per-kind", options.per_kind, "--format", "brat", "--passes", 2)
    before = {path.name for path in trial.config.parent.iterdir()}
    drawn = trial.ask("corpus sample", "corpus", "sample", trial.config, *drawing, "-o", sample)
    require({path.name for path in trial.config.parent.iterdir()} == before, "a sample left files")
    first, second = sample / "first", sample / "second"
    planted = annotate(first, second)
    notes = len(list(first.glob("*.ann")))
    trial.conclude(f"{notes} notes, refused {sum(drawn['refused'].values())}")

    reading = ("corpus", "read", trial.config, first, second)
    found = trial.ask("corpus read", *reading, "--mismatches", trial.folder / "open")
    exact = found["agreement"]["exact"]
    require(
        {name: exact[name] for name in planted.expected()} == planted.expected(),
        f"agreement {exact}, planted {planted.expected()}",
    )
    lines = (trial.folder / "open" / "mismatches.jsonl").read_text("utf-8").split("\n")
    listed = {
        (each["note_id"], *_extent(each["first"])): each["kind"]
        for each in map(json.loads, filter(None, lines))
    }
    require(listed == planted.places, f"listed {listed}, planted {planted.places}")
    trial.conclude(
        f"exact F1 {exact['f1']:.4f}, both {exact['both']}, first alone {exact['first_only']}, "
        f"second alone {exact['second_only']}; {len(listed)} mismatches listed, all as planted"
    )

    _, said = trial.call("corpus read -o, nothing decided", *reading, "-o", corpus, code=EXIT_USAGE)
    require("the passes still differ" in said and not corpus.exists(), said)
    trial.conclude("exit code 2, nothing written")
    of_first = FORMATS["brat"].read(first)
    opened = {name for name, *_ in planted.places}
    mark_as_read(trial.folder / "open", (n for n in of_first if n.document.note_id in opened))
    deciding = ("--adjudicated", trial.folder / "open", "-o", corpus)
    splits = trial.ask("corpus read --adjudicated", *reading, *deciding)["notes"]
    require(all(splits.values()) and sum(splits.values()) == notes, f"splits {splits}")
    require(count_spans(corpus) == planted.spans, "the corpus has other spans than the first pass")
    trial.conclude(_list(splits))
    table = trial.ask("corpus table", "corpus", "table", corpus)
    require(sum(each["spans"] for each in table["splits"].values()) == planted.spans, "table")
    trial.conclude(f"{planted.spans} spans")

    files = ("--train", corpus / "train.jsonl", "--dev", corpus / "dev.jsonl", "-o", tagger)
    minutes = ("--max-minutes", options.minutes)
    scores = trial.ask("train", "train", *files, *minutes)
    trial.conclude(f"on dev F1 {scores['f1']:.3f}, notes without a leak {scores['zero_leak']:.2f}")
    written = trial.config.read_text("utf-8")
    trial.config.write_text(written.replace('folder = "default"', 'folder = "../tagger"'), "utf-8")
    night = trial.ask("run", "run", trial.config, "--workers", 1)
    require(night["notes"]["released"] > 0 and not night["unaccounted"], f"{night['notes']}")
    require(any(digest(tagger)[:12] in line for line in night["detection"]), "another tagger")
    trial.conclude(_list(night["notes"]))


def annotate(first: Path, second: Path) -> Planted:
    """Mark all notes as read in both passes, and let the second differ in planted places.

    They are family names, at most one of a note, so that each is a mismatch of its own.
    """
    planted, draw = Planted(), random.Random(SEED)
    waiting = [kind for kind in KINDS for _ in range(PLANTED_OF_EACH)]
    draw.shuffle(waiting)
    read, changed = [], []
    for note in read_brat(first, []):
        spans = split_at_line_breaks(note.spans, note.document.text)
        planted.spans += len(spans)
        read.append(replace(note, spans=spans))
        whole = next(_find_apart(spans), None)
        if whole is not None and waiting:
            kind = waiting.pop()
            planted.places[note.document.note_id, whole.start, whole.end] = kind
            others = [span for span in spans if span != whole]
            spans = tuple(sorted([*others, *_change(whole, kind)]))
        changed.append(replace(note, spans=spans))
    require(not waiting, f"the sample is too small to plant {', '.join(waiting)}")
    for folder, notes in ((first, read), (second, changed)):
        mark_as_read(folder, notes)
    return planted


def mark_as_read(folder: Path, notes: Iterable[Annotated]) -> None:
    """Write the notes of a pass with the mark of their reader."""
    mark = Span(0, 1, READ)
    FORMATS["brat"].write(folder, [replace(each, spans=(*each.spans, mark)) for each in notes])


def _find_apart(spans: Sequence[Span]) -> Iterator[Span]:
    for span in spans:
        others = (each for each in spans if each != span)
        is_long = span.end - span.start > len("Roux")
        if span.label == "LAST_NAME" and is_long and not any(map(span.overlaps, others)):
            yield span


def _change(span: Span, kind: str) -> list[Span]:
    shorter, other = replace(span, end=span.end - 2), replace(span, label="OTHER")
    return {
        "missing": [],
        "label": [other],
        "border": [shorter],
        "border and label": [replace(shorter, label="OTHER")],
    }[kind]


def count_spans(corpus: Path) -> int:
    """Return how many spans the splits of a corpus have."""
    lines = (line for path in corpus.glob("*.jsonl") for line in path.open(encoding="utf-8"))
    return sum(len(json.loads(line)["spans"]) for line in lines)


def _extent(spans: list[list[Any]]) -> tuple[int, int]:
    ((start, end, _),) = spans
    return start, end


def _list(counts: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--patients", type=int, default=12)
    parser.add_argument("--per-kind", type=int, default=12, help="notes of each kind")
    parser.add_argument("--minutes", type=float, default=3.0, help="of training")
    return parser.parse_args()


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "2")
    main()
