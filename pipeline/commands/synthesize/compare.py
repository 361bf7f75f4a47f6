"""`cryptonym synthesize compare`: synthetic letters beside the letters they were made from."""

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from evaluation.attacks.reidentification import (
    BytePairVocabulary,
    Remade,
    Replaced,
    direct,
    identifiers_kept,
    linked,
    reidentification,
)
from evaluation.detection.alignment import pair
from evaluation.detection.masking_agreement import masker
from evaluation.gate import Measured
from evaluation.utility.readability import formulas_of
from evaluation.utility.resemblance import Refilled, Vectors, reading_ease, resemblance
from models.tagger.shipped_model import SHIPPED
from pipeline.commands.options.extras import models_extra
from pipeline.commands.options.values import add_speech
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.config.progress import Progress
from pipeline.config.signing import sum_of
from pipeline.files.gold import read_annotated, read_label_map
from pipeline.reports.console import Console
from pipeline.synthetic.filled_letters import read_filled
from record.atomic_write import write_atomically
from record.document import Annotated
from record.errors import ConfigError
from record.span import Span
from synthesis.generation_files import NOTES, read_generated
from synthesis.masked_letters import FOLDER_FORMAT, load_letters
from synthesis.masking import MaskedDocument

DESCRIPTION = """\
Compares synthetic letters with the letters that were masked for them: how much they resemble them
(ROUGE, features, reading ease and, with an encoder, BERTScore), and what of the identifiers came
back, whole, in part or anywhere. Each number is given beside what chance gives and what copies
give. With letters that people annotated, the masker is scored as well. DIR gets compare.json, which
`synthesize report` reads; it holds numbers alone.
"""
EXAMPLES = """\
examples:
  cryptonym synthesize compare filled masked -o compared
  cryptonym synthesize compare filled masked -o compared --gold annotated.jsonl --encoder e5-small
  cryptonym synthesize report filled --measured compared/compare.json utility/utility.json \\
      -o report --key master.key

Letters of --gold have the note_id and the very text that the masked letters have; a sample will do.
"""


@dataclass(frozen=True)
class _Comparison:
    """A synthetic letter with the masked one that it was made of."""

    source: MaskedDocument
    made: Annotated

    @property
    def person(self) -> str:
        document = self.source.document
        return document.person_id or f"note {document.note_id}"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `synthesize compare`."""
    add = parser.add_argument
    add("filled", type=Path, metavar="FILLED", help="folder written by `synthesize fill`")
    add(
        "masked",
        type=Path,
        metavar="MASKED",
        help=("folder with the masked letters it was filled from"),
    )
    add("-o", "--output", type=Path, required=True, metavar="DIR", help="output folder")
    add(
        "--gold", type=Path, metavar="GOLD",
        help="letters annotated by hand, to score the masking",
    )  # fmt: skip
    add("--label-map", type=Path, metavar="M.toml", help="TOML file that renames labels of GOLD")
    add(
        "--encoder", metavar="NAME|DIR",
        help=("encoder for BERTScore: e5-small from an installed package, or a folder with a "
              "HuggingFace encoder; nothing is downloaded"),
    )  # fmt: skip
    add("--lang", metavar="L", help="language of all letters, overriding theirs: en, es or fr")
    add(
        "--seed",
        type=int,
        default=1,
        metavar="S",
        help=("random seed of the base rates (default 1)"),
    )
    add_speech(parser, json="print what was measured as JSON only")


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Compare; returns the exit code."""
    with models_extra("synthesize compare"):
        from models.tagger.encoders.subword_tokenizer import SubwordTokenizer
        from models.tagger.serialization import VOCABULARY
    if options.lang:
        formulas_of(options.lang)
    manifest = read_generated(options.filled)
    if manifest.get("masked_sha256") != FOLDER_FORMAT.digest(options.masked):
        problem = "is not what these letters were filled from"
        raise ConfigError(str(options.masked), problem, "give the folder that `fill` was given")
    masked = load_letters(options.masked).letters
    data = sum_of(options.filled / NOTES)
    subwords = SubwordTokenizer.load(SHIPPED / VOCABULARY)

    def pieces(value: str) -> list[int]:
        return [piece for word in subwords.of(value)[1] for piece in word]

    with console.progress() as progress:
        progress.phase("reading")
        letters = list(_read(options, masked))
        vectors = _vectors(options.encoder, _texts(letters))
        measured = [
            *_gold(options, masked, data),
            *_privacy(letters, pieces, data, options.seed),
            *_resemblance(letters, data, vectors, progress),
        ]
    told = {"format": 1, "data": data, "measured": [each.to_json() for each in measured]}
    options.output.mkdir(parents=True, exist_ok=True)
    write_atomically(options.output / "compare.json", json.dumps(told, indent=1).encode("utf-8"))
    if options.json:
        sys.stdout.write(json.dumps(told, sort_keys=True) + "\n")
    for line in _lines(measured):
        console.say(line)
    wrote = options.output / "compare.json"
    console.say(f"{len(letters)} letters; wrote {wrote}; give it to `synthesize report`")
    return EXIT_DONE


def _read(options: argparse.Namespace, masked: Sequence[MaskedDocument]) -> Iterator[_Comparison]:
    """Read the letters, each with the masked one that it names."""
    for each in read_filled(options.filled / NOTES):
        if each.letter >= len(masked):
            where = f"note {each.annotated.document.note_id}"
            raise ConfigError(where, "is made of no masked letter", "fill the letters again")
        source = masked[each.letter]
        if options.lang:
            source = replace(source, document=replace(source.document, lang=options.lang))
        yield _Comparison(source, each.annotated)


def _texts(letters: Iterable[_Comparison]) -> Iterator[str]:
    for each in letters:
        yield from (each.source.document.text, each.made.document.text)


def _gold(
    options: argparse.Namespace, masked: Sequence[MaskedDocument], data: str
) -> list[Measured]:
    """Score the masker on annotated letters, where there are any."""
    if options.gold is None:
        return []
    labels = read_label_map(options.label_map) if options.label_map else None
    found = {each.document.note_id: each for each in masked}
    gold = [g for g in read_annotated(options.gold, []) if g.document.note_id in found]
    if not gold:
        problem = "has none of the letters that were masked"
        raise ConfigError(str(options.gold), problem, "annotate some of them, under their note_id")
    hidden = [
        Annotated(letter.document, tuple(letter.identifiers))
        for letter in (found[each.document.note_id] for each in gold)
    ]
    pairs = pair(gold, hidden, labels).pairs
    return masker(
        (replace(each, person_id=found[each.note_id].document.person_id) for each in pairs), data
    )


def _privacy(
    letters: Sequence[_Comparison], pieces: BytePairVocabulary, data: str, seed: int
) -> list[Measured]:
    replaced = [each for letter in letters for each in _replaced(letter)]
    remade = [
        Remade(
            each.source.document.text, each.made.document.text,
            [(span.label, value) for span, value in _values(each.source)], each.person,
        )
        for each in letters
    ]  # fmt: skip
    return [
        *reidentification(replaced, pieces, data, seed=seed),
        *reidentification(direct(replaced), pieces, data, prefix="direct-", seed=seed),
        *identifiers_kept(remade, data),
        linked(remade, data),
    ]


def _replaced(letter: _Comparison) -> Iterator[Replaced]:
    """Pair identifiers with what stands for them, label by label in their order.

    A label of which nothing is left was taken out without a word for it.
    """
    stand_ins: defaultdict[str, list[str]] = defaultdict(list)
    text = letter.made.document.text
    for span in sorted(letter.made.spans):
        stand_ins[span.label].append(text[span.start : span.end])
    originals: defaultdict[str, list[str]] = defaultdict(list)
    for span, value in _values(letter.source):
        originals[span.label].append(value)
    for label, values in originals.items():
        others = stand_ins.get(label) or [""] * len(values)
        if len(others) != len(values):
            where = f"note {letter.made.document.note_id}"
            problem = f"has {len(others)} {label} for {len(values)} of its source"
            raise ConfigError(where, problem, "fill the letters again")
        for value, other in zip(values, others, strict=True):
            yield Replaced(label, value, other, letter.person)


def _values(masked: MaskedDocument) -> Iterable[tuple[Span, str]]:
    text = masked.document.text
    return ((span, text[span.start : span.end]) for span in masked.identifiers)


def _resemblance(
    letters: Sequence[_Comparison], data: str, vectors: Vectors | None, progress: Progress
) -> list[Measured]:
    by_source: dict[str, list[_Comparison]] = {}
    for each in letters:
        by_source.setdefault(each.source.document.note_id, []).append(each)
    progress.phase("comparing")
    refilled = [
        Refilled(
            some[0].source.document.text, [each.made.document.text for each in some],
            some[0].source.document.lang,
        )
        for some in by_source.values()
    ]  # fmt: skip
    try:
        return [
            *resemblance(refilled, data, vectors, progress.advance),
            reading_ease(refilled, data),
        ]
    except ValueError as error:
        raise ConfigError("the letters", str(error), "fill more of them") from None


def _vectors(name: str | None, texts: Iterable[str]) -> Vectors | None:
    if name is None:
        return None
    with models_extra("--encoder"):
        from models.language.networks.contextual_embeddings import PACKAGED, ContextualEmbeddings
    if name in PACKAGED:
        return ContextualEmbeddings.packaged(name, texts)
    return ContextualEmbeddings.of_folder(Path(name))


def _lines(measured: Iterable[Measured]) -> Iterator[str]:
    yield f"{'':<28}{'value':>8}{'95 % interval':>20}{'chance':>9}{'copies':>9}"
    for each in measured:
        within = f"{each.low:.4f} to {each.high:.4f}"
        held = each.to_json()
        null, control = (
            "" if held[name] is None else f"{held[name]:.4f}" for name in ("null", "control")
        )
        yield f"{each.name:<28}{each.value:>8.4f}{within:>20}{null:>9}{control:>9}"
