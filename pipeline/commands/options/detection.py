"""Options of detection, and the task that they describe."""

import argparse
from pathlib import Path

from models.tagger.shipped_model import AUTO, RUNTIMES, folder_of
from pipeline.files.note_files import NoteFileTask, parse_detectors
from pipeline.notes.model_detection import SpanTagger
from record.errors import ConfigError
from record.languages import LANGUAGES


def add_detection(parser: argparse.ArgumentParser) -> None:
    """Add detectors, patients, model, rule selection and language."""
    add = parser.add_argument
    add("--patients", type=Path, metavar="P.jsonl", help="known identifiers of the patients")
    add(
        "--detectors", metavar="A,B",
        help="detectors to run: rules, known, model (default: rules,known; model too with --model)",
    )  # fmt: skip
    add(
        "--model",
        metavar="DIR",
        help="tagger folder written by `train`, or `default` for the bundled tagger",
    )
    add(
        "--runtime", choices=RUNTIMES, default=AUTO,
        help="inference runtime of the encoder: ONNX Runtime (fp32 or int8), OpenVINO or PyTorch "
        "(default auto: PyTorch with a GPU or bfloat16, else ONNX Runtime fp32)",
    )  # fmt: skip
    add(
        "--selection", type=Path, metavar="S.toml",
        help="rule selection written by `select` (default: all rules)",
    )  # fmt: skip
    add(
        "--lang", choices=LANGUAGES, default="",
        help="language of notes without a `lang` key (default: identified from the text)",
    )  # fmt: skip


def task_of(options: argparse.Namespace) -> NoteFileTask:
    """Return the task that the options describe, with its model loaded."""
    default = "rules,known" + ",model" * (options.model is not None)
    detectors = parse_detectors(options.detectors or default, has_model=options.model is not None)
    return NoteFileTask(
        options.notes,
        options.output,
        options.patients,
        detectors,
        options.lang,
        options.selection,
        _load_model(options.model, options.runtime) if options.model else None,
    )


def _load_model(name: str, chosen: str) -> SpanTagger:
    folder = folder_of(name)
    if not folder.is_dir():
        raise ConfigError(
            "--model", f"not a directory: {folder}", "name a folder that `cryptonym train` wrote"
        )
    from models.tagger.loading import load_tagger_folder

    return load_tagger_folder(folder, chosen)
