"""Text generation with a language model, in batches: sampling, greedy decoding and beam search."""

from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional
from torch.nn.utils.rnn import pad_sequence

from models.language.decoding.known_words import KnownWords, keep_known_words
from models.language.decoding.tag_grammar import LENGTH_TOLERANCE, Grammar, TagRules
from models.language.networks.language_model import DecoderState, LanguageModel
from models.training_loop import make_generator
from record.errors import ConfigError

TRIES = 8
"""How many chances the draw of one id may take."""

_EXCLUDED = float("-inf")
_BLOCK = 128  # ids whose weights are added up before any is looked at
_BELOW_ONE = 1 - 2**-24  # the number before 1, so that above it means 1 and more


def top_k_filter(scores: Tensor, count: int) -> Tensor:
    """Leave the `count` highest scores of each row. (rows, vocabulary)"""
    if count >= scores.shape[1]:
        return scores
    lowest = scores.topk(count, dim=1).values[:, -1:]
    return scores.masked_fill(scores < lowest, _EXCLUDED)


def nucleus_filter(scores: Tensor, mass: float) -> Tensor:
    """Leave the fewest likeliest ids of each row whose probabilities reach `mass`.

    Of equals the first come first. Holtzman et al. (ICLR 2020). (rows, vocabulary)
    """
    if mass >= 1:
        return scores
    found, places = scores.softmax(1).sort(dim=1, descending=True, stable=True)
    beyond = found.cumsum(1) - found >= mass
    return scores.masked_fill(torch.zeros_like(beyond).scatter(1, places, beyond), _EXCLUDED)


def sample_tokens(scores: Tensor, uniform: Tensor) -> Tensor:
    """Sample a token for each row by its probabilities, given `uniform` numbers. (rows,)

    The same scores and chance give the same id, whatever the other rows are. (rows,)
    """
    return _invert_cdf(*_cumulative_weights(scores), uniform)


def sample_nucleus(scores: Tensor, uniforms: Tensor, mass: float) -> Tensor:
    """Sample a token for each row from its nucleus, see `nucleus_filter`; `uniforms` (rows, TRIES).

    Sorting a vocabulary is dear. So an id is drawn from all, and again as long as it is not of
    the nucleus, which the sum of what is likelier tells: ids accepted have the probabilities of
    a draw from the nucleus alone. Only rows that use up all chances but one are sorted. (rows,)
    """
    weights, ends = _cumulative_weights(scores)
    drawn = _invert_cdf(weights, ends, uniforms[:, 0])
    if mass >= 1:
        return drawn
    wanted = mass * ends[:, -1]
    rows = _outside_nucleus(weights, drawn, wanted)
    for uniform in uniforms.T[1:-1]:
        if not len(rows):
            return drawn
        left = weights[rows]
        drawn[rows] = _invert_cdf(left, ends[rows], uniform[rows])
        rows = rows[_outside_nucleus(left, drawn[rows], wanted[rows])]
    drawn[rows] = sample_tokens(nucleus_filter(scores[rows], mass), uniforms[rows, -1])
    return drawn


def _cumulative_weights(scores: Tensor) -> tuple[Tensor, Tensor]:
    """Return weights in proportion to the probabilities, the highest 1, and their running sums by
    blocks. (rows, vocabulary), (rows, blocks)"""
    weights = (scores - scores.amax(1, keepdim=True)).exp_()
    rows, blocks = len(weights), weights.shape[1] // _BLOCK
    sums = weights[:, : blocks * _BLOCK].view(rows, blocks, _BLOCK).sum(2)
    rest = weights[:, blocks * _BLOCK :].sum(1, keepdim=True)
    return weights, torch.cat((sums, rest), 1).double().cumsum(1)


def _invert_cdf(weights: Tensor, ends: Tensor, uniform: Tensor) -> Tensor:
    """Find where the cumulative sum exceeds the uniform number: first the block, then the token."""
    wanted = uniform.double()[:, None] * ends[:, -1:]
    block = _first_above(ends, wanted)
    before = functional.pad(ends, (1, 0)).gather(1, block)
    places = block * _BLOCK + torch.arange(_BLOCK, device=block.device)
    last = weights.shape[1] - 1
    within = weights.gather(1, places.clamp_max(last)).masked_fill(places > last, 0.0)
    return (block * _BLOCK + _first_above(within.double().cumsum(1), wanted - before)).squeeze(1)


def _first_above(ends: Tensor, wanted: Tensor) -> Tensor:
    """Return the first place of each row whose sum is above what is wanted, or the last place that
    adds anything: what has no probability is never found. (rows, 1)"""
    last = ends[:, -1:]
    highest = torch.nextafter(last, torch.zeros_like(last))
    return torch.searchsorted(ends, torch.minimum(wanted, highest), right=True)


def _outside_nucleus(weights: Tensor, drawn: Tensor, mass: Tensor) -> Tensor:
    """Return which rows drew an id that is not of the nucleus:
    what comes before it has the mass.
    """
    own = weights.gather(1, drawn[:, None])
    upto = functional.threshold(weights / own, _BELOW_ONE, 0.0).sum(1)  # in units of its own
    most = mass / own.squeeze(1)
    rows = (upto - 1 >= most).nonzero().flatten()
    if len(rows):  # of equals some come after it
        equal = weights[rows] == own[rows]
        after = equal.sum(1) - equal.cumsum(1).gather(1, drawn[rows, None]).squeeze(1)
        rows = rows[upto[rows] - 1 - after >= most[rows]]
    return rows


class NGramHistory:
    """The n-grams of `size` tokens that a text contains outside of entities; a tag ends one."""

    def __init__(self, size: int, marks: int) -> None:
        self._size, self._marks = size, marks
        self._seen: defaultdict[tuple[int, ...], set[int]] = defaultdict(set)
        self._last: deque[int] = deque(maxlen=size - 1)

    def banned(self) -> set[int]:
        """Return the tokens that would repeat an n-gram."""
        if len(self._last) < self._size - 1:
            return set()
        return self._seen.get(tuple(self._last), set())

    def add(self, number: int, *, is_inside: bool) -> None:
        """Append a token; `is_inside` means inside an entity."""
        if number < self._marks or is_inside:
            self._last.clear()
            return
        if len(self._last) == self._size - 1:
            self._seen[tuple(self._last)].add(number)
        self._last.append(number)

    def copy(self) -> "NGramHistory":
        """Return an independent copy."""
        made = NGramHistory(self._size, self._marks)
        made._last.extend(self._last)
        for run, numbers in self._seen.items():
            made._seen[run] = set(numbers)
        return made


METHODS = ("nucleus", "sample", "top-k", "greedy", "beam")

_NEVER = float("-inf")


@dataclass(frozen=True)
class Decoding:
    """How tokens are chosen; lengths count the tokens of the note, without its prompt.

    `nucleus` draws from the fewest ids that hold `top_p`, `sample` from all, `top-k` from
    `top_k`, each at a `temperature`; `greedy` takes the likeliest; `beam` follows `beams` texts
    and keeps the one with most entities. `no_repeat` forbids runs of so many ids to come twice
    outside of entities (0: any may). `masked` keeps tags well formed; `enforced` holds notes to
    the entities asked for. `rounded` makes a text that is as long as wanted end with a sentence,
    and takes back what stands after the last sentence of one that the bound ended.
    """

    method: str = "nucleus"
    temperature: float = 1.0
    top_p: float = 0.95
    top_k: int = 50
    beams: int = 5
    min_length: int = 50
    max_length: int = 400
    no_repeat: int = 0
    masked: bool = True
    enforced: bool = True
    rounded: bool = True

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise ConfigError(
                "--method", "unknown decoding method", f"choose from {', '.join(METHODS)}"
            )
        if not self.temperature > 0:
            raise ConfigError(
                "--temperature", "must be above 0", "for temperature 0, use --method greedy"
            )
        if not 0 < self.top_p <= 1:
            raise ConfigError("--top-p", "must be above 0 and at most 1", "0.95 is common")
        if self.top_k < 1 or self.beams < 1:
            raise ConfigError("--top-k, --beams", "must be at least 1", "give a higher number")
        if not 0 <= self.min_length <= self.max_length or self.max_length < 8:
            problem = "must be at least 8 and at least --min-length"
            raise ConfigError("--max-length", problem, "raise --max-length or lower --min-length")
        if self.no_repeat < 0 or self.no_repeat == 1:
            raise ConfigError("--no-repeat", "must be 0 or at least 2", "3 is common")

    def in_use(self) -> dict[str, Any]:
        """Return the settings that have an effect, as they were really used."""
        held = asdict(self)
        for name, method in (("top_p", "nucleus"), ("top_k", "top-k"), ("beams", "beam")):
            if method != self.method:
                del held[name]
        if self.method in ("greedy", "beam"):
            del held["temperature"]
        return held | {"draws": self.method not in ("greedy", "beam")}


@dataclass(frozen=True)
class DecodingTask:
    """A text to generate: the prompt `asked` is read first, then `opening`, part of the text.

    `wanted` counts entities by label, in the grammar's order; `length` is how many ids the text
    should have, about; `seed` seeds the sampling of this text.
    """

    asked: Sequence[int] = field(repr=False)
    opening: Sequence[int] = field(repr=False, default=())
    wanted: Sequence[int] | None = None
    seed: tuple[object, ...] = ()
    length: int | None = None


@dataclass(frozen=True)
class GeneratedText:
    """The token ids of a generated text, without its end.

    `is_cut` means that it reached the maximum length, `is_hurried` that required entities came last
    because there was no more room, `is_trimmed` that half a sentence was taken back.
    """

    ids: list[int] = field(repr=False)
    is_cut: bool
    is_hurried: bool = False
    is_trimmed: bool = False


@dataclass
class DecodingBatch:
    """Texts generated in parallel; rows that are finished are dropped from time to time.

    `known` bounds the words outside of entities, if anything does; `parts` is what was written of
    the word that each row is in.
    """

    rows: list[int]
    tasks: list[DecodingTask]
    rules: TagRules
    runs: list[NGramHistory]
    memory: DecoderState
    ids: Tensor
    uniforms: Tensor
    done: Tensor
    known: KnownWords | None = None
    parts: list[str] = field(default_factory=list)


def require_context(
    network: LanguageModel, tasks: Sequence[DecodingTask], decoding: Decoding
) -> int:
    """Return the length the longest text may need; raises ConfigError if the model has less."""
    room = max(len(t.asked) for t in tasks) + 1 + decoding.max_length
    if network.longest is not None and room > network.longest:
        most = network.longest - room + decoding.max_length
        raise ConfigError("--max-length", "exceeds the model's context", f"give at most {most}")
    return room


@torch.inference_mode()
def generate_texts(
    network: LanguageModel,
    grammar: Grammar,
    tasks: Sequence[DecodingTask],
    decoding: Decoding,
    known: KnownWords | None = None,
) -> list[GeneratedText]:
    """Generate a text for each task, all in parallel, on the network's device.

    Words outside of entities are those of `known`, if it is given. Each text begins with an empty
    memory and draws by its own chance, so that no text depends on another. Raises ConfigError where
    the model cannot hold texts of that length.
    """
    room = require_context(network, tasks, decoding)
    device = network.device
    prefixes = [[grammar.end, *task.asked, *task.opening] for task in tasks]
    written: list[list[int]] = [list(task.opening) for task in tasks]
    batch = start_batch(network, grammar, tasks, decoding, room, known)
    given, lengths = _pad(prefixes, device)
    longest = given.shape[1]
    asked = torch.tensor([len(task.asked) for task in tasks], device=device)
    hurried = torch.zeros(len(tasks), dtype=torch.bool, device=device)
    rows = torch.arange(len(tasks), device=device)
    begun = int(lengths.min()) - 1
    read_prompts(network, batch, given[:, : begun + 1], asked)
    for at in range(begun, longest - 1 + decoding.max_length + 1):
        scores, batch.memory = network.step(batch.ids, batch.memory)
        is_given = at + 1 < lengths[rows]
        due = given[rows, min(at + 1, longest - 1)]
        if bool(is_given.all()):
            chosen = due
        else:
            chosen = torch.where(is_given, due, choose_tokens(scores.float(), batch, decoding))
        accept_tokens(batch, chosen, at >= asked[rows])
        for row, number, is_old in zip(
            batch.rows, chosen.tolist(), (is_given | batch.done).tolist(), strict=True
        ):
            if not is_old and number != grammar.end:
                written[row].append(number)
        batch.done |= ~is_given & (chosen == grammar.end)
        if batch.rules.hurried is not None:
            hurried[rows] |= batch.rules.hurried
        batch.ids = chosen
        going = (~batch.done).nonzero().flatten()
        if not len(going):
            break
        if len(going) < len(rows) and len(going) <= batch.memory.compaction_threshold * len(rows):
            drop_rows(batch, going)
            rows = rows[going]
    return [
        finish_text(ids, grammar, decoding, is_hurried=late)
        for ids, late in zip(written, hurried.tolist(), strict=True)
    ]


def read_prompts(
    network: LanguageModel, batch: DecodingBatch, given: Tensor, asked: Tensor
) -> None:
    """Read what all texts begin with, (rows, ids), in one pass; the last id is the next to read.

    `asked` is how many ids of each prompt are not of the text. (rows,)
    """
    for at in range(1, given.shape[1]):
        accept_tokens(batch, given[:, at], at > asked)
    batch.ids = given[:, -1]
    if given.shape[1] > 1:
        batch.memory = network.prefill(given[:, :-1], batch.memory)


def _pad(prefixes: Sequence[Sequence[int]], device: torch.device) -> tuple[Tensor, Tensor]:
    """Return ids side by side, padded, and how many each row has. (rows, longest), (rows,)"""
    padded = pad_sequence(
        [torch.tensor(each, device=device) for each in prefixes], batch_first=True
    )
    return padded, torch.tensor([len(each) for each in prefixes], device=device)


def finish_text(
    ids: list[int], grammar: Grammar, decoding: Decoding, *, is_hurried: bool
) -> GeneratedText:
    """Return a text that ended. One that the bound ended in a sentence loses what stands after the
    last sentence, where no entity is lost with it and enough is left."""
    is_cut = len(ids) >= decoding.max_length
    if not (is_cut and decoding.rounded and decoding.masked):
        return GeneratedText(ids, is_cut, is_hurried)
    kept = grammar.length_to_last_sentence(ids)
    if not decoding.min_length <= len(ids[:kept]) < len(ids):
        return GeneratedText(ids, is_cut, is_hurried)
    return GeneratedText(ids[:kept], is_cut, is_hurried, is_trimmed=True)


def start_batch(
    network: LanguageModel,
    grammar: Grammar,
    tasks: Sequence[DecodingTask],
    decoding: Decoding,
    room: int,
    known: KnownWords | None = None,
) -> DecodingBatch:
    """Lay out texts that have not begun."""
    count, device = len(tasks), network.device
    wanted = [task.wanted for task in tasks if task.wanted is not None]
    left = None
    if decoding.enforced and len(wanted) == count:
        counts = torch.tensor([list(each) for each in wanted], device=device)
        left = counts.reshape(count, grammar.labels)
    zeros = torch.zeros(count, dtype=torch.long, device=device)
    rules = TagRules(
        grammar.on(device),
        zeros,
        zeros,
        zeros + decoding.min_length,
        zeros + decoding.max_length,
        left,
        zeros,
        decoding.masked,
        target_length=_aims(tasks, decoding, device) if decoding.rounded else None,
    )
    marks = grammar.after.shape[1]
    runs = [NGramHistory(decoding.no_repeat, marks) for _ in tasks] if decoding.no_repeat else []
    # Drawn on the processor, so that they are the same wherever the network computes.
    uniforms = torch.stack(
        [
            torch.rand(room + 1, TRIES, generator=make_generator(*task.seed), device="cpu")
            for task in tasks
        ]
    )
    return DecodingBatch(
        list(range(count)), list(tasks), rules, runs, network.start(count, room),
        zeros + grammar.end, uniforms.to(device), zeros.bool(), known, [""] * count,
    )  # fmt: skip


def _aims(tasks: Sequence[DecodingTask], decoding: Decoding, device: torch.device) -> Tensor:
    """Return from which length on each text winds up: there must be room to do so. (rows,)"""
    most = int(decoding.max_length / (1 + LENGTH_TOLERANCE))
    lengths = [most if task.length is None else min(most, task.length) for task in tasks]
    return torch.tensor([max(1, decoding.min_length, length) for length in lengths], device=device)


def filter_scores(scores: Tensor, batch: DecodingBatch) -> Tensor:
    """Rule out what grammar, lengths and repetitions forbid, in place. (rows, vocabulary)"""
    scores = batch.rules.apply(scores)
    for row, runs in enumerate(batch.runs):
        banned = runs.banned()
        if banned:
            scores[row, list(banned)] = _NEVER
    if batch.known is not None:
        scores = keep_known_words(scores, batch.known, batch.parts, batch.rules.states)
    return scores


def choose_tokens(scores: Tensor, batch: DecodingBatch, decoding: Decoding) -> Tensor:
    """Choose the next id of each text. (rows,)"""
    scores = filter_scores(scores, batch)
    if decoding.method == "greedy":
        return scores.argmax(1)
    scores.div_(decoding.temperature)
    if decoding.method == "top-k":
        scores = top_k_filter(scores, decoding.top_k)
    # (rows, TRIES), of the place where each text goes on
    uniforms = batch.uniforms.gather(1, batch.rules.written[:, None, None].expand(-1, 1, TRIES))[
        :, 0
    ]
    if decoding.method == "nucleus":
        return sample_nucleus(scores, uniforms, decoding.top_p)
    return sample_tokens(scores, uniforms[:, 0])


def accept_tokens(batch: DecodingBatch, chosen: Tensor, counts: Tensor) -> None:
    """Append the chosen tokens; `counts` marks the rows whose tokens belong to the body."""
    inside = batch.rules.states > 0
    batch.rules.advance(chosen, counts)
    if batch.known is not None:
        batch.parts = [
            batch.known.advance(part, number) if is_body and not state else ""
            for part, number, is_body, state in zip(
                batch.parts, chosen.tolist(), counts.tolist(), batch.rules.states.tolist(),
                strict=True,
            )
        ]  # fmt: skip
    if not batch.runs:
        return
    for runs, number, is_body, is_inside in zip(
        batch.runs, chosen.tolist(), counts.tolist(), inside.tolist(), strict=True
    ):
        if is_body:
            runs.add(number, is_inside=is_inside)


def drop_rows(batch: DecodingBatch, rows: Tensor) -> None:
    """Keep some rows."""
    kept = rows.tolist()
    batch.rows = [batch.rows[row] for row in kept]
    batch.parts = [batch.parts[row] for row in kept]
    batch.runs = [batch.runs[row] for row in kept] if batch.runs else []
    batch.rules = batch.rules.keep(rows)
    batch.memory = batch.memory.keep(rows)
    batch.ids, batch.uniforms, batch.done = batch.ids[rows], batch.uniforms[rows], batch.done[rows]


@dataclass(frozen=True)
class _Beam:
    ids: list[int]
    score: float
    entities: int
    is_hurried: bool


@torch.inference_mode()
def beam_search(
    network: LanguageModel,
    grammar: Grammar,
    task: DecodingTask,
    decoding: Decoding,
    known: KnownWords | None = None,
) -> GeneratedText:
    """Write a text by beam search; of the texts that ended, the one with most entities, and of
    equals the likeliest id for id, is given. Raises ConfigError as `generate_texts`."""
    room = require_context(network, [task], decoding)
    batch = start_batch(network, grammar, [task], decoding, room, known)
    given, _ = _pad([[grammar.end, *task.asked, *task.opening]], network.device)
    read_prompts(network, batch, given, torch.tensor([len(task.asked)], device=network.device))
    return _run_beams(network, batch, task, decoding)


def _run_beams(
    network: LanguageModel, batch: DecodingBatch, task: DecodingTask, decoding: Decoding
) -> GeneratedText:
    grammar = batch.rules.grammar
    starts = set(grammar.starts.tolist())
    texts: list[list[int]] = [list(task.opening)]
    totals = torch.zeros(1, device=network.device)
    ended: list[_Beam] = []
    while texts and len(ended) < decoding.beams:
        scores, batch.memory = network.step(batch.ids, batch.memory)
        steps = filter_scores(scores.float(), batch).log_softmax(1)
        every = (totals[:, None] + steps).flatten()
        # Twice as many: each beam may end once, and as many must go on.
        found, places = every.topk(min(2 * decoding.beams, len(every)))
        rows: list[int] = []
        numbers: list[int] = []
        kept: list[float] = []
        for score, place in zip(found.tolist(), places.tolist(), strict=True):
            row, number = divmod(place, steps.shape[1])
            if score == float("-inf") or len(rows) == decoding.beams:
                break
            if number == grammar.end:
                hurried = batch.rules.hurried
                is_late = hurried is not None and bool(hurried[row])
                entities = sum(number in starts for number in texts[row])
                ended.append(_Beam(texts[row], score, entities, is_late))
            else:
                rows.append(row)
                numbers.append(number)
                kept.append(score)
        _continue_beams(batch, rows, numbers)
        texts = [[*texts[row], number] for row, number in zip(rows, numbers, strict=True)]
        totals = torch.tensor(kept, device=network.device)
    best = max(ended, key=lambda beam: (beam.entities, beam.score / (len(beam.ids) + 1)))
    return finish_text(best.ids, grammar, decoding, is_hurried=best.is_hurried)


def _continue_beams(batch: DecodingBatch, rows: list[int], numbers: list[int]) -> None:
    """Make the batch hold these continuations."""
    device = batch.ids.device
    places = torch.tensor(rows, dtype=torch.long, device=device)
    batch.memory = batch.memory.keep(places)
    batch.rules = batch.rules.keep(places)
    batch.runs = [batch.runs[row].copy() for row in rows] if batch.runs else []
    batch.rows = list(range(len(rows)))
    batch.parts = [batch.parts[row] for row in rows]
    batch.ids = torch.tensor(numbers, dtype=torch.long, device=device)
    accept_tokens(batch, batch.ids, torch.ones(len(rows), dtype=torch.bool, device=device))
