"""`cryptonym synthesize demo`: synthetic notes of a hospital of register notes, with verdicts."""

import argparse
import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from models.tagger.shipped_model import DEFAULT
from pipeline.commands.options.extras import models_extra
from pipeline.commands.options.output import SUMMARY, add_output_format
from pipeline.commands.options.values import add_workers, positive
from pipeline.commands.options.words import add_words
from pipeline.commands.synthesize.batch_output import show_result
from pipeline.config.exit_codes import EXIT_DONE, EXIT_GATE
from pipeline.config.progress import Progress
from pipeline.files.word_lists import word_list
from pipeline.night.demo import DemoOptions, make_demo, make_register_demo
from pipeline.night.nightly import run_nightly
from pipeline.night.supervisor import run_in_workers
from pipeline.quality.drift import judge
from pipeline.quality.gate import Gate
from pipeline.release.request import ReleaseRequest
from pipeline.release.run import run_release
from pipeline.reports.console import Console
from record.errors import ConfigError
from record.languages import LANGUAGES
from synthesis.fictional.register_hospital import count_register_notes

if TYPE_CHECKING:
    from pipeline.synthetic.schedule.register_demo import JudgedCase
    from pipeline.synthetic.schedule.scheduled_run import SynthesisResult
    from pipeline.synthetic.schedule.writer_demo import WriterDemo

DESCRIPTION = """\
Makes a hospital of register notes in DIR, which many authors wrote without templates, runs the
nightly job on it and releases it. Letters are then masked and filled twice: with words drawn from
many, and with the likeliest words. Both are filtered, measured and judged: two verdicts of the
gate, with their reasons. With --pretrained no letters are filled: the causal model in that folder
learns to write such notes, and what it writes is filtered, measured and judged as by `synthesize
run`: one verdict; with --templates it learns from the hospital of `cryptonym demo`, whose notes are
long, alike, and learnt within minutes. Whether the model knew its notes before is measured with
those of another hospital: of another seed, or of the register notes that --patients leaves. No
requirement is weaker than elsewhere, so that RELEASE is not promised. Register notes need a
checkout: an installation has none.
"""
EXAMPLES = """\
examples:
  cryptonym synthesize demo demo-letters --workers 2
  cryptonym synthesize demo demo-lettres --lang fr --encoder mbert
  cryptonym synthesize demo demo-writer --workers 2 --pretrained model-folder --lora 16

Exit codes: 0 the letters with drawn words, or the written notes, may leave; 1 HOLD; 2 usage or
configuration error.
"""

_PATIENTS = 40
_OTHER = "other-hospital"
_UNSEEN, _UNSEEN_PATIENTS = 200, 25  # about as many notes as the overlap is measured on
_FEWEST = 20  # notes of another hospital that are worth a night of their own


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `synthesize demo`."""
    add = parser.add_argument
    add("folder", type=Path, metavar="DIR", help="new or empty folder")
    add(
        "--lang", choices=LANGUAGES, default="en",
        help="language of the notes (default en)",
    )  # fmt: skip
    add(
        "--patients", type=positive, metavar="N",
        help="maximum number of patients, one for each note (default: all notes; with --templates "
        "number of patients, 40)",
    )  # fmt: skip
    add("--seed", type=int, default=1, metavar="S", help="random seed (default 1)")
    add(
        "--epochs", type=positive, metavar="N",
        help="maximum number of epochs of each tagger that measures the utility (default "
        "6; with --pretrained 30 seconds)",
    )  # fmt: skip
    add(
        "--model", default=DEFAULT, metavar="DIR",
        help="tagger folder written by `train`, `default` for the bundled tagger, or `none`",
    )  # fmt: skip
    add(
        "--encoder", metavar="NAME",
        help="encoder that the filler of letters goes on from, by name or folder, as for "
        "`synthesize train --recipe masked` (default: from scratch)",
    )  # fmt: skip
    _add_writer(parser)
    add_workers(parser)
    add_output_format(parser, json=SUMMARY)


def _add_writer(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(
        "a pretrained writer", "the others of these options need --pretrained"
    )
    add = group.add_argument
    add(
        "--pretrained", type=Path, metavar="FOLDER",
        help="Hugging Face folder of a causal language model that learns to write notes",
    )  # fmt: skip
    add(
        "--lora", type=positive, metavar="RANK",
        help="rank of LoRA adapters trained beside its frozen blocks; requires peft (default: all "
        "weights are trained)",
    )  # fmt: skip
    add(
        "--minutes", type=float, metavar="M",
        help="time budget of its training in minutes (default 8)",
    )  # fmt: skip
    add("--notes", type=positive, metavar="N", help="number of notes it writes (default 100)")
    add(
        "--templates", action="store_true",
        help="make the hospital of `cryptonym demo`, whose notes are written from templates",
    )  # fmt: skip
    add(
        "--reader", type=Path, metavar="FOLDER",
        help="Hugging Face folder of another language model, causal or masked, for the perplexity "
        "of the notes",
    )  # fmt: skip
    add_words(parser)


def run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    """Make the hospital and judge the letters, or the notes of a writer; returns the exit code."""
    with models_extra("synthesize demo"):
        from pipeline.synthetic.schedule.register_demo import COHORT, filler_of
        from pipeline.synthetic.schedule.writer_demo import add_synthesis, write_unseen
    writer = _writer_of(options, COHORT)
    filler = None if options.encoder is None else filler_of(options.encoder)
    is_word = None if options.words is None else word_list(options.words)
    fiction = DemoOptions(
        options.folder,
        options.patients or _PATIENTS,
        seed=options.seed,
        lang=options.lang,
        model=options.model,
    )
    with console.progress() as progress:
        if options.templates:
            config = make_demo(fiction, progress, processes=options.workers)
        else:
            config = make_register_demo(fiction, progress, most=options.patients)
        if exit_code := _release(config, COHORT, options, progress):
            return exit_code
        if writer is None:
            judged = _judge_letters(options, config, filler, progress)
        else:
            other = _make_other_hospital(fiction, options, progress)
            if other is not None:
                if exit_code := _release(other, COHORT, options, progress):
                    return exit_code
                writer = replace(writer, unseen=write_unseen(other))
            add_synthesis(config, writer)
            result = _run_writer(options, config, is_word, progress, console)
    if writer is None:
        return _show_letters(judged, options, console)
    return _show_writer(result, options, console)


def _release(config: Path, cohort: str, options: argparse.Namespace, progress: Progress) -> int:
    """Run the night and release the cohort; returns the exit code of what failed."""
    ended = run_nightly(
        config, run_in_workers, workers=options.workers, progress=progress, gate=Gate(judge)
    )
    if ended.exit_code:
        return ended.exit_code
    return run_release(ReleaseRequest(config, cohort, spans=True), progress).exit_code


def _make_other_hospital(
    fiction: DemoOptions, options: argparse.Namespace, progress: Progress
) -> Path | None:
    """Make a hospital of other notes of the same kind, which no model can have seen, if there are.

    It has templates filled by another seed, or the register notes that the first one leaves.
    """
    folder = fiction.folder / _OTHER
    if options.templates:
        fewer = min(fiction.patients, _UNSEEN_PATIENTS)
        other = replace(fiction, folder=folder, patients=fewer, seed=fiction.seed + 1)
        return make_demo(other, progress, processes=options.workers)
    first = options.patients
    if first is None or count_register_notes(options.lang) < first + _FEWEST:
        return None
    other = replace(fiction, folder=folder)
    return make_register_demo(other, progress, most=_UNSEEN, skipped=first)


def _writer_of(options: argparse.Namespace, cohort: str) -> "WriterDemo | None":
    """Return what is asked of a writer, if there is one; raises ConfigError."""
    from pipeline.synthetic.schedule.writer_demo import WriterDemo

    if options.pretrained is not None and options.encoder is not None:
        problem = "fills letters, and --pretrained writes notes"
        raise ConfigError("--encoder", problem, "omit one of the two")
    if options.pretrained is None:
        for name in ("lora", "minutes", "notes", "reader", "words", "templates"):
            if getattr(options, name):
                problem = "requires a pretrained writer"
                raise ConfigError(f"--{name}", problem, "give --pretrained FOLDER")
        return None
    given = {
        name: value
        for name in ("lora", "minutes", "notes", "reader", "words", "epochs")
        if (value := getattr(options, name)) is not None
    }
    if "words" in given and Path(given["words"]).is_file():
        given["words"] = str(Path(given["words"]).absolute())
    writer = WriterDemo(cohort, options.pretrained, seed=options.seed, **given)
    writer.check()
    return writer


def _run_writer(
    options: argparse.Namespace,
    config: Path,
    is_word: Callable[[str], bool] | None,
    progress: Progress,
    console: Console,
) -> "SynthesisResult":
    from pipeline.beam.generation import work
    from pipeline.synthetic.schedule.scheduled_run import SynthesisRequest, run_synthesis

    request = SynthesisRequest(config, os.environ, options.workers, is_word)
    return run_synthesis(request, work, progress, console.warn)


def _show_writer(result: "SynthesisResult", options: argparse.Namespace, console: Console) -> int:
    if options.json:
        sys.stdout.write(json.dumps(result.to_json(), sort_keys=True) + "\n")
    console.say("\nof a demonstration:")
    show_result(result, console)
    return result.exit_code


def _judge_letters(
    options: argparse.Namespace,
    config: Path,
    filler: Mapping[str, float | str] | None,
    progress: Progress,
) -> "list[JudgedCase]":
    from pipeline.beam.filling import work
    from pipeline.synthetic.schedule.register_demo import DemoSteps, RegisterDemoRequest

    request = RegisterDemoRequest(
        config, options.lang, options.seed, options.epochs, options.workers
    )
    if filler is not None:
        request = replace(request, filler=filler)
    return list(DemoSteps(request, work, progress).run())


def _show_letters(judged: "list[JudgedCase]", options: argparse.Namespace, console: Console) -> int:
    if options.json:
        summary = {
            each.case.name: {
                "verdict": each.judged.verdict,
                "reasons": list(each.judged.decision.reasons),
                "seconds": dict(each.seconds),
            }
            for each in judged
        }
        sys.stdout.write(json.dumps(summary, sort_keys=True) + "\n")
    for each in judged:
        console.say(f"\n{each.case.name}, of a demonstration:")
        console.say(each.judged.verdict)
        for reason in each.judged.decision.reasons:
            console.say(f"  {reason}")
        took = ", ".join(f"{name} {seconds:.0f} s" for name, seconds in each.seconds.items())
        console.say(f"{took}; report: {each.report}")
    return EXIT_DONE if judged[0].judged.is_passed else EXIT_GATE
