"""Notes whose annotations are not what is found in them are dropped, counted, and held."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.gate import Verdict, decide
from models.tagger.shipped_model import NO_MODEL, SHIPPED, digest
from pipeline.cli import main
from pipeline.config.progress import Progress
from pipeline.files.note_files import MAX_NOTE_CHARACTERS
from pipeline.synthetic.measurements.copy_filter import FilterRules, NothingAgrees, filter_copies
from pipeline.synthetic.measurements.decision import required_of
from pipeline.synthetic.measurements.end_to_end import refuse_claim
from pipeline.synthetic.measurements.screening import measured_by_generation
from pipeline.synthetic.measurements.tag_agreement import (
    COARSE_LABELS,
    DISAGREEING,
    AgreementRule,
    AgreementSummary,
    compare_annotations,
    measure_agreement,
)
from record.document import Annotated, Document
from record.errors import ConfigError
from record.label import RULE_MARK, Label
from record.span import Span
from synthesis.corpus_splitting import split_notes
from synthesis.generation_files import note_record
from synthesis.prepared_corpus import digest as corpus_digest
from synthesis.prepared_corpus import save_corpus

TEXT = "Anna Berg, 12/03/1956: no fever. " * 4
RULES = AgreementRule(model=NO_MODEL)
PEOPLE = ("Mary Johnson", "Paul Martin", "Claire Dubois", "Peter Miller", "Anna Taylor")


def spans_of(text: str) -> st.SearchStrategy[list[Span]]:
    """Spans, which may overlap, each with a letter or digit of the text."""
    places = st.tuples(*[st.integers(0, len(text))] * 2).map(sorted)
    marked = places.filter(lambda ends: any(map(str.isalnum, text[ends[0] : ends[1]])))
    labels = st.sampled_from(["NAME", "DATE", "PERSONA"])
    return st.lists(
        st.builds(lambda ends, label: Span(ends[0], ends[1], label), marked, labels), max_size=6
    )


@given(spans_of(TEXT), spans_of(TEXT))
def test_agreement_is_symmetric_and_one_where_spans_are_equal(
    first: list[Span], second: list[Span]
) -> None:
    found = measure_agreement(first, second, TEXT)
    assert found == measure_agreement(second, first, TEXT)
    assert 0 <= found <= 1
    assert measure_agreement(first, first, TEXT) == 1
    # F1 by its definition, of lists of characters.
    one, other = (
        {p for s in some for p in range(s.start, s.end) if TEXT[p] not in " ,/:."}
        for some in (first, second)
    )
    if one and other:
        precision, recall = (len(one & other) / len(each) for each in (one, other))
        both = precision + recall
        assert found == pytest.approx(2 * precision * recall / both if both else 0)


@given(spans_of(TEXT[:60]), spans_of(TEXT[:60]))
def test_agreement_of_disjoint_spans_is_zero(first: list[Span], second: list[Span]) -> None:
    text = TEXT[:60] * 2
    moved = [Span(each.start + 60, each.end + 60, each.label) for each in second]
    assert measure_agreement(first, moved, text) == (0 if first or moved else 1)


@given(spans_of(TEXT))
def test_how_fine_labels_are_and_where_a_name_is_parted_do_not_count(spans: list[Span]) -> None:
    words = [Span(each.start, each.start + 1, "X") for each in spans]
    words += [
        Span(each.start + 1, each.end, f"{RULE_MARK}Y")
        for each in spans
        if each.end > each.start + 1
    ]
    assert measure_agreement(spans, words, TEXT) == 1


def test_labels_are_compared_by_what_they_have_in_common() -> None:
    assert COARSE_LABELS.keys() == {label.value for label in Label}
    summary = AgreementSummary()
    note = Annotated(Document("n", "Anna Berg 1956"), (Span(0, 9, "NAME"), Span(10, 14, "JAHR")))
    found = [Span(0, 4, "FIRST_NAME"), Span(10, 14, f"{RULE_MARK}{Label.BIRTH_DATE}")]
    assert summary.add(note, found) == pytest.approx(2 * 8 / (12 + 8))
    assert {name: each.to_json() for name, each in summary.labels.items()} == {
        "names": {"written": 8, "found": 4, "shared": 4, "covered": 4, "f1": 2 * 4 / 12},
        "JAHR": {"written": 4, "found": 0, "shared": 0, "covered": 4, "f1": 0},
        "dates": {"written": 0, "found": 4, "shared": 0, "covered": 0, "f1": 0},
    }


def written(number: int) -> Annotated:
    """A note whose annotations are right."""
    first, last = PEOPLE[number % len(PEOPLE)].split()
    parts = [
        ("", "Patient: Mrs "), ("FIRST_NAME", first), ("", " "), ("LAST_NAME", last),
        ("", ", born on "), ("BIRTH_DATE", f"1{number % 10}/03/1956"),
        ("", ". Seen on "), ("DATE", f"0{1 + number % 9}/05/2021"),
        ("", f". No fever, wound number {number} is dry."),
    ]  # fmt: skip
    text, spans = "", []
    for label, words in parts:
        if label:
            spans.append(Span(len(text), len(text) + len(words), label, "synthetic"))
        text += words
    return Annotated(Document(f"s{number}", text, lang="en"), tuple(spans))


def without_tags(note: Annotated) -> Annotated:
    return Annotated(note.document, ())


def shifted(note: Annotated) -> Annotated:
    """The same number of characters, elsewhere."""
    text = note.document.text
    start = text.index("No fever")
    return Annotated(note.document, (Span(start, len(text), "NAME", "synthetic"),))


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("agreement") / "corpus"
    notes = [Annotated(Document(f"n{n}", f"word{n} " * 20, f"p{n}"), ()) for n in range(60)]
    save_corpus(split_notes(notes, seed=1), folder, {"inside": True})
    return folder


def generated(folder: Path, corpus: Path, notes: Sequence[Annotated]) -> Path:
    """What generation would have written."""
    folder.mkdir()
    about = {"requested": {}, "ids": 9, "cut": False, "hurried": False}
    about |= {"trimmed": False, "thinned": False}
    lines = [
        json.dumps(note_record(note, about | {"started": len(note.spans)})) + "\n" for note in notes
    ]
    content = "".join(lines).encode()
    (folder / "notes.jsonl").write_bytes(content)
    manifest = {
        "format": 1, "notes_sha256": hashlib.sha256(content).hexdigest(), "model_sha256": "m",
        "corpus_sha256": corpus_digest(corpus), "seed": 1, "privacy": None, "base_sha256": None,
        "well_formed": 1.0, "tags": {"distance": 0.0},
    }  # fmt: skip
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


def ids(path: Path) -> list[str]:
    return [json.loads(line)["note_id"] for line in path.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("model", [NO_MODEL, "default"])
@pytest.mark.parametrize("wrong", [without_tags, shifted])
def test_right_annotations_stay_and_wrong_ones_are_dropped(
    tmp_path: Path, corpus: Path, model: str, wrong: Any
) -> None:
    notes = [wrong(written(n)) if n % 4 == 0 else written(n) for n in range(12)]
    made, out = generated(tmp_path / "made", corpus, notes), tmp_path / "out"
    rules = FilterRules(agreement=AgreementRule(model=model))
    manifest = filter_copies(made, corpus, out, Progress(), rules=rules)
    assert ids(out / DISAGREEING) == ["s0", "s4", "s8"]
    assert ids(out / "notes.jsonl") == [f"s{n}" for n in range(12) if n % 4]
    told = manifest["filtered"]["agreement"]
    assert (told["compared"], told["dropped"], told["share"]) == (12, 3, 0.25)
    assert told["mean"] == pytest.approx(0.75, abs=0.03)
    assert told["model"] == (digest(SHIPPED) if model == "default" else None)
    assert (out / DISAGREEING).stat().st_mode & 0o077 == 0
    # The manifest counts what is left.
    assert manifest["notes"] == 9
    assert (
        manifest["notes_sha256"] == hashlib.sha256((out / "notes.jsonl").read_bytes()).hexdigest()
    )


@pytest.mark.parametrize(("wrong", "verdict"), [(3, Verdict.RELEASE), (4, Verdict.HOLD)])
def test_more_than_three_of_ten_hold(
    tmp_path: Path, corpus: Path, wrong: int, verdict: Verdict
) -> None:
    notes = [without_tags(written(n)) if n < wrong else written(n) for n in range(10)]
    made = generated(tmp_path / "made", corpus, notes)
    for name in ("synthetic", "generator"):
        asked = [each for each in required_of(Path(name)) if each.name == "disagreement-share"]
        (privacy, *_) = (each for each in required_of(Path(name)) if each.name == "copied-passages")
        rules = FilterRules(agreement=RULES)
        manifest = filter_copies(made, corpus, tmp_path / name, Progress(), rules=rules)
        measured = measured_by_generation(manifest, "data")
        # A set without privacy always holds: whether this number does, its reasons tell.
        reasons = decide(measured, [*asked, privacy]).reasons
        problem = "disagreement-share: upper bound is 0.4, at most 0.3 required"
        assert (problem in reasons) is (verdict is Verdict.HOLD)
        assert "copied-passages: not measured" in reasons
        assert len(reasons) == 1 + (verdict is Verdict.HOLD)


def test_notes_that_nobody_compared_are_held(tmp_path: Path, corpus: Path) -> None:
    made = generated(tmp_path / "made", corpus, [written(1)])
    manifest = filter_copies(made, corpus, tmp_path / "out", Progress())
    assert "agreement" not in manifest["filtered"]
    assert not (tmp_path / "out" / DISAGREEING).exists()
    found = decide(measured_by_generation(manifest, "data"), required_of(None))
    assert "disagreement-share: not measured" in found.reasons


def test_no_text_is_in_manifest_numbers_or_messages(
    tmp_path: Path, corpus: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    made = generated(tmp_path / "made", corpus, [written(0), without_tags(written(1))])
    words = ["synthesize", "filter", str(made), str(corpus), "--agreement", "--model", "none"]
    assert main([*words, "-o", str(tmp_path / "first"), "--json"]) == 0
    assert main([*words, "-o", str(tmp_path / "out"), "--plain"]) == 0
    shown = capfd.readouterr()
    told = (tmp_path / "out" / "manifest.json").read_text("utf-8")
    measured = [each.to_json() for each in measured_by_generation(json.loads(told), "data")]
    everything = f"{shown.out}{shown.err}{told}{measured}"
    assert "1 of 2 others dropped (50.0 %)" in everything
    assert "Paul" in (tmp_path / "out" / DISAGREEING).read_text("utf-8")
    for word in (*" ".join(PEOPLE).split(), "1956", "Patient:", "fever"):
        assert word not in everything


def test_where_no_note_agrees_nothing_is_written(tmp_path: Path, corpus: Path) -> None:
    made = generated(tmp_path / "made", corpus, [without_tags(written(1))])
    with pytest.raises(NothingAgrees) as refused:
        filter_copies(
            made, corpus, tmp_path / "out", Progress(), rules=FilterRules(agreement=RULES)
        )
    assert refused.value.number == "disagreement-share"
    assert not (tmp_path / "out").exists()


def test_a_note_that_detectors_cannot_read_is_dropped() -> None:
    long = Annotated(Document("long", "a " * (MAX_NOTE_CHARACTERS // 2 + 1)), ())
    line = json.dumps({"note_id": "long"}).encode()
    found = compare_annotations([(long, line), (written(1), b"kept\n")], RULES, Progress())
    assert list(found.kept) == [b"kept\n"]
    assert (found.counts["unread"], found.counts["dropped"]) == (1, 1)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--agreement", "0.4"], "which the gate counts"),
        (["--model", "none"], "not used without --agreement"),
        (["--agreement", "--model", "missing"], "contains no tagger.json"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    tmp_path: Path, corpus: Path, words: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    made = generated(tmp_path / "made", corpus, [written(1)])
    out = tmp_path / "out"
    assert main(["synthesize", "filter", str(made), str(corpus), "-o", str(out), *words]) == 2
    assert problem in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize(
    ("model", "is_refused"), [(None, False), (digest(SHIPPED), False), ("another", True)]
)
def test_a_tagger_of_private_notes_rules_out_a_claim_of_end_to_end_privacy(
    model: str | None, is_refused: bool
) -> None:
    manifest = {
        "privacy": {"unit": "patient"}, "base_sha256": None,
        "filtered": {"agreement": {"model": model}},
    }  # fmt: skip
    reasons = list(refuse_claim(manifest))
    assert any("copies were dropped" in each for each in reasons)
    assert any("a tagger that may have learnt" in each for each in reasons) is is_refused


def test_the_least_agreement_of_the_command_is_that_of_the_gate() -> None:
    with pytest.raises(ConfigError, match="--agreement"):
        AgreementRule(0.49)
    assert AgreementRule().least == 0.5
