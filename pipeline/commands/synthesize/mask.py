"""`cryptonym synthesize mask`: letters with identifiers and a share of other words masked."""

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pipeline.commands.options.extras import models_extra
from pipeline.commands.options.output import MANIFEST, add_output_format, print_json
from pipeline.commands.options.values import natural, share
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.reports.console import Console

DESCRIPTION = """\
Decides on every word of the letters of a corpus whether it stays. Identifiers are always masked, in
every form they have anywhere in letters of the same patient; medical words stay; of the other words
a share of the nouns, verbs and adjectives is masked. DIR gets letters.jsonl, with a reason for each
word, for `synthesize fill`. It holds the letters themselves: keep it where the corpus is kept.
"""
EXAMPLES = """\
examples:
  cryptonym synthesize mask corpus -o masked
  cryptonym synthesize mask corpus -o masked --share 0.5 --pipeline fr=fr_core_news_md
  cryptonym synthesize mask corpus -o masked --speech NOUN=0.7 VERB=0.5 --medical TERM=0.9
  cryptonym synthesize mask corpus -o masked --medical-model medical-tagger

Parts of speech come from spaCy pipelines. The extra `models` includes one for English; name others
with --pipeline. In a language without a pipeline, --share applies to all words that are not
function words (CONTENT). Letters are those of the train part of the corpus, since screening
compares what is made of them with letters of other patients.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `synthesize mask`."""
    add = parser.add_argument
    add("corpus", type=Path, metavar="CORPUS", help="corpus written by `synthesize prepare`")
    add("-o", "--output", type=Path, required=True, metavar="DIR", help="new output folder")
    add(
        "--share", type=share, default=0.7, metavar="S",
        help="share of nouns, verbs and adjectives to mask (default 0.7)",
    )  # fmt: skip
    add(
        "--speech", type=named_share, nargs="+", default=[], metavar="PART=S",
        help="share to mask of one part of speech, such as NOUN=0.7 (default: --share)",
    )  # fmt: skip
    add(
        "--pipeline", type=named_value, nargs="+", default=[], metavar="LANG=NAME",
        help="spaCy pipeline of a language, by name or folder, such as fr=fr_core_news_md",
    )  # fmt: skip
    add(
        "--medical", type=named_share, nargs="+", default=[], metavar="CLASS=S",
        help="share to keep of one class of medical words, such as TERM=0.9 (default: all)",
    )  # fmt: skip
    add(
        "--medical-model", metavar="DIR",
        help="tagger of medical entities, written by `cryptonym train`",
    )  # fmt: skip
    add("--medical-pipeline", metavar="NAME", help="spaCy pipeline of medical entities")
    add(
        "--slots", type=natural, default=0, metavar="N",
        help="maximum random change of the number of words of an identifier (default 0)",
    )  # fmt: skip
    add(
        "--seed", type=int, default=1, metavar="S",
        help="random seed for the choice of words (default 1)",
    )  # fmt: skip
    add_output_format(parser, json=MANIFEST)


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Mask; returns the exit code."""
    with models_extra("synthesize mask"):
        from pipeline.synthetic.letter_masking import MaskingRequest, mask_corpus
    request = MaskingRequest(
        corpus=options.corpus,
        out=options.output,
        share=options.share,
        speech=dict(options.speech),
        pipelines=dict(options.pipeline),
        medical=dict(options.medical),
        medical_model=options.medical_model,
        medical_pipeline=options.medical_pipeline,
        slots=options.slots,
        seed=options.seed,
    )
    with console.progress() as progress:
        manifest = mask_corpus(request, progress)
    print_json(manifest, options)
    for line in _summarize(manifest):
        console.say(line)
    console.say(f"wrote {options.output}; it holds the letters themselves: give it to `fill`")
    return EXIT_DONE


def named_value(text: str) -> tuple[str, str]:
    """Read NAME=VALUE."""
    name, sign, value = text.partition("=")
    if not (name and sign and value):
        raise argparse.ArgumentTypeError(f"must be NAME=VALUE, not {text}")
    return name, value


def named_share(text: str) -> tuple[str, float]:
    """Read NAME=SHARE."""
    name, value = named_value(text)
    return name, share(value)


def _summarize(manifest: Mapping[str, Any]) -> Iterator[str]:
    counts: Counter[tuple[str, bool]] = Counter()
    for each in manifest["words"]:
        counts[each["phase"], each["masked"]] += each["count"]
    yield f"{manifest['letters']} letters"
    for phase in sorted({phase for phase, _ in counts}):
        yield f"{phase:<12}{counts[phase, True]:>8} masked {counts[phase, False]:>8} kept"
    for lang, name in manifest["masking"]["taggers"].items():
        yield f"parts of speech, {lang or 'unknown language'}: {name}"
