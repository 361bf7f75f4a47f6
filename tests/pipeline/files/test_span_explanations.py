"""What explains a span: which rule, why, won or lost; and never a word of the note."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from _pytest.capture import CaptureResult
from hypothesis import given
from hypothesis import strategies as st

from pipeline.cli import main
from pipeline.files.span_explanations import HEADING, SpanOutcome, explain_spans
from pipeline.notes.overlap_resolution import precedence_beside_tagger, resolve_spans
from record.document import Document
from record.patient import Identifier, PatientRecord, PersonName
from record.span import Span

PATIENT = {
    "person_id": "42",
    "given_names": ["Ghislaine"],
    "family_names": ["VAUQUELIN"],
    "birth_date": "1950-02-03",
    "phones": ["01 44 55 66 77"],
    "identifiers": [{"label": "PATIENT_ID", "value": "8012345678"}],
}
TEXT = (
    "\ufeffMme Ghislaine VAUQUELIN, née le 03/02/1950, IPP 8012345678, tél. 01.44.55.66.77, revue"
    " le 12 mars 2021 par le Dr Paul WEXLOVITCH au CHU de Lille. g.vauquelin@example.org\n"
)
CANARIES = (
    "ghislaine vauquelin wexlovitch paul 8012345678 03/02 1950 44 mars 2021 lille example".split()
)


@pytest.fixture
def run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, CaptureResult[str], Any]]:
    """Detects in one note; returns the exit code, what was printed and what was written."""
    (tmp_path / "patients.jsonl").write_text(json.dumps(PATIENT) + "\n")

    def detect(
        *more: str, note_id: str = "17", text: str = TEXT
    ) -> tuple[int, CaptureResult[str], Any]:
        note = {"note_id": note_id, "person_id": "42", "text": text}
        (tmp_path / "notes.jsonl").write_text(json.dumps(note) + "\n")
        out = tmp_path / "out.jsonl"
        files = ["detect", str(tmp_path / "notes.jsonl"), "-o", str(out)]
        code = main(
            [
                *files,
                "--patients",
                str(tmp_path / "patients.jsonl"),
                "--plain",
                "--model",
                "none",
                *more,
            ]
        )
        return code, capsys.readouterr(), json.loads(out.read_text())

    return detect


def told(said: Any) -> tuple[list[Any], Any]:
    """The findings and the summary that were printed as JSON Lines."""
    *findings, summary = map(json.loads, said.out.splitlines())
    return findings, summary


def test_every_span_is_explained_where_it_stands_in_the_file(
    run: Callable[..., tuple[int, CaptureResult[str], Any]],
) -> None:
    code, said, note = run("--explain", "--json")
    findings, summary = told(said)
    assert (code, summary["written"]) == (0, 1)
    assert {finding["note_id"] for finding in findings} == {"17"}
    assert {finding["lang"] for finding in findings} == {"fr"}
    won = {(f["start"], f["end"], f["label"]) for f in findings if f["outcome"] == "won"}
    assert won == {(s["start"], s["end"], s["label"]) for s in note["spans"]}
    names = [f for f in findings if TEXT[f["start"] : f["end"]] == "VAUQUELIN"]
    assert {(f["detector"], f["rule"], f["outcome"], f["to"], f["because"]) for f in names} >= {
        ("known.family_names", "known family name: as in the record", "won", "", "")
    }
    lost = [f for f in findings if f["outcome"] == "lost"]
    assert lost
    assert all(f["to"] and f["because"] for f in lost)


def test_a_table_has_a_line_for_each_span(
    run: Callable[..., tuple[int, CaptureResult[str], Any]],
) -> None:
    _, said, note = run("--explain")
    first, *lines = said.out.splitlines()
    assert first == HEADING
    won = [line for line in lines if line.endswith("  won")]
    assert len(won) == len(note["spans"])
    assert all(re.match(r"17 +\d+-\d+ +[A-Z_]+ ", line) for line in won)


@pytest.mark.parametrize("more", [("--explain",), ("--explain", "--json")])
def test_no_word_of_the_note_is_told(
    run: Callable[..., tuple[int, CaptureResult[str], Any]], more: tuple[str, ...]
) -> None:
    _, said, _ = run(*more)
    printed = re.sub(r"\b\d+-\d+\b|\"(start|end)\": \d+", "", (said.out + said.err).lower())
    printed = printed.replace("out.jsonl", "")
    assert printed.count("vauquelin") == 0
    assert not [canary for canary in CANARIES if canary in printed.split("written to")[0]]


def test_words_are_told_where_they_are_asked_for(
    run: Callable[..., tuple[int, CaptureResult[str], Any]],
) -> None:
    _, said, _ = run("--explain-text", "--json")
    findings, _ = told(said)
    assert all(f["text"] == TEXT[f["start"] : f["end"]] for f in findings)
    _, said, _ = run("--explain-text")
    assert re.search(r"known family name.*VAUQUELIN$", said.out, re.M)


def test_nothing_is_explained_unless_it_is_asked_for(
    run: Callable[..., tuple[int, CaptureResult[str], Any]],
) -> None:
    _, said, explained = run("--explain")
    _, plain, note = run()
    assert HEADING in said.out
    assert HEADING not in plain.out
    assert note == explained


@pytest.mark.parametrize("detectors", ["rules", "known"])
def test_only_the_detectors_asked_for_explain(
    run: Callable[..., tuple[int, CaptureResult[str], Any]], detectors: str
) -> None:
    _, said, _ = run("--explain", "--json", "--detectors", detectors)
    findings, _ = told(said)
    assert {finding["detector"].split(".")[0] for finding in findings} == {detectors}


def test_a_note_cannot_steer_the_terminal(
    run: Callable[..., tuple[int, CaptureResult[str], Any]],
) -> None:
    _, said, _ = run("--explain", note_id="1\x1b[2J7")
    assert "\x1b" not in said.out
    assert "1?[2J7" in said.out


RECORD = PatientRecord(
    "1",
    given_names=("Jean-Marc",),
    family_names=("Lefèvre",),
    phones=("01 44 55 66 77",),
    identifiers=(Identifier("PATIENT_ID", "8012345678"),),
    relatives=(PersonName(("Zoé",), ("Marty",)),),
)


@pytest.mark.parametrize(
    ("text", "label", "detector", "rule"),
    [
        ("Lefèvre", "LAST_NAME", "known.family_names", "known family name: as in the record"),
        (
            "LEFEVRE", "LAST_NAME", "known.family_names",
            "known family name: other case or accents",
        ),
        (
            "Lefebvre", "LAST_NAME", "known.family_names",
            "known family name: misspelling or spelling variant",
        ),
        ("Jean Marc", "FIRST_NAME", "known.given_names", "known given name: other separators"),
        ("J.-M.", "FIRST_NAME", "known.given_names", "known given name: initials or a short form"),
        ("Marc L", "FIRST_NAME", "known.given_names", "known given name: another form"),
        ("Zoé", "FIRST_NAME", "known.relatives", "known name of a relative: as in the record"),
        ("01.44.55.66.77", "PHONE", "known.phones", "known telephone: other separators"),
        ("44 55 66 77", "PHONE", "known.phones", "known telephone: part of the value"),
        ("0033 01 44 55 66 77", "PHONE", "known.phones", "known telephone: contains the value"),
        ("8012345678", "PATIENT_ID", "known.identifiers", "known identifier: as in the record"),
        ("1950", "BIRTH_DATE", "known.birth_date",
         "known date of birth: a year or one run of digits"),
        ("12.03.2021", "DATE", "rules.dates", "dates: date, numeric day, month, year"),
        ("2021-03-12", "DATE", "rules.dates", "dates: date, numeric year, month, day"),
        ("03/2021", "DATE", "rules.dates", "dates: date, numeric, two parts"),
        ("1 2 0 3 2 1", "DATE", "rules.dates", "dates: date, numeric, separated digits"),
        ("le 3 mars", "DATE", "rules.dates", "dates: date, with month or number in words"),
        ("mars", "DATE", "rules.dates", "dates: date, in words"),
        ("A. B.", "FIRST_NAME", "rules.names", "names: first name, initials"),
        ("Anna MÜLLER", "NAME", "rules.names", "names: name, 2 words capitalized"),
        ("anna", "NAME", "rules.names", "names: name, one word in lower case"),
        ("AB 12", "ID", "rules.identifiers.labelled",
         "identifiers, labelled: identifier, 2 digits and letters"),
        ("x", "PRENOM", "model", "model: prenom, one word in lower case"),
    ],
)  # fmt: skip
def test_rules_are_named_in_words_of_the_program(
    text: str, label: str, detector: str, rule: str
) -> None:
    (finding,) = explain_spans(Document("1", text), [Span(0, len(text), label, detector)], RECORD)
    assert finding.rule == rule
    assert finding.outcome is SpanOutcome.WON


@pytest.mark.parametrize(
    ("winner", "loser", "outcome", "because"),
    [
        (Span(0, 5, "A"), Span(0, 3, "A"), "lost", "the longer span wins"),
        (Span(0, 5, "A"), Span(3, 7, "A"), "trimmed", "the longer span wins"),
        (Span(0, 5, "B", "known.x"), Span(0, 5, "A"), "lost", "a known value of the patient wins"),
        (
            Span(0, 5, "B", "model", 0.5),
            Span(0, 5, "A", "rules.x"),
            "lost",
            "the more trusted label wins",
        ),
        (
            Span(0, 5, "ID", "model"),
            Span(0, 5, "FAX", "rules.x"),
            "lost",
            "the more trusted label wins",
        ),
        (Span(0, 5, "B", "x", 1.0), Span(0, 5, "A", "x", 0.5), "lost", "the higher score wins"),
        (Span(0, 5, "B"), Span(2, 7, "A"), "trimmed", "the leftmost span wins"),
        (Span(0, 5, "A"), Span(0, 5, "B"), "lost", "the alphabetically first label wins"),
        (Span(0, 5, "A", "a"), Span(0, 5, "A", "b"), "lost", "duplicate of another detector"),
    ],
)
def test_what_decided_is_said(winner: Span, loser: Span, outcome: str, because: str) -> None:
    findings = list(explain_spans(Document("1", "x" * 9), [loser, winner]))
    by_span = {finding.span: finding for finding in findings}
    assert by_span[winner].outcome is SpanOutcome.WON
    assert by_span[loser].outcome.value == outcome
    assert (by_span[loser].to, by_span[loser].because) == (
        f"{winner.detector} {winner.label}",
        because,
    )


def test_a_rest_without_a_letter_is_lost() -> None:
    document = Document("1", "Roy, x")
    findings = explain_spans(document, [Span(0, 3, "A"), Span(2, 4, "B")])
    assert [finding.outcome for finding in findings] == [SpanOutcome.WON, SpanOutcome.LOST]


@given(
    st.lists(
        st.tuples(
            st.integers(0, 30), st.integers(1, 12), st.sampled_from("AB"), st.sampled_from([0.5, 1])
        ),
        max_size=12,
    )
)
def test_outcomes_are_those_of_resolution(drawn: list[tuple[int, int, str, float]]) -> None:
    text = "x" * 50
    spans = [
        Span(start, start + length, label, f"rules.{number}", float(score))
        for number, (start, length, label, score) in enumerate(drawn)
    ]
    kept = {(s.detector, s.start, s.end) for s in resolve_spans(spans, text)}
    pieces = {detector for detector, _, _ in kept}
    for finding in explain_spans(Document("1", text), spans):
        span = finding.span
        whole = (span.detector, span.start, span.end) in kept
        assert (finding.outcome is SpanOutcome.WON) == whole
        assert (finding.outcome is SpanOutcome.LOST) == (span.detector not in pieces)


def test_a_tagger_with_labels_of_its_own_wins_and_that_is_said() -> None:
    spans = [Span(0, 9, "STREET", "rules.places"), Span(2, 5, "CALLE", "model", 0.4)]
    one, other = explain_spans(Document("1", "x" * 9), spans, precedence=precedence_beside_tagger)
    assert (one.outcome, one.to) == (SpanOutcome.TRIMMED, "model CALLE")
    assert one.because == "a tagger with labels of its own wins"
    assert other.outcome is SpanOutcome.WON
