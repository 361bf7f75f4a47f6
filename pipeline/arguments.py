"""What the command line takes: the parser of each subcommand, with its help and examples."""

import argparse
import os
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

from extractors.limits import Limits
from extractors.options import LANGUAGES, Engine, Layout
from pipeline import custody_arguments, release_arguments, training_arguments
from pipeline.selection import MAX_LOSS, TOLERANCE

EXITS = """\
exit codes:
  0  done
  1  finished, but a gate said no: notes missing at reconciliation, nothing released
  2  usage or configuration error; another run holds the lock
  3  finished, with more notes in quarantine than the limit allows
  4  a needed service could not be reached (database, folder of documents, disk space)
"""

_EXAMPLES = {
    "extract": """\
examples:
  cryptonym extract reports/*.pdf letter.docx old.rtf -o notes.jsonl
  cryptonym extract report.pdf -o note.jsonl --debug-pdf pictures
  cryptonym extract reports/*.pdf -o notes.jsonl --label-pages pages.jsonl
  cryptonym extract train pages.jsonl -o boxes.npz

Correct each `class` in pages.jsonl by hand before training. A note is named after its file. What
cannot be read goes to notes.quarantine.jsonl. Texts and names of files identify patients: the
outputs are readable by you alone.
""",
    "detect": """\
examples:
  cryptonym detect notes.jsonl -o found.jsonl --patients patients.jsonl
  cryptonym detect notes.jsonl -o found.jsonl --detectors rules --lang es
  cryptonym detect notes.jsonl -o found.jsonl --patients patients.jsonl --explain

The text is written back as it is, and offsets are those of that text. Spans that were there
are replaced. Lines that are no notes go to found.quarantine.jsonl. With --explain and --json
each span found is one object a line, and the summary is the last line.
""",
    "pseudonymize": """\
examples:
  cryptonym keys new master.key
  cryptonym pseudonymize notes.jsonl -o out.jsonl --key master.key --cohort research \\
      --patients patients.jsonl
  cryptonym pseudonymize found.jsonl -o out.jsonl --key master.key --cohort research --spans given

What is refused goes to out.quarantine.jsonl, without its text. Of a note's keys, text, spans,
person_id and note_datetime are written anew; note_id stays (--note-ids replace gives another); lang
and note_type stay where they are plain codes; every other key is left out unless --keep-keys names
it. Check note ids and kept keys for identifiers yourself.
""",
    "select": """\
examples:
  cryptonym select dev.jsonl -o selection.toml
  cryptonym select dev.jsonl -o selection.toml --patients patients.jsonl --model-spans model.jsonl
  cryptonym detect notes.jsonl -o found.jsonl --selection selection.toml

A rule is a family and a label, such as rules.names:FIRST_NAME. It is left out where adding it to
everything else lowers precision by more than --tolerance and without it redaction does not fall
by more than --max-loss. Rules of labels that no gold span has take part. Choose on notes that you
do not score on afterwards.
""",
    "evaluate": """\
examples:
  cryptonym evaluate truth.jsonl found.jsonl
  cryptonym evaluate gold.jsonl found.jsonl --label-map labels.toml --json
  cryptonym evaluate annotated/ found.jsonl --html scores.html

A label map is a TOML file with lines such as  PRENOM = "FIRST_NAME"  and holds for both files.
A note of GOLD that PRED does not have counts as if nothing had been found in it.
""",
}

EXTRACT_TRAIN = "extract train"
"""A command of two words, beside `extract FILE...`, which takes any word for a file."""

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
Command: TypeAlias = Callable[..., int]


def make_parser(commands: Mapping[str, Command]) -> argparse.ArgumentParser:
    """Make the parser; `commands` maps the name of each command to what runs it."""
    parser = argparse.ArgumentParser(
        prog="cryptonym",
        description="Pseudonymizes the notes of a clinical data warehouse.",
        epilog=EXITS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"cryptonym {version('cryptonym')}")
    parser.set_defaults(takes_beam_options=False, plain=False, json=False)
    added = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_demo(added, commands["demo"])
    _add_run(added, commands["run"])
    release = _add(added, "release", **release_arguments.TEXTS)
    release_arguments.add_options(release)
    release.set_defaults(command=commands["release"])
    _add_extract(added, commands["extract"])
    _add_train(added, commands[EXTRACT_TRAIN])
    _add_detect(added, commands["detect"])
    _add_pseudonymize(added, commands["pseudonymize"])
    _add_tagger_training(added, commands["train"])
    _add_evaluate(added, commands["evaluate"])
    _add_select(added, commands["select"])
    custody_arguments.add_keys(added, commands)
    custody_arguments.add_policy(added, commands)
    return parser


def _add(commands: Commands, name: str, **texts: Any) -> argparse.ArgumentParser:
    return commands.add_parser(
        name,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
        **texts,
    )


def _add_demo(commands: Commands, command: Command) -> None:
    demo = commands.add_parser(
        "demo",
        help="make a fictional hospital and run the nightly job on it",
        description="Makes a fictional hospital in DIR (database, PDFs, gold annotations, "
        "configuration, key), runs the nightly job on it and shows a note before and after.",
        allow_abbrev=False,
    )
    demo.add_argument("folder", type=Path, metavar="DIR", help="a new or empty folder")
    demo.add_argument("--patients", type=_positive, default=200, metavar="N", help="default 200")
    demo.add_argument("--seed", type=int, default=1, metavar="S", help="default 1")
    demo.add_argument("--lang", choices=("fr", "en", "es"), default="fr", help="default fr")
    demo.set_defaults(command=command)
    _add_common(demo)


def _add_run(commands: Commands, command: Command) -> None:
    run = _add(
        commands,
        "run",
        help="the nightly job: incremental and resumable",
        description="Processes the notes that are new or changed since the last run. A run that\n"
        "was interrupted goes on where it stopped. Further options go to Apache Beam, such as\n"
        "--runner=FlinkRunner; the default runs in memory, offline, without opening a port.",
        epilog=EXITS,
    )
    run.add_argument("config", type=Path, metavar="CONFIG.toml")
    run.set_defaults(command=command, takes_beam_options=True)
    _add_common(run)


def _add_extract(commands: Commands, command: Command) -> None:
    extract = _add(
        commands,
        "extract",
        help="documents to text",
        description="Reads PDF, RTF, HTML, DOCX, CDA, e-mail and text files, told by their\n"
        "content, each within limits, and writes notes. Pages without a sound text layer are\n"
        "recognized (OCR) where tesseract is installed. `extract train` retrains the classes\n"
        "of lines.",
        epilog=_EXAMPLES["extract"],
    )
    limits = Limits()
    extract.add_argument("files", type=Path, nargs="+", metavar="FILE")
    _add_out(extract, "NOTES.jsonl")
    add = extract.add_argument
    add(
        "--layout", choices=tuple(Layout), type=Layout, default=Layout.BODY,
        help="body (default): the letter without letterhead, margins, stamps, signature, footers; "
        "full: all of it",
    )  # fmt: skip
    add(
        "--engine", choices=tuple(Engine), type=Engine, default=Engine.PYMUPDF,
        help="what reads PDFs; default pymupdf",
    )  # fmt: skip
    add(
        "--ocr", default="+".join(LANGUAGES), metavar="LANGS",
        help=f"languages of recognition, `none` for none; default {'+'.join(LANGUAGES)}",
    )  # fmt: skip
    add("--dpi", type=_positive, default=300, metavar="N", help="for recognition; default 300")
    add("--tessdata", metavar="DIR", help="tesseract's data, where it is not in its usual place")
    add("--passwords", metavar="LOCATOR", help="file:PATH (mode 600) or env:NAME, one a line")
    add("--boxes", metavar="FILE", help="classes of lines made by `extract train`")
    add(
        "--min-quality", type=_share, default=0.6, metavar="Q",
        help="documents below this quality are refused; default 0.6",
    )  # fmt: skip
    add("--debug-pdf", type=Path, metavar="DIR", help="pictures of PDF pages with their classes")
    add("--label-pages", type=Path, metavar="PAGES.jsonl", help="lines of PDF pages and classes")
    for option, number, what in (
        ("--max-bytes", limits.max_bytes, "size of a file"),
        ("--max-pages", limits.max_pages, "pages of a file"),
        ("--max-characters", limits.max_characters, "length of a text"),
        ("--seconds", int(limits.seconds), "time for a file"),
        ("--memory-mb", limits.memory_mb, "memory for a file"),
    ):
        extract.add_argument(
            option, type=_positive, default=number, metavar="N", help=f"{what}; default {number}"
        )
    extract.set_defaults(command=command)
    _add_reporting(extract)


def _add_train(commands: Commands, command: Command) -> None:
    train = _add(
        commands,
        EXTRACT_TRAIN,
        description="Retrains the classes of lines (letterhead, body, footer ...) on pages of\n"
        "your own: write them with `extract --label-pages`, correct each `class`, train.\n"
        "Needs torch.",
        epilog="example:\n  cryptonym extract train pages.jsonl -o boxes.npz\n\n"
        "Then set extraction.boxes in the configuration, or give --boxes.",
    )
    train.add_argument("pages", type=Path, metavar="PAGES.jsonl")
    train.add_argument("-o", "--output", type=Path, required=True, metavar="BOXES.npz")
    train.add_argument("--steps", type=_positive, default=1000, metavar="N", help="default 1000")
    train.add_argument("--seed", type=int, default=1, metavar="S", help="default 1")
    train.add_argument("--plain", action="store_true", help="plain lines instead of a bar")
    train.set_defaults(command=command)


def _add_detect(commands: Commands, command: Command) -> None:
    detect = _add(
        commands,
        "detect",
        help="find identifiers in notes",
        description="Adds `spans` to notes: where identifiers are, and of which kind.",
        epilog=_EXAMPLES["detect"],
    )
    detect.add_argument("notes", type=Path, metavar="NOTES.jsonl")
    _add_out(detect, "OUT.jsonl")
    _add_detection(detect)
    add = detect.add_argument
    add("--explain", action="store_true", help="say which rule found what, without any text")
    add(
        "--explain-text", action="store_true",
        help="the same with the text found, which identifies patients",
    )  # fmt: skip
    detect.set_defaults(command=command)
    _add_reporting(detect)


def _add_pseudonymize(commands: Commands, command: Command) -> None:
    pseudonymize = _add(
        commands,
        "pseudonymize",
        help="replace identifiers in notes",
        description="Writes notes with every identifier replaced under the key of a cohort.",
        epilog=_EXAMPLES["pseudonymize"],
    )
    add = pseudonymize.add_argument
    add("notes", type=Path, metavar="NOTES.jsonl")
    _add_out(pseudonymize, "OUT.jsonl")
    custody_arguments.add_key(pseudonymize, required=True)
    add("--cohort", required=True, metavar="NAME", help="decides, with the key, all surrogates")
    add("--policy", metavar="NAME|P.toml", help="shipped, or a file: `cryptonym policy check`")
    add(
        "--spans", choices=("given", "detect"), default="detect",
        help="take the spans that are in NOTES, or detect them (default)",
    )  # fmt: skip
    _add_detection(pseudonymize)
    add("--keep-keys", default="", metavar="A,B", help="further keys of notes to copy as they are")
    add("--note-ids", choices=("keep", "replace"), default="keep", help="default keep")
    add(
        "--allow-unknown", action="store_true",
        help="with --patients: let notes pass whose person is not among them",
    )  # fmt: skip
    pseudonymize.set_defaults(command=command)
    _add_reporting(pseudonymize)


def _add_tagger_training(commands: Commands, command: Command) -> None:
    train = _add(
        commands,
        "train",
        help="train a tagger on annotated notes",
        description=training_arguments.DESCRIPTION,
        epilog=training_arguments.EXAMPLES,
    )
    training_arguments.add_options(train)
    train.set_defaults(command=command)


def _add_evaluate(commands: Commands, command: Command) -> None:
    evaluate = _add(
        commands,
        "evaluate",
        help="score spans against gold",
        description="Scores the spans of PRED against those of GOLD, note by note. Both may be\n"
        "JSON Lines, BRAT (.ann beside .txt), XML of i2b2, n2c2 and MEDDOCAN, or CoNLL columns.",
        epilog=_EXAMPLES["evaluate"],
    )
    evaluate.add_argument("gold", type=Path, metavar="GOLD", help="a file, or a folder of files")
    evaluate.add_argument("predicted", type=Path, metavar="PRED", help="of any of these formats")
    evaluate.add_argument("--label-map", type=Path, metavar="M.toml", help="renames labels")
    evaluate.add_argument("--html", type=Path, metavar="FILE", help="write a page with pictures")
    evaluate.add_argument(
        "--calibrate", type=_share, metavar="ALPHA",
        help="choose the threshold of a model's scores at which a note's expected share of missed "
        "identifier tokens is at most ALPHA",
    )  # fmt: skip
    evaluate.add_argument("--json", action="store_true", help="print one JSON object only")
    evaluate.set_defaults(command=command)


def _add_select(commands: Commands, command: Command) -> None:
    select = _add(
        commands,
        "select",
        help="choose which rules take part",
        description="Runs every rule on gold notes and writes down which ones do harm there.",
        epilog=_EXAMPLES["select"],
    )
    add = select.add_argument
    add("gold", type=Path, metavar="GOLD", help="gold notes, in any format of `evaluate`")
    _add_out(select, "SELECTION.toml")
    add("--patients", type=Path, metavar="P.jsonl", help="what is known of the patients")
    add("--model-spans", type=Path, metavar="PRED", help="what a model found in the same notes")
    add("--label-map", type=Path, metavar="M.toml", help="renames labels of gold and of rules")
    add("--tolerance", type=_share, default=TOLERANCE, metavar="S", help=f"default {TOLERANCE}")
    add("--max-loss", type=_share, default=MAX_LOSS, metavar="S", help=f"default {MAX_LOSS}")
    add("--lang", choices=("fr", "en", "es"), default="", help="of notes that do not tell theirs")
    add("--json", action="store_true", help="print the choice as JSON only")
    add("--plain", action="store_true", help="plain lines instead of a bar")
    select.set_defaults(command=command)


def _add_out(command: argparse.ArgumentParser, metavar: str) -> None:
    command.add_argument(
        "-o", "--output", type=Path, required=True, metavar=metavar, help="written whole or not"
    )


def _add_detection(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("--patients", type=Path, metavar="P.jsonl", help="what is known of the patients")
    add(
        "--detectors", metavar="A,B",
        help="of rules, known, model; default rules,known, and model where --model is given",
    )  # fmt: skip
    add("--model", metavar="DIR", help="that `train` wrote; `default` is the model that is shipped")
    add("--selection", type=Path, metavar="S.toml", help="which rules take part; default all")
    add(
        "--lang", choices=("fr", "en", "es"), default="",
        help="language of notes that do not name theirs; default: told from their text",
    )  # fmt: skip


def _add_reporting(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--max-quarantine-share", type=_share, default=0.05, metavar="S",
        help="more than this share of notes refused ends with exit code 3; default 0.05",
    )  # fmt: skip
    command.add_argument("--json", action="store_true", help="print the summary as JSON only")
    command.add_argument("--plain", action="store_true", help="plain lines instead of a bar")


def _add_common(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--workers",
        type=_positive,
        default=min(2, os.cpu_count() or 1),
        metavar="N",
        help="processes side by side; default: 2, or 1 on a single core",
    )
    command.add_argument("--json", action="store_true", help="print the summary as JSON only")
    command.add_argument("--plain", action="store_true", help="plain lines instead of a bar")


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def _share(text: str) -> float:
    number = float(text)
    if not 0 <= number <= 1:
        raise argparse.ArgumentTypeError("must be from 0 to 1")
    return number
