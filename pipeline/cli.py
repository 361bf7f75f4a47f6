"""The command line: one program, one subcommand for each thing a user comes to do."""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from extractors.limits import Limits
from extractors.options import Options
from pipeline.arguments import EXTRACT_TRAIN, Command, make_parser
from pipeline.console import Console
from pipeline.explain import HEADING, Finding
from pipeline.extraction import Extraction, extract_files
from pipeline.files import Task, Tell, detect_file, parse_detectors
from pipeline.gold import read_annotated, read_label_map
from pipeline.installation import check_rooms
from pipeline.jsonl import dumped
from pipeline.nightly import (
    EXIT_DONE,
    EXIT_GATE,
    EXIT_QUARANTINE,
    EXIT_UNAVAILABLE,
    EXIT_USAGE,
    Drive,
    Ended,
    Job,
    run_nightly,
)
from pipeline.outbox import Done, quarantine_path
from pipeline.passwords import load_passwords
from pipeline.pseudonymization import Rules, pseudonymize_file
from pipeline.report import to_json
from pipeline.supervisor import drive as spawned
from record.errors import ConfigError, CryptonymError, Unavailable
from surrogates.keys import new_master


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; gives its exit code."""
    parser = make_parser(_COMMANDS)
    options, rest = parser.parse_known_args(_joined(arguments))
    if rest and not options.takes_beam_options:
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    console = Console(plain=options.plain, quiet=getattr(options, "json", False))
    try:
        check_rooms()
        command: Command = options.command
        return command(options, rest, console)
    except ConfigError as error:
        console.error(str(error))
        return EXIT_USAGE
    except Unavailable as error:
        console.error(str(error))
        return EXIT_UNAVAILABLE
    except CryptonymError as error:
        console.error(str(error))
        return EXIT_GATE
    except KeyboardInterrupt:
        console.error("interrupted; run again to go on where it stopped")
        return 130


def _joined(arguments: Sequence[str] | None) -> list[str]:
    words = list(sys.argv[1:] if arguments is None else arguments)
    return [EXTRACT_TRAIN, *words[2:]] if words[:2] == EXTRACT_TRAIN.split() else words


def _run(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    drive = _portable(rest) if rest else spawned
    with console.progress() as progress:
        ended = run_nightly(options.config, drive, workers=options.workers, progress=progress)
    _tell(ended, options, console)
    return ended.exit_code


def _portable(arguments: list[str]) -> Drive:
    """Drive one pipeline with Beam's own options, on the runner they name."""
    # Beam is heavy and only needed here: the default run starts it in its workers.
    from pipeline.beam.runners import split
    from pipeline.beam.worker import Part, work

    split(arguments)

    def drive(job: Job) -> dict[str, int]:
        work(job.settings, Part(job.run_id, 0, 1), arguments, summary=job.scratch / "worker-0.json")
        return {}

    return drive


def _tell(ended: Ended, options: argparse.Namespace, console: Console) -> None:
    if options.json:
        sys.stdout.write(json.dumps(to_json(ended.summary), sort_keys=True) + "\n")
    else:
        console.summary(ended.summary, resumed=ended.resumed)
        console.say(f"report: {ended.report}")


def _demo(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    # The fictional hospital and its PDF library are only needed here.
    from pipeline.demo import Fiction, make_demo, score_demo, show_note

    fiction = Fiction(options.folder, options.patients, options.seed, options.lang)
    with console.progress() as progress:
        config = make_demo(fiction, progress, processes=options.workers)
        ended = run_nightly(config, spawned, workers=options.workers, progress=progress)
    _tell(ended, options, console)
    if not options.json:
        console.say(show_note(config))
        console.say(score_demo(config))
    return ended.exit_code


def _keys_new(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    new_master(options.file)
    console.say(f"wrote a new master key to {options.file} (mode 600); keep a copy offline:")
    console.say("whoever has it can link every cohort, and without it no release can be continued")
    return EXIT_DONE


def _extract(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    limits = Limits(
        max_bytes=options.max_bytes,
        max_pages=options.max_pages,
        max_characters=options.max_characters,
        seconds=options.seconds,
        memory_mb=options.memory_mb,
    )
    reading = Options(
        layout=options.layout,
        engine=options.engine,
        languages=() if options.ocr == "none" else tuple(options.ocr.split("+")),
        dpi=options.dpi,
        tessdata=options.tessdata,
        passwords=(
            load_passwords(options.passwords, Path(), os.environ) if options.passwords else ()
        ),
        boxes=options.boxes,
    )
    task = Extraction(
        options.files,
        options.output,
        limits,
        reading,
        min_quality=options.min_quality,
        labels=options.label_pages,
        pictures=options.debug_pdf,
    )
    with console.progress() as progress:
        done = extract_files(task, progress)
    return _report(done, options, console)


def _extract_train(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    try:
        # PyTorch is heavy, and an extra.
        from pipeline.boxes_training import train_file
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        remedy = "pip install 'cryptonym[models]'"
        raise ConfigError("extract train", "PyTorch is not installed", remedy) from None
    with console.progress() as progress:
        scores = train_file(
            options.pages, options.output, progress, steps=options.steps, seed=options.seed
        )
    for name, value in scores.items():
        console.say(f"{name}: {value:.4f}")
    console.say(f"wrote {options.output}; set it as extraction.boxes, or give it as --boxes")
    return EXIT_DONE


def _detect(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    tell = _teller(options, console) if options.explain or options.explain_text else None
    with console.progress() as progress:
        done = detect_file(_task(options), progress, tell)
    return _report(done, options, console)


def _teller(options: argparse.Namespace, console: Console) -> Tell:
    """Say what explains a span: as a line of a table, or as an object; text only if asked for."""
    console.say(HEADING)

    def tell(finding: Finding, text: str) -> None:
        found = text[finding.span.start : finding.span.end] if options.explain_text else ""
        if options.json:
            sys.stdout.write(dumped(finding.to_json() | ({"text": found} if found else {})) + "\n")
        else:
            line = f"{finding.to_line()}  {found}".rstrip()
            # What steers a terminal must not come out of a note.
            console.say("".join(char if char.isprintable() else "?" for char in line))

    return tell


def _pseudonymize(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    rules = Rules(
        key=options.key,
        cohort=options.cohort,
        policy=options.policy,
        given=options.spans == "given",
        keep_keys=frozenset(key.strip() for key in options.keep_keys.split(",") if key.strip()),
        replace_ids=options.note_ids == "replace",
        allow_unknown=options.allow_unknown,
    )
    with console.progress() as progress:
        done = pseudonymize_file(_task(options), rules, progress)
    return _report(done, options, console)


def _task(options: argparse.Namespace) -> Task:
    if options.model is not None:
        problem = "models are not available in this version"
        raise ConfigError("--model", problem, "leave it out; rules and known values are searched")
    detectors = parse_detectors(options.detectors)
    return Task(options.notes, options.output, options.patients, detectors, options.lang)


def _report(done: Done, options: argparse.Namespace, console: Console) -> int:
    for warning in done.warnings:
        console.warn(warning)
    if options.json:
        sys.stdout.write(json.dumps(done.to_json(), sort_keys=True) + "\n")
    else:
        console.say(f"{done.read} read, {done.written} written to {options.output}")
        if done.spans:
            ranked = sorted(done.spans.items(), key=lambda item: (-item[1], item[0]))
            console.say("spans: " + ", ".join(f"{label} {count}" for label, count in ranked))
        if done.refused:
            console.say(f"{done.refused} refused, see {quarantine_path(options.output)}")
        for (stage, error, reason), count in sorted(done.causes.items()):
            console.say(f"quarantine: {count} at {stage}: {error} {reason}".rstrip())
    return EXIT_DONE if done.within(options.max_quarantine_share) else EXIT_QUARANTINE


def _evaluate(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    # SciPy is only needed here.
    from evaluation.align import pair
    from evaluation.scores import score, tabulate

    labels = read_label_map(options.label_map) if options.label_map else None
    warnings: list[str] = []
    gold, predicted = (read_annotated(path, warnings) for path in (options.gold, options.predicted))
    paired = pair(gold, predicted, labels)
    for count, what in (
        (paired.missing, "notes of GOLD are not in PRED: all their spans count as missed"),
        (paired.extra, "notes of PRED are not in GOLD: they are not scored"),
    ):
        warnings += [f"{count} {what}"] * bool(count)
    for warning in warnings:
        console.warn(warning)
    scores = score(paired.pairs)
    if options.json:
        sys.stdout.write(json.dumps(scores, sort_keys=True) + "\n")
    else:
        console.say(tabulate(scores))
    return EXIT_DONE


_COMMANDS: dict[str, Command] = {
    "demo": _demo,
    "run": _run,
    "extract": _extract,
    EXTRACT_TRAIN: _extract_train,
    "detect": _detect,
    "pseudonymize": _pseudonymize,
    "evaluate": _evaluate,
    "keys new": _keys_new,
}


if __name__ == "__main__":
    raise SystemExit(main())
