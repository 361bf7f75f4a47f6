from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
import torch
from scipy.stats import chisquare
from torch import Tensor

from benchmarks.synthesis import generate
from models.language.corpus.batching import collate_texts
from models.language.corpus.vocabulary import END
from models.language.decoding.generation import (
    TRIES,
    Decoding,
    DecodingTask,
    GeneratedText,
    NGramHistory,
    beam_search,
    generate_texts,
    nucleus_filter,
    sample_nucleus,
    sample_tokens,
    top_k_filter,
)
from models.language.decoding.tag_grammar import (
    LENGTH_TOLERANCE,
    Grammar,
    TagRules,
    TagTokens,
    most_entities,
)
from models.language.networks import gpt
from models.language.networks.language_model import DecoderState, LanguageModel
from models.language.training.serialization import build
from models.language.training.trainers import DocumentTrainer
from models.language.training.training import make_network
from models.training_loop import make_generator
from record.errors import ConfigError
from synthesis.tag_repair import parse_tags
from tests.models.language.training.test_language_training import GPT
from tests.models.prose import HIDDEN, PAIRS, as_texts, notes, vocabulary

WORDS = vocabulary()
GRAMMAR = Grammar(WORDS, TagTokens(PAIRS, (6, 5), ("<PAR>",), HIDDEN))
ASKED = [WORDS.mark("<ASK>"), WORDS.mark("<BODY>")]
PLAIN = Decoding(
    min_length=0, max_length=40, enforced=False, top_p=1.0, method="sample", rounded=False
)


@pytest.fixture(scope="module", params=["lstm", "gpt"])
def wild(request: pytest.FixtureRequest) -> LanguageModel:
    """A network that has learnt nothing: every id is about as likely as any other."""
    torch.manual_seed(3)
    shape = {
        "kind": request.param,
        "vocabulary": WORDS.size,
        "width": 16,
        "layers": 1,
        "dropout": 0.0,
    }
    return build(shape | ({"heads": 2, "context": 64} if request.param == "gpt" else {})).eval()


@pytest.fixture(scope="module")
def taught() -> LanguageModel:
    """A transformer that knows the language somewhat."""
    network = make_network(GPT, WORDS)
    assert isinstance(network, gpt.GPT)
    course = DocumentTrainer(network, as_texts(WORDS, notes(100)), GPT, WORDS.mark(END))
    for epoch in range(3):
        steps = course.begin_epoch(epoch)
        for step in range(steps):
            course.train_step(step, (epoch + step / steps) / 3)
    return network.eval()


def tasks(count: int, wanted: Sequence[int] | None = None, seed: int = 1) -> list[DecodingTask]:
    return [DecodingTask(ASKED, WORDS.encode("seen"), wanted, (seed, n)) for n in range(count)]


def read(texts: Sequence[GeneratedText]) -> list[str]:
    return [WORDS.decode(text.ids) for text in texts]


# Sampling


def test_the_nucleus_is_the_smallest_set_that_holds_the_mass() -> None:
    generator = torch.Generator().manual_seed(1)
    for size in (5, 600):
        scores = 3 * torch.randn(40, size, generator=generator)
        for mass in (0.3, 0.95):
            kept = nucleus_filter(scores, mass)
            for row, before in zip(kept, scores.softmax(1), strict=True):
                ranked = before.sort(descending=True).values
                count = int((ranked.cumsum(0) < mass).sum()) + 1
                assert int(row.isfinite().sum()) == count
                assert float(before[row.isfinite()].min()) >= float(ranked[count - 1])
                renormalized = row.softmax(0)
                expected = before * row.isfinite() / before[row.isfinite()].sum()
                assert torch.allclose(renormalized, expected, atol=1e-6)
    assert torch.equal(nucleus_filter(scores, 1.0), scores)


def test_only_the_likeliest_are_kept() -> None:
    scores = torch.tensor([[1.0, 3.0, 2.0, 0.0]])
    assert top_k_filter(scores, 2).isfinite().tolist() == [[False, True, True, False]]
    assert torch.equal(top_k_filter(scores, 9), scores)


def test_draws_follow_the_probabilities() -> None:
    scores = torch.log(torch.tensor([0.5, 0.3, 0.15, 0.05]))
    chance = torch.rand(20_000, generator=torch.Generator().manual_seed(5))
    counts = Counter(sample_tokens(scores.repeat(len(chance), 1), chance).tolist())
    expected = [20_000 * p for p in (0.5, 0.3, 0.15, 0.05)]
    assert chisquare([counts[n] for n in range(4)], expected).pvalue > 1e-3
    never = nucleus_filter(scores[None], 0.75).repeat(20_000, 1)
    assert set(sample_tokens(never, chance).tolist()) == {0, 1}
    assert sample_tokens(scores[None], torch.tensor([1.0])).tolist() == [3]


def test_a_draw_is_where_the_running_sum_passes_the_chance() -> None:
    generator = torch.Generator().manual_seed(6)
    for size in (1, 5, 128, 129, 700):
        scores = 4 * torch.randn(200, size, generator=generator)
        forbidden = torch.rand(200, size, generator=generator) < 0.5
        scores.masked_fill_(forbidden & (scores < scores.amax(1, keepdim=True)), float("-inf"))
        chance = torch.rand(200, generator=generator)
        chance[:3] = torch.tensor([0.0, 1 - 2**-24, 1.0])
        drawn = sample_tokens(scores, chance)[:, None]
        probabilities = scores.double().softmax(1)
        upto = probabilities.cumsum(1).gather(1, drawn).squeeze(1)
        own = probabilities.gather(1, drawn).squeeze(1)
        assert bool((own > 0).all())  # what is ruled out is never drawn
        assert bool((upto - own <= chance + 1e-6).all() and (upto >= chance - 1e-6).all())
        alone = torch.cat([sample_tokens(scores[n : n + 1], chance[n : n + 1]) for n in range(20)])
        assert torch.equal(alone, drawn[:20, 0])


@pytest.mark.parametrize("mass", [0.1, 0.95])
def test_draws_from_the_nucleus_follow_its_probabilities(mass: float) -> None:
    generator = torch.Generator().manual_seed(8)
    scores = torch.randn(1, 300, generator=generator).round()  # many are as likely as others
    expected = nucleus_filter(scores, mass)[0].double().softmax(0)
    chances = torch.rand(10_000, TRIES, generator=generator)
    drawn = sample_nucleus(scores.repeat(len(chances), 1), chances, mass)
    counts = torch.bincount(drawn, minlength=300)
    is_in = expected > 0
    assert int(counts[~is_in].sum()) == 0
    assert chisquare(counts[is_in], expected[is_in] * len(chances)).pvalue > 1e-3
    alone = torch.cat([sample_nucleus(scores, each[None], mass) for each in chances[:50]])
    assert torch.equal(alone, drawn[:50])


def test_a_draw_that_no_chance_brings_into_the_nucleus_is_made_in_it() -> None:
    scores = torch.log(torch.tensor([[0.5, 0.3, 0.15, 0.05]])).repeat(2, 1)
    chances = torch.full((2, TRIES), 0.99)
    chances[:, -1] = torch.tensor([0.1, 0.9])
    assert sample_nucleus(scores, chances, 0.75).tolist() == [0, 1]
    assert sample_nucleus(scores, chances, 1.0).tolist() == [3, 3]
    chances[:, 2] = 0.1
    assert sample_nucleus(scores, chances, 0.75).tolist() == [0, 0]
    equal = torch.rand(500, TRIES, generator=torch.Generator().manual_seed(9))
    assert set(sample_nucleus(torch.zeros(500, 4), equal, 0.5).tolist()) == {0, 1}


def test_settings_that_have_no_effect_are_not_recorded() -> None:
    used = Decoding(method="nucleus", top_p=0.9).in_use()
    assert used["top_p"] == 0.9 and used["draws"] and "top_k" not in used and "beams" not in used
    greedy = Decoding(method="greedy", top_p=0.9, temperature=2.0).in_use()
    assert not greedy["draws"] and not {"top_p", "temperature"} & set(greedy)


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"method": "hot"}, "--method"), ({"temperature": 0.0}, "--temperature"),
        ({"top_p": 0.0}, "--top-p"), ({"top_k": 0}, "--top-k"), ({"max_length": 4}, "--max-length"),
        ({"min_length": 500}, "--max-length"), ({"no_repeat": 1}, "--no-repeat"),
    ],
)  # fmt: skip
def test_settings_that_cannot_be_are_refused(changes: dict[str, Any], key: str) -> None:
    with pytest.raises(ConfigError, match=key):
        Decoding(**changes)


# Writing


@pytest.mark.parametrize("method", ["sample", "nucleus", "top-k", "greedy", "beam"])
def test_tags_are_well_formed_whatever_the_model_would_like(
    wild: LanguageModel, method: str
) -> None:
    decoding = replace(PLAIN, method=method, beams=3)
    if method == "beam":
        texts = [beam_search(wild, GRAMMAR, task, decoding) for task in tasks(2)]
    else:
        texts = generate_texts(wild, GRAMMAR, tasks(24), decoding)
    entities = 0
    for text, marked in zip(texts, read(texts), strict=True):
        found = parse_tags(marked)
        assert found.well_formed == 1.0
        assert not any(mark in marked for mark in (*HIDDEN, END))
        assert len(text.ids) <= 40
        entities += found.started
    assert entities or method in ("greedy", "beam")


def test_without_the_mask_tags_go_wrong(wild: LanguageModel) -> None:
    free = read(generate_texts(wild, GRAMMAR, tasks(24), replace(PLAIN, masked=False)))
    assert sum(parse_tags(text).well_formed < 1 for text in free) > 5


def test_every_note_has_the_entities_asked_for(wild: LanguageModel) -> None:
    wanted = [[2, 1], [0, 0], [0, 3], [1, 0]]
    given = [replace(task, wanted=wanted[n % 4]) for n, task in enumerate(tasks(40))]
    texts = generate_texts(wild, GRAMMAR, given, replace(PLAIN, enforced=True, max_length=60))
    for n, marked in enumerate(read(texts)):
        counts = Counter(span.label for span in parse_tags(marked).spans)
        assert [counts["A"], counts["B"]] == wanted[n % 4]
    assert any(text.is_hurried for text in texts)
    loose = read(generate_texts(wild, GRAMMAR, given, PLAIN))
    assert any(
        Counter(s.label for s in parse_tags(m).spans)["B"] != wanted[n % 4][1]
        for n, m in enumerate(loose)
    )


@pytest.mark.parametrize("method", ["sample", "beam"])
def test_entities_asked_for_come_wherever_there_is_room_for_a_word_each(
    wild: LanguageModel, method: str
) -> None:
    opening = len(WORDS.encode("seen"))
    for number, wanted in enumerate(
        [[4, 3], [1, 0], [9, 7], [0, 5]][: 2 if method == "beam" else 4]
    ):
        room = 3 * sum(wanted) + 1
        assert most_entities(room) == sum(wanted) == most_entities(room + 2)
        decoding = replace(
            PLAIN, enforced=True, max_length=opening + max(room, 8), method=method, beams=2
        )
        given = tasks(6, wanted, seed=number)
        if method == "beam":
            texts = [beam_search(wild, GRAMMAR, task, decoding) for task in given[:2]]
        else:
            texts = generate_texts(wild, GRAMMAR, given, decoding)
        for marked in read(texts):
            found = parse_tags(marked)
            counts = Counter(span.label for span in found.spans)
            assert found.well_formed == 1.0 and [counts["A"], counts["B"]] == wanted
        assert any(text.is_hurried for text in texts) or sum(wanted) < 3


def test_a_text_ends_with_the_sentence_in_which_it_is_long_enough(taught: LanguageModel) -> None:
    given = [replace(task, length=10 + n % 7) for n, task in enumerate(tasks(28))]
    rounded = replace(PLAIN, rounded=True, min_length=5, max_length=60, method="nucleus", top_p=0.7)
    texts = generate_texts(taught, GRAMMAR, given, rounded)
    assert sum(bool(GRAMMAR.ends_sentence[text.ids[-1]]) for text in texts) >= 25
    assert (
        max(len(text.ids) - (task.length or 0) for text, task in zip(texts, given, strict=True))
        < 20
    )
    assert not any(text.is_cut for text in texts)
    without = [replace(task, length=None) for task in given]
    free = generate_texts(taught, GRAMMAR, without, replace(rounded, rounded=False))
    assert max(len(text.ids) for text in free) > max(len(text.ids) for text in texts)


def test_half_a_sentence_is_taken_back_where_no_entity_goes_with_it(wild: LanguageModel) -> None:
    bound = replace(PLAIN, rounded=True, min_length=6, max_length=12)
    texts = generate_texts(wild, GRAMMAR, tasks(40), bound)
    starts = GRAMMAR.starts.tolist()
    for text in texts:
        assert text.is_cut or not text.is_trimmed
        if text.is_trimmed:
            assert GRAMMAR.ends_sentence[text.ids[-1]] and 6 <= len(text.ids) < 12
    free = generate_texts(wild, GRAMMAR, tasks(40), replace(bound, rounded=False))
    assert not any(text.is_trimmed for text in free)
    asked = [replace(task, wanted=[1, 1]) for task in tasks(40)]
    held = generate_texts(wild, GRAMMAR, asked, replace(bound, enforced=True))
    assert any(text.is_trimmed for text in (*texts, *held))
    assert all(sum(number in starts for number in text.ids) == 2 for text in held)


def test_the_end_becomes_likelier_and_all_else_stays_in_proportion() -> None:
    scores = torch.randn(3, WORDS.size, generator=torch.Generator().manual_seed(4))
    scores[:, GRAMMAR.ends] = -30.0  # no entity is open
    zeros = torch.zeros(3, dtype=torch.long)
    written, target_length = torch.tensor([10, 11, 12]), torch.full((3,), 10)
    resting = torch.tensor([True, True, False])
    rules = TagRules(
        GRAMMAR,
        zeros,
        written,
        zeros,
        zeros + 99,
        None,
        zeros,
        target_length=target_length,
        is_rest=resting,
    )
    free = replace(rules, target_length=None)
    before, after = (each.apply(scores.clone()).softmax(1) for each in (free, rules))
    assert torch.allclose(before[[0, 2]], after[[0, 2]])  # not longer, or within a sentence
    end, share = GRAMMAR.end, (11 - 10) / (LENGTH_TOLERANCE * 10)
    assert float(after[1, end]) == pytest.approx(
        float(before[1, end] + (1 - before[1, end]) * share), rel=1e-4
    )
    others = [number for number in range(WORDS.size) if number != end]
    ratio = (after[1] / before[1])[others]
    assert torch.allclose(ratio[ratio.isfinite()], torch.tensor(1 - share), rtol=1e-3)


def test_lengths_are_kept(wild: LanguageModel) -> None:
    texts = generate_texts(wild, GRAMMAR, tasks(40), replace(PLAIN, min_length=20, max_length=30))
    assert all(20 <= len(text.ids) <= 30 for text in texts)
    assert {text.is_cut for text in texts} == {len(text.ids) == 30 for text in texts}
    assert all(text.ids[0] == WORDS.encode("seen")[0] for text in texts)
    if wild.longest is not None:
        with pytest.raises(ConfigError, match="--max-length"):
            generate_texts(wild, GRAMMAR, tasks(1), replace(PLAIN, max_length=100))


def test_an_entity_may_be_as_long_as_the_longest_of_its_label(wild: LanguageModel) -> None:
    texts = generate_texts(wild, GRAMMAR, tasks(60), replace(PLAIN, max_length=60))
    lengths: dict[int, set[int]] = {start: set() for start in GRAMMAR.starts.tolist()}
    for text in texts:
        for start, end in zip(GRAMMAR.starts.tolist(), GRAMMAR.ends.tolist(), strict=True):
            ends = [at for at, number in enumerate(text.ids) if number == end]
            starts = [at for at, number in enumerate(text.ids) if number == start]
            lengths[start] |= {b - a - 1 for a, b in zip(starts, ends, strict=True)}
    assert [max(each) for each in lengths.values()] == [6, 5]


def test_no_run_comes_twice_outside_of_entities(wild: LanguageModel) -> None:
    texts = generate_texts(wild, GRAMMAR, tasks(40), replace(PLAIN, no_repeat=2, max_length=60))
    starts, ends = GRAMMAR.starts.tolist(), GRAMMAR.ends.tolist()
    for text in texts:
        last, is_inside = None, False
        seen: set[tuple[int, int]] = set()
        for number in text.ids:
            is_inside = (is_inside or number in starts) and number not in ends
            if number < len(WORDS.marks) or is_inside:
                last = None
                continue
            if last is not None:
                assert (last, number) not in seen
                seen.add((last, number))
            last = number
    runs = NGramHistory(3, 2)
    for number in (5, 6, 7, 5, 6):
        runs.add(number, is_inside=False)
    assert runs.banned() == {7} == runs.copy().banned()
    runs.add(9, is_inside=True)
    assert runs.banned() == set()


@pytest.mark.parametrize("method", ["nucleus"])
def test_a_text_depends_on_its_own_chance_alone(wild: LanguageModel, method: str) -> None:
    decoding = replace(PLAIN, method=method, no_repeat=3)
    given = tasks(24)
    together = read(generate_texts(wild, GRAMMAR, given, decoding))
    alone = [read(generate_texts(wild, GRAMMAR, [task], decoding))[0] for task in given[:3]]
    assert together[:3] == alone  # no memory is carried from text to text
    turned = read(generate_texts(wild, GRAMMAR, given[::-1], decoding))
    assert turned[::-1] == together
    assert read(generate_texts(wild, GRAMMAR, tasks(24, seed=2), decoding)) != together
    assert len(set(together)) == 24
    longer = replace(given[3], asked=[*ASKED, *ASKED])
    assert read(generate_texts(wild, GRAMMAR, [*given[:3], longer], decoding))[:3] == alone
    wanted = [replace(task, wanted=[1, 1], length=20) for task in given]
    held = replace(decoding, enforced=True, rounded=True)
    written = generate_texts(wild, GRAMMAR, wanted, held)
    with torch.device("meta"):  # all that is made while writing is made where the network is
        assert generate_texts(wild, GRAMMAR, wanted, held) == written


@pytest.mark.parametrize("method", ["sample", "nucleus", "greedy", "beam"])
def test_prompts_read_in_one_pass_give_the_texts_of_prompts_read_id_by_id(
    wild: LanguageModel, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    opened = [WORDS.encode(words) for words in ("seen", "the cough is", "", "all is well ,")]
    given = [
        replace(task, asked=[*ASKED, *ASKED[: n % 3]], opening=opened[n % 4], wanted=[1, n % 2])
        for n, task in enumerate(tasks(16))
    ]
    decoding = replace(PLAIN, method=method, beams=2, no_repeat=3, enforced=True, rounded=True)

    def write() -> list[GeneratedText]:
        if method == "beam":
            return [beam_search(wild, GRAMMAR, task, decoding) for task in given[:4]]
        return generate_texts(wild, GRAMMAR, given, decoding)

    read_at_once: list[int] = []

    def prefill_by_steps(ids: Tensor, memory: DecoderState) -> DecoderState:
        read_at_once.append(ids.shape[1])
        for column in ids.T:
            _, memory = wild.step(column, memory)
        return memory

    together = write()
    with monkeypatch.context() as patched:
        patched.setattr(wild, "prefill", prefill_by_steps)
        assert write() == together
    lengths = [len(task.asked) + len(task.opening) for task in given]
    assert read_at_once == (lengths[:4] if method == "beam" else [min(lengths)])


def test_a_text_without_any_prompt_is_written(wild: LanguageModel) -> None:
    texts = generate_texts(wild, GRAMMAR, [DecodingTask([], seed=(1, 2))], PLAIN)
    assert texts[0].ids


@torch.inference_mode()
def test_what_follows_a_prompt_is_scored_as_in_the_full_text(wild: LanguageModel) -> None:
    ids = torch.randint(0, WORDS.size, (5, 12), generator=torch.Generator().manual_seed(2))
    whole = wild(ids)
    for length in (1, 2, 9, 11):
        memory = wild.prefill(ids[:, :length], wild.start(5, 12))
        rows = torch.tensor([3, 0])
        memory = memory.keep(rows)
        for at in range(length, 12):
            scores, memory = wild.step(ids[rows, at], memory)
            assert torch.allclose(scores, whole[rows, at], atol=1e-5)


def test_sampling_really_happens(taught: LanguageModel) -> None:
    def variety(method: str) -> float:
        texts = read(generate_texts(taught, GRAMMAR, tasks(16), replace(PLAIN, method=method)))
        return len(set(texts)) / len(texts)

    assert variety("greedy") == 1 / 16  # all are asked for the same
    assert variety("nucleus") > 0.5


def test_a_taught_model_writes_its_language(taught: LanguageModel) -> None:
    texts = read(
        generate_texts(taught, GRAMMAR, tasks(20), replace(PLAIN, method="nucleus", top_p=0.5))
    )
    names = Counter(
        found.text[span.start : span.end].strip()
        for found in map(parse_tags, texts) for span in found.spans if span.label == "A"
    )  # fmt: skip
    assert names.total() > 10
    assert sum(names[name] for name in ("ana gil", "luis", "rosa")) / names.total() > 0.7


def test_beams_are_held_where_the_network_is(wild: LanguageModel) -> None:
    (task,) = tasks(1)
    decoding = replace(PLAIN, method="beam", beams=2, max_length=12)
    written = beam_search(wild, GRAMMAR, task, decoding)
    with torch.device("meta"):
        assert beam_search(wild, GRAMMAR, task, decoding) == written


@pytest.mark.skipif(not torch.cuda.is_available(), reason="this machine has no GPU")
@pytest.mark.parametrize("method", ["greedy", "beam"])
def test_a_gpu_writes_what_the_processor_writes(taught: LanguageModel, method: str) -> None:
    (task,) = tasks(1)
    decoding = replace(PLAIN, method=method, beams=2)
    write = generate_texts if method == "greedy" else None
    texts = []
    for device in ("cpu", "cuda"):
        network = taught.to(device)
        texts.append(
            write(network, GRAMMAR, [task], decoding)[0]
            if write
            else beam_search(network, GRAMMAR, task, decoding)
        )
    taught.to("cpu")
    assert texts[0].ids == texts[1].ids


def test_one_beam_is_greedy(taught: LanguageModel) -> None:
    (task,) = tasks(1)
    (greedy,) = generate_texts(taught, GRAMMAR, [task], replace(PLAIN, method="greedy"))
    found = beam_search(taught, GRAMMAR, task, replace(PLAIN, method="beam", beams=1))
    assert found.ids[: len(greedy.ids)] == greedy.ids
    several = beam_search(taught, GRAMMAR, task, replace(PLAIN, method="beam", beams=5))
    assert sum(n in GRAMMAR.starts.tolist() for n in several.ids) >= 1


@torch.inference_mode()
def test_the_mask_leaves_text_without_tags_as_probable_as_it_was(taught: LanguageModel) -> None:
    texts = as_texts(WORDS, ["the cough is gone . all is well , no fever ."])
    given = collate_texts(texts, WORDS.mark(END))
    scores = taught(given.inputs)[0]
    free = len(WORDS.marks)

    def of_text(scores: Tensor) -> Tensor:
        return scores[:, free:].log_softmax(1)

    count = len(scores)
    zeros, ones = torch.zeros(count, dtype=torch.long), torch.full((count,), 99)
    rules = TagRules(GRAMMAR, zeros, zeros, zeros, ones, None, zeros)
    masked = rules.apply(scores.clone())
    assert torch.allclose(of_text(masked), of_text(scores), atol=1e-5)
    before, after = scores.log_softmax(1), masked.log_softmax(1)
    assert bool((after[:, free:] >= before[:, free:] - 1e-5).all())
    assert make_generator(1, 2).initial_seed() != make_generator(12).initial_seed()


# Speed


def test_the_benchmark_compares_loops_and_knows_what_bounds_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(generate, "_COPIED", 1000)
    sizes = ["--vocabulary", "64", "--width", "32", "--layers", "1", "--lstm-width", "8"]
    few = ["--length", "9", "--repeat", "1", "--compared", "3"]
    generate.main(["--batches", "1,2", *few, *sizes])
    rows = [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in capsys.readouterr().out.splitlines()
        if line.startswith(("| lstm", "| gpt"))
    ]
    assert [row[:2] for row in rows] == [
        [name, texts]
        for name in ("lstm, ours", "lstm, plain loop", "gpt, ours", "gpt, transformers")
        for texts in ("1", "2")
    ]
    assert all(row[3] == "1.0" for row in rows if row[1] == "1")
    assert all(float(row[2].replace(",", "")) > 0 for row in rows)
    # What is written one by one is what is written one by one; small models round alike.
    assert all(row[7] == ("100%" if row[0].endswith("ours") else "") for row in rows)


@torch.inference_mode()
def test_the_transformers_that_are_compared_are_one() -> None:
    ours = build({"kind": "gpt", "vocabulary": 30, "width": 8, "layers": 2, "heads": 2,
                  "context": 12, "dropout": 0.0}).eval()  # fmt: skip
    assert isinstance(ours, gpt.GPT)
    theirs = generate.make_gpt2(ours)
    ids = torch.arange(24).view(2, 12)
    assert torch.allclose(ours(ids), theirs(ids).logits, atol=1e-5)


def test_each_weight_of_a_step_is_counted_once(wild: LanguageModel) -> None:
    read = sum(each.numel() for each in generate.weights_per_step(wild))
    places = (
        wild.places.weight.numel() if isinstance(wild, gpt.GPT) else 0
    )  # one row of them is looked up
    assert read == sum(each.numel() for each in wild.parameters() if each.dim() > 1) - places
