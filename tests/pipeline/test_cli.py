"""The command line as people meet it: help, usage errors, exit codes, one shape of error."""

import argparse
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.cli import COMMANDS, GROUPS, find_command, load, main

FILES = {
    "demo": "demo DIR",
    "extract": "extract a.txt -o out.jsonl",
    "detect": "detect a.jsonl -o out.jsonl",
    "pseudonymize": "pseudonymize a.jsonl -o out.jsonl --key k --cohort c",
    "evaluate": "evaluate a.jsonl b.jsonl",
    "select": "select a.jsonl -o s.toml",
    "keys new": "keys new k",
}


TAKE_BEAM_OPTIONS = ("run", "watch", "release", "synthesize generate", "synthesize fill")


def ended(arguments: list[str]) -> str | int | None:
    """The code argparse ends the program with."""
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    return stop.value.code


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(["--help"]) == 0
    said = capsys.readouterr().out
    assert "exit codes" in said
    singles = [name for name in COMMANDS if " " not in name]
    assert all(re.search(rf"^ +{name}\b", said, re.M) for name in [*singles, *GROUPS])


@pytest.mark.parametrize("group", GROUPS)
def test_help_of_a_group_names_its_actions(group: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert ended([group, "--help"]) == 0
    said = capsys.readouterr().out
    actions = [name.split()[1] for name in COMMANDS if name.split()[0] == group]
    assert actions
    assert all(re.search(rf"^ +{action}\b", said, re.M) for action in actions)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_has_a_help_that_names_what_it_is(name: str) -> None:
    parser = argparse.ArgumentParser(add_help=False)
    load(name).add_options(parser)
    for action in parser._actions:
        words = (action.help or "").split()
        assert words, action.dest
        assert words[0] not in {"a", "an", "the", "use", "print", "write", "keep", "what"}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_examples_that_the_parser_takes(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended([*name.split(), "--help"]) == 0
    said = capsys.readouterr().out
    assert f"usage: cryptonym {name}" in said
    lines = re.findall(rf"^ +cryptonym ({name}\b.*)$", said.replace("\\\n", " "), re.M)
    for line in lines:
        words = shlex.split(line.partition(" && ")[0])
        if find_command(words) == name and name not in TAKE_BEAM_OPTIONS:
            assert ended([*words, "--no-such-option"]) == 2
            assert "unrecognized arguments: --no-such-option" in capsys.readouterr().err


def test_a_command_is_called_by_its_longest_name() -> None:
    assert find_command(["extract", "train", "pages.jsonl"]) == "extract train"
    assert find_command(["extract", "letter.txt"]) == "extract"
    assert find_command(["keys", "new", "k"]) == "keys new"
    assert find_command(["keys"]) is None
    assert find_command(["--help"]) is None


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys, pipeline.cli as cli\n"
        "try: cli.main(['--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'sqlalchemy', 'pyarrow', 'numpy', 'apache_beam', 'torch', 'rules'}\n"
        "sys.exit(' '.join(heavy & set(sys.modules)) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("line", FILES.values(), ids=FILES)
def test_unknown_options_are_usage_errors(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert ended([*line.split(), "--colour", "red"]) == 2
    assert "cryptonym: error: unrecognized arguments: --colour red" in capsys.readouterr().err


@pytest.mark.parametrize(
    "line",
    [
        "",
        "frobnicate",
        "extract a.txt",
        "extract -o out.jsonl",
        "extract a.txt -o o.jsonl --max-pages 0",
        "extract a.txt -o o.jsonl --layout margins",
        "detect a.jsonl",
        "detect a.jsonl -o o.jsonl --lang it",
        "detect a.jsonl -o o.jsonl --max-quarantine-share 2",
        "pseudonymize a.jsonl -o o.jsonl --key k",
        "pseudonymize a.jsonl -o o.jsonl --cohort c",
        "evaluate a.jsonl",
        "select a.jsonl",
        "select a.jsonl -o s.toml --tolerance 2",
    ],
)
def test_wrong_usage_ends_with_2(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(line.split()) == 2
    assert re.search(r"^cryptonym.*: error: ", capsys.readouterr().err, re.M)


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("extract a.txt -o o.jsonl --passwords words.txt", "extraction.passwords"),
        ("detect a.jsonl -o o.jsonl --detectors rules,model --model none", "--detectors"),
        ("detect a.jsonl -o o.jsonl --model DIR", "--model"),
        ("detect a.jsonl -o o.jsonl", "a.jsonl"),
        ("pseudonymize a.jsonl -o o.jsonl --key k --cohort c", "key.locator"),
        ("evaluate a.jsonl b.jsonl", "b.jsonl"),
        ("select a.jsonl -o s.toml", "a.jsonl"),
        ("evaluate a.jsonl b.jsonl --label-map m.toml", "m.toml"),
        ("run nightly.toml", "nightly.toml"),
    ],
)
def test_what_cannot_be_done_names_key_problem_and_remedy(
    line: str,
    key: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(line.split()) == 2
    said = capsys.readouterr()
    assert said.out == ""
    error = said.err.splitlines()[-1]
    assert re.fullmatch(r"cryptonym: error: (.+?): (.+?)\. Remedy: (.+)", error)
    assert error.startswith(f"cryptonym: error: {key}") or f"/{key}: " in error
    assert list(tmp_path.iterdir()) == []


def annotated(note_id: str, text: str, *spans: tuple[int, int, str]) -> str:
    listed = [{"start": start, "end": end, "label": label} for start, end, label in spans]
    return json.dumps({"note_id": note_id, "text": text, "spans": listed}) + "\n"


@pytest.fixture
def scored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Evaluates two files; returns the exit code, the output and the errors."""

    def run(gold: str, predicted: str, *more: str) -> tuple[int, str, str]:
        (tmp_path / "gold.jsonl").write_text(gold)
        (tmp_path / "pred.jsonl").write_text(predicted)
        files = [str(tmp_path / name) for name in ("gold.jsonl", "pred.jsonl")]
        code = main(["evaluate", *files, *more])
        return code, *capsys.readouterr()

    return run


def test_evaluate_prints_the_keys_of_the_contract(
    scored: Callable[..., tuple[int, str, str]],
) -> None:
    gold = annotated("1", "Zoé Roy", (0, 3, "A"), (4, 7, "B"))
    code, out, _ = scored(gold, annotated("1", "Zoé Roy", (0, 3, "A")), "--json")
    scores = json.loads(out)
    assert code == 0
    assert scores.keys() >= {
        *("strict", "unlabelled", "merged", "token", "redacted"),
        *("fully_redacted", "over_redaction", "per_label", "leaks"),
    }
    for name in ("strict", "unlabelled", "merged", "token"):
        assert scores[name].keys() == {"precision", "recall", "f1", "tp", "fp", "fn"}
    assert scores["fully_redacted"].keys() == {"rate", "low", "high", "documents"}
    assert scores["leaks"] == [{"label": "B", "note_id": "1", "start": 4, "end": 7}]


def test_evaluate_counts_abbreviations_in_capitals_as_terms(
    scored: Callable[..., tuple[int, str, str]],
) -> None:
    text = "CHF, Uti, pneumonia"
    found = annotated("1", text, (0, 3, "LAST_NAME"), (5, 8, "LAST_NAME"))
    _, out, _ = scored(annotated("1", text), found, "--json")
    medical = json.loads(out)["over_redaction_medical"]
    assert (medical["terms"], medical["redacted"]) == (2, 1)


def test_evaluate_takes_other_formats_and_writes_a_page(
    scored: Callable[..., tuple[int, str, str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "brat"
    folder.mkdir()
    (folder / "pred.txt").write_text("Zoé Roy")
    (folder / "pred.ann").write_text("T1\tA 0 3\tZoé\nT2\tB 4 7\tRoy\n")
    (tmp_path / "pred.conll").write_text("Zoé\tB-A\nRoy\tO\n")
    page = tmp_path / "page.html"
    line = ["evaluate", str(folder), str(tmp_path / "pred.conll"), "--html", str(page), "--json"]
    assert main(line) == 0
    assert json.loads(capsys.readouterr().out)["redacted"] == 0.5
    assert "Aaa" in page.read_text()
    assert "Roy" not in page.read_text()
    line[4] = str(tmp_path / "nowhere" / "page.html")
    assert main(line) == 2
    assert "no such file" in capsys.readouterr().err


def test_evaluate_scores_other_predictions_beside(
    scored: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    rules, page = tmp_path / "rules.jsonl", tmp_path / "page.html"
    rules.write_text(annotated("1", "Zoé Roy", (0, 3, "A")) + annotated("2", "Zoé"))
    gold = annotated("1", "Zoé Roy", (0, 3, "A"), (4, 7, "B"))
    code, out, err = scored(gold, gold, "--beside", str(rules), "--json", "--html", str(page))
    assert code == 0
    assert json.loads(out)["redacted"] == 1.0
    assert json.loads(out)["beside"]["redacted"] == 0.5
    assert "1 notes of --beside are not in GOLD" in err
    assert "Beside the other predictions" in page.read_text()
    _, out, _ = scored(gold, gold, "--beside", str(rules))
    assert f"beside it, {rules}:" in out


def test_evaluate_calibrates_a_threshold(scored: Callable[..., tuple[int, str, str]]) -> None:
    gold = "".join(annotated(str(n), "Zoé", (0, 3, "A")) for n in range(9))
    predicted = gold.replace('"A"', '"A", "detector": "model", "score": 0.7')
    code, out, _ = scored(gold, predicted, "--calibrate", "0.1", "--json")
    assert code == 0
    assert json.loads(out)["calibration"]["threshold"] == 0.7
    code, _, err = scored(gold, predicted, "--calibrate", "0.05", "--json")
    assert code == 2
    assert "annotate at least 19 documents" in err


def test_evaluate_reads_a_label_map_for_both_sides(
    scored: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    (tmp_path / "m.toml").write_text('PRENOM = "FIRST_NAME"\nPATIENT = "FIRST_NAME"\n')
    gold, predicted = (annotated("1", "Zoé", (0, 3, name)) for name in ("PRENOM", "PATIENT"))
    _, out, _ = scored(gold, predicted, "--label-map", str(tmp_path / "m.toml"), "--json")
    scores = json.loads(out)
    assert scores["strict"]["f1"] == 1
    assert list(scores["per_label"]) == ["FIRST_NAME"]
    (tmp_path / "m.toml").write_text("[deep]\nPRENOM = 1\n")
    assert scored(gold, predicted, "--label-map", str(tmp_path / "m.toml"))[0] == 2


def test_evaluate_says_what_it_could_not_score(scored: Callable[..., tuple[int, str, str]]) -> None:
    gold = annotated("1", "Zoé", (0, 3, "A")) + annotated("2", "Zoé", (0, 3, "A")) + "{\n"
    predicted = annotated("1", "Zoé", (0, 3, "A")) + annotated("3", "x")
    code, out, err = scored(gold, predicted)
    assert code == 0
    assert "0.5000" in out
    assert "1 notes of GOLD are not in PRED" in err
    assert "1 notes of PRED are not in GOLD" in err
    assert "not a valid note: line 3" in err


@pytest.mark.parametrize(
    "predicted",
    [annotated("1", "Zoe"), annotated("1", "Zoé") + annotated("1", "Zoé")],
    ids=["another text", "twice"],
)
def test_evaluate_refuses_what_has_no_meaning(
    scored: Callable[..., tuple[int, str, str]], predicted: str
) -> None:
    code, _, err = scored(annotated("1", "Zoé"), predicted)
    assert code == 2
    assert "PRED: " in err


def test_only_the_program_itself_sets_what_is_loaded_apart_from_the_collector(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frozen = []
    monkeypatch.setattr("pipeline.cli.collect_garbage_rarely", lambda: frozen.append(True))
    words = ["runs", str(tmp_path / "missing.toml")]
    assert main(words) == 2
    assert not frozen
    monkeypatch.setattr(sys, "argv", ["cryptonym", *words])
    assert main() == 2
    assert frozen
    assert capsys.readouterr().err
