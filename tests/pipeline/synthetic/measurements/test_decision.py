"""Whoever is told HOLD is told what helps, for every number that the shipped requirements ask."""

import tomllib
from importlib.resources import files
from typing import Any

import pytest

from evaluation.gate import Axis, Bound, Measured, Requirement, decide
from evaluation.utility.fluency import PERPLEXITIES
from pipeline.cli import COMMANDS
from pipeline.synthetic.measurements.decision import ADVICE, advise, optional_of, required_of
from pipeline.synthetic.measurements.review_answers import read_readers

SETS = ("synthetic", "generator", "filled", "base", "medical", "reading")
NEAR = Requirement("nearest-rouge-3", Bound.AT_MOST, 0.05, Axis.PRIVACY, 0.9, over_null=True)
WORTH = Requirement("utility-of-real", Bound.AT_LEAST, 0.8, Axis.UTILITY)


def measured(name: str, axis: Axis, value: float, **controls: Any) -> Measured:
    return Measured(name, axis, value, value, value, "data", **controls)


def advice(*found: Measured) -> list[Any]:
    return list(advise(decide(found, [WORTH, NEAR]).reasons))


@pytest.mark.parametrize("name", SETS)
def test_every_number_that_is_asked_for_has_advice(name: str) -> None:
    text = files("evaluation").joinpath(f"requirements/{name}.toml").read_text("utf-8")
    assert tomllib.loads(text).keys() <= ADVICE.keys()


def test_each_number_is_measured_by_a_command_that_is_there() -> None:
    for each in ADVICE.values():
        assert f"synthesize {each.measured_by.split()[0]}" in COMMANDS
        assert each.helps


def test_what_was_not_measured_is_to_be_measured() -> None:
    first, second = advice()
    assert first.startswith("utility-of-real: run `synthesize utility`")
    assert second.startswith("nearest-rouge-3: run `synthesize screen`")


@pytest.mark.parametrize("controls", [{"null": 0.2, "control": 0.6}, {"null": 0.97, "control": 1}])
def test_where_copies_go_unseen_no_better_model_is_asked_for(controls: dict[str, float]) -> None:
    near = measured(NEAR.name, NEAR.axis, 0.99, **controls)
    worth = measured(WORTH.name, WORTH.axis, 0.9)
    (said,) = advice(worth, near)
    assert said.startswith("nearest-rouge-3: cannot be judged in this corpus")


def test_a_number_out_of_bounds_gets_its_own_advice() -> None:
    worth = measured(WORTH.name, WORTH.axis, 0.5)
    near = measured(NEAR.name, NEAR.axis, 0.5, null=0.2, control=1.0)
    said = advice(worth, near)
    assert said == [f"{name}: {ADVICE[name].helps}" for name in (WORTH.name, NEAR.name)]
    assert advice(measured(WORTH.name, WORTH.axis, 0.9), replaced(near, 0.21)) == []


def replaced(each: Measured, value: float) -> Measured:
    return measured(each.name, each.axis, value, null=each.null, control=each.control)


def test_what_is_said_once_names_all_its_numbers_and_other_reasons_get_nothing() -> None:
    problem = "may be over its floor 0.2, at most 0.05 asked"
    reasons = ["nearest-rouge-3: " + problem, "ours: " + problem, "nearest-rouge-5: " + problem]
    (said,) = advise([*reasons, "the model was trained on planted notes (--canaries)"])
    assert said.startswith("nearest-rouge-3, nearest-rouge-5: read the pairs")


@pytest.mark.parametrize(
    ("ratio", "held"), [(0.79, "perplexity-at-least"), (1.0, None), (1.31, "perplexity-at-most")]
)
def test_notes_that_a_reader_finds_too_strange_or_too_likely_are_held(
    ratio: float, held: str | None
) -> None:
    required = [each for each in optional_of(()) if each.name in PERPLEXITIES]
    found = [measured(name, Axis.RESEMBLANCE, ratio) for name in PERPLEXITIES]
    near = measured(NEAR.name, NEAR.axis, 0.1, null=0.1, control=1.0)
    reasons = decide([*found, near], [*required, NEAR]).reasons
    assert [reason.split(":")[0] for reason in reasons] == ([held] if held else [])
    assert [each.split(":")[1] for each in advise(reasons)] == (
        [f" {ADVICE[held].helps.split(':')[0]}"] if held else []
    )


def test_what_counts_only_where_it_was_measured_is_not_asked_for_twice() -> None:
    optional = optional_of(required_of(None))
    assert {each.name for each in optional} == {
        "medical-of-real", "sound-notes", "perplexity-at-most", "perplexity-at-least",
    }  # fmt: skip
    assert not {each.name for each in optional} & {each.name for each in required_of(None)}
    assert optional_of(optional) == ()


def test_an_agreement_of_readers_is_read_as_it_was_written_or_refused() -> None:
    row = {"question": "linked", "one": "a", "other": "b", "pairs": 3}
    row |= {"kappa": 0.5, "rho": None, "p": None}
    assert read_readers({"readers": [row]}) == [row]
    assert read_readers({}) == []
    for wrong in ({**row, "text": "x"}, {"question": "linked"}, {**row, "kappa": "high"}, 3):
        with pytest.raises((ValueError, TypeError)):
            read_readers({"readers": [wrong]})
