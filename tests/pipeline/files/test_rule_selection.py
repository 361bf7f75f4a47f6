"""Choosing rules on annotated notes: what does harm is left out, and nothing else."""

import json
import random
import tomllib
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.cli import main
from pipeline.files.note_files import NoteFileTask, make_finder
from pipeline.files.rule_selection import (
    TokenCoverage,
    choose_rules,
    dump_selection,
)
from pipeline.notes import detection
from pipeline.notes.detection import DETECTOR_VERSION
from pipeline.notes.selected_rules import load_selection, rule_of
from record.document import Document
from record.errors import ConfigError
from record.span import Span

GOOD = [("rules.names", "LAST_NAME"), ("rules.dates", "DATE"), ("known.phones", "PHONE")]
JUDGED = {"rules.names:LAST_NAME", "rules.dates:DATE", "rules.words:CITY"}


def planted(seed: int = 1, *, harm: float = 0.9, notes: int = 60) -> TokenCoverage:
    """Notes of a hundred words: sound rules, a model, and one rule that is mostly wrong.

    Each gold word is found by two detectors at least, so that none is needed.
    """
    chance, cells = random.Random(seed), TokenCoverage()
    text = " ".join(["wort"] * 100)
    places = [Span(at * 5, at * 5 + 4, "X") for at in range(100)]
    for _ in range(notes):
        gold = chance.sample(places, 20)
        found = [replace(span, detector="model") for span in gold if chance.random() < 0.9]
        for detector, label in GOOD:
            found += [
                Span(span.start, span.end, label, detector)
                for span in places
                if chance.random() < (0.6 if span in gold else 0.0005)
            ]
        wrong = chance.sample(places, 10)
        for span in wrong:
            if (span not in gold) == (chance.random() < harm):
                found.append(Span(span.start, span.end, "CITY", "rules.words"))
        cells.add(text, gold, found)
    return cells


@pytest.mark.parametrize("seed", range(8))
def test_the_one_harmful_rule_is_the_one_left_out(seed: int) -> None:
    selection = choose_rules(planted(seed), JUDGED)
    assert selection.dropped == ("rules.words:CITY",)
    assert (selection.kept, selection.unjudged) == ((), ())
    before, after = selection.precision
    assert after > before + 0.05
    assert selection.redacted[1] >= selection.redacted[0] - 0.002


def test_sound_rules_all_take_part() -> None:
    cells = planted(3)
    sound = TokenCoverage()
    for (over, is_gold), number in cells.counts.items():
        sound.counts[over - {"rules.words:CITY"}, is_gold] += number
    assert choose_rules(sound, JUDGED).dropped == ()


def test_what_gold_cannot_judge_takes_part() -> None:
    selection = choose_rules(planted(), JUDGED - {"rules.words:CITY"})
    assert selection.dropped == ()
    assert selection.unjudged == ("rules.words:CITY",)
    # What nobody can say to be wrong does not count as wrong.
    assert selection.precision[0] > 0.99


def cells_of(*rows: tuple[str, bool, int]) -> TokenCoverage:
    cells = TokenCoverage()
    for rules, is_gold, number in rows:
        cells.counts[frozenset(rules.split()), is_gold] += number
    return cells


A, B = "rules.a:X", "rules.b:X"


def test_a_rule_that_alone_covers_gold_stays() -> None:
    cells = cells_of((A, True, 90), (B, True, 10), (B, False, 30))
    selection = choose_rules(cells, {A, B})
    assert (selection.dropped, selection.kept) == ((), (B,))
    (choice,) = [choice for choice in selection.choices if choice.rule == B]
    assert (choice.tokens, choice.wrong, choice.alone, choice.alone_wrong) == (40, 30, 40, 30)
    assert choice.gain == pytest.approx(1 - 100 / 130)
    assert choice.loss == pytest.approx(0.1)
    assert choose_rules(cells, {A, B}, max_loss=0.1).dropped == (B,)


def test_losses_add_up() -> None:
    """Two rules that cover the same gold may not both go."""
    both = cells_of((f"{A} {B}", True, 10), (A, False, 30), (B, False, 40), ("rules.c:X", True, 60))
    selection = choose_rules(both, {A, B, "rules.c:X"})
    assert (selection.dropped, selection.kept) == ((B,), (A,))
    assert selection.redacted == (1, 1)


def test_tolerance_bounds_the_harm() -> None:
    cells = cells_of((f"{A} {B}", True, 100), (A, False, 1), (B, False, 20))
    gain = 100 / 101 - 100 / 121
    assert choose_rules(cells, {A, B}, tolerance=gain - 1e-9).dropped == (B,)
    assert choose_rules(cells, {A, B}, tolerance=gain + 1e-9).dropped == ()


def test_a_single_rule_is_never_harmful() -> None:
    assert choose_rules(cells_of((A, True, 1), (A, False, 9)), {A}, max_loss=1).dropped == ()
    assert choose_rules(TokenCoverage(), set()).dropped == ()


TEXT = "Zoé Quill, le 3 mai: (12) à Évry"


@given(
    st.lists(
        st.builds(
            lambda start, size, label, who: Span(start, min(start + size, len(TEXT)), label, who),
            st.integers(0, len(TEXT) - 1), st.integers(1, 12),
            st.sampled_from("XY"), st.sampled_from(["rules.a", "rules.b", "known.z", "gold"]),
        ),
        max_size=8,
    )
)  # fmt: skip
def test_cells_count_every_word_once(spans: list[Span]) -> None:
    gold = [span for span in spans if span.detector == "gold"]
    found = [span for span in spans if span.detector != "gold"]
    cells = TokenCoverage()
    cells.add(TEXT, gold, found)
    words = [(0, 3), (4, 9), (11, 13), (14, 15), (16, 19), (22, 24), (26, 27), (28, 32)]
    expected = []
    for start, end in words:
        over = {rule_of(s) for s in found if s.start < end and start < s.end}
        is_gold = any(s.start < end and start < s.end for s in gold)
        if over or is_gold:
            expected.append((frozenset(over), is_gold))
    assert cells.counts == Counter(expected)


def test_a_selection_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    warnings: list[str] = []
    path.write_text(dump_selection(choose_rules(planted(), JUDGED), DETECTOR_VERSION))
    assert load_selection(path, DETECTOR_VERSION, warnings) == {"rules.words:CITY"}
    assert warnings == [f"rules left out by {path}: rules.words:CITY"]
    written = tomllib.loads(path.read_text())
    assert written["rules"]["rules.words:CITY"]["wrong"] > 300
    assert load_selection(path, "floor-next", warnings)
    assert "run `cryptonym select` again" in warnings[-1]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "no key `dropped`"),
        ("dropped = 1", "must be a list of rules"),
        ('dropped = ["known.phones:PHONE"]', "must be a list of rules"),
        ('dropped = ["model:DATE"]', "must be a list of rules"),
        ('dropped = ["rules.names"]', "must be a list of rules"),
        ("dropped = []\nmore = 1", "unknown key more"),
        ("dropped = [", "not valid TOML"),
    ],
)
def test_what_is_no_selection_is_refused(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "s.toml"
    path.write_text(content)
    with pytest.raises(ConfigError) as caught:
        load_selection(path, DETECTOR_VERSION, [])
    assert said in str(caught.value)
    with pytest.raises(ConfigError):
        load_selection(tmp_path / "none.toml", DETECTOR_VERSION, [])


NOTE = "Vu Mme QUILL le 3 mai 2021, aspirine 100 mg le matin."


def line(note_id: str, spans: list[dict[str, object]], text: str = NOTE) -> str:
    return json.dumps({"note_id": note_id, "text": text, "lang": "fr", "spans": spans}) + "\n"


SPANS = [{"start": 7, "end": 12, "label": "NOM"}, {"start": 16, "end": 26, "label": "DATE"}]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Gold, what a model found, a label map; and a rule that takes every drug for a person."""
    found = [{"start": 7, "end": 13, "label": "NOM"}, {"start": 15, "end": 27, "label": "DATE"}]
    (tmp_path / "gold.jsonl").write_text("".join(line(str(n), SPANS) for n in range(4)))
    (tmp_path / "model.jsonl").write_text("".join(line(str(n), found) for n in range(4)))
    (tmp_path / "map.toml").write_text('NOM = "LAST_NAME"\n')

    def harmful(document: Document) -> list[Any]:
        at = document.text.find("aspirine")
        return [Span(at, at + 8, "LAST_NAME", "rules.drugs")] if at >= 0 else []

    monkeypatch.setattr(detection, "FAMILIES", (*detection.FAMILIES, harmful))
    monkeypatch.chdir(tmp_path)
    return tmp_path


SELECT = "select gold.jsonl -o s.toml --model-spans model.jsonl --label-map map.toml"


def test_the_command_leaves_out_the_planted_rule_and_detection_obeys(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*SELECT.split(), "--json"]) == 0
    chosen = json.loads(capsys.readouterr().out)
    assert chosen["dropped"] == ["rules.drugs:LAST_NAME"]
    assert main("detect gold.jsonl -o found.jsonl --selection s.toml".split()) == 0
    assert "rules left out by s.toml: rules.drugs:LAST_NAME" in capsys.readouterr().err
    labels = [
        {span["label"] for span in json.loads(note)["spans"] if span["start"] >= 27}
        for note in (files / "found.jsonl").read_text().splitlines()
    ]
    assert labels == [set()] * 4


def test_all_rules_take_part_unless_told_otherwise(files: Path) -> None:
    finder = make_finder(NoteFileTask(files / "gold.jsonl", files / "out.jsonl"))
    found = finder.spans(Document("1", NOTE, lang="fr"))
    assert "rules.drugs" in {span.detector for span in found}


def test_the_table_of_the_command_holds_no_text(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(SELECT.split()) == 0
    said = capsys.readouterr()
    assert "rules.drugs:LAST_NAME" in said.out
    assert "left out" in said.out
    everything = said.out + said.err + (files / "s.toml").read_text()
    assert not [word for word in ("QUILL", "aspirine", "2021") if word in everything]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("select gold.jsonl -o gold.jsonl", "must not be an input"),
        ("select gold.jsonl -o no/s.toml", "choose a file in an existing, writable folder"),
        ("select bare.jsonl -o s.toml", "contains no spans"),
        ("select gold.jsonl -o s.toml --model-spans one.jsonl", "note 1: missing"),
        ("select gold.jsonl -o s.toml --model-spans other.jsonl", "note 0: text differs"),
    ],
)
def test_what_cannot_be_chosen_on_is_said(
    files: Path, capsys: pytest.CaptureFixture[str], arguments: str, said: str
) -> None:
    (files / "bare.jsonl").write_text(line("0", []))
    (files / "one.jsonl").write_text(line("0", SPANS))
    (files / "other.jsonl").write_text(line("0", [], "Vu."))
    assert main(arguments.split()) == 2
    assert said in capsys.readouterr().err
    assert not (files / "s.toml").exists()
