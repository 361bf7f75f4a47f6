"""`cryptonym synthesize mask`: letters with what identifies, and a share of the rest, taken out."""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from models.tagger.shipped_model import folder_of
from pipeline.commands.options.extras import models_extra
from pipeline.commands.options.values import add_speech, natural, share
from pipeline.config.exit_codes import EXIT_DONE
from pipeline.config.progress import Progress
from pipeline.reports.console import Console
from pipeline.synthetic.corpus_letters import read_letters, with_own
from pipeline.synthetic.terms import Terms
from record.document import Annotated, Document
from record.errors import ConfigError
from synthesis.corpus_splitting import SPLITS
from synthesis.masked_letters import require_empty, save_letters
from synthesis.masking import MaskedDocument, Masking, MedicalTagger, mask, words_of
from synthesis.prepared_corpus import digest, load_corpus

DESCRIPTION = """\
Decides on every word of the letters of a corpus whether it stays. What identifies always goes, in
every form it has anywhere in letters of the same patient; medical words stay; of the other words
a share of the nouns, verbs and adjectives goes. DIR gets letters.jsonl, with a reason for each
word, for `synthesize fill`. It holds the letters themselves: keep it where the corpus is kept.
"""
EXAMPLES = """\
examples:
  cryptonym synthesize mask corpus -o masked
  cryptonym synthesize mask corpus -o masked --share 0.5 --pipeline fr=fr_core_news_md
  cryptonym synthesize mask corpus -o masked --speech NOUN=0.7 VERB=0.5 --medical TERM=0.9
  cryptonym synthesize mask corpus -o masked --medical-model medical-tagger

Parts of speech come from spaCy's pipelines. One for English comes with the extra `models`; name
others with --pipeline. In a language without one, --share counts for all words that are no
function words (CONTENT). Letters are those of the corpus's train part: screening compares what is
made of them with letters of other patients.
"""

_SPEECH = ("NOUN", "VERB", "ADJ")
_TOGETHER = 64  # letters that taggers see at once


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
        "--speech", type=_ratio, nargs="+", default=[], metavar="PART=S",
        help="share to mask for a part of speech, such as NOUN=0.7",
    )  # fmt: skip
    add(
        "--pipeline", type=_named, nargs="+", default=[], metavar="LANG=NAME",
        help="spaCy pipeline for a language, installed or as a folder, such as fr=fr_core_news_md",
    )  # fmt: skip
    add(
        "--medical", type=_ratio, nargs="+", default=[], metavar="CLASS=S",
        help="share of medical words to keep, by class (default: all)",
    )  # fmt: skip
    add(
        "--medical-model", metavar="DIR",
        help="tagger for medical entities, trained with `cryptonym train`",
    )  # fmt: skip
    add("--medical-pipeline", metavar="NAME", help="spaCy pipeline whose entities are kept")
    add(
        "--slots", type=natural, default=0, metavar="N",
        help="maximum random change of the number of words of an identifier (default 0)",
    )  # fmt: skip
    add(
        "--seed",
        type=int,
        default=1,
        metavar="S",
        help=("random seed for the choice of words (default 1)"),
    )
    add_speech(parser, json="print the manifest as JSON only")


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Mask; returns the exit code."""
    require_empty(options.output)
    corpus = load_corpus(options.corpus)
    origin = corpus.manifest["origin"]
    with console.progress() as progress:
        progress.phase("loading")
        letters = read_letters(corpus, SPLITS[0])
        desk = _Desk(options, sorted({letter.document.lang for letter in letters}))
        progress.phase("masking")
        masked = desk.mask(with_own(letters), len(letters), progress)
        about = {
            "corpus_sha256": digest(options.corpus),
            "origin": origin,
            "masking": desk.told(),
        }
        manifest = save_letters(masked, options.output, about)
    if options.json:
        sys.stdout.write(json.dumps(manifest, sort_keys=True) + "\n")
    for line in _told(manifest):
        console.say(line)
    console.say(f"wrote {options.output}; it holds the letters themselves: give it to `fill`")
    return EXIT_DONE


class _Desk:
    """What decides on words: shares, taggers of parts of speech by language, medical taggers."""

    def __init__(self, options: argparse.Namespace, langs: Sequence[str]) -> None:
        with models_extra("synthesize mask"):
            from synthesis.parts_of_speech import CONTENT, EntityTagger, make_tagger
        pipelines = dict(options.pipeline)
        self._taggers = {lang: make_tagger(lang, pipelines) for lang in langs}
        asked = dict(options.speech)
        for lang, tagger in self._taggers.items():
            if unknown := sorted(set(asked) - tagger.classes - {CONTENT}):
                problem = f"nothing tells {unknown[0]} in letters in {lang or 'unknown language'}"
                remedy = f"give --pipeline {lang or 'fr'}=NAME, or {CONTENT}=0.7"
                raise ConfigError("--speech", problem, remedy)
        self._medical: list[tuple[str, MedicalTagger]] = [("terms", Terms())]
        if options.medical_model is not None:
            self._medical.append((options.medical_model, _model(options.medical_model)))
        if options.medical_pipeline is not None:
            name = options.medical_pipeline
            self._medical.append((name, EntityTagger(name)))
        shares = asked or dict.fromkeys((*_SPEECH, CONTENT), options.share)
        self._masking = Masking(shares, dict(options.medical), options.slots, options.seed)

    def mask(
        self, letters: Iterator[Annotated], planned: int, progress: Progress
    ) -> Iterator[MaskedDocument]:
        """Mask letters, so many at a time that taggers are asked in batches."""
        done = 0
        for several in _batches(letters):
            documents = [letter.document for letter in several]
            # Of entities that overlap the last one wins: what was learnt, over the lists.
            found = [tagger.spans(documents) for _, tagger in self._medical]
            medical = [list(chain(*each)) for each in zip(*found, strict=True)]
            for letter, terms, parts in zip(several, medical, self._parts(documents), strict=True):
                yield mask(letter.document, letter.spans, terms, self._masking, parts)
            done += len(several)
            progress.advance(done, planned)

    def _parts(self, documents: Sequence[Document]) -> list[Sequence[str]]:
        found: dict[int, Sequence[str]] = {}
        for lang, tagger in self._taggers.items():
            numbers = [n for n, document in enumerate(documents) if document.lang == lang]
            texts = [documents[n].text for n in numbers]
            parts = tagger.parts(texts, [words_of(text) for text in texts])
            found |= dict(zip(numbers, parts, strict=True))
        return [found[number] for number in range(len(documents))]

    def told(self) -> dict[str, Any]:
        """Tell for the manifest what decided."""
        return {
            "speech": dict(self._masking.speech),
            "medical": dict(self._masking.medical),
            "slots": self._masking.slots,
            "seed": self._masking.seed,
            "taggers": {lang: tagger.name for lang, tagger in self._taggers.items()},
            "medical_taggers": [name for name, _ in self._medical],
        }


def _batches(letters: Iterator[Annotated]) -> Iterator[list[Annotated]]:
    several: list[Annotated] = []
    for letter in letters:
        several.append(letter)
        if len(several) == _TOGETHER:
            yield several
            several = []
    if several:
        yield several


def _model(name: str) -> MedicalTagger:
    with models_extra("--medical-model"):
        from models.tagger.runtime import Tagger
    return Tagger.load(folder_of(name))


def _named(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not (name and sign and value):
        raise argparse.ArgumentTypeError("write it as NAME=VALUE")
    return name, value


def _ratio(text: str) -> tuple[str, float]:
    name, value = _named(text)
    return name, share(value)


def _told(manifest: Mapping[str, Any]) -> list[str]:
    """Say in a few lines what was masked, and why."""
    phases: Counter[tuple[str, bool]] = Counter()
    for each in manifest["words"]:
        phases[each["phase"], each["masked"]] += each["count"]
    lines = [f"{manifest['letters']} letters"]
    for phase in sorted({phase for phase, _ in phases}):
        gone, kept = phases[phase, True], phases[phase, False]
        lines.append(f"{phase:<12}{gone:>8} masked {kept:>8} kept")
    taggers = manifest["masking"]["taggers"]
    lines += [f"parts of speech, {lang or 'unknown'}: {name}" for lang, name in taggers.items()]
    return lines
