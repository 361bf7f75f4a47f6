"""`cryptonym share attack`: what a shared file gives away to whoever has the representer."""

import argparse
import json
import os
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluation.gate import Axis, Measured
from pipeline.commands.options.extras import models_extra
from pipeline.commands.options.values import add_speech, positive
from pipeline.commands.share.site_notes import add_notes, read_site
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.config.progress import Progress
from pipeline.reports.console import Console
from record.atomic_write import write_atomically
from record.errors import ConfigError

if TYPE_CHECKING:
    from evaluation.attacks.sharing import AttackedRelease
    from models.private.embeddings import Embeddings
    from models.private.pseudonymization import Pseudonymizer
    from models.private.sentences import Sentence
    from models.private.serialization import RepresenterBundle
    from pipeline.sharing.encoding import Site
    from pipeline.sharing.vectors import Manifest

DESCRIPTION = """\
Attacks a file of shared vectors, inside, as somebody would who has the file, the representer, and
notes of their own: reads words off a look-up table and by a trained network, chooses between a
sentence and its twin with another name, averages several encodings, looks for known sentences, lays
sights of one name over each other, and lets the representer's adversaries go on learning. Each
number stands beside that of vectors that cannot give anything away, and of vectors that hide
nothing. DIR gets attack.json, which `share report` reads.
"""
EXAMPLES = """\
examples:
  cryptonym share attack site-a --notes ours.jsonl --representer representer -o attacked
  cryptonym share report site-a --measured attacked/attack.json -o report --key master.key

The notes are those that were encoded, read with the same options. Half of them at most are
attacked; the others are what the attacker has.
"""

# Sentences that adversaries go on learning from. In short ones an identifier is more of the whole.
_MOST_PAIRS, _SHORT = 300, 20


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `share attack`."""
    add = parser.add_argument
    add("shared", type=Path, metavar="SHARED", help="folder written by `share encode`")
    add_notes(parser)
    add(
        "--representer",
        type=Path,
        required=True,
        metavar="REPRESENTER",
        help=("representer that encoded SHARED"),
    )
    add(
        "--inside",
        type=Path,
        metavar="INSIDE",
        help=("folder that stays at the site (default SHARED.inside)"),
    )
    add("-o", "--output", type=Path, required=True, metavar="DIR", help="output folder")
    add(
        "--sentences", type=positive, default=2_000, metavar="N",
        help="maximum number of sentences attacked (default 2000)",
    )  # fmt: skip
    add(
        "--neighbours", type=positive, metavar="N",
        help="number of candidate words for a twin (default: as in the representer's training)",
    )  # fmt: skip
    add(
        "--lang",
        nargs="+",
        default=[],
        metavar="CODE",
        help=("languages whose stop words are kept, as in the representer's training"),
    )
    add("--seeds", type=positive, default=3, metavar="N", help="number of repetitions (default 3)")
    add(
        "--seed",
        type=int,
        default=1,
        metavar="S",
        help=("random seed for the choice of notes (default 1)"),
    )
    add_speech(parser, json="print what was measured as JSON only")


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Attack; returns the exit code."""
    with models_extra("share attack"):
        from pipeline.sharing.encoding import kit_of
        from pipeline.sharing.vectors import read_manifest
    if options.seeds < 2:
        raise ConfigError("--seeds", "is too few to bound anything", "give at least 2")
    manifest = read_manifest(options.shared)
    kit = kit_of(manifest, options.representer)
    warnings: list[str] = []
    with console.progress() as progress:
        progress.phase("reading")
        site = read_site(options, warnings)
        measured = _attack(site, manifest, kit, options, progress)
    for warning in warnings:
        console.warn(warning)
    told = {
        "format": 1,
        "data": manifest.vectors_sha256,
        "neighbours": options.neighbours or manifest.neighbours,
        "measured": [each.to_json() for each in measured],
    }
    options.output.mkdir(parents=True, exist_ok=True)
    write_atomically(options.output / "attack.json", json.dumps(told, indent=1).encode("utf-8"))
    if options.json:
        sys.stdout.write(json.dumps(told, sort_keys=True) + "\n")
    console.say(f"{'attack':<22}{'right':>8}{'95 % interval':>20}{'cannot leak':>14}{'leaks':>8}")
    for each in measured:
        console.say(_line(each))
    console.say(f"wrote {options.output / 'attack.json'}; give it to `share report`")
    return EXIT_DONE


def _attack(
    site: "Site",
    manifest: "Manifest",
    kit: "RepresenterBundle",
    options: argparse.Namespace,
    progress: Progress,
) -> list[Measured]:
    from evaluation.attacks.adversary import any_attack, frozen_adversary
    from evaluation.attacks.sharing import measure
    from models.private.pseudonymization import Pseudonymizer
    from models.private.sentence_pairs import SentencePairs
    from models.private.stop_words import stop_words

    data, neighbours = manifest.vectors_sha256, options.neighbours or manifest.neighbours
    replacing = Pseudonymizer(kit.embeddings, neighbours, stop_words(options.lang))
    drawn = range(options.seed, options.seed + options.seeds)
    subject = _subject(site, manifest, kit, replacing, options)

    def tell(what: str) -> Any:
        return lambda done, planned: progress.phase(f"{what}: {done} of {planned}")

    progress.phase("attacking")
    measured = [_text(site, manifest, options.shared)]
    measured += measure(subject, drawn, data, advance=tell("attacks"))
    named = sorted((each for each in subject.sentences if any(each.phi)), key=len)
    every = SentencePairs(named, kit.embeddings, replacing)
    measured += any_attack(kit, every, drawn, data, noise=manifest.noise)
    short = [each for each in named if len(each) <= _SHORT] or named
    pairs = SentencePairs(short[-_MOST_PAIRS:], kit.embeddings, replacing)
    return measured + frozen_adversary(
        kit, pairs, drawn, data, noise=manifest.noise, advance=tell("adversaries")
    )


def _subject(
    site: "Site",
    manifest: "Manifest",
    kit: "RepresenterBundle",
    replacing: "Pseudonymizer",
    options: argparse.Namespace,
) -> "AttackedRelease":
    """Part the notes in those that are attacked and those that the attacker has."""
    from evaluation.attacks.sharing import MOST_WORDS, AttackedRelease
    from models.training_loop import make_generator
    from pipeline.sharing.encoding import read_order
    from pipeline.sharing.vectors import read_shared

    inside = options.inside or options.shared.with_name(f"{options.shared.name}.inside")
    order = read_order(inside, site, manifest)
    row_of = {number: row for row, number in enumerate(order)}
    rows = read_shared(options.shared)[1]
    attacked, own = _parted(site, options.sentences, options.seed)
    every = site.sentences
    words = _words([every[number] for number in [*attacked, *own]], kit.embeddings)[:MOST_WORDS]

    def encode(sentences: Sequence["Sentence"], seed: int) -> Any:
        return kit.encode(sentences, make_generator("attack", seed), manifest.noise)

    def plain(sentences: Sequence["Sentence"], seed: int) -> Any:
        return [kit.embeddings.vectors(sentence.tokens) for sentence in sentences]

    return AttackedRelease(
        sentences=[every[number] for number in attacked],
        shared=[rows[row_of[number]].vectors for number in attacked],
        own=[every[number] for number in own],
        encode=encode,
        plain=plain,
        replacing=replacing,
        words=words,
        matrix=kit.embeddings.vectors(words),
    )


def _parted(site: "Site", most: int, seed: int) -> tuple[list[int], list[int]]:
    """Draw notes until there are enough sentences to attack, and as many that the attacker has.

    Returns the numbers of their sentences. Raises ConfigError where there is but one note.
    """
    starts, total = [], 0
    for note in site.notes:
        starts.append(total)
        total += len(note)
    numbers = list(range(len(site.notes)))
    random.Random(seed).shuffle(numbers)  # noqa: S311 - what is drawn is no secret
    wanted = min(most, total // 2)
    parts: list[list[int]] = [[], []]
    for number in numbers:
        part = parts[0] if len(parts[0]) < wanted else parts[1]
        if len(part) < wanted:
            part += range(starts[number], starts[number] + len(site.notes[number]))
    if not all(parts):
        raise ConfigError("--notes", "are too few to attack", "give more notes")
    return parts[0][:most], parts[1][:most]


def _words(sentences: Sequence["Sentence"], embeddings: "Embeddings") -> list[str]:
    """Return the known words of sentences, those that identify somebody first."""
    found: dict[str, None] = {}
    for wanted in (True, False):
        for sentence in sentences:
            for token, hidden in zip(sentence.tokens, sentence.phi, strict=True):
                if hidden is wanted and embeddings.knows(token):
                    found.setdefault(token.casefold())
    return list(found)


def _text(site: "Site", manifest: "Manifest", shared: Path) -> Measured:
    """Measure the share of the notes' words that stand in the bytes of the file."""
    from pipeline.sharing.encoding import words_shared
    from pipeline.sharing.leak_check import SHORTEST, words_in
    from pipeline.sharing.vectors import VECTORS

    # In folded case: a word that is written in two ways is one.
    words = {word.casefold() for word in site.words() if word.isalpha() and len(word) >= SHORTEST}
    every = max(1, len(words))
    value = len({word.casefold() for word in words_shared(shared, site, manifest)}) / every
    null = len(words_in(os.urandom((shared / VECTORS).stat().st_size), words)) / every
    control = len(words_in(" ".join(words).encode(), words)) / every
    return Measured(
        "words-in-file", Axis.PRIVACY, value, value, value, manifest.vectors_sha256,
        null=null, control=control, detail={"words": len(words)},
    )  # fmt: skip


def _line(each: Measured) -> str:
    null, control = (
        "-" if number is None else f"{number:.3f}" for number in (each.null, each.control)
    )
    interval = f"{each.low:.3f} to {each.high:.3f}"
    return f"{each.name:<22}{each.value:>8.3f}{interval:>20}{null:>14}{control:>8}"
