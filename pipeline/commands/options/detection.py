"""Options of detection, and the task that they describe."""

import argparse
import os
from pathlib import Path

from models.tagger.shipped_model import (
    AUTO,
    DEFAULT,
    NO_MODEL,
    ONNX,
    RUNTIMES,
    digest,
    folder_of,
)
from models.tagger.thresholds import SpanThresholds
from pipeline.commands.options.values import share
from pipeline.files.note_files import MODEL, NoteFileTask, parse_detectors
from pipeline.notes.detection import DETECTOR_VERSION
from pipeline.notes.model_detection import SpanTagger
from pipeline.notes.overlap_resolution import has_own_labels
from pipeline.notes.threshold_file import check_labels_exist, load_thresholds
from record.errors import ConfigError
from record.label import RULE_MARK
from record.languages import LANGUAGES


def add_detection(parser: argparse.ArgumentParser) -> None:
    """Add detectors, patients, model, rule selection and language."""
    add = parser.add_argument
    add("--patients", type=Path, metavar="P.jsonl", help="known identifiers of the patients")
    add(
        "--detectors", metavar="A,B",
        help="detectors to run: rules, known, model (default: all; without model if --model none)",
    )  # fmt: skip
    add(
        "--model", metavar="DIR",
        help="tagger folder written by `train`, `default` for the bundled tagger, or `none` "
        "(default: default)",
    )  # fmt: skip
    add(
        "--runtime", choices=RUNTIMES, default=AUTO,
        help="inference runtime of the encoder: ONNX Runtime (fp32 or int8), OpenVINO or PyTorch "
        "(default auto: PyTorch with a GPU, else ONNX Runtime fp32)",
    )  # fmt: skip
    add(
        "--thresholds", type=Path, metavar="T.toml",
        help="thresholds of the tagger written by `evaluate --calibrate` (default: its best "
        "sequence of labels)",
    )  # fmt: skip
    add(
        "--min-score", type=share, metavar="S",
        help="also words that the tagger takes for identifiers with at least this probability, "
        "one by one, for `evaluate --calibrate`",
    )  # fmt: skip
    add(
        "--selection", type=Path, metavar="S.toml",
        help="rule selection written by `select` (default: all rules)",
    )  # fmt: skip
    add(
        "--lang", choices=LANGUAGES, default="",
        help="language of notes without a `lang` key (default: identified from the text)",
    )  # fmt: skip


def task_of(options: argparse.Namespace, *, detects: bool = True) -> NoteFileTask:
    """Return the task that the options describe, with its model loaded if it `detects` anything."""
    name = options.model or DEFAULT
    has_model = name != NO_MODEL
    default = "rules,known" + ",model" * has_model
    detectors = parse_detectors(options.detectors or default, has_model=has_model)
    if options.model and has_model and MODEL not in detectors:
        raise ConfigError("--model", "not used by --detectors", "add `model` to --detectors")
    if options.thresholds and options.min_score is not None:
        raise ConfigError("--min-score", "contradicts --thresholds", "leave one out")
    if (options.thresholds or options.min_score is not None) and MODEL not in detectors:
        key = "--thresholds" if options.thresholds else "--min-score"
        raise ConfigError(key, "needs the detector `model`", "leave it out")
    told = [f"rules {DETECTOR_VERSION}"] if detects and "rules" in detectors else []
    model = _load_model(name, options, told) if detects and MODEL in detectors else None
    return NoteFileTask(
        options.notes,
        options.output,
        options.patients,
        detectors,
        options.lang,
        options.selection,
        model,
        tuple(told),
    )


_OF_A_WORKER = (
    *("notes", "output", "patients", "detectors", "model", "runtime"),
    *("thresholds", "min_score", "selection", "lang"),
)


def pack_detection(options: argparse.Namespace) -> argparse.Namespace:
    """Return the options of detection alone, which can be sent to another process."""
    return argparse.Namespace(**{name: getattr(options, name) for name in _OF_A_WORKER})


def pack_for_machines(options: argparse.Namespace) -> argparse.Namespace:
    """Return the options of detection alone, with paths that other machines understand.

    Raises ConfigError where a model that is named is not here either.
    """
    packed = pack_detection(options)
    for name, value in vars(packed).items():
        if isinstance(value, Path):
            setattr(packed, name, value.absolute())
    if packed.model not in (None, DEFAULT, NO_MODEL):
        packed.model = str(_find_model(packed.model).absolute())
    return packed


def make_worker_task(options: argparse.Namespace, processes: int) -> NoteFileTask:
    """Return the task that packed options describe, in one of so many processes.

    Its tagger has its share of the processors.
    """
    options.processes = processes
    return task_of(options)


def _find_model(name: str) -> Path:
    folder = folder_of(name)
    if not folder.is_dir():
        raise ConfigError(
            "--model", f"not a directory: {folder}", "name a folder that `cryptonym train` wrote"
        )
    return folder


def _load_model(name: str, options: argparse.Namespace, told: list[str]) -> SpanTagger:
    """Load the tagger, and say in `told` which it is, and what its thresholds guarantee."""
    folder = _find_model(name)
    from models.tagger.loading import load_tagger_folder

    thresholds = None
    guaranteed = []
    if options.thresholds:
        thresholds, record = load_thresholds(options.thresholds, folder)
        guaranteed = [f"thresholds of the tagger: {record.describe()}"]
    elif options.min_score is not None:
        thresholds = SpanThresholds({}, options.min_score, joins=False)
    processes = getattr(options, "processes", 1)
    threads = 0 if processes == 1 else max(1, len(os.sched_getaffinity(0)) // processes)
    tagger = load_tagger_folder(folder, options.runtime, threads=threads, thresholds=thresholds)
    if threads and not tagger.runtime.startswith(ONNX):
        from models.hardware import share_processors

        share_processors(processes)
    if options.thresholds and thresholds:
        check_labels_exist(options.thresholds, thresholds, tagger.labels)
    told.append(f"tagger {digest(folder)[:12]} on the runtime {tagger.runtime}")
    told += guaranteed
    if has_own_labels(tagger.labels) and "rules" in (options.detectors or "rules"):
        renamed = [f"{rule} as {label}" for rule, label in tagger.rule_labels.items()]
        told.append(
            f"the tagger has labels of its own: rules label {', '.join([*renamed, 'all else'])} "
            f"as `{RULE_MARK}LABEL`"
        )
    return tagger
