"""The demonstration of a pretrained writer: its configuration, and from it to a verdict."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from pipeline.cli import main
from pipeline.config.exit_codes import EXIT_GATE, EXIT_USAGE
from pipeline.config.settings import load
from pipeline.night.demo import make_demo_config
from pipeline.synthetic.schedule.register_demo import COHORT
from pipeline.synthetic.schedule.scheduled_run import ScheduledRun
from pipeline.synthetic.schedule.writer_demo import WriterDemo, add_synthesis
from record.errors import ConfigError
from tests.models.pretrained import save_causal


def test_its_hospital_can_run_it_again(tmp_path: Path) -> None:
    config = tmp_path / "nightly.toml"
    config.write_text(make_demo_config("en", "none"))
    folder = tmp_path / 'a "model"'
    save_causal(folder, "llama")
    writer = WriterDemo(COHORT, folder, lora=4, minutes=2.5, notes=7, reader=folder, words="en")
    writer = replace(writer, unseen=tmp_path / "unseen.jsonl")
    writer.check()
    add_synthesis(config, writer)
    settings = load(config)
    asked = settings.synthesis
    assert asked is not None and settings.cohorts[COHORT].spans
    assert (asked.cohort, asked.notes, asked.words, asked.reader) == (COHORT, 7, "en", str(folder))
    assert asked.training["pretrained"] == str(folder)
    assert asked.training["lora"] == 4
    assert asked.unseen == str(tmp_path / "unseen.jsonl")
    assert asked.generation["known_words"] == "en"
    assert asked.training["max_minutes"] == 2.5


def test_what_cannot_be_trained_is_refused_before_a_hospital_is_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ConfigError, match="--pretrained"):
        WriterDemo(COHORT, tmp_path / "none").check()
    demo = ["synthesize", "demo", str(tmp_path / "demo")]
    for words in (
        ["--lora", "4"],
        ["--notes", "9"],
        ["--minutes", "3"],
        ["--pretrained", str(tmp_path / "none")],
        ["--pretrained", str(tmp_path), "--minutes", "0"],
        ["--encoder", str(tmp_path / "none")],
        ["--encoder", "e5-small", "--pretrained", str(tmp_path)],
    ):
        assert main([*demo, *words]) == EXIT_USAGE
        assert not (tmp_path / "demo").exists()
    assert "--lora: requires a pretrained writer" in capsys.readouterr().err


@pytest.mark.slow
def test_from_an_empty_folder_to_a_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # Of what this writer writes nothing agrees with what is detected, and nothing would be left.
    monkeypatch.setattr(ScheduledRun, "_agreement", lambda _: None)
    save_causal(tmp_path / "writer", "llama")
    save_causal(tmp_path / "reader", "gpt2")
    config = tmp_path / "writer" / "config.json"
    # Room for notes as long as these are; weights do not depend on it.
    places = {"max_position_embeddings": 1024}
    config.write_text(json.dumps(json.loads(config.read_text()) | places))
    words = ["synthesize", "demo", str(tmp_path / "demo"), "--patients", "40", "--model", "none"]
    short = ["--epochs", "1", "--json"]
    writer = ["--pretrained", str(tmp_path / "writer"), "--reader", str(tmp_path / "reader")]
    assert main([*words, *writer, "--notes", "12", "--minutes", "0.05", *short]) == EXIT_GATE
    told = json.loads(capsys.readouterr().out)
    assert told["verdict"] == "HOLD"
    problems = dict(reason.split(": ", 1) for reason in told["reasons"])
    assert problems["review-breaches"] == problems["disagreement-share"] == "not measured"
    assert problems.get("base-likelihood-auc") != "not measured"
    first, other = (
        {json.loads(line)["text"] for line in (tmp_path / "demo" / name).open()}
        for name in ("truth.jsonl", "other-hospital/truth.jsonl")
    )
    assert first and other and not first & other
    unseen = tmp_path / "demo/other-hospital/unseen.jsonl"
    assert unseen.stat().st_mode & 0o777 == 0o600
    assert len(unseen.read_text().splitlines()) <= len(other)
    report = json.loads((tmp_path / "demo/synthesis/report/report.json").read_text())
    measured = {each["name"] for each in report["measured"]}
    assert {"perplexity-at-most", "perplexity-at-least", "distinct-4-grams"} <= measured
    assert "base-likelihood-auc" in measured
