"""Errors point: the page of errors is what the program prints."""

import subprocess
import sys
from pathlib import Path

import pytest

from pipeline.cli import describe_unknown_command, main
from pipeline.config.near_misses import suggest
from pipeline.notes.error_boundary import Unexpected, describe_cause, drop_error_texts
from tests.pipeline.mistakes import SECTIONS

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "errors.md"


@pytest.mark.slow
def test_the_page_of_errors_is_what_the_program_prints() -> None:
    script = Path(__file__).with_name("mistakes.py")
    done = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True, text=True, check=True, cwd=ROOT, env={"PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.stdout == PAGE.read_text(encoding="utf-8")
    assert len(done.stdout.splitlines()) > sum(map(len, SECTIONS.values()))
    assert "secret" not in done.stdout.replace("aws:secret", "")
    assert "Traceback" not in done.stdout
    extras = [row for row in done.stdout.splitlines() if "is not installed" in row]
    assert len(extras) >= 12
    assert all("pip install 'cryptonym[" in row and row.endswith("| 2 |") for row in extras)


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["pseudonymise"], "did you mean pseudonymize?"),
        (["anonymize", "a.txt"], "did you mean cryptonym pseudonymize?"),
        (["synthesise", "train"], "did you mean synthesize?"),
        (["keys", "destory"], "did you mean destroy?"),
        (["keys", "generate"], "did you mean cryptonym keys new?"),
        (["generate"], "did you mean synthesize generate?"),
        (["help"], "did you mean cryptonym --help?"),
        (["keys", "qqqq"], "cryptonym keys --help lists all"),
        (["qqqq"], "cryptonym --help lists all"),
    ],
)
def test_unknown_commands(words: list[str], hint: str) -> None:
    assert describe_unknown_command(words).endswith(f"; {hint}")


@pytest.mark.parametrize(
    "words", [[], ["--help"], ["keys"], ["keys", "--help"], ["keys", "new"], ["extract", "letter"]]
)
def test_what_is_no_unknown_command(words: list[str]) -> None:
    assert describe_unknown_command(words) == ""


def test_options_that_are_missing_and_misspelt(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["pseudonymize", "n.jsonl", "-o", "o.jsonl", "--key", "k", "--cohorte", "c"])
    said = capsys.readouterr().err
    assert "required: --cohort; --cohorte: did you mean --cohort?" in said


def test_suggestions_are_near() -> None:
    assert suggest("patient", ["patients", "plain", "output"]) == "did you mean patients?"
    assert suggest("names", ["NAME", "STREET"]) == "did you mean NAME?"
    assert suggest("name", ["name_1", "name_2"]) == "did you mean name_2 or name_1?"
    assert suggest("zzz", ["patients"]) == ""


def test_causes_hold_no_text() -> None:
    text = "Vauquelin"

    def fail() -> None:
        try:
            raise ConnectionRefusedError(111, text, text)
        except OSError as error:
            raise ValueError(text) from error

    with pytest.raises(Unexpected) as caught:
        drop_error_texts(fail)
    assert str(caught.value) == "ValueError from ConnectionRefusedError (Connection refused)"
    stage = (
        f"Traceback {text}\npipeline.beam.failures.StageFailed: detect failed on unit 3: KeyError"
    )
    assert describe_cause(RuntimeError(stage)) == (
        "RuntimeError (detect failed on unit 3: KeyError)"
    )
    assert text not in describe_cause(RuntimeError(f"StageFailed: {text} failed on unit 3: {text}"))
    missing = describe_cause(ModuleNotFoundError(text, name="torch"))
    assert missing == "ModuleNotFoundError (module torch)"
    ended = subprocess.CalledProcessError(3, [text], text)
    assert describe_cause(ended) == "CalledProcessError (exit status 3)"
