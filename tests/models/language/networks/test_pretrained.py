"""Any causal model of transformers becomes a generator: its own pieces, and tags as new tokens."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer
from torch import nn

from models.language.corpus.vocabulary import END, PretrainedVocabulary, read_vocabulary
from models.language.decoding.generation import Decoding, DecodingTask, beam_search, generate_texts
from models.language.decoding.tag_grammar import Grammar, TagTokens
from models.language.networks import pretrained
from models.language.networks.language_model import DecoderState
from models.language.networks.pretrained import (
    PretrainedNetwork,
    load_pretrained,
    load_vocabulary,
)
from models.language.training.perplexity import negative_log_likelihood
from models.language.training.recipe import LanguageRecipe, make_recipe
from models.language.training.serialization import TrainedGenerator, load, save
from models.language.training.trainers import PretrainedTrainer
from models.language.training.training import LanguageCorpora, make_network, train
from models.training_loop import TrainingCallbacks
from record.errors import ConfigError
from tests.models.pretrained import ARCHITECTURES, blank_marked, byte_level, save_causal
from tests.models.prose import HIDDEN, MARKS, PAIRS, as_texts, notes

TOKENIZERS = [byte_level(), blank_marked()]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pretrained")
    for kind in ARCHITECTURES:
        save_causal(folder / kind, kind)
    return folder


@pytest.fixture(scope="module", params=list(ARCHITECTURES))
def loaded(
    folder: Path, request: pytest.FixtureRequest
) -> Iterator[tuple[Path, PretrainedVocabulary, PretrainedNetwork]]:
    place = folder / request.param
    vocabulary = load_vocabulary(place, MARKS)
    yield place, vocabulary, load_pretrained(place, vocabulary, context=48).eval()


@torch.inference_mode()
def test_text_is_scored_as_the_model_itself_scores_it(
    loaded: tuple[Path, PretrainedVocabulary, PretrainedNetwork],
) -> None:
    place, vocabulary, network = loaded
    base = transformers.AutoModelForCausalLM.from_pretrained(place).eval()
    marks = len(MARKS)
    ids = torch.tensor([vocabulary.encode("the cough is gone . all is well"),
                        vocabulary.encode("she takes one pill a day , no fever")][:1])  # fmt: skip
    found = network(ids)[..., marks:]
    expected = base(input_ids=ids - marks).logits
    assert torch.allclose(found, expected, atol=1e-5)
    assert network.longest == 48 and network.vocabulary == vocabulary.size
    assert torch.isfinite(network(torch.arange(marks)[None])).all()


@torch.inference_mode()
def test_a_text_read_step_by_step_is_scored_alike(
    loaded: tuple[Path, PretrainedVocabulary, PretrainedNetwork],
) -> None:
    _, vocabulary, network = loaded
    ids = torch.randint(0, vocabulary.size, (3, 14), generator=torch.Generator().manual_seed(1))
    whole = network(ids)
    memory: DecoderState = network.start(3, 14)
    rows = torch.arange(3)
    for at in range(14):
        scores, memory = network.step(ids[rows, at], memory)
        assert torch.allclose(scores, whole[rows, at], atol=1e-4)
        if at == 9:
            rows = torch.tensor([2, 0])
            memory = memory.keep(rows)


@torch.inference_mode()
def test_what_follows_a_prompt_read_in_one_pass_is_scored_alike(
    loaded: tuple[Path, PretrainedVocabulary, PretrainedNetwork],
) -> None:
    _, vocabulary, network = loaded
    ids = torch.randint(0, vocabulary.size, (3, 40), generator=torch.Generator().manual_seed(5))
    whole = network(ids)
    for length in (1, 2, 17, 39):  # shorter and longer than a sliding window
        memory: DecoderState = network.prefill(ids[:, :length], network.start(3, 40))
        rows = torch.tensor([2, 0])
        memory = memory.keep(rows)
        for at in range(length, 40):
            scores, memory = network.step(ids[rows, at], memory)
            assert torch.allclose(scores, whole[rows, at], atol=1e-4)


def test_what_is_saved_is_read_again(
    loaded: tuple[Path, PretrainedVocabulary, PretrainedNetwork], tmp_path: Path
) -> None:
    _, vocabulary, network = loaded
    save(TrainedGenerator(network, vocabulary, {"x": 1}), tmp_path)
    again = load(tmp_path)
    ids = torch.arange(vocabulary.size)[None, :40]
    with torch.inference_mode():
        assert torch.equal(again.network(ids), network(ids))
    assert again.vocabulary.digest() == vocabulary.digest()
    assert again.network.shape == network.shape


def test_texts_are_written_with_tags_and_without_tokens_of_the_model(
    loaded: tuple[Path, PretrainedVocabulary, PretrainedNetwork],
) -> None:
    _, vocabulary, network = loaded
    grammar = Grammar(vocabulary, TagTokens(PAIRS, (6, 5), ("<PAR>",), HIDDEN))
    asked = [vocabulary.mark("<ASK>"), vocabulary.mark("<BODY>")]
    decoding = Decoding(min_length=0, max_length=30, rounded=False)
    tasks = [DecodingTask(asked, vocabulary.encode("seen"), [1, 1], (1, n)) for n in range(8)]
    texts = generate_texts(network, grammar, tasks, decoding)
    texts.append(beam_search(network, grammar, tasks[0], replace(decoding, method="beam", beams=2)))
    excluded = set(vocabulary.excluded.tolist())
    assert len(excluded) >= 6  # rows without a token, and the end of a text
    for text in texts:
        assert not excluded & set(text.ids)
        assert [text.ids.count(number) for number in grammar.starts.tolist()] == [1, 1]
    first, *_ = generate_texts(network, grammar, tasks[:1], decoding)
    assert first.ids == texts[0].ids


@given(st.integers(0, 1), st.lists(st.one_of(st.sampled_from(MARKS), st.text()), max_size=6))
def test_every_text_comes_back(which: int, parts: list[str]) -> None:
    vocabulary = PretrainedVocabulary.of(MARKS, TOKENIZERS[which], 700)
    plain = [part.replace("<", "").replace("\u2581", "") for part in parts]
    marked = "".join(
        part if part in MARKS else kept for part, kept in zip(parts, plain, strict=True)
    )
    assert vocabulary.decode(vocabulary.encode(marked)) == marked


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_blanks_before_an_entity_are_read_with_its_first_word(tokenizer: Tokenizer) -> None:
    vocabulary = PretrainedVocabulary.of(MARKS, tokenizer, 700)
    start, end = vocabulary.mark("<A_START>"), vocabulary.mark("<A_END>")
    words = [vocabulary.encode(part) for part in ("seen", " ana", " gil")]
    assert vocabulary.encode("seen <A_START>ana<A_END> gil") == [
        *words[0], start, *words[1], end, *words[2]
    ]  # fmt: skip
    assert vocabulary.decode([start, *words[1], end]) == " <A_START>ana<A_END>"


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_lines_break_by_their_mark_alone(tokenizer: Tokenizer) -> None:
    vocabulary = PretrainedVocabulary.of(MARKS, tokenizer, 700)
    excluded = set(vocabulary.excluded.tolist())
    breaks = vocabulary.encode("\n")
    assert breaks and excluded.issuperset(breaks)
    assert not excluded & {vocabulary.mark("<PAR>"), *vocabulary.encode("seen ana gil .")}
    without = PretrainedVocabulary.of([m for m in MARKS if m != "<PAR>"], tokenizer, 700)
    assert not set(without.excluded.tolist()) & set(without.encode("\n"))


def test_marks_begin_as_what_they_stand_for(
    loaded: tuple[Path, PretrainedVocabulary, PretrainedNetwork],
) -> None:
    place, vocabulary, network = loaded
    models: Any = transformers.AutoModelForCausalLM
    base = models.from_pretrained(place)
    known = base.get_input_embeddings().weight.detach()
    made = network.network.get_input_embeddings().weight.detach()

    def own(text: str) -> list[int]:
        return [number - len(MARKS) for number in vocabulary.encode(text)]

    for mark, expected in (
        ("<PAR>", known[own("\n")].mean(0)),
        ("<A_START>", known[own("a")].mean(0)),
        ("<A_END>", known.mean(0)),
    ):
        assert torch.allclose(made[vocabulary.mark(mark)], expected, atol=1e-6)


def test_only_the_marks_of_a_head_get_a_gradient() -> None:
    torch.manual_seed(1)
    head = nn.Linear(8, 20, bias=False)
    other = pretrained._MarkHead.of(nn.Linear(8, 20, bias=False), 5)
    other.weight.data.copy_(head.weight.data)
    ids, wanted = torch.randn(3, 4, 8), torch.randn(3, 4, 20)
    gradients = []
    for layer in (head, other):
        read = ids.clone().requires_grad_(True)
        scores = layer(read)
        (scores * wanted).sum().backward()
        gradients.append((scores, read.grad, layer.weight.grad))
    (scores, of_input, of_table), (same, as_before, of_marks) = gradients
    assert of_table is not None and of_marks is not None
    assert of_input is not None and as_before is not None
    assert torch.allclose(scores, same) and torch.allclose(of_input, as_before, atol=1e-6)
    assert torch.allclose(of_marks[:5], of_table[:5], atol=1e-5)
    assert not of_marks[5:].any()


def test_marks_learn_at_a_rate_of_their_own(folder: Path, corpora: LanguageCorpora) -> None:
    recipe = recipe_of(folder, "llama", peak=1e-9)
    network = make_network(recipe, corpora.vocabulary)
    (table,) = network.tables()
    before = table.detach().clone()
    course = PretrainedTrainer(network, corpora.train, recipe, corpora.vocabulary.mark(END))
    course.begin_epoch(0)
    course.train_step(0, 0.3)
    moved = (table.detach() - before).abs()
    marks = len(MARKS)
    size = float(before[marks:].square().mean().sqrt())
    assert 0.001 * size < float(moved[:marks].max()) < 0.1 * size
    assert float(moved[marks:].max()) < 1e-6


def recipe_of(folder: Path, kind: str, **changes: object) -> LanguageRecipe:
    given = {"epochs": 2, "peak": 1e-2, "step_tokens": 256, "micro_tokens": 64, "context": 48}
    made = make_recipe("pretrained", given | {"pretrained": str(folder / kind)} | changes)
    return replace(made, checkpoint_steps=3)


@pytest.fixture(scope="module")
def corpora(folder: Path) -> LanguageCorpora:
    words = load_vocabulary(folder / "llama", MARKS)
    return LanguageCorpora(words, as_texts(words, notes(40)), as_texts(words, notes(6, seed=2)))


class Interrupted(Exception):
    """Stands for a process that was killed."""


@pytest.mark.parametrize("lora", [0, 4])
def test_it_learns_and_an_interrupted_training_ends_the_same(
    folder: Path, corpora: LanguageCorpora, tmp_path: Path, lora: int
) -> None:
    recipe = recipe_of(folder, "llama", lora=lora)
    scores = train(corpora, recipe, tmp_path / "whole")
    # Adapters of a model that knows nothing learn little.
    assert scores["perplexity"] < (0.96 if lora else 0.7) * corpora.vocabulary.size
    steps = 0

    def interrupt(done: int, planned: int) -> None:
        nonlocal steps
        steps += 1
        if steps == 8:
            raise Interrupted

    with pytest.raises(Interrupted):
        train(corpora, recipe, tmp_path / "parts", TrainingCallbacks(interrupt))
    assert train(corpora, recipe, tmp_path / "parts") == scores
    weights = [
        (tmp_path / name / "weights.safetensors").read_bytes() for name in ("whole", "parts")
    ]
    assert weights[0] == weights[1]
    assert (tmp_path / "parts" / "vocabulary.json").stat().st_size > 0
    before = load_pretrained(folder / "llama", corpora.vocabulary, context=48)  # type: ignore[arg-type]
    after = load(tmp_path / "whole").network
    assert isinstance(after, PretrainedNetwork)
    tables = [each.network.get_input_embeddings().weight for each in (before, after)]
    is_same = (tables[0] == tables[1]).all(1)
    assert not is_same[: len(MARKS)].all()
    assert bool(is_same[len(MARKS) :].all()) is bool(lora)  # adapters leave all other words alone


def test_slow_steps_are_kept_by_the_clock(
    folder: Path, corpora: LanguageCorpora, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = replace(recipe_of(folder, "llama", epochs=1), checkpoint_steps=10_000)
    told: list[int] = []

    def interrupt(done: int, planned: int) -> None:
        told.append(done)
        if len(told) == 3:
            raise Interrupted

    monkeypatch.setattr("models.training_loop._MOST_SECONDS_BETWEEN_CHECKPOINTS", 0)
    with pytest.raises(Interrupted):
        train(corpora, recipe, tmp_path / "parts", TrainingCallbacks(interrupt))
    again: list[int] = []
    train(
        corpora, recipe, tmp_path / "parts", TrainingCallbacks(lambda done, _: again.append(done))
    )
    assert again[0] >= told[1] > 0, "the steps before the interruption were not taken again"


@pytest.mark.parametrize("kind", ["gpt2", "qwen2"])
def test_adapters_fit_other_architectures(folder: Path, kind: str) -> None:
    vocabulary = load_vocabulary(folder / kind, MARKS)
    recipe = recipe_of(folder, kind, lora=2)
    network = make_network(recipe, vocabulary)
    texts = as_texts(vocabulary, notes(6))
    course = PretrainedTrainer(network, texts, recipe, vocabulary.mark(END))
    frozen = {n: w.clone() for n, w in network.named_parameters() if not w.requires_grad}
    steps = course.begin_epoch(0)
    for step in range(steps):
        course.train_step(step, 0.2)
    assert frozen
    assert all(torch.equal(network.get_parameter(name), w) for name, w in frozen.items())


def test_parts_of_a_batch_add_up_to_the_batch(
    folder: Path, corpora: LanguageCorpora, monkeypatch: pytest.MonkeyPatch
) -> None:
    after = []
    # Sums in sixteen bits depend on their order.
    monkeypatch.setattr("models.language.training.trainers.has_bfloat16", lambda _: False)
    for micro, scores in ((64, None), (4096, None), (4096, 100 * corpora.vocabulary.size)):
        if scores:  # as a large vocabulary: parts of a hundred tokens
            monkeypatch.setattr("models.language.corpus.batching._MOST_SCORES", scores)
        recipe = recipe_of(folder, "llama", micro_tokens=micro, step_tokens=4096)
        network = make_network(recipe, corpora.vocabulary)
        course = PretrainedTrainer(network, corpora.train, recipe, corpora.vocabulary.mark(END))
        assert course.begin_epoch(0) == 1
        course.train_step(0, 0.25)
        after.append([weights.grad for weights in network.parameters()])
    for one, other, bound in zip(*after, strict=True):
        assert one is not None and other is not None and bound is not None
        assert torch.allclose(one, other, atol=2e-5)
        assert torch.allclose(bound, other, atol=2e-5)


def test_perplexity_does_not_depend_on_how_much_is_computed_at_a_time(
    folder: Path, corpora: LanguageCorpora, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = load_pretrained(folder / "llama", corpora.vocabulary, context=48)  # type: ignore[arg-type]
    sizes: list[int] = []
    plain = network.forward

    def watch(ids: torch.Tensor) -> torch.Tensor:
        sizes.append(ids.numel())
        return plain(ids)

    monkeypatch.setattr(network, "forward", watch)
    monkeypatch.setattr("models.language.training.perplexity.has_bfloat16", lambda _: False)
    whole = negative_log_likelihood(network, corpora.vocabulary, corpora.dev)
    largest = max(sizes)
    sizes.clear()
    bound = 60 * corpora.vocabulary.size
    monkeypatch.setattr("models.language.corpus.batching._MOST_SCORES", bound)
    parts = negative_log_likelihood(network, corpora.vocabulary, corpora.dev)
    assert max(sizes) <= 60 < largest
    assert parts.nats == pytest.approx(whole.nats, rel=1e-5) and parts.ids == whole.ids


def test_what_is_no_model_is_refused(folder: Path, tmp_path: Path) -> None:
    vocabulary = load_vocabulary(folder / "llama", MARKS)
    for place in (tmp_path, tmp_path / "none"):
        with pytest.raises(ConfigError, match="not a causal language model"):
            load_vocabulary(place, MARKS)
        with pytest.raises(ConfigError, match="not a causal language model"):
            load_pretrained(place, vocabulary, context=48)
    with pytest.raises(ConfigError, match="requires the folder of a pretrained model"):
        make_recipe("pretrained", {})
    with pytest.raises(ConfigError, match="--width: fixed by the pretrained model"):
        make_recipe("pretrained", {"width": 8, "pretrained": "x"})


def test_a_folder_of_another_shape_is_refused(folder: Path, tmp_path: Path) -> None:
    vocabulary = load_vocabulary(folder / "llama", MARKS)
    network = load_pretrained(folder / "llama", vocabulary, context=48)
    save(TrainedGenerator(network, vocabulary, {}), tmp_path)
    settings = json.loads((tmp_path / "language.json").read_text())
    settings["shape"]["config"]["hidden_size"] = 8
    (tmp_path / "language.json").write_text(json.dumps(settings))
    with pytest.raises(ConfigError, match="does not match"):
        load(tmp_path)
    assert read_vocabulary(tmp_path / "vocabulary.json").size == vocabulary.size
