"""The demonstration of a pretrained writer: its configuration, and from it to a verdict."""

from pathlib import Path

import pytest

from pipeline.cli import main
from pipeline.config.exit_codes import EXIT_USAGE
from pipeline.config.settings import load
from pipeline.night.demo import make_demo_config
from pipeline.synthetic.schedule.register_demo import COHORT
from pipeline.synthetic.schedule.writer_demo import WriterDemo, add_synthesis
from record.errors import ConfigError
from tests.models.pretrained import save_causal


def test_its_hospital_can_run_it_again(tmp_path: Path) -> None:
    config = tmp_path / "nightly.toml"
    config.write_text(make_demo_config("en", "none"))
    folder = tmp_path / 'a "model"'
    save_causal(folder, "llama")
    writer = WriterDemo(COHORT, folder, lora=4, minutes=2.5, notes=7, reader=folder, words="en")
    writer.check()
    add_synthesis(config, writer)
    settings = load(config)
    asked = settings.synthesis
    assert asked is not None and settings.cohorts[COHORT].spans
    assert (asked.cohort, asked.notes, asked.words, asked.reader) == (COHORT, 7, "en", str(folder))
    assert asked.training["pretrained"] == str(folder)
    assert asked.training["lora"] == 4
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
        ["--pretrained", str(tmp_path), "--epochs", "1"],
        ["--pretrained", str(tmp_path), "--minutes", "0"],
    ):
        assert main([*demo, *words]) == EXIT_USAGE
        assert not (tmp_path / "demo").exists()
    assert "--lora: requires a pretrained writer" in capsys.readouterr().err
