"""Vectors of words, and identifying words that become their neighbours."""

import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from models.private.embeddings import EmbeddingRecipe, Embeddings, packaged, read_vectors, train
from models.private.pseudonymization import NeighbourReplacer, pseudonymize
from models.private.sentences import Sentence, sentences
from models.private.stop_words import stop_words
from models.tagger.encoders.bilstm import make_bilstm
from models.tagger.encoders.subword_models import SPECIAL_TOKENS
from models.tagger.encoders.subword_tokenizer import SubwordTokenizer
from models.tagger.encoders.vocabulary_training import train_vocabulary
from models.tagger.encoders.windows import WindowConfig
from models.tagger.network import Network, TaggerArchitecture
from models.tagger.serialization import TrainedTagger, save
from record.errors import ConfigError
from record.span import Span

NAMES = ("ana", "anabel", "ruiz", "ruizdeal", "gomez", "lopez", "diaz", "sanz", "vega", "mora")
NONE = np.zeros((0, 8), np.float32)


def note(*words: str, phi: str = "") -> Sentence:
    """A sentence of which the words that occur in `phi` identify somebody."""
    text, spans = "", []
    for word in words:
        if word in phi.split():
            spans.append(Span(len(text), len(text) + len(word), "NAME"))
        text += f"{word} "
    (found,) = sentences(text, spans)
    return found


@pytest.fixture(scope="module")
def plain() -> Embeddings:
    """Words with vectors drawn by chance, a stop word and a number among them."""
    drawn = np.random.default_rng(1).normal(size=(len(NAMES) + 3, 8)).astype(np.float32)
    return Embeddings([*NAMES, "de", "2021", "."], drawn, NONE)


@pytest.fixture(scope="module", params=["subwords", "words"])
def trained(request: pytest.FixtureRequest) -> Embeddings:
    chance = random.Random(1)
    held = [note("Doctor", chance.choice(NAMES), "saw", chance.choice(NAMES)) for _ in range(60)]
    return train(held, EmbeddingRecipe(request.param, size=8, epochs=2, buckets=50))


def test_words_are_folded_and_vectors_have_one_scale(trained: Embeddings) -> None:
    assert trained.knows("DOCTOR")
    assert not trained.knows("doctora")
    vectors = trained.vectors(["Doctor", "doctor", "ANA"])
    assert vectors.dtype == np.float32
    assert (vectors[0] == vectors[1]).all()
    assert np.allclose(np.square(vectors).mean(1), 1, atol=1e-5)


def test_parts_tell_of_words_never_seen(trained: Embeddings) -> None:
    has_parts = len(trained.parts) > 0
    assert trained.vectors(["doctora"]).any() == has_parts
    assert trained.neighbours("doctora", 3)[0] == "doctora"
    assert len(trained.neighbours("doctora", 3)) == (3 if has_parts else 1)


def test_the_same_training_gives_the_same_vectors() -> None:
    held = [note("a", "b", "c")] * 3
    recipe = EmbeddingRecipe(size=4, epochs=1, buckets=10)
    assert train(held, recipe).digest == train(held, recipe).digest


def test_embeddings_come_back(trained: Embeddings, tmp_path: Path) -> None:
    trained.save(tmp_path)
    again = Embeddings.load(tmp_path)
    assert again.digest == trained.digest
    asked = ["ana", "doctora", "zz"]
    assert (again.vectors(asked) == trained.vectors(asked)).all()
    assert "ana" not in repr(trained)


@pytest.mark.parametrize("name", ["vectors.safetensors", "words.json", "embeddings.json"])
def test_a_damaged_folder_is_refused(plain: Embeddings, tmp_path: Path, name: str) -> None:
    plain.save(tmp_path)
    (tmp_path / name).write_bytes((tmp_path / name).read_bytes()[:-3])
    with pytest.raises(ConfigError):
        Embeddings.load(tmp_path)


@pytest.mark.parametrize("header", ["", "2 3\n"])
def test_public_files_are_read(tmp_path: Path, header: str) -> None:
    path = tmp_path / "some.vec"
    path.write_text(f"{header}Ana 1 0 0\nruiz 0 2 0\n")
    found = read_vectors(path)
    assert list(found.words) == ["ana", "ruiz"]
    assert found.vectors(["RUIZ"])[0] == pytest.approx([0, 3**0.5, 0])
    path.write_text("nothing")
    with pytest.raises(ConfigError):
        read_vectors(path)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 99), st.integers(1, 9), st.integers(1, 12))
def test_the_nearest_are_those_of_a_full_sort(seed: int, asked: int, n: int) -> None:
    drawn = np.random.default_rng(seed).normal(size=(9 + asked, 4)).astype(np.float32)
    held = Embeddings([str(at) for at in range(9)], drawn[:9], np.zeros((0, 4), np.float32))
    unit = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    expected = np.argsort(-(unit[9:] @ unit[:9].T), axis=1)[:, : min(n, 9)]
    assert (held.nearest(drawn[9:], n) == expected).all()


def test_pieces_of_a_tagger_are_embeddings(tmp_path: Path) -> None:
    letters = train_vocabulary(["the ward was full of pain and fever, the fever fell"] * 3, size=60)
    pieces = SubwordTokenizer([*letters.pieces, ("\u2581fever", -0.1)], letters.config)
    network = Network(make_bilstm(pieces, 4), TaggerArchitecture(("NAME",)))
    save(TrainedTagger(network, pieces, WindowConfig()), tmp_path)
    found = packaged(tmp_path, size=6)
    assert found.size == 6
    assert list(found.words) == ["fever"]
    assert found.vectors(["Fever", "feverish", "wardroom"]).any(1).all()
    weights = network.encoder.pieces.weight.detach().numpy()[len(SPECIAL_TOKENS) :]
    whole = weights - weights.mean(0)
    kept = np.linalg.svd(whole, compute_uv=False)[:6]
    assert np.allclose(np.linalg.svd(found.parts, compute_uv=False), kept, rtol=1e-3)
    found.save(tmp_path / "again")
    again = Embeddings.load(tmp_path / "again")
    assert again.digest == found.digest
    assert (again.vectors(["feverish"]) == found.vectors(["feverish"])).all()
    save(
        TrainedTagger(
            Network(make_bilstm(letters, 4), TaggerArchitecture(("NAME",))), letters, WindowConfig()
        ),
        tmp_path,
    )
    with pytest.raises(ConfigError, match="no whole words"):
        packaged(tmp_path)


def test_neighbours_begin_with_the_word(plain: Embeddings) -> None:
    for name in NAMES:
        found = plain.neighbours(name.upper(), 5)
        assert found[0] == name
        assert len(set(found)) == 5
    assert plain.neighbours("unheard", 5) == ["unheard"]


def test_one_neighbour_changes_nothing(plain: Embeddings) -> None:
    held = [note("Ana", "RUIZ", "de", "2021", "x", phi="Ana RUIZ de 2021")]
    made = pseudonymize([held], NeighbourReplacer(plain, 1), random.Random(1))
    assert made == held


@pytest.mark.parametrize("excludes", [True, False])
def test_neighbours_are_equally_probable(plain: Embeddings, excludes: bool) -> None:
    changes = NeighbourReplacer(plain, 5, excludes=excludes)
    choices = changes.choices("gomez")
    assert len(choices) == 5
    assert ("gomez" in choices) != excludes
    draw, asked = random.Random(3), note("gomez", phi="gomez")
    counts = Counter(changes.replace(asked, draw).tokens[0] for _ in range(2000))
    assert set(counts) == set(choices)
    assert chisquare([counts[choice] for choice in choices]).pvalue > 0.001


def test_no_replacement_contains_the_word(plain: Embeddings) -> None:
    changes = NeighbourReplacer(plain, 8)
    for name in NAMES:
        assert not [choice for choice in changes.choices(name) if name in choice]
        assert len(changes.choices(name)) == 8
    assert "anabel" in NeighbourReplacer(plain, 10, excludes=False).choices("ana")


def test_looking_up_together_is_looking_up_alone(plain: Embeddings) -> None:
    together, alone = NeighbourReplacer(plain, 4), NeighbourReplacer(plain, 4)
    together.prepare([note(*NAMES, "unheard", phi=" ".join(NAMES) + " unheard")])
    for name in (*NAMES, "unheard"):
        assert together.choices(name) == alone.choices(name)


def test_looking_up_together_goes_on_until_there_are_enough() -> None:
    words = ["ab" * 2, *(f"{'ab' * 2}{'x' * at}" for at in range(1, 60)), "near", "far"]
    drawn = np.stack([np.linspace(1, 0, len(words)), np.linspace(0, 1, len(words))], 1)
    held = Embeddings(words, drawn.astype(np.float32), np.zeros((0, 2), np.float32))
    changes = NeighbourReplacer(held, 2)
    changes.prepare([note("abab", phi="abab")])
    assert changes.choices("abab") == ["near", "far"]


def test_case_and_shape_stay_and_others_too(plain: Embeddings) -> None:
    stops = stop_words(["es"])
    assert "de" in stops
    changes = NeighbourReplacer(plain, 3, stops)
    asked = note("Ana", "RUIZ", "de", "unheard", "2021", "vega", phi="Ana RUIZ de unheard 2021")
    draw = random.Random(1)
    made = [changes.replace(asked, draw) for _ in range(30)]
    for one in made:
        first, second, *others = one.tokens
        assert first.istitle() and first != "Ana"
        assert second.isupper() and second != "RUIZ"
        assert others[:2] == ["de", "unheard"]
        assert others[2].isdigit() and len(others[2]) == 4
        assert others[3] == "vega"
        assert (one.casing, one.spans) == (asked.casing, asked.spans)
    assert len({one.tokens[4] for one in made}) > 20
    with pytest.raises(ConfigError):
        stop_words(["no such"])


def test_a_note_may_replace_a_word_by_one(plain: Embeddings) -> None:
    held = [note("Ana", "x", phi="Ana") for _ in range(20)] + [note("ANA", phi="ANA")]
    changes = NeighbourReplacer(plain, 6)
    loose = pseudonymize([held, held], changes, random.Random(1))
    firm = [pseudonymize([held], changes, random.Random(seed), consistent=True) for seed in (1, 2)]
    assert len({one.tokens[0].casefold() for one in loose}) > 1
    assert all(len({one.tokens[0].casefold() for one in made}) == 1 for made in firm)
    assert len(loose) == 2 * len(held)


def test_exactly_one_word_changes(plain: Embeddings) -> None:
    changes, draw = NeighbourReplacer(plain, 4), random.Random(1)
    asked = note("Ana", "saw", "Ruiz", "2021", phi="Ana Ruiz 2021")
    where = set()
    for _ in range(60):
        made = changes.replace_one(asked, draw)
        assert made is not None
        changed = [at for at in range(4) if made.tokens[at] != asked.tokens[at]]
        assert len(changed) == 1
        where.update(changed)
    assert where == {0, 2, 3}
    assert changes.replace_one(note("Ana", "saw"), draw) is None
    assert changes.replace_one(note("unheard", phi="unheard"), draw) is None
