"""The program as a library: the same bytes as the commands, whole or not at all, no text told."""

import json
import pickle
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime
from pathlib import Path
from typing import Any

import apache_beam as beam
import pytest
from apache_beam.testing import test_pipeline
from apache_beam.testing.util import assert_that, equal_to

import cryptonym
from cryptonym.beam import NOTES, REFUSED, Detect, Pseudonymize
from pipeline.cli import main
from record.errors import ConfigError
from tests.keys import make_key
from tests.test_docs import ROOT, blocks

TEXT = "Vu ce jour M. Jean VAUQUELIN, né le 3 mai 1951, tél. 06 12 34 56 78. Pas de fièvre."
PATIENT = {"person_id": "7", "given_names": ["Jean"], "family_names": ["Vauquelin"]}
OTHERS = [
    f"Le {day} mars 2021, Mme Lucie BERNARD est venue avec son fils Hugo." for day in range(1, 9)
]


@pytest.fixture
def key(tmp_path: Path) -> str:
    make_key(tmp_path / "master.key", "study")
    return f"file:{tmp_path / 'master.key'}"


@pytest.fixture(scope="module")
def detector() -> cryptonym.Detector:
    return cryptonym.Detector(lang="fr", model="none")


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def by_commands(folder: Path, key: str, *records: dict[str, Any]) -> list[dict[str, Any]]:
    """What `detect` and `pseudonymize` make of notes of that patient."""
    (folder / "notes.jsonl").write_text("".join(json.dumps(each) + "\n" for each in records))
    (folder / "patients.jsonl").write_text(json.dumps(PATIENT) + "\n")
    known = ["--patients", str(folder / "patients.jsonl"), "--plain", "--lang", "fr"]
    found, out = str(folder / "found.jsonl"), str(folder / "out.jsonl")
    command = ["detect", str(folder / "notes.jsonl"), "-o", found, "--model", "none", *known]
    assert main(command) == 0
    command = ["pseudonymize", found, "-o", out, "--key", key, "--cohort", "study", *known]
    assert main([*command, "--spans", "given", "--allow-unknown"]) == 0
    return lines(folder / "out.jsonl")


def test_a_note_is_that_of_the_commands(
    detector: cryptonym.Detector, key: str, tmp_path: Path
) -> None:
    record = {"note_id": "17", "person_id": "7", "text": TEXT, "note_datetime": "2021-03-02"}
    (right,) = by_commands(tmp_path, key, record)
    found = detector.detect_records([record], [PATIENT])
    assert found == lines(tmp_path / "found.jsonl")
    spans = detector.detect(TEXT, PATIENT, note_datetime="2021-03-02")
    assert spans == tuple(cryptonym.Span(**each) for each in found[0]["spans"])
    with cryptonym.Pseudonymizer(key, "study") as pseudonymizer:
        assert pseudonymizer.apply_record(found[0], PATIENT) == right
        released = pseudonymizer.apply(
            TEXT, spans, PATIENT, note_id="17", note_datetime=date(2021, 3, 2)
        )
    assert released.text == right["text"]
    assert "VAUQUELIN" not in released.text
    assert len(released.spans) == len(right["spans"])


@pytest.mark.parametrize("when", ["2021-03-02", date(2021, 3, 2), datetime(2021, 3, 2, 10, 15)])
def test_a_date_without_a_year_is_near_that_of_the_note(
    detector: cryptonym.Detector, key: str, when: cryptonym.notes.NoteDate
) -> None:
    text = "Revu le 29/02 en consultation, tension 12/8."
    record = {"note_id": "17", "text": text, "note_datetime": str(when)}
    spans = detector.detect(text, note_datetime=when)
    (found,) = detector.detect_records([record])
    with cryptonym.Pseudonymizer(key, "study") as pseudonymizer:
        right = pseudonymizer.apply_record(found)["text"]
        done = pseudonymizer.apply(text, spans, note_id="17", note_datetime=when)
    assert done.text == right


def test_a_tagger_takes_part_by_default() -> None:
    text = "Zorblinda called, she works at the bakery of Mr Quimby in Tarnbrook."
    spans = cryptonym.Detector(lang="en").detect(text)
    assert "model" in {span.detector for span in spans}


GERMAN = "Frau Greta HOLZAPFEL wurde heute wegen Fieber und Husten in der Klinik untersucht."
HOLZAPFEL = {"person_id": "8", "given_names": ["Greta"], "family_names": ["Holzapfel"]}


def test_names_in_a_language_that_nobody_chose_give_a_warning(key: str) -> None:
    spans = cryptonym.Detector(lang="de", model="none").detect(GERMAN, HOLZAPFEL)
    with cryptonym.Pseudonymizer(key, "study") as pseudonymizer:
        with pytest.warns(UserWarning, match="one in fr: a patient has notes in de") as told:
            pseudonymizer.apply(GERMAN, spans, HOLZAPFEL)
        assert "HOLZAPFEL" not in str(told[0].message)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            pseudonymizer.apply(GERMAN, spans, HOLZAPFEL)  # said once
    for lang in ("de", "fr"):
        with warnings.catch_warnings(), cryptonym.Pseudonymizer(key, "study", lang=lang) as chosen:
            warnings.simplefilter("error")
            chosen.apply(GERMAN, spans, HOLZAPFEL)
    with pytest.raises(ConfigError, match="lang"):
        cryptonym.Pseudonymizer(key, "study", lang="german")


def test_what_cannot_be_replaced_raises_and_returns_nothing(key: str) -> None:
    with cryptonym.Pseudonymizer(key, "study") as pseudonymizer:
        for spans, patient, reason in (
            ([cryptonym.Span(14, 18, "NO_SUCH_LABEL")], None, ""),
            ([], PATIENT, "residue"),
        ):
            with pytest.raises(cryptonym.Refused) as refused:
                pseudonymizer.apply(TEXT, spans, patient)
            assert reason in refused.value.reason
            assert not {"Jean", "VAUQUELIN"} & set(str(refused.value).split())
            assert "VAUQUELIN" not in repr(refused.value) + str(refused.value.__context__)


@pytest.mark.parametrize(
    "patient", [{"family_names": ["Vauquelin"]}, {"person_id": 1, "family_names": "Vauquelin"}]
)
def test_a_patient_that_is_none_is_refused_without_its_names(
    detector: cryptonym.Detector, patient: dict[str, Any]
) -> None:
    with pytest.raises(ConfigError) as refused:
        detector.detect(TEXT, patient)
    assert "Vauquelin" not in f"{refused.value!r} {refused.value.__cause__}"


def test_eight_threads_give_the_same_bytes(detector: cryptonym.Detector, key: str) -> None:
    with cryptonym.Pseudonymizer(key, "study") as pseudonymizer:

        def work(text: str) -> str:
            spans = detector.detect(text)
            return pseudonymizer.apply(text, spans, note_id=text[3:5]).text

        alone = [work(text) for text in OTHERS]
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(work, OTHERS * 6)) == alone * 6
    assert detector.detect_many(OTHERS) == [detector.detect(text) for text in OTHERS]


def test_thresholds_without_a_tagger_are_refused(tmp_path: Path) -> None:
    with pytest.raises(cryptonym.ConfigError, match="thresholds"):
        cryptonym.Detector(model="none", thresholds=tmp_path / "t.toml")


def test_keys_stay_where_they_are(key: str) -> None:
    with cryptonym.Pseudonymizer(key, "study") as pseudonymizer, pytest.raises(TypeError):
        pickle.dumps(pseudonymizer)
    secret = Path(key.removeprefix("file:")).read_text()
    with pytest.raises(cryptonym.ConfigError):
        cryptonym.Pseudonymizer(secret, "study")


def test_transforms_in_a_pipeline_of_others(key: str, tmp_path: Path) -> None:
    records = [
        {"note_id": "1", "person_id": "7", "text": TEXT},
        {"note_id": "2", "text": OTHERS[0]},
    ]
    right = by_commands(tmp_path, key, *records)
    given = [{**records[0], "patient": PATIENT}, records[1], {"note_id": "3", "text": None}]
    with test_pipeline.TestPipeline() as pipeline:
        found = pipeline | beam.Create(given) | Detect(lang="fr", model="none")
        done = found[NOTES] | Pseudonymize(key, "study")
        assert_that(done[NOTES], equal_to(right), label="notes")
        told = {"note_id": "3", "stage": "read", "error": "Unreadable", "reason": "no-text"}
        assert_that(found[REFUSED], equal_to([told]), label="refused by detection")
        assert_that(done[REFUSED], equal_to([]), label="refused by rewriting")


def test_a_component_of_spacy() -> None:
    spacy = pytest.importorskip("spacy")
    import cryptonym.spacy_component  # noqa: F401 - as its entry point does, once installed

    nlp = spacy.blank("fr")
    nlp.add_pipe("cryptonym", config={"options": {"model": "none"}})
    doc = nlp(TEXT)
    found = {(span.label_, span.text) for span in doc.spans["cryptonym"]}
    assert ("LAST_NAME", "VAUQUELIN") in found
    assert all(
        TEXT[span.start_char : span.end_char] == span.text for span in doc.spans["cryptonym"]
    )


EXAMPLES = [
    pytest.param(block, id=f"{page.name}-{number}")
    for page in (ROOT / "README.md", ROOT / "docs" / "library.md")
    for number, block in enumerate(blocks(page, "python"))
]


@pytest.mark.parametrize("block", EXAMPLES)
def test_every_example_runs(
    block: str, key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "spacy" in block:
        pytest.importorskip("spacy")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MASTER_KEY", key)
    names: dict[str, Any] = {"text": TEXT.replace("VAUQUELIN", "MARTIN"), "patient": PATIENT}
    names["cryptonym"] = sys.modules["cryptonym"]
    exec(compile(block, "example", "exec"), names)
    if "note" in names:
        assert not {"VAUQUELIN", "MARTIN"} & set(names["note"].text.replace(",", "").split())
    elif "out" in names:
        assert [each["note_id"] for each in names["out"]] == ["17"]
        assert not {"VAUQUELIN", "MARTIN"} & set(names["out"][0]["text"].replace(",", "").split())
    elif "table" in names:
        assert names["table"]["refused"].to_list() == [None]
        assert "MARTIN" not in names["table"]["note"][0]
    elif "found" in names:
        assert ("VAUQUELIN", "LAST_NAME") in names["found"]


def test_there_are_examples() -> None:
    assert len(EXAMPLES) == 6
