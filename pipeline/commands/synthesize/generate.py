"""`cryptonym synthesize generate`: synthetic notes with their entities."""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pipeline.commands.options.engine import add_batch_engine, choose_batch_work
from pipeline.commands.options.extras import models_extra
from pipeline.commands.options.values import add_batch_work, positive
from pipeline.commands.synthesize.batch_output import print_manifest
from pipeline.files.word_lists import load_words
from pipeline.reports.console import Console

DESCRIPTION = """\
Generates synthetic notes with a model that `synthesize train` made. Each note is requested by a
kind and a number of entities of each label, both taken from held-out notes, as are its first words.
Identifiers are not the model's: each note gets a made-up person, whose surrogates are well formed.
DIR gets notes.jsonl and a manifest. Rerun the same command to resume an interrupted run, with the
same result. With Apache Beam options, such as --runner, the work is done on that runner (Flink,
Spark and Dataflow were never tried), with --engine spark as tasks of Spark; all workers must see
the folders.
"""
EXAMPLES = """\
examples:
  cryptonym synthesize generate generator corpus -o synthetic --notes 1000
  cryptonym synthesize generate generator corpus -o synthetic --notes 1000 --method sample
  cryptonym synthesize generate generator corpus -o beams --notes 100 --method beam --no-repeat 3
  cryptonym synthesize generate generator corpus -o free --notes 1000 --tags asked --candidates 4

A file for --shares has lines such as  PHONE = 0.2 ; labels of entities are then drawn from these
shares. With --tags asked the model may deviate from the request, so that no entity is written
without its tag only because no more were requested; with --candidates, which brings the number of
entities close to the request, taggers learn more from such notes. Synthetic notes must be screened
before they are released.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `synthesize generate`."""
    add = parser.add_argument
    add("model", type=Path, metavar="MODEL", help="folder written by `synthesize train`")
    add("corpus", type=Path, metavar="CORPUS", help="corpus written by `synthesize prepare`")
    add("-o", "--output", type=Path, required=True, metavar="DIR", help="new output folder")
    amount = parser.add_mutually_exclusive_group(required=True)
    amount.add_argument("--notes", type=positive, metavar="N", help="number of notes")
    amount.add_argument("--words", type=positive, metavar="N", help="minimum number of words")
    add("--seed", type=int, default=1, metavar="S", help="random seed (default 1)")
    add(
        "--tags", choices=("enforced", "asked"), default="enforced",
        help="treatment of the requested entities: enforced (default) writes exactly these, where "
        "there is room; asked lets the model deviate",
    )  # fmt: skip
    add(
        "--identifiers", choices=("surrogates", "model"), default="surrogates",
        help="text of identifiers: surrogates (default) of a made-up person, in forms of the "
        "corpus; or what the model writes, for comparison",
    )  # fmt: skip
    add(
        "--candidates", type=positive, default=1, metavar="K",
        help="oversampling factor, for --tags asked: K times as many notes are written, and those "
        "that together match the request best are kept (default 1)",
    )  # fmt: skip
    add(
        "--ending", choices=("sentence", "free"), default="sentence",
        help="end of a note: sentence (default) ends it after the sentence in which the requested "
        "length is reached; free leaves it to the model",
    )  # fmt: skip
    add(
        "--unmasked", action="store_true",
        help="decoding without constraints on tags, for comparison",
    )  # fmt: skip
    add(
        "--requests", type=Path, metavar="FOLDER",
        help="prepared corpus of public notes to take requests and forms of identifiers from, for "
        "a model that had it as --vocabulary-text (default: those of CORPUS, without privacy)",
    )  # fmt: skip
    add(
        "--shares", type=Path, metavar="FILE.toml",
        help="distribution of labels (default: that of the corpus)",
    )  # fmt: skip
    _add_decoding(parser)
    add_batch_work(parser, "notes", by_tokens=True)
    add_batch_engine(parser)


def _add_decoding(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("decoding").add_argument
    add(
        "--method", default="nucleus", metavar="M",
        help="decoding method: nucleus (default), sample, top-k, greedy or beam",
    )  # fmt: skip
    add(
        "--temperature", type=float, default=1.0, metavar="T",
        help="sampling temperature (default 1)",
    )  # fmt: skip
    add(
        "--top-p", type=float, default=0.95, metavar="P",
        help="probability mass for nucleus sampling (default 0.95)",
    )  # fmt: skip
    add(
        "--top-k", type=int, default=50, metavar="K",
        help="number of candidates for top-k sampling (default 50)",
    )  # fmt: skip
    add("--beams", type=int, default=5, metavar="N", help="number of beams (default 5)")
    add(
        "--min-length", type=int, default=50, metavar="N",
        help="minimum length of a note in tokens (default 50)",
    )  # fmt: skip
    add(
        "--max-length", type=int, default=400, metavar="N",
        help="maximum length of a note in tokens (default 400)",
    )  # fmt: skip
    add(
        "--no-repeat", type=int, default=0, metavar="N",
        help="length of n-grams that must not repeat (default 0: no limit)",
    )  # fmt: skip
    add(
        "--known-words", metavar="FILE|LANG",
        help="list of the only words of more than three letters that notes may have outside of "
        "identifiers, beside those in the notes of at least five patients: a file with one word a "
        "line, or the code of a language of the package wordfreq (default: any word)",
    )  # fmt: skip


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Write the notes; returns the exit code."""
    with models_extra("synthesize generate"):
        from models.language.decoding.generation import Decoding
        from pipeline.beam.generation import work
        from pipeline.synthetic.note_generation import (
            begin_generation,
            check_candidates,
            generate_notes,
            read_label_shares,
        )
        from synthesis.generation_files import Generation

    chosen = choose_batch_work(options, rest, work, console.warn)
    decoding = Decoding(
        method=options.method,
        temperature=options.temperature,
        top_p=options.top_p,
        top_k=options.top_k,
        beams=options.beams,
        min_length=options.min_length,
        max_length=options.max_length,
        no_repeat=options.no_repeat,
        masked=not options.unmasked,
        enforced=options.tags == "enforced",
        rounded=options.ending == "sentence",
    )
    check_candidates(options.candidates, decoding, options.words)
    generation = Generation(
        model=options.model.absolute(),
        corpus=options.corpus.absolute(),
        out=options.output.absolute(),
        count=(options.notes or options.batch) * options.candidates,
        seed=options.seed,
        batch=options.batch,
        decoding=decoding,
        shares=read_label_shares(options.shares) if options.shares else None,
        words=options.words,
        chosen=options.notes if options.candidates > 1 else None,
        has_surrogates=options.identifiers == "surrogates",
        requests=options.requests.absolute() if options.requests else None,
        known_words=_name_words(options),
        batch_tokens=options.batch_tokens,
    )
    for warning in begin_generation(generation):
        console.warn(warning)
    with console.progress() as progress:
        manifest = generate_notes(generation, chosen.work, rest, chosen.workers, progress)
    return print_manifest(manifest, _summarize(manifest), options, console)


def _name_words(options: argparse.Namespace) -> str | None:
    """Return the absolute path or the language of the known words; raises ConfigError."""
    if options.known_words is None:
        return None
    load_words(options.known_words, "--known-words")
    path = Path(options.known_words)
    return str(path.absolute()) if path.is_file() else str(options.known_words)


def _summarize(manifest: Mapping[str, Any]) -> list[str]:
    tags = manifest["tags"]
    return [
        f"{manifest['notes']} notes, {manifest['words']} words, {manifest['ids']} tokens; "
        f"{manifest['words_per_second']:.0f} words/s, {manifest['ids_per_second']:.0f} tokens/s; "
        f"{manifest['dropped']} notes without entities left out",
        f"tags: {100 * manifest['well_formed']:.2f} % well formed; Jensen-Shannon distance to the "
        f"requested labels {tags['distance']:.4f}; {100 * manifest['as_requested']:.1f} % of notes "
        "exactly as requested",
        f"notes that reached the maximum length: {100 * manifest['cut']:.1f} %, half a sentence "
        f"removed: {100 * manifest['trimmed']:.1f} %; entities moved to the end for lack of room: "
        f"{100 * manifest['hurried']:.1f} %; fewer entities than requested: "
        f"{100 * manifest['thinned']:.1f} %; distinct {100 * manifest['distinct']:.1f} %",
    ]
