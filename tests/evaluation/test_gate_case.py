"""A case before the gate: its report, its signed statement, and the files it is made of."""

from pathlib import Path

import pytest

from evaluation.gate import Axis, Bound, Measured, Requirement, decide
from evaluation.gate_case import (
    GateCase,
    load_requirements,
    read_measurements,
    write_measurements,
)
from record.errors import ConfigError

NEAR = Requirement("near", Bound.AT_MOST, 0.05, Axis.PRIVACY, 0.9, over_null=True)
WORTH = Requirement("worth", Bound.AT_LEAST, 0.8, Axis.UTILITY)


def case(value: float) -> GateCase:
    measured = [
        Measured("near", Axis.PRIVACY, value, value, value, "data", null=0.2, control=1.0),
        Measured("worth", Axis.UTILITY, 0.9, 0.9, 0.9, "data"),
    ]
    required = (NEAR, WORTH)
    about, signed = {"notes": "data"}, {"decoding": "beam"}
    return GateCase(measured, required, decide(measured, required), about, signed, word="SHARE")


def test_a_case_that_meets_every_requirement_has_its_own_word() -> None:
    passed = case(0.2)
    assert (passed.is_passed, passed.verdict) == (True, "SHARE")
    assert (case(0.5).is_passed, case(0.5).verdict) == (False, "HOLD")


def test_each_row_says_what_is_required_and_what_is_wrong() -> None:
    near, worth = case(0.5).report()["measured"]
    assert near["asked"] == "at most 0.05 over what cannot leak (known leak at least 0.9)"
    assert near["problems"] == ["near: upper bound above null is 0.3, at most 0.05 required"]
    assert (worth["asked"], worth["problems"]) == ("at least 0.8", [])


def test_the_statement_holds_what_the_report_does_not() -> None:
    statement = case(0.2).statement("sum")
    assert statement == {
        "notes": "data", "verdict": "SHARE", "decoding": "beam", "attacks": ["near"],
        "report_sha256": "sum",
    }  # fmt: skip
    assert "decoding" not in case(0.2).report()["about"]


def test_measurements_are_read_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "new" / "screen.json"
    measured = case(0.2).measured
    write_measurements(path, {"measured": [each.to_json() for each in measured]})
    assert read_measurements([path, path], {"data"}, "notes", "") == [*measured, *measured]
    with pytest.raises(ConfigError, match="holds measurements of other notes"):
        read_measurements([path], {"another"}, "notes", "")


@pytest.mark.parametrize("content", ["", "[]", '{"measured": [{"axis": "taste"}]}', "{"])
def test_a_damaged_file_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "screen.json"
    path.write_text(content)
    with pytest.raises(ConfigError, match="holds no measurements"):
        read_measurements([path], {"data"}, "notes", "")


def test_requirements_are_a_file_or_a_shipped_set(tmp_path: Path) -> None:
    assert load_requirements(Path("share"), ("share",))
    path = tmp_path / "ours.toml"
    path.write_text('[worth]\naxis = "utility"\nat_least = 0.8\n')
    assert load_requirements(path, ("share",)) == (WORTH,)
    for wrong in (Path("synthetic"), tmp_path):
        with pytest.raises(ConfigError, match="not a readable TOML file"):
            load_requirements(wrong, ("share",))
