import json
import math
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from models.language.corpus.batching import (
    Text,
    batches,
    bptt_chunks,
    collate_texts,
    make_streams,
    split_at_context,
)
from models.language.corpus.vocabulary import END, BytePairVocabulary, read_vocabulary
from models.language.networks.gpt import GPT
from models.language.networks.language_model import LanguageModel
from models.language.networks.lstm import LSTM
from models.language.training.gpt2_weights import load_gpt2
from models.language.training.perplexity import negative_log_likelihood
from models.language.training.recipe import LanguageRecipe, Stage
from models.language.training.serialization import TrainedGenerator, build, load, save
from models.language.training.training import LanguageCorpora, UnigramModel, make_network, train
from models.training_loop import TrainingCallbacks, make_generator
from record.errors import ConfigError
from tests.models.prose import MARKS, as_texts, notes, vocabulary

SHAPES = (
    {"kind": "lstm", "vocabulary": 50, "width": 16, "layers": 2, "dropout": 0.3},
    {"kind": "gpt", "vocabulary": 50, "width": 16, "layers": 2, "heads": 4, "context": 24,
     "dropout": 0.3},
)  # fmt: skip


@pytest.fixture(params=SHAPES, ids=["lstm", "gpt"])
def network(request: pytest.FixtureRequest) -> LanguageModel:
    torch.manual_seed(1)
    return build(request.param).eval()


@pytest.mark.parametrize("learns", [False, True])
@pytest.mark.parametrize("with_onednn", [False, True])
def test_one_id_at_a_time_scores_as_whole_texts_do(
    network: LanguageModel, learns: bool, with_onednn: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if with_onednn and not hasattr(torch.ops.mkldnn, "_linear_pointwise"):
        pytest.skip("this PyTorch has no oneDNN")
    monkeypatch.setattr("models.language.networks.lstm.has_onednn", lambda: with_onednn)
    with torch.set_grad_enabled(learns):
        step_by_step(network)


def step_by_step(network: LanguageModel) -> None:
    ids = torch.randint(0, 50, (5, 20))
    whole = network(ids)
    memory = network.start(5, 20)
    rows = torch.arange(5)
    for at in range(20):
        scores, memory = network.step(ids[rows, at], memory)
        assert torch.allclose(scores, whole[rows, at], atol=1e-5)
        if at == 10:  # some rows go on, one of them twice
            rows = torch.tensor([4, 1, 1])
            memory = memory.keep(torch.tensor([4, 1, 1]))


def test_weights_are_laid_out_once_and_again_when_they_change(tmp_path: Path) -> None:
    torch.manual_seed(1)
    network = build(SHAPES[0]).eval()
    assert isinstance(network, LSTM)
    ids = torch.randint(0, 50, (3, 1))
    size = len(pickle.dumps(network))

    def scores() -> tuple[torch.Tensor, torch.Tensor]:
        """Return what a first step makes of the ids, and the whole network."""
        return network.step(ids[:, 0], network.start(3, 1))[0], network(ids)[:, 0]

    with torch.no_grad():
        first = network.start(3, 1)
        assert network.start(2, 1).products is first.products
        assert torch.allclose(*scores(), atol=1e-5)
        for each in network.parameters():
            each.mul_(1.5)  # as a step of an optimizer does
        assert network.start(3, 1).products is not first.products
        assert torch.allclose(*scores(), atol=1e-5)
        other = build(SHAPES[0])
        network.load_state_dict(other.state_dict())
        assert torch.allclose(*scores(), atol=1e-5)
        assert torch.equal(scores()[1], other.eval()(ids)[:, 0])
        assert len(pickle.dumps(network)) == size
        before = network.start(3, 1)
    with torch.inference_mode():  # what was laid out in either mode serves in both
        assert network.start(3, 1).products is before.products
        network.load_state_dict(build(SHAPES[0]).state_dict())
        network.start(3, 1)
    with torch.no_grad():
        assert torch.allclose(*scores(), atol=1e-5)
    with torch.inference_mode():
        made = build(SHAPES[0]).eval()
        assert torch.allclose(made.step(ids[:, 0], made.start(3, 1))[0], made(ids)[:, 0], atol=1e-5)


def test_embeddings_score_the_output(network: LanguageModel) -> None:
    assert (
        network.get_parameter("scores.weight").data_ptr()
        == network.get_parameter("embed.weight").data_ptr()
    )


def test_the_published_sizes() -> None:
    def count(network: torch.nn.Module) -> int:
        return sum(each.numel() for each in network.parameters())

    with torch.device("meta"):
        lstm = LSTM(49_978, width=650, layers=2, dropout=0.2)
        gpt = GPT(50_257, width=768, layers=12, heads=12, context=1024, dropout=0.1)
    assert round(count(lstm) / 1e6, 1) == 39.3  # Libbi et al. (2021)
    assert count(gpt) == 124_439_808  # GPT-2 small


def test_a_folder_gives_the_same_network(network: LanguageModel, tmp_path: Path) -> None:
    words = vocabulary()
    save(TrainedGenerator(network, words, {"a": 1}), tmp_path)
    found = load(tmp_path)
    ids = torch.randint(0, 50, (2, 9))
    assert torch.equal(found.network(ids), network(ids))
    assert found.vocabulary.digest() == words.digest() and found.about == {"a": 1}
    weights = tmp_path / "weights.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"x")
    with pytest.raises(ConfigError, match="checksum mismatch"):
        load(tmp_path)
    (tmp_path / "language.json").write_text("{}")
    with pytest.raises(ConfigError, match="another version"):
        load(tmp_path)


@pytest.fixture(scope="module")
def gpt2(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Path]:
    """A GPT-2 as HuggingFace saves it, with its folder."""
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(1)
    config = transformers.GPT2Config(
        vocab_size=40,
        n_positions=16,
        n_embd=12,
        n_layer=2,
        n_head=3,
        bos_token_id=0,
        eos_token_id=0,
    )
    model = transformers.GPT2LMHeadModel(config).eval()
    folder = tmp_path_factory.mktemp("gpt2")
    model.save_pretrained(folder)
    return model, folder


def test_a_pretrained_network_scores_as_that_of_transformers(gpt2: tuple[Any, Path]) -> None:
    model, folder = gpt2
    pieces = BytePairVocabulary.learn(MARKS, notes(50), size=300)
    # All old pieces are known to the new vocabulary but the first; marks are new.
    ours = sorted(pieces.by_piece, key=pieces.by_piece.__getitem__)[:39]
    (folder / "vocab.json").write_text(json.dumps({p: n for n, p in enumerate(["old", *ours])}))
    network = load_gpt2(folder, LanguageRecipe(), pieces).eval()
    old = torch.randint(1, 40, (3, 16))
    new = torch.tensor([[pieces.by_piece[ours[n - 1]] for n in row] for row in old.tolist()])
    columns = [pieces.by_piece[piece] for piece in ours]
    with torch.inference_mode():
        expected = model(old).logits[:, :, 1:]
        assert torch.allclose(network(new)[:, :, columns], expected, atol=1e-4)
    mean = model.transformer.wte.weight.mean(0)
    assert torch.allclose(network.embed.weight[pieces.mark("<A_START>")], mean, atol=1e-6)
    with pytest.raises(ConfigError, match="must be `pieces`"):
        load_gpt2(folder, LanguageRecipe(), vocabulary())
    with pytest.raises(ConfigError, match="--pretrained"):
        load_gpt2(folder.parent, LanguageRecipe(), pieces)


def test_beside_pretrained_blocks_few_weights_learn_and_are_added_to_them(
    gpt2: tuple[Any, Path], tmp_path: Path
) -> None:
    pytest.importorskip("peft", reason="peft is not installed")
    _, folder = gpt2
    pieces = BytePairVocabulary.learn(MARKS, notes(50), size=300)
    (folder / "vocab.json").write_text("{}")
    recipe = LanguageRecipe(
        pretrained=str(folder), lora=2, epochs=2, stages=(Stage(2, 1e-2),), step_tokens=64,
        checkpoint_steps=3,
    )  # fmt: skip
    texts = [Text(text.ids[:15], text.asked) for text in as_texts(pieces, notes(12))]
    corpora = LanguageCorpora(pieces, texts, texts[:3])
    before = load_gpt2(folder, recipe, pieces)
    network = make_network(recipe, pieces)
    ids = torch.tensor([texts[0].ids])
    with torch.inference_mode():
        assert torch.allclose(before.eval()(ids), network.eval()(ids))  # nothing was learnt yet
    small = {name for name, weights in network.named_parameters() if weights.requires_grad}
    assert small == {name for name in small if "lora_" in name} | {"embed.weight"}
    steps = []

    def interrupt(done: int, planned: int) -> None:
        steps.append(done)
        if len(steps) == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(corpora, recipe, tmp_path, TrainingCallbacks(interrupt))
    scores = train(corpora, recipe, tmp_path, TrainingCallbacks(interrupt))
    found = load(tmp_path)
    assert "lora" not in " ".join(found.network.state_dict())
    assert negative_log_likelihood(found.network, pieces, texts[:3]).perplexity == pytest.approx(
        scores["perplexity"], rel=1e-4
    )
    learnt, given = found.network.state_dict(), before.state_dict()
    assert not torch.equal(learnt["blocks.0.joint.weight"], given["blocks.0.joint.weight"])
    assert torch.equal(learnt["places.weight"], given["places.weight"])
    assert torch.equal(learnt["blocks.0.joint.bias"], given["blocks.0.joint.bias"])
    with pytest.raises(ConfigError, match="--lora"):
        replace(recipe, pretrained=None)


# Vocabularies


def test_pieces_give_any_text_back(tmp_path: Path) -> None:
    pieces = BytePairVocabulary.learn(MARKS, notes(50), size=300)
    for text in ("näive 🙂 text\t\r\n x", "<PAR>", "a<A_START>b<A_END>", "", "<A_START", "日本"):
        assert pieces.decode(pieces.encode(text)) == text
    again = BytePairVocabulary.learn(MARKS, notes(50), size=300)
    assert again.digest() == pieces.digest()  # learning is not chance
    pieces.save(tmp_path / "v.json")
    assert read_vocabulary(tmp_path / "v.json").encode("ana 12") == pieces.encode("ana 12")
    assert len(pieces.encode("123")) == 3
    assert [
        bool(pieces.has_alphanumeric[n]) for n in (pieces.mark(END), pieces.encode("a")[0])
    ] == [0, 1]
    with pytest.raises(ConfigError, match="--vocabulary-size"):
        BytePairVocabulary.learn(MARKS, [], size=100)
    (tmp_path / "v.json").write_text("{}")
    with pytest.raises(ConfigError, match="not a valid vocabulary"):
        read_vocabulary(tmp_path / "v.json")


# Perplexity


def test_unigram_probabilities_sum_to_one() -> None:
    words = vocabulary()
    texts = [text.ids for text in as_texts(words, notes(20))]
    unigram = UnigramModel(texts, words.size)
    assert math.fsum(map(unigram.probability, range(words.size))) == pytest.approx(1, abs=1e-12)
    nats, ids = unigram.loss(texts)
    total, count = sum(map(len, texts)), sum(text.count(words.mark("<PAR>")) for text in texts)
    assert ids == total
    assert unigram.probability(words.mark("<PAR>")) == (count + 1) / (total + words.size)
    assert nats == pytest.approx(-sum(math.log(unigram.probability(n)) for t in texts for n in t))


@torch.inference_mode()
def test_surprise_is_that_of_each_text_alone(network: LanguageModel) -> None:
    words = vocabulary()
    texts = as_texts(words, notes(8, seed=2))
    texts = [Text(text.ids[:20], text.asked) for text in texts]  # as long as the context
    expected = 0.0
    for text in texts:
        read = torch.tensor([[words.mark(END), *text.ids[:-1]]])
        logs = network(read)[0].log_softmax(-1)
        expected -= sum(float(logs[n, text.ids[n]]) for n in range(2, len(text.ids)))
    found = negative_log_likelihood(network, words, texts)
    assert found.nats == pytest.approx(expected, rel=1e-4)
    assert found.ids == sum(len(text.ids) - 2 for text in texts)
    written = [words.decode(text.ids[2:]) for text in texts]
    marks = sum(number < len(MARKS) for text in texts for number in text.ids[2:])
    letters = sum(
        len("".join(part for part in words._mark_pattern.split(w) if part not in MARKS))
        for w in written
    )
    assert found.characters == letters + marks
    assert math.log(found.perplexity) * found.ids == pytest.approx(found.nats)
    assert math.log(found.per_character) * found.characters == pytest.approx(found.nats)


# How texts are laid out


def test_lessons_and_streams_hold_every_id_once() -> None:
    texts = [Text(list(range(10 * n, 10 * n + n + 3)), 1) for n in range(1, 8)]
    batch = collate_texts(texts[:2], 0)
    assert batch.inputs.tolist() == [[0, 10, 11, 12, 0], [0, 20, 21, 22, 23]]
    assert batch.targets.tolist() == [[-100, 11, 12, 13, -100], [-100, 21, 22, 23, 24]]
    cut = split_at_context([Text(list(range(7)), 3)], 2)
    assert [(list(t.ids), t.asked) for t in cut] == [
        ([0, 1], 3),
        ([2, 3], 1),
        ([4, 5], 0),
        ([6], 0),
    ]
    for sample_tokens in (None, make_generator(1)):
        found = batches(texts, 20, sample_tokens)
        assert sorted(t.ids[0] for batch in found for t in batch) == [t.ids[0] for t in texts]
        assert all(len(b) == 1 or len(b) * max(len(t.ids) for t in b) <= 40 for b in found)
    held = make_streams(texts, 0, 2)
    line = [0, *(n for text in texts for n in text.ids)]
    assert held.flatten().tolist() == line[: len(line) // 2 * 2]
    targets = torch.cat([each.targets for each in bptt_chunks(held, 5)], 1)
    assert torch.equal(targets, held[:, 1:])
