"""Reading for soundness: pages that tell no kind, and answers of several readers with p-values."""

import json
import re
from pathlib import Path

import pytest
from scipy.stats import mannwhitneyu, spearmanr

from evaluation.utility.agreement import (
    QUESTIONS,
    ReviewerAnswer,
    SoundnessAnswer,
    compare_readers,
    measure_soundness,
)
from pipeline.cli import main
from pipeline.config.signing import hash_file

KINDS = {0: "synthetic", 1: "real", 2: "synthetic", 3: "real"}


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    path = tmp_path / "sound.jsonl"
    about = {"data": "d", "manifest": "m"}
    lines = [
        {"note": number, "text": f"zebra-{number} <b>" + "long " * 900, "known": kind, **about}
        for number, kind in KINDS.items()
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def saved(notes: Path, reader: str, *scores: int) -> str:
    answers = [
        {"pair": n, "trial": False, "scores": {"sound": score}, "why": f"because {reader} {n}"}
        for n, score in enumerate(scores)
    ]
    path = notes.with_name(f"{reader}.json")
    path.write_text(
        json.dumps({"reviewer": reader, "review": hash_file(notes), "answers": answers})
    )
    return str(path)


def test_pages_show_whole_notes_and_not_which_are_real(notes: Path, tmp_path: Path) -> None:
    out = tmp_path / "pages"
    assert main(["synthesize", "review", str(notes), "--sound", "-o", str(out)]) == 0
    pages = sorted(out.iterdir())
    assert [page.name for page in pages] == ["reader-1.html", "reader-2.html"]
    orders = []
    for page in pages:
        assert page.stat().st_mode & 0o777 == 0o600
        text = page.read_text()
        assert all(f"zebra-{number} &lt;b&gt;{'long ' * 900}" in text for number in KINDS)
        assert "src=" not in text and "href=" not in text
        assert not re.search(
            r"\b(synthetic|real|known)\b", text[text.index("<form") : text.index("</form>")]
        )
        orders.append([int(part.split(" ")[0]) for part in text.split("zebra-")[1:]])
    assert all(sorted(order) == list(KINDS) for order in orders)


def test_answers_are_measured_with_their_reasons(
    notes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, reasons = tmp_path / "sound.json", tmp_path / "reasons.html"
    files = [saved(notes, "a", 5, 5, 2, 4), saved(notes, "b", 4, 5, 1, 4)]
    asked = ["--sound", str(notes), "-o", str(out), "--reasons", str(reasons)]
    assert main(["synthesize", "agreement", *files, *asked]) == 0
    assert "sound-notes 0.5000" in capsys.readouterr().out
    told = json.loads(out.read_text())
    (found,) = told["measured"]
    assert (found["value"], found["null"], found["data"]) == (0.5, 1.0, "d")
    assert found["detail"]["p"] == pytest.approx(mannwhitneyu([4.5, 1.5], [5, 4]).pvalue)
    assert "because" not in out.read_text() and "zebra" not in out.read_text()
    assert "because a 2" in reasons.read_text()
    assert reasons.stat().st_mode & 0o777 == 0o600


def test_a_note_without_an_answer_leaves_soundness_unmeasured(
    notes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "sound.json"
    asked = ["--sound", str(notes), "-o", str(out)]
    assert main(["synthesize", "agreement", saved(notes, "a", 5, 5), *asked]) == 0
    assert json.loads(out.read_text())["measured"] == []
    assert "not measured" in capsys.readouterr().err


def test_answers_to_other_notes_or_given_twice_are_refused(
    notes: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = saved(notes, "a", 5, 5, 2, 4)
    asked = ["--sound", str(notes)]
    assert main(["synthesize", "agreement", one, one, *asked]) == 2
    assert "two answers by the same reader" in capsys.readouterr().err
    notes.write_text(notes.read_text().replace("zebra", "horse"))
    assert main(["synthesize", "agreement", one, *asked]) == 2
    assert "answers other pairs" in capsys.readouterr().err


def test_an_answer_off_the_scale_is_refused() -> None:
    with pytest.raises(ValueError, match="between 1 and 5"):
        measure_soundness([SoundnessAnswer(0, "a", 6)], KINDS, data="d", review="r")


def test_every_two_readers_have_a_row_with_its_p_value() -> None:
    one, same = [1, 2, 3, 4, 5, 5, 1, 2], [1, 2, 3, 4, 5, 5, 1, 2]
    other = [3, 1, 5, 2, 1, 4, 2, 3]
    answers = [
        ReviewerAnswer(pair, who, dict.fromkeys(QUESTIONS, score))
        for who, scores in (("a", one), ("b", same), ("c", other))
        for pair, score in enumerate(scores)
    ]
    found = [each for each in compare_readers(answers) if each.question == QUESTIONS[0]]
    assert [(each.one, each.other, each.pairs) for each in found] == [
        ("a", "b", 8), ("a", "c", 8), ("b", "c", 8),
    ]  # fmt: skip
    assert found[0].kappa == found[0].rho == pytest.approx(1) and found[0].p < 0.01
    assert found[1].rho == pytest.approx(spearmanr(one, other).statistic) and found[1].p > 0.05
