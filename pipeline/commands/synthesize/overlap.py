"""`cryptonym synthesize overlap`: what a pretrained model may have seen of a corpus already."""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from evaluation.attacks.overlap import likelihood, shared_runs, subject
from evaluation.gate import Measured
from pipeline.commands.options.extras import models_extra
from pipeline.commands.options.values import add_speech, positive
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.config.progress import Progress
from pipeline.files.gold import read_annotated
from pipeline.reports.console import Console
from record.atomic_write import write_atomically
from record.errors import ConfigError
from synthesis.markup import decode
from synthesis.prepared_corpus import digest as corpus_digest
from synthesis.prepared_corpus import load_corpus

if TYPE_CHECKING:
    from models.language.training.foundation_model import Floats, FoundationModel

DESCRIPTION = """\
Tells whether a pretrained model, before it is trained on a corpus, may have read its notes: what
private training promises, and scores on held-out notes, hold for none of these. With --text, runs
of 13 words of the notes are looked for in what the model learnt from. With --unseen, the model is
asked whether the notes are likelier to it than notes written after it was made, of the same kind
and de-identified alike; what else differs between the two shows as well. DIR gets overlap.json,
which `synthesize report` reads: it asks for it where a generator began with pretrained weights.
"""
EXAMPLES = """\
examples:
  cryptonym synthesize overlap gpt2-folder corpus --unseen new-notes.jsonl -o overlap
  cryptonym synthesize overlap gpt2-folder corpus --text web-*.jsonl books.txt -o overlap
  cryptonym synthesize report synthetic --measured screened/screen.json overlap/overlap.json \\
      -o report --key master.key

--text takes notes in any format that `evaluate` reads, and plain text (.txt), of any size.
"""

_OWNER_ONLY = 0o700
_PART = 2**20  # characters of a plain text at a time
_PLAIN = ".txt"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `synthesize overlap`."""
    add = parser.add_argument
    add("base", type=Path, metavar="BASE", help="causal language model in HuggingFace's format")
    add("corpus", type=Path, metavar="CORPUS", help="corpus written by `synthesize prepare`")
    add("-o", "--output", type=Path, required=True, metavar="DIR", help="new output folder")
    add(
        "--text", type=Path, nargs="+", default=[], metavar="FILE",
        help="training text of the model, or part of it",
    )  # fmt: skip
    add("--unseen", type=Path, metavar="NOTES", help="notes that the model cannot have seen")
    add(
        "--notes",
        type=positive,
        default=200,
        metavar="N",
        help=("number of notes of each kind that are tested (default 200)"),
    )
    add(
        "--seed",
        type=int,
        default=1,
        metavar="S",
        help=("random seed for the choice of notes (default 1)"),
    )
    add_speech(parser, json="print what was measured as JSON only")


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Look and ask; returns the exit code."""
    if not options.text and options.unseen is None:
        remedy = "give --text, what the model learnt from, or --unseen, notes newer than the model"
        raise ConfigError("--text, --unseen", "are both missing", remedy)
    if options.output.exists() and any(options.output.iterdir()):
        raise ConfigError(str(options.output), "is not empty", "name a new folder")
    with models_extra("synthesize overlap"):
        from models.language.training.gpt2_weights import digest
    data = subject(digest(options.base), corpus_digest(options.corpus))
    warnings: list[str] = []
    with console.progress() as progress:
        told = _measured(options, data, progress, warnings)
    for warning in warnings:
        console.warn(warning)
    options.output.mkdir(mode=_OWNER_ONLY, parents=True, exist_ok=True)
    path = options.output / "overlap.json"
    write_atomically(path, json.dumps(told, indent=1).encode("utf-8"))
    path.chmod(0o600)
    if options.json:
        sys.stdout.write(json.dumps(told, sort_keys=True) + "\n")
    for each in told["measured"]:
        console.say(
            f"{each['name']:<24}{each['value']:.4f} ({each['low']:.4f} to {each['high']:.4f}); "
            f"cannot leak {_number(each['null'])}, known leak {_number(each['control'])}"
        )
    if told["notes"]:
        console.say(f"{len(told['notes'])} notes share 13 words in a row; {path} has their ids")
    console.say(f"wrote {path}; give it to `synthesize report`")
    return EXIT_DONE


def _measured(
    options: argparse.Namespace, data: str, progress: Progress, warnings: list[str]
) -> dict[str, Any]:
    progress.phase("reading")
    corpus = load_corpus(options.corpus)
    held = [(split, note) for split, notes in corpus.notes.items() for note in notes]
    texts = [decode(note.marked)[0] for _, note in held]
    measured: list[Measured] = []
    shares: Sequence[float] = ()
    if options.text:
        progress.phase("looking")
        read = (text for path in options.text for text in _texts(path, warnings))
        try:
            found, shares = shared_runs(texts, [note.owner for _, note in held], read, data)
        except ValueError as error:
            raise ConfigError("--text", str(error), "give what the model learnt from") from None
        measured.append(found)
    if options.unseen is not None:
        measured.append(_asked(options, texts, data, progress, warnings))
    return {
        "format": 1,
        "data": data,
        "measured": [each.to_json() for each in measured],
        "notes": [
            {"note_id": note.note_id, "split": split, "share": round(share, 4)}
            for (split, note), share in zip(held, shares, strict=False)
            if share
        ],
    }


def _asked(
    options: argparse.Namespace,
    texts: Sequence[str],
    data: str,
    progress: Progress,
    warnings: list[str],
) -> Measured:
    from models.language.training.foundation_model import FoundationModel

    progress.phase("asking")
    unseen = [note.document.text for note in read_annotated(options.unseen, warnings)]
    asked, others = (_drawn(some, options) for some in (texts, unseen))
    base = _Watched(FoundationModel.of_folder(options.base), progress, len(asked) + len(others))
    try:
        return likelihood(base, asked, others, data, seed=options.seed)
    except ValueError as error:
        raise ConfigError("--unseen", str(error), "give a hundred notes and more") from None


class _Watched:
    """A model that tells how many texts it was asked about, and how often it read others."""

    def __init__(self, model: "FoundationModel", progress: Progress, planned: int) -> None:
        self._model, self._progress, self._planned, self._done = model, progress, planned, 0

    def log_probabilities(self, texts: Iterable[str]) -> "Iterator[Floats]":
        for told in self._model.log_probabilities(texts):
            self._done += 1
            self._progress.advance(self._done, max(self._done, self._planned))
            yield told

    def overfitted(self, texts: Sequence[str]) -> "_Watched":
        self._progress.phase("teaching")
        model = self._model.overfitted(texts, self._progress.advance)
        self._progress.phase("asking again")
        return _Watched(model, self._progress, self._planned)


def _drawn(texts: Sequence[str], options: argparse.Namespace) -> list[str]:
    """Choose notes that hold anything at all."""
    held = [text for text in texts if text.strip()]
    chance = Random(options.seed)  # noqa: S311 - what is drawn is no secret
    return chance.sample(held, min(options.notes, len(held)))


def _texts(path: Path, warnings: list[str]) -> Iterator[Iterator[str]]:
    """Read texts one by one, each in parts that end between words; raises ConfigError."""
    if path.suffix.lower() == _PLAIN and path.is_file():
        yield _parts(path)
        return
    for note in read_annotated(path, warnings):
        yield iter([note.document.text])


def _parts(path: Path) -> Iterator[str]:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            rest = ""
            while part := rest + file.read(_PART - len(rest)):
                end = 1 + max(part.rfind(" "), part.rfind("\n")) or len(part)
                rest = part[end:]
                yield part[:end]
    except OSError:
        raise ConfigError(str(path), "cannot be read", "give a text file") from None


def _number(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.4f}"
