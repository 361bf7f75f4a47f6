"""Review of pairs by people: two readers each, answers without text, agreement as elsewhere."""

import json
import math
import re
import statistics
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.utility.agreement import QUESTIONS, ReviewerAnswer, cohen, measure_agreement
from pipeline.cli import main
from pipeline.reports.review_pages import TRIALS, assign_pairs

PAIRS = [
    {
        "pair": number,
        "synthetic": f"synthetic {number} <b>",
        "real": f"canary {number} of the ward",
        "passages": {"synthetic": [], "real": [[7, 13]]},
    }
    for number in range(12)
]


@given(st.integers(2, 6), st.integers(0, 5))
def test_every_pair_goes_to_two_reviewers_and_the_trials_to_all(reviewers: int, seed: int) -> None:
    piles = assign_pairs(PAIRS, reviewers, seed)
    read = Counter(pair["pair"] for pile in piles for pair in pile if not pair["trial"])
    assert read == dict.fromkeys(range(TRIALS, 12), 2)
    assert all([pair["pair"] for pair in pile[:TRIALS]] == [0, 1] for pile in piles)
    assert all(len({pair["pair"] for pair in pile}) == len(pile) for pile in piles)
    assert max(map(len, piles)) - min(map(len, piles)) <= 2


def scores(*values: int) -> dict[Any, Any]:
    return dict(zip(QUESTIONS, values, strict=True))


def ranked(values: Any) -> list[Any]:
    """Mean ranks, up to a constant."""
    return [sum(x < y for x in values) + sum(x <= y for x in values) for y in values]


def test_kappa_and_rho_are_those_of_other_programs() -> None:
    # Kappa by scikit-learn's cohen_kappa_score; rho is Pearson's r of mean ranks.
    one = [1, 2, 3, 4, 5, 5, 1, 2, 2, 4]
    other = [1, 2, 3, 5, 5, 4, 1, 3, 2, 4]
    answers = [
        ReviewerAnswer(number, name, scores(value, 1, value))
        for name, values in (("a", one), ("b", other))
        for number, value in enumerate(values)
    ]
    found = measure_agreement(answers)
    assert found[0].kappa == pytest.approx(0.625)
    ranks = [
        [(sum(x < y for x in v) + sum(x <= y for x in v)) / 2 for y in v] for v in (one, other)
    ]
    assert found[0].rho == pytest.approx(statistics.correlation(*ranks))
    assert (found[0].breaches, found[0].cleared, found[0].pairs) == (4, 4, 10)
    assert math.isnan(found[1].kappa)
    assert math.isnan(found[1].rho)
    assert found[1].cleared == 10


def test_kappa_is_nothing_by_chance_and_one_in_agreement() -> None:
    assert cohen([(1, 1), (2, 2), (5, 5)]) == 1.0
    assert cohen([(1, 1), (1, 2), (2, 1), (2, 2)]) == 0.0
    assert math.isnan(cohen([]))


@pytest.mark.parametrize(
    "answers",
    [
        [ReviewerAnswer(1, "a", scores(1, 1, 1))] * 2,
        [ReviewerAnswer(1, name, scores(1, 1, 1)) for name in "abc"],
        [ReviewerAnswer(1, "a", scores(0, 1, 1))],
        [ReviewerAnswer(1, "a", {"linked": 3})],
    ],
)
def test_answers_that_mean_nothing_are_refused(answers: list[ReviewerAnswer]) -> None:
    with pytest.raises(ValueError, match="pair"):
        measure_agreement(answers)


def test_from_pages_to_agreement(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    review = tmp_path / "review.jsonl"
    review.write_text("".join(json.dumps(pair | {"found_by": "BM25"}) + "\n" for pair in PAIRS))
    assert main(["synthesize", "review", str(review), "-o", str(tmp_path / "pages")]) == 0
    pages = sorted((tmp_path / "pages").iterdir())
    assert [page.name for page in pages] == ["reviewer-1.html", "reviewer-2.html"]
    for page in pages:
        assert page.stat().st_mode & 0o077 == 0
        content = page.read_text()
        assert "synthetic 3 &lt;b&gt;" in content
        assert "BM25" not in content
        assert re.search(r"<mark>\d+ of t", content)
        assert not re.search(r"(?:src|href)=\"", content)
    files = []
    for name, lean in (("reviewer-1", 0), ("reviewer-2", 1)):
        answers = [
            {"pair": n, "trial": n < TRIALS, "scores": scores(5, 1 + lean, 1), "why": "canary"}
            for n in range(12)
        ]
        files.append(tmp_path / f"{name}.json")
        files[-1].write_text(json.dumps({"reviewer": name, "answers": answers}))
    out = tmp_path / "agreement.json"
    assert main(["synthesize", "agreement", *map(str, files), "-o", str(out)]) == 0
    found = {each["question"]: each for each in json.loads(out.read_text())["questions"]}
    assert {each["pairs"] for each in found.values()} == {12 - TRIALS}
    assert found["real_identifies"]["breaches"] == 10
    assert found["synthetic_identifies"]["kappa"] == 0.0
    assert "canary" not in out.read_text() + capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["review", "bad.jsonl", "-o", "out"], "contains no pairs"),
        (["review", "good.jsonl", "-o", "out", "--reviewers", "1"], "must be at least 2"),
        (["agreement", "bad.jsonl"], "contains no answers"),
        (["agreement", "a.json", "a.json"], "two answers by the same reviewer"),
    ],
)
def test_wrong_usage_is_told(
    words: list[str],
    problem: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.jsonl").write_text("[]\n{")
    (tmp_path / "good.jsonl").write_text("".join(json.dumps(pair) + "\n" for pair in PAIRS))
    held = {"reviewer": "a", "answers": [{"pair": 3, "scores": scores(1, 1, 1)}]}
    (tmp_path / "a.json").write_text(json.dumps(held))
    assert main(["synthesize", *words]) == 2
    assert problem in capsys.readouterr().err
