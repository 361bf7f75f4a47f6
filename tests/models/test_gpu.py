"""What a GPU computes: texts in bfloat16, words that are filled in, a training step, and scores."""

from pathlib import Path

import pytest
import torch

from evaluation.attacks.reference_models import score_tokens
from models.hardware import choose_device, has_bfloat16
from models.language.corpus.vocabulary import END
from models.language.decoding.generation import Decoding, DecodingTask, generate_texts
from models.language.decoding.tag_grammar import Grammar, TagTokens
from models.language.masked.masked_model import MaskedFiller, TrainedMasked, save_masked
from models.language.networks.masked_network import SPECIAL_TOKENS, MaskedLM
from models.language.networks.pretrained import load_pretrained, load_vocabulary
from models.language.training.recipe import make_recipe
from models.language.training.serialization import TrainedGenerator, load, save
from models.language.training.trainers import PretrainedTrainer
from models.language.training.training import make_network
from synthesis.tag_repair import parse_tags
from tests.models.pretrained import save_causal
from tests.models.prose import HIDDEN, MARKS, PAIRS, as_texts, notes

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="this machine has no GPU")

WORDS = (*SPECIAL_TOKENS, "fever", "cough", "pain", ".")


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pretrained model, tiny, with random weights."""
    folder = tmp_path_factory.mktemp("base")
    save_causal(folder, "llama")
    return folder


@pytest.fixture(scope="module")
def generator(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with the marks of a corpus, as it is saved."""
    folder = tmp_path_factory.mktemp("generator")
    vocabulary = load_vocabulary(base, MARKS)
    save(TrainedGenerator(load_pretrained(base, vocabulary, context=48), vocabulary, {}), folder)
    return folder


def test_a_pretrained_model_writes_in_bfloat16(generator: Path) -> None:
    trained = load(generator, choose_device())
    network, vocabulary = trained.network, trained.vocabulary
    assert network.device.type == choose_device().type
    assert (next(network.parameters()).dtype is torch.bfloat16) == has_bfloat16(network.device)
    grammar = Grammar(vocabulary, TagTokens(PAIRS, (6, 5), ("<PAR>",), HIDDEN))
    asked = [vocabulary.mark("<ASK>"), vocabulary.mark("<BODY>")]
    decoding = Decoding(min_length=0, max_length=30, rounded=False)
    tasks = [DecodingTask(asked, vocabulary.encode("seen"), [1, 1], (1, n)) for n in range(8)]
    texts = generate_texts(network, grammar, tasks, decoding)
    assert generate_texts(network, grammar, tasks, decoding) == texts
    for text in texts:
        found = parse_tags(vocabulary.decode(text.ids))
        assert found.well_formed == 1.0
        assert sorted(span.label for span in found.spans) == ["A", "B"]


def test_words_are_filled_in(tmp_path: Path) -> None:
    torch.manual_seed(1)
    network = MaskedLM(len(WORDS), width=32, layers=1, heads=2, length=24, dropout=0.0)
    save_masked(TrainedMasked(network, WORDS, {}), tmp_path)
    filler = MaskedFiller.load(tmp_path)
    assert filler.scores([["fever", None, "."]])[0].shape == (1, 3)
    (found,) = filler.candidates([[None, "cough", None]], 2)
    assert [len(place) for place in found] == [2, 2]
    assert {word for place in found for word, _ in place} <= {"fever", "cough", "pain"}


def test_a_step_of_training_changes_the_weights(base: Path) -> None:
    vocabulary = load_vocabulary(base, MARKS)
    texts = as_texts(vocabulary, notes(20))
    sizes = {"epochs": 1, "peak": 1e-2, "step_tokens": 256, "micro_tokens": 64, "context": 48}
    recipe = make_recipe("pretrained", {**sizes, "pretrained": str(base)})
    network = make_network(recipe, vocabulary).to(choose_device())
    before = [table.detach().clone() for table in network.tables()]
    course = PretrainedTrainer(network, texts, recipe, vocabulary.mark(END))
    course.begin_epoch(0)
    course.train_step(0, 0.3)
    after = network.tables()
    assert all(table.isfinite().all() for table in after)
    assert any(not torch.equal(old, new) for old, new in zip(before, after, strict=True))
    assert all(table.device.type == choose_device().type for table in after)


def test_attacks_score_on_the_gpu_as_on_the_processor(
    generator: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = load(generator)
    texts = as_texts(model.vocabulary, notes(4))
    on_gpu = score_tokens(model, texts)
    assert model.network.device == torch.device("cpu")
    monkeypatch.setattr("evaluation.attacks.reference_models.choose_device", lambda: "cpu")
    for one, other in zip(on_gpu, score_tokens(model, texts), strict=True):
        assert one == pytest.approx(other, abs=1e-3)
