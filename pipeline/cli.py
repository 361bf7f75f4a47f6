"""The command line: one program, one subcommand for each thing a user comes to do."""

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from extractors.limits import Limits
from extractors.options import Options
from models.tagger.shipped import folder_of
from pipeline import custody_commands, release_arguments
from pipeline.arguments import EXTRACT_TRAIN, Command, make_parser
from pipeline.cohort import run_release
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
from pipeline.outbox import Done, quarantine_path, refuse_place
from pipeline.passwords import load_passwords
from pipeline.pseudonymization import Rules, pseudonymize_file
from pipeline.report import to_json
from pipeline.rule_choice import Trial, choose_rules, tell_selection, write_selection
from pipeline.supervisor import drive as spawned
from pipeline.tagging import Tagger
from record.errors import ConfigError, CryptonymError, Unavailable
from record.folding import fold
from rules.lexicon import term_kind


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


def _release(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    with console.progress() as progress:
        released = run_release(release_arguments.order_of(options), progress)
    if options.json:
        sys.stdout.write(release_arguments.to_json(released) + "\n")
    for line in release_arguments.to_lines(released):
        console.say(line)
    return released.exit_code


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
        custody=options.custody,
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
    default = "rules,known" + ",model" * (options.model is not None)
    detectors = parse_detectors(options.detectors or default, has_model=options.model is not None)
    return Task(
        options.notes,
        options.output,
        options.patients,
        detectors,
        options.lang,
        options.selection,
        _load_model(options.model) if options.model else None,
    )


def _load_model(name: str) -> Tagger:
    folder = folder_of(name)
    if not folder.is_dir():
        raise ConfigError("--model", "is no folder", "name a folder that `cryptonym train` wrote")
    with _models("--model"):
        from models.tagger import runtime
    return runtime.Tagger.load(folder)


@contextmanager
def _models(key: str) -> Iterator[None]:
    """Import what is heavy, and an extra; where it is not installed the remedy is told."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name not in ("torch", "transformers", "tokenizers", "safetensors"):
            raise
        remedy = "pip install 'cryptonym[models]'"
        raise ConfigError(key, f"{error.name} is not installed", remedy) from None


def _train(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    with _models("train"):
        from pipeline.tagger_training import order_of, train_files
    with console.progress() as progress:
        trained = train_files(order_of(options), progress)
    for warning in trained.warnings:
        console.warn(warning)
    scores = asdict(trained.scores)
    if options.json:
        sys.stdout.write(json.dumps(scores, sort_keys=True) + "\n")
    for name, value in scores.items():
        console.say(f"{name.replace('_', ' '):<10} {value:.4f}")
    console.say(f"wrote {options.output}; give it to `detect` as --model")
    return EXIT_DONE


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
    from evaluation.calibration import calibrate_pairs
    from evaluation.scores import score, tabulate
    from evaluation.shapes import invented, leaked
    from pipeline.score_report import Examples, write_scores

    if options.html:
        refuse_place(options.html, _given(options.gold, options.predicted, options.label_map))
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
    scores = score(paired.pairs, _is_medical)
    if options.calibrate is not None:
        scores["calibration"] = asdict(calibrate_pairs(paired.pairs, options.calibrate))
    if options.html:
        examples = Examples(leaked(paired.pairs), invented(paired.pairs))
        write_scores(options.html, scores, examples)
    if options.json:
        sys.stdout.write(json.dumps(scores, sort_keys=True) + "\n")
    else:
        console.say(tabulate(scores))
    return EXIT_DONE


def _is_medical(word: str) -> bool:
    return len(word) >= _SHORTEST_TERM and bool(term_kind(fold(word)))


_SHORTEST_TERM = 4  # what is shorter is an abbreviation, and as often a word or an initial


def _given(*paths: Path | None) -> list[Path]:
    return [path for path in paths if path is not None]


def _select(options: argparse.Namespace, rest: list[str], console: Console) -> int:
    trial = Trial(
        options.gold,
        options.patients,
        options.model_spans,
        read_label_map(options.label_map) if options.label_map else {},
        options.lang,
        options.tolerance,
        options.max_loss,
    )
    inputs = _given(options.gold, options.patients, options.model_spans, options.label_map)
    refuse_place(options.output, inputs)
    warnings: list[str] = []
    with console.progress() as progress:
        selection = choose_rules(trial, progress, warnings)
    write_selection(options.output, selection)
    for warning in warnings:
        console.warn(warning)
    if options.json:
        sys.stdout.write(json.dumps(asdict(selection), sort_keys=True) + "\n")
    else:
        console.say(tell_selection(selection))
        console.say(f"wrote {options.output}; give it to `detect` as --selection")
    return EXIT_DONE


_COMMANDS: dict[str, Command] = {
    "demo": _demo,
    "run": _run,
    "release": _release,
    "extract": _extract,
    EXTRACT_TRAIN: _extract_train,
    "detect": _detect,
    "pseudonymize": _pseudonymize,
    "train": _train,
    "evaluate": _evaluate,
    "select": _select,
    **custody_commands.COMMANDS,
}


if __name__ == "__main__":
    raise SystemExit(main())
