"""The release gate: six things get the verdict they deserve, and whatever is missing holds."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.gate import (
    Axis,
    Bound,
    Decision,
    Measured,
    Requirement,
    Verdict,
    decide,
    read_requirements,
)
from record.errors import ConfigError

ASKED = {
    "fully-redacted": {"axis": "detection", "at_least": 0.95},
    "tag-distance": {"axis": "resemblance", "at_most": 0.05},
    "ner-of-real": {"axis": "utility", "at_least": 0.8},
    "verbatim-8-grams": {"axis": "privacy", "at_most": 0, "control_at_least": 1},
    "membership-auc": {"axis": "privacy", "contains": 0.5, "control_at_least": 0.9},
    "s-pdtp": {"axis": "privacy", "at_most": 1.0, "control_at_least": 5, "over_null": True},
}
REQUIREMENTS = read_requirements(ASKED, where="gate")


def measured(name: str, axis: Axis, value: float, spread: float = 0.01, **more: Any) -> Measured:
    return Measured(name, axis, value, value - spread, value + spread, "fiction", 3, **more)


CLEAN = {
    "fully-redacted": measured("fully-redacted", Axis.DETECTION, 0.98),
    "tag-distance": measured("tag-distance", Axis.RESEMBLANCE, 0.02),
    "ner-of-real": measured("ner-of-real", Axis.UTILITY, 0.9),
    "verbatim-8-grams": measured("verbatim-8-grams", Axis.PRIVACY, 0, 0, null=0, control=40),
    "membership-auc": measured("membership-auc", Axis.PRIVACY, 0.51, 0.03, null=0.5, control=0.97),
    "s-pdtp": measured("s-pdtp", Axis.PRIVACY, 4.5, 0.3, null=4.1, control=9.0),
}
ALMOST = CLEAN | {"ner-of-real": measured("ner-of-real", Axis.UTILITY, 0.82)}
COPIES = CLEAN | {"verbatim-8-grams": measured("x", Axis.PRIVACY, 3, 0, null=0, control=40)}
LEARNT = replace(CLEAN["membership-auc"], value=0.6, low=0.56, high=0.64)
REMEMBERS = CLEAN | {"membership-auc": LEARNT}
USELESS = CLEAN | {"ner-of-real": measured("ner-of-real", Axis.UTILITY, 0.5)}
BLIND = CLEAN | {"membership-auc": replace(CLEAN["membership-auc"], control=0.55)}


def verdict(
    artefact: dict[str, Measured], requirements: Sequence[Requirement] = REQUIREMENTS
) -> Decision:
    named = [replace(each, name=name) for name, each in artefact.items()]
    return decide(named, requirements)


@pytest.mark.parametrize("artefact", [CLEAN, ALMOST], ids=["clean", "almost"])
def test_what_is_clean_may_leave(artefact: dict[str, Measured]) -> None:
    assert verdict(artefact) == verdict(CLEAN)
    assert verdict(artefact).verdict is Verdict.RELEASE
    assert not verdict(artefact).reasons


@pytest.mark.parametrize(
    ("artefact", "reason"),
    [
        (COPIES, "verbatim-8-grams: upper bound is 3, at most 0 required"),
        (REMEMBERS, "membership-auc: interval is 0.56 to 0.64, must contain 0.5"),
        (USELESS, "ner-of-real: lower bound is 0.49, at least 0.8 required"),
        (
            BLIND,
            "membership-auc: does not detect a known leak (control 0.55, at least 0.9 required)",
        ),
    ],
    ids=["copies", "remembers", "useless", "attacked by the blind"],
)
def test_what_is_broken_is_held_and_the_reason_told(
    artefact: dict[str, Measured], reason: str
) -> None:
    assert verdict(artefact).verdict is Verdict.HOLD
    assert verdict(artefact).reasons == (reason,)


@pytest.mark.parametrize("name", CLEAN)
def test_whatever_is_missing_holds(name: str) -> None:
    rest = {key: value for key, value in CLEAN.items() if key != name}
    assert verdict(rest).reasons == (f"{name}: not measured",)
    named = [replace(each, name=key) for key, each in CLEAN.items()]
    again = decide([*named, replace(CLEAN[name], name=name)], REQUIREMENTS)
    assert again.reasons == (f"{name}: measured twice",)


@given(
    st.sampled_from(sorted(CLEAN)),
    st.sampled_from(["value", "low", "high"]),
    st.sampled_from([math.nan, math.inf, -math.inf]),
)
def test_what_is_no_number_holds(name: str, part: str, number: float) -> None:
    broken = CLEAN | {name: replace(CLEAN[name], **cast(dict[str, Any], {part: number}))}
    assert verdict(broken).verdict is Verdict.HOLD


@given(st.sampled_from(["null", "control"]), st.sampled_from([None, math.nan]))
def test_privacy_without_its_controls_holds(part: str, number: float | None) -> None:
    for name in ("verbatim-8-grams", "membership-auc", "s-pdtp"):
        broken = CLEAN | {name: replace(CLEAN[name], **cast(dict[str, Any], {part: number}))}
        assert verdict(broken).verdict is Verdict.HOLD


def test_a_number_on_the_wrong_axis_holds() -> None:
    wrong = CLEAN | {"membership-auc": replace(CLEAN["membership-auc"], axis=Axis.UTILITY)}
    assert "measured for utility" in verdict(wrong).reasons[0]


@pytest.mark.parametrize(
    ("told", "problem"),
    [
        ({"detectable": 0.6}, ""),
        ({"detectable": 0.65}, ""),
        ({"detectable": 0.7}, "too little power (sees 0.7 and more, at most 0.65 required)"),
        ({"detectable": math.nan}, "too little power (nothing tells what it would see)"),
        ({}, "too little power (nothing tells what it would see)"),
    ],
)
def test_an_attack_without_power_holds(told: dict[str, float], problem: str) -> None:
    (asked,) = read_requirements(
        {"auc": {"axis": "privacy", "contains": 0.5, "detectable_at_most": 0.65}}, where="gate"
    )
    found = measured("auc", Axis.PRIVACY, 0.5, 0.2, null=0.5, control=1.0, detail=told)
    expected = (f"auc: {problem}",) if problem else ()
    assert decide([found], [asked]).reasons == expected


def test_a_gate_that_asks_nothing_on_privacy_holds() -> None:
    kept = [each for each in REQUIREMENTS if each.axis is not Axis.PRIVACY]
    assert verdict(CLEAN, kept).reasons == ("no requirement on privacy",)
    assert verdict({}, []).verdict is Verdict.HOLD


def test_a_number_that_a_known_leak_would_pass_tells_nothing() -> None:
    # What cannot leak reaches as high as copies do: no bound above that floor can be broken.
    useless = CLEAN | {"s-pdtp": replace(CLEAN["s-pdtp"], null=8.5)}
    assert verdict(useless).reasons == (
        "s-pdtp: would pass a known leak, so it proves nothing here",
    )


def test_an_excess_is_counted_from_its_floor() -> None:
    worse = CLEAN | {"s-pdtp": replace(CLEAN["s-pdtp"], null=3.0)}
    assert verdict(worse).reasons == ("s-pdtp: upper bound above null is 1.8, at most 1 required",)


def test_requirements_are_read() -> None:
    assert REQUIREMENTS[3] == Requirement("verbatim-8-grams", Bound.AT_MOST, 0.0, Axis.PRIVACY, 1.0)
    assert REQUIREMENTS[5].over_null


@pytest.mark.parametrize(
    ("entry", "key"),
    [
        (3, "gate: x"),
        ({"axis": "privacy"}, "gate: x"),
        ({"axis": "privacy", "at_most": 1, "at_least": 0}, "gate: x"),
        ({"axis": "privacy", "at_most": 1, "limit": 0}, "gate: x"),
        ({"axis": "taste", "at_most": 1}, "gate: x.axis"),
        ({"axis": "privacy", "at_most": True}, "gate: x.at_most"),
        ({"axis": "privacy", "at_most": math.nan}, "gate: x.at_most"),
        ({"axis": "privacy", "at_most": 1, "over_null": 1}, "gate: x.over_null"),
        ({"axis": "privacy", "at_most": 1, "control_at_least": "1"}, "gate: x.control_at_least"),
    ],
)
def test_requirements_that_mean_nothing_are_refused(
    entry: int | dict[str, str | float], key: str
) -> None:
    with pytest.raises(ConfigError) as refused:
        read_requirements({"x": entry}, where="gate")
    assert str(refused.value).startswith(f"{key}: ")
