"""What is said before notes are generated: of their length, and of wrong shares of labels."""

from pathlib import Path

import pytest

from pipeline.synthetic.note_generation import read_label_shares, warn_of_cuts
from record.errors import ConfigError


def test_a_bound_that_holds_nine_in_ten_notes_is_enough() -> None:
    lengths = [*range(100, 190, 10), 1000]
    assert warn_of_cuts(lengths, 180) == []
    (warning,) = warn_of_cuts(lengths, 170)
    assert "20 % of the notes" in warning
    assert "--max-length 180" in warning


def test_shares_are_numbers_by_label(tmp_path: Path) -> None:
    path = tmp_path / "shares.toml"
    path.write_text("PHONE = 0.2\nNAME = 3\n")
    assert read_label_shares(path) == {"PHONE": 0.2, "NAME": 3.0}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("PHONE = -1", "PHONE: must be a number of at least 0"),
        ("PHONE = true", "PHONE: must be a number of at least 0"),
        ('PHONE = "many"', "PHONE: must be a number of at least 0"),
        ("PHONE = 0", "at least one share must be above 0"),
        ("PHONE", "not a readable TOML file"),
    ],
)
def test_what_is_no_share_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "shares.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=problem):
        read_label_shares(path)
