"""Vectors instead of notes: what a shared file holds, what it may not, and when it may leave."""

import json
import random
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.sharing import pooled
from evaluation.gate import Axis, Measured
from models.private.adversaries import Adversaries
from models.private.adversary_training import InversionSettings
from models.private.deidentifier import Deidentifier, EncodedSentence
from models.private.deidentifier_training import (
    DeidentifierRecipe,
    DeidentifierScores,
    load_deidentifier,
    train_deidentifier,
)
from models.private.embeddings import Embeddings
from models.private.representer import Representer
from models.private.sentences import Sentence
from models.private.serialization import RepresenterBundle, digest, load, save
from models.tagger.encoders.bilstm import CASES
from pipeline.cli import main
from pipeline.config.signing import verify_statement
from pipeline.files.jsonl import spans_to_json
from pipeline.sharing.joint_training import pool_sites
from pipeline.sharing.shared_files import (
    VECTORS,
    Manifest,
    arrow_bytes,
    read_manifest,
    read_shared,
    write_shared,
)
from pipeline.sharing.site_encoding import ORDER, SharingPaths, encode_site, make_site
from pipeline.sharing.word_search import SHORTEST, find_words
from record.document import Annotated, Document
from record.errors import ConfigError, Unsafe
from record.span import Span
from surrogates.keys.keys import new_master
from tests.keys import drawn_from

SIZE, EMBEDDED = 12, 10
TOWNS = ("bergheim", "grünau", "valdoria", "østby", "sankt", "norderfeld")
PEOPLE = ("Mirabelle", "Ottokar", "Zdenka", "Ingolf", "Perpetua", "Éloïse")
LINES = (
    "seen by {} in the afternoon .",
    "lives near {} with family .",
    "no fever , no Cough nor cough today .",
)
SECRET = "zebulonquist"


def letter(number: int, kinds: tuple[str, ...]) -> Annotated:
    """A note with a sentence for each kind of identifier, and one without any."""
    chance = random.Random(number)
    text, spans = "", []
    for line in chance.sample(LINES, 3):
        before, mark, after = line.partition("{}")
        label, values = ("TOWN", TOWNS) if "lives" in line else ("PERSON", PEOPLE)
        if mark and label not in kinds:
            continue
        text += before
        if mark:
            value = chance.choice(values)
            spans.append(Span(len(text), len(text) + len(value), label))
            text += value
        text += f"{after}\n\n\n\n"
    return Annotated(Document(f"n{number}", f"{text}{SECRET} .\n"), tuple(spans))


def letters(
    count: int, seed: int = 0, kinds: tuple[str, ...] = ("TOWN", "PERSON")
) -> list[Annotated]:
    return [letter(1000 * seed + number, kinds) for number in range(count)]


def jsonl(path: Path, notes: list[Annotated]) -> Path:
    rows = [
        {"note_id": n.document.note_id, "text": n.document.text, "spans": spans_to_json(n.spans)}
        for n in notes
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def make_kit(folder: Path, words: list[str], seed: int = 1) -> Path:
    """A representer that has learnt nothing: its noise and its vectors are real."""

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        chance = np.random.default_rng(seed)
        matrix = chance.normal(size=(len(words), EMBEDDED)).astype(np.float32)
        held = Embeddings(words, matrix, np.zeros((0, EMBEDDED), np.float32))
        about = {"recipe": {"neighbours": 6}}
        parts = (
            Representer(EMBEDDED, SIZE, 16),
            Deidentifier(SIZE, ("PHI",), 4),
            Adversaries(EMBEDDED, SIZE, 4),
        )
        save(RepresenterBundle(held, *parts, about), folder)
    return folder


def share(*words: object) -> int:
    return main(["share", *map(str, words), "--plain"])


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Notes of one site, encoded with noise and without it, and a key."""
    place = tmp_path_factory.mktemp("share")
    notes = letters(40)
    words = sorted(
        {w.casefold() for w in make_site(notes, {}, binary=False).words() if w.isalpha()}
    )
    make_kit(place / "kit", words)
    jsonl(place / "notes.jsonl", notes)
    told = ["--notes", place / "notes.jsonl", "--representer", place / "kit"]
    with drawn_from("share"):
        new_master(place / "master.key")
        assert share("encode", *told, "-o", place / "site") == 0
        assert share("encode", *told, "-o", place / "weak", "--noise", 0) == 0
    return place


# What a file holds


@settings(max_examples=15)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=6), st.integers(0, 99), st.data())
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, lengths: list[int], seed: int, data: st.DataObject
) -> None:
    chance = np.random.default_rng(seed)
    rows = []
    for length in lengths:
        cuts = sorted(data.draw(st.sets(st.integers(0, length), max_size=4)))
        labels = data.draw(st.lists(st.sampled_from("AB"), min_size=4, max_size=4))
        spans = tuple(zip(cuts[:-1], cuts[1:], labels, strict=False))
        vectors = chance.normal(size=(length, 3)).astype(np.float32)
        rows.append(EncodedSentence(vectors, chance.integers(0, len(CASES), length), spans))
    manifest = Manifest(len(rows), sum(lengths), 3, ("A", "B"), "r", 1.0, 5, "v")
    folder = tmp_path_factory.mktemp("shared") / "f"
    told = write_shared(folder, rows, manifest)
    found, back = read_shared(folder)
    assert found == told == replace(manifest, vectors_sha256=told.vectors_sha256)
    for before, after in zip(rows, back, strict=True):
        assert np.array_equal(before.vectors, after.vectors)
        assert np.array_equal(before.casing, after.casing)
        assert before.spans == after.spans


def files_of(folder: Path) -> list[Any]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_no_word_of_the_notes_stands_in_any_byte(place: Path) -> None:
    site = make_site(letters(40), {}, binary=False)
    words = {word for word in site.words() if len(word) >= SHORTEST and word.isalpha()}
    assert {SECRET, "Mirabelle", "afternoon", "grünau"} <= words
    assert {path.name for path in files_of(place / "site")} == {VECTORS, "manifest.json"}
    held = {path.name: path.read_bytes() for path in files_of(place / "site")}
    for content in held.values():
        for word in words:
            for encoding in ("utf-8", "utf-16-le", "utf-16-be", "latin-1"):
                for written in (word, word.casefold()):
                    assert written.encode(encoding, "ignore") not in content
    # The same search finds words that are there.
    empty = arrow_bytes((), read_manifest(place / "site"))
    assert find_words(held[VECTORS], words) == find_words(empty, words) == set()
    for encoding in ("utf-8", "utf-16-le", "utf-16-be", "latin-1"):
        for word in ("grünau", SECRET):
            assert find_words(held[VECTORS] + word.encode(encoding), words) == {word}
            assert find_words(b"\x01" + word.casefold().encode(encoding) + b"\x01", words) == {word}


def stretches(content: bytes) -> set[bytes]:
    """Six bytes: by chance none of the notes stands in so short a file."""
    return {content[at : at + 6] for at in range(len(content) - 5)}


def test_no_stretch_of_the_notes_stands_in_any_byte(place: Path) -> None:
    text = {
        written.encode(encoding, "ignore")
        for note in letters(40)
        for written in (note.document.text, note.document.text.casefold())
        for encoding in ("utf-8", "utf-16-le", "latin-1")
    }
    told = set().union(*map(stretches, text))
    held = (place / "site" / VECTORS).read_bytes()
    assert len(told) > 500 and told.isdisjoint(stretches(held))
    assert stretches(held + b" near " + held) & told


def test_nothing_else_tells_which_note_it_was(place: Path) -> None:
    manifest, rows = read_shared(place / "site")
    site = make_site(letters(40), {}, binary=False)
    assert manifest.sentences == len(site.sentences) and manifest.labels == ("PERSON", "TOWN")
    assert "note" not in (place / "site" / "manifest.json").read_text()
    shapes = [(len(row), row.spans) for row in rows]
    assert shapes != [(len(each), each.spans) for each in site.sentences]  # another order
    order = json.loads((place / "site.inside" / ORDER).read_text())["order"]
    assert shapes == [(len(site.sentences[n]), site.sentences[n].spans) for n in order]
    again = SharingPaths(place / "again", place / "again.inside")
    encode_site(site, load(place / "kit"), again, representer="r")
    _, others = read_shared(place / "again")
    assert {row.vectors.tobytes() for row in rows}.isdisjoint(
        row.vectors.tobytes() for row in others
    )


class Telling:
    """An encoder whose numbers spell a word."""

    def __init__(self) -> None:
        self.about = {"recipe": {"neighbours": 2}}

    def encode(
        self,
        sentences: Sequence[Sentence],
        draw: object,
        noise: float,
    ) -> list[np.ndarray]:
        spelt = np.frombuffer(SECRET.encode(), np.float32)
        return [np.tile(spelt, (len(each), 1)) for each in sentences]


def test_a_file_that_would_hold_a_word_is_not_written(tmp_path: Path) -> None:
    site = make_site(letters(4), {}, binary=True)
    places = SharingPaths(tmp_path / "out", tmp_path / "inside")
    with pytest.raises(Unsafe, match="text-in-shared-file"):
        encode_site(site, cast(RepresenterBundle, Telling()), places, representer="r")
    assert not files_of(tmp_path)


def test_what_stays_inside_does_not_lie_in_what_is_shared(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = ["--notes", place / "notes.jsonl", "--representer", place / "kit"]
    assert share("encode", *told, "-o", place / "new", "--inside", place / "new" / "in") == 2
    assert share("encode", *told, "-o", place / "site") == 2
    assert "already contains a shared file" in capsys.readouterr().err
    assert not (place / "new").exists()


def test_a_representer_is_trained_and_then_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chance = np.random.default_rng(1)
    notes = letters(6)
    words = sorted(
        {w.casefold() for w in make_site(notes, {}, binary=False).words() if w.isalpha()}
    )
    rows = [f"{word} {' '.join(map(str, chance.normal(size=6).round(3)))}" for word in words]
    (tmp_path / "v.vec").write_text(f"{len(words)} 6\n" + "\n".join(rows) + "\n")
    told = ["--notes", jsonl(tmp_path / "n.jsonl", notes), "--representer", tmp_path / "kit"]
    learn = ["--train", "--size", 4, "--neighbours", 3, "--epochs", 1, 1, 1]
    learn += ["--embeddings", tmp_path / "v.vec"]
    assert share("encode", *told, *learn, "-o", tmp_path / "out") == 2  # nothing to select by
    dev = ["--dev", jsonl(tmp_path / "d.jsonl", letters(3, 1))]
    assert share("encode", *told, *learn, *dev, "-o", tmp_path / "out", "--json") == 0
    manifest = json.loads(capsys.readouterr().out)
    assert manifest["representer"] == digest(tmp_path / "kit") and manifest["neighbours"] == 3
    assert load(tmp_path / "kit").about["recipe"]["labels"] == ["PERSON", "TOWN"]
    assert share("encode", *told, *learn, *dev, "-o", tmp_path / "more") == 2  # it is there


# Pooling


def encoded(place: Path, name: str, notes: list[Annotated]) -> Path:
    kit = load(place / "kit")
    places = SharingPaths(place / name, place / f"{name}.inside")
    site = make_site(notes, {}, binary=True)
    # Without noise, so that what is learnt does not hang on what was drawn.
    encode_site(site, kit, places, representer=digest(place / "kit"), noise=0.0)
    return place / name


def test_two_sites_together_learn_more_than_each_alone(place: Path, tmp_path: Path) -> None:
    # The notes of one site name towns alone, those of the other persons alone.
    towns = encoded(place, "towns", letters(30, 5, kinds=("TOWN",)))
    people = encoded(place, "people", letters(30, 6, kinds=("PERSON",)))
    dev = encoded(place, "dev", letters(15, 7))
    recipe = DeidentifierRecipe(units=12, epochs=8, batch=8, rate=1e-2)
    scores = {}
    for name, some in {"a": [towns], "b": [people], "both": [towns, people]}.items():
        pooled = pool_sites(some, [dev])
        assert pooled.labels == ("PHI",) and not pooled.warnings
        scores[name] = train_deidentifier(pooled.train, pooled.dev, recipe, tmp_path / name).f1
    # One kind may teach something of the other, but how much hangs on the processor's rounding.
    assert scores["both"] >= max(scores["a"], scores["b"])
    assert scores["both"] > min(scores["a"], scores["b"]) + 0.05


def test_train_pools_and_scores(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, other, dev = (encoded(place, f"pool-{n}", letters(4, n)) for n in (8, 9, 10))
    told = ["--dev", dev, "--epochs", 1, "-o", tmp_path / "d", "--json"]
    assert share("train", one, other, *told) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["sites"] == 2 and 0 <= found["f1"] <= 1
    assert share("train", place / "site", "--dev", place / "site", "-o", tmp_path / "x") == 2


def test_learning_begins_with_the_network_of_the_representer(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dev = encoded(place, "begin-dev", letters(3, 21))
    train = encoded(place, "begin", letters(4, 20))
    told = ["train", train, "--dev", dev, "--epochs", 1]
    assert share(*told, "--representer", place / "kit", "-o", tmp_path / "d") == 0
    made = load_deidentifier(tmp_path / "d")
    assert made.shape == load(place / "kit").deidentifier.shape
    other = make_kit(tmp_path / "other", ["a", "b"], seed=2)
    assert share(*told, "--representer", other, "-o", tmp_path / "e") == 2
    assert "not the representer that encoded this file" in capsys.readouterr().err


def test_pooled_sites_are_compared_and_nothing_is_done_twice(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train, dev = (jsonl(tmp_path / f"{n}.jsonl", letters(8, n)) for n in (31, 32))
    words = [train, dev, "--kit", place / "kit", "-o", tmp_path / "out", "--skip", 2]
    words += ["--chosen", 3, "--epochs", 1, "--seeds", 2]
    options = pooled.parser().parse_args([*map(str, words)])
    found = list(pooled.pooled(options))
    assert [each.get("sites") for each in found] == ["a", "b", "both"] * 2 + [None] * 2
    monkeypatch.setattr("models.private.deidentifier_training.train_deidentifier", None)
    monkeypatch.setattr("benchmarks.sharing.pooled.encode_site", None)
    assert list(pooled.pooled(options)) == found
    options.epochs = 2
    with pytest.raises(ConfigError, match="other settings"):
        list(pooled.pooled(options))
    assert read_manifest(tmp_path / "out" / "a").sentences == 3 * len(LINES) + 3
    both, alone = (found[n]["f1"] for n in (2, 0))
    assert found[6]["each seed"][0] == pytest.approx(both - alone)
    low, high = found[6]["over notes"]
    assert low <= high and 0 <= found[6]["p"] <= 1


def test_a_gain_is_of_notes_and_seeds() -> None:
    chance = np.random.default_rng(1)
    worse = [chance.integers(1, 9, (30, 3)).astype(float) for _ in range(3)]
    better = [counts * (2, 1, 1) for counts in worse]
    found = pooled.compare(better, worse)
    assert found["gain"] == pytest.approx(np.mean(found["each seed"])) and found["gain"] > 0.1
    assert 0 < found["over seeds"][0] < found["gain"] < found["over seeds"][1]
    assert 0 < found["over notes"][0] < found["gain"] < found["over notes"][1]
    assert found["p"] < 0.001
    same = pooled.compare(worse[:1], worse[:1])
    assert (same["gain"], same["over seeds"], same["over notes"], same["p"]) == (0, None, [0, 0], 1)


def test_scores_are_those_of_vectors_that_nothing_was_selected_by(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, dev, test = (encoded(place, f"part-{n}", letters(3 + n, n)) for n in (11, 12, 13))

    def counted(deidentifier: Any, held: Any) -> DeidentifierScores:
        return DeidentifierScores(0.0, 0.0, float(len(held)))

    monkeypatch.setattr("pipeline.sharing.joint_training.token_scores", counted)
    told = ["--dev", dev, "--test", test, "--epochs", 1, "-o", tmp_path / "d", "--json"]
    assert share("train", one, *told) == 0
    sizes = [read_manifest(folder).sentences for folder in (one, dev, test)]
    assert len(set(sizes)) == 3
    assert json.loads(capsys.readouterr().out)["f1"] == sizes[2]
    with pytest.raises(ConfigError, match="same file"):
        pool_sites([one], [dev], [dev])


def test_vectors_that_have_nothing_in_common_are_not_pooled(place: Path, tmp_path: Path) -> None:
    _, rows = read_shared(place / "site")
    manifest = read_manifest(place / "site")
    write_shared(tmp_path / "other", rows, replace(manifest, representer="another"))
    with pytest.raises(ConfigError, match="different representer"):
        pool_sites([place / "site"], [tmp_path / "other"])
    write_shared(tmp_path / "bad", rows, manifest)
    with (tmp_path / "bad" / VECTORS).open("ab") as file:
        file.write(b"x")
    with pytest.raises(ConfigError, match="checksum mismatch"):
        read_shared(tmp_path / "bad")
    with pytest.raises(ConfigError, match="not a manifest"):
        read_manifest(tmp_path / "none")


# May it leave?


@pytest.fixture(scope="module")
def attacked(place: Path) -> Path:
    """The file without noise, attacked by everything, quickly."""
    patch = pytest.MonkeyPatch()
    patch.setattr(
        "evaluation.attacks.shared_vectors.InversionSettings",
        lambda seed: InversionSettings(1, 1, seed),
    )
    patch.setattr("evaluation.attacks.sentence_pairs.EPOCHS", 1)
    told = ["--notes", place / "notes.jsonl", "--representer", place / "kit", "--seeds", 2]
    code = share("attack", place / "weak", *told, "-o", place / "attacked")
    patch.undo()
    assert code == 0
    return place / "attacked" / "attack.json"


def test_a_representer_without_noise_is_flagged_and_held(
    place: Path, attacked: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = {each["name"]: each for each in json.loads(attacked.read_text())["measured"]}
    for name in ("sentence-linkage", "averaged-1", "averaged-8", "nearest-word-1"):
        assert found[name]["value"] > 0.95 and found[name]["control"] == 1
        assert found[name]["null"] < 0.7
    assert found["any-attack-1"]["value"] == found["any-attack-8"]["low"] == 1
    assert found["words-in-file"]["value"] == 0 and found["words-in-file"]["control"] == 1
    told = ["--measured", attacked, "--key", place / "master.key", "-o", place / "held"]
    assert share("report", place / "weak", *told) == 1
    assert "HOLD" in capsys.readouterr().out
    report = json.loads((place / "held" / "report.json").read_text())
    reasons = " ".join(report["reasons"])
    assert "averaged-1: upper bound" in reasons
    assert "the noise was reduced to 0 of the default" in reasons
    assert SECRET not in attacked.read_text() + json.dumps(report)


def test_measurements_of_another_file_are_refused(
    place: Path, attacked: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = ["--measured", attacked, "--key", place / "master.key", "-o", place / "none"]
    assert share("report", place / "site", *told) == 2
    assert "holds measurements of other vectors" in capsys.readouterr().err


def fine(name: str, data: str) -> Measured:
    """A number that passes every requirement that is shipped."""
    middle = 0.0 if "word" in name else 0.5
    return Measured(name, Axis.PRIVACY, middle, middle, middle, data, 3, null=middle, control=1.0)


NAMES = (
    *("words-in-file", "frozen-adversary", "sentence-linkage", "averaged-1", "averaged-8"),
    *("sentence-membership", "nearest-word-1", "nearest-word-5", "repeated-word-1"),
    "trained-word-1",
)


def judged(place: Path, names: Iterable[str], out: str) -> tuple[int, Path]:
    data = read_manifest(place / "site").vectors_sha256
    told = {"measured": [asdict(fine(name, data)) for name in names]}
    (place / f"{out}.json").write_text(json.dumps(told))
    words = ["--measured", place / f"{out}.json", "--key", place / "master.key", "-o", place / out]
    return share("report", place / "site", *words), place / out


def test_what_passes_everything_may_be_shared_and_is_signed(place: Path) -> None:
    code, out = judged(place, NAMES, "shared")
    assert code == 0
    statement = json.loads((out / "manifest.json").read_text())
    assert statement["verdict"] == "SHARE"
    assert statement["vectors"] == read_manifest(place / "site").vectors_sha256
    verify_statement(statement, statement["public_key"])
    page = (out / "report.html").read_text()
    assert "SHARE" in page and "verdict bad" not in page and "which hide nothing" in page


@pytest.mark.parametrize("missing", NAMES[:2])
def test_whatever_was_not_measured_holds(place: Path, missing: str) -> None:
    code, out = judged(place, [name for name in NAMES if name != missing], f"no-{missing}")
    assert code == 1
    report = json.loads((out / "report.json").read_text())
    assert report["verdict"] == "HOLD" and report["reasons"] == [f"{missing}: not measured"]
    assert "verdict bad" in (out / "report.html").read_text()


def test_other_notes_than_those_encoded_are_not_attacked(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    notes = jsonl(tmp_path / "n.jsonl", letters(40, 3))
    told = ["--notes", notes, "--representer", place / "kit", "-o", tmp_path / "a"]
    assert share("attack", place / "site", *told) == 2
    assert "belongs to other notes" in capsys.readouterr().err
