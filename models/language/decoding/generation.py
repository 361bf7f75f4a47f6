"""Writing texts with a language model: many at a time, each by its own chance."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from models.language.corpus.texts import seeded
from models.language.decoding.grammar import (
    STRETCH,
    Grammar,
    Rules,
)
from models.language.decoding.repetition import Runs
from models.language.decoding.sampling import (
    TRIES,
    draw,
    draw_nucleus,
    keep_likeliest,
)
from models.language.networks.interface import (
    LanguageModel,
    Memory,
)
from record.errors import ConfigError

METHODS = ("nucleus", "sample", "top-k", "greedy", "beam")

_NEVER = float("-inf")


@dataclass(frozen=True)
class Decoding:
    """How ids are chosen; lengths count ids of the note, without what was asked for.

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
            raise ConfigError("--method", "is unknown", f"choose from {', '.join(METHODS)}")
        if not self.temperature > 0:
            raise ConfigError("--temperature", "must be above 0", "choose --method greedy instead")
        if not 0 < self.top_p <= 1:
            raise ConfigError("--top-p", "must be above 0 and at most 1", "give 0.95, say")
        if self.top_k < 1 or self.beams < 1:
            raise ConfigError("--top-k, --beams", "must be at least 1", "give more")
        if not 0 <= self.min_length <= self.max_length or self.max_length < 8:
            problem = "must be at least 8, and not below --min-length"
            raise ConfigError("--max-length", problem, "exchange the two")
        if self.no_repeat < 0 or self.no_repeat == 1:
            raise ConfigError("--no-repeat", "must be 0, or at least 2", "give 3, say")

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
class Task:
    """A text to write: `asked` is read first, then `opening`, which is part of the text.

    `wanted` counts entities by label, in the grammar's order; `length` is how many ids the text
    should have, about; `chance` names the text's own source of chance.
    """

    asked: Sequence[int] = field(repr=False)
    opening: Sequence[int] = field(repr=False, default=())
    wanted: Sequence[int] | None = None
    chance: tuple[object, ...] = ()
    length: int | None = None


@dataclass(frozen=True)
class Written:
    """The ids of a text, without its end.

    `is_cut` tells that it had to end at the bound, `is_hurried` that entities asked for came last
    because there was no more room, `is_trimmed` that half a sentence was taken back.
    """

    ids: list[int] = field(repr=False)
    is_cut: bool
    is_hurried: bool = False
    is_trimmed: bool = False


@dataclass
class Batch:
    """Texts that are being written, side by side. Rows that are done are dropped now and then."""

    rows: list[int]
    tasks: list[Task]
    rules: Rules
    runs: list[Runs]
    memory: Memory
    ids: Tensor
    chances: Tensor
    done: Tensor


def refuse_length(network: LanguageModel, tasks: Sequence[Task], decoding: Decoding) -> int:
    """Return the room the longest text may need; raises ConfigError where the model has less."""
    room = max(len(t.asked) for t in tasks) + 1 + decoding.max_length
    if network.longest is not None and room > network.longest:
        most = network.longest - room + decoding.max_length
        raise ConfigError("--max-length", "is too long for the model", f"give at most {most}")
    return room


@torch.inference_mode()
def write_texts(
    network: LanguageModel, grammar: Grammar, tasks: Sequence[Task], decoding: Decoding
) -> list[Written]:
    """Write a text for each task, all of them side by side, where the network computes.

    Each begins with an empty memory and draws by its own chance, so that no text depends on
    another. Raises ConfigError where the model cannot hold texts of that length.
    """
    room = refuse_length(network, tasks, decoding)
    device = network.device
    prefixes = [[grammar.end, *task.asked, *task.opening] for task in tasks]
    written: list[list[int]] = [list(task.opening) for task in tasks]
    batch = begin(network, grammar, tasks, decoding, room)
    given, lengths = _laid_out(prefixes, device)
    longest = given.shape[1]
    asked = torch.tensor([len(task.asked) for task in tasks], device=device)
    hurried = torch.zeros(len(tasks), dtype=torch.bool, device=device)
    rows = torch.arange(len(tasks), device=device)
    for at in range(longest - 1 + decoding.max_length + 1):
        scores, batch.memory = network.step(batch.ids, batch.memory)
        is_given = at + 1 < lengths[rows]
        known = given[rows, min(at + 1, longest - 1)]
        if bool(is_given.all()):
            chosen = known
        else:
            chosen = torch.where(is_given, known, choose(scores.float(), batch, decoding))
        take(batch, chosen, at >= asked[rows])
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
        if len(going) < len(rows) and len(going) <= batch.memory.crowded * len(rows):
            shrink(batch, going)
            rows = rows[going]
    return [
        finished(ids, grammar, decoding, is_hurried=late)
        for ids, late in zip(written, hurried.tolist(), strict=True)
    ]


def _laid_out(prefixes: Sequence[Sequence[int]], device: torch.device) -> tuple[Tensor, Tensor]:
    """Return ids side by side, padded, and how many each row has. (rows, longest), (rows,)"""
    padded = pad_sequence(
        [torch.tensor(each, device=device) for each in prefixes], batch_first=True
    )
    return padded, torch.tensor([len(each) for each in prefixes], device=device)


def finished(ids: list[int], grammar: Grammar, decoding: Decoding, *, is_hurried: bool) -> Written:
    """Return a text that ended. One that the bound ended in a sentence loses what stands after the
    last sentence, where no entity is lost with it and enough is left."""
    is_cut = len(ids) >= decoding.max_length
    if not (is_cut and decoding.rounded and decoding.masked):
        return Written(ids, is_cut, is_hurried)
    kept = grammar.up_to_sentence(ids)
    if not decoding.min_length <= len(ids[:kept]) < len(ids):
        return Written(ids, is_cut, is_hurried)
    return Written(ids[:kept], is_cut, is_hurried, is_trimmed=True)


def begin(
    network: LanguageModel,
    grammar: Grammar,
    tasks: Sequence[Task],
    decoding: Decoding,
    room: int,
) -> Batch:
    """Lay out texts that have not begun."""
    count, device = len(tasks), network.device
    wanted = [task.wanted for task in tasks if task.wanted is not None]
    left = None
    if decoding.enforced and len(wanted) == count:
        counts = torch.tensor([list(each) for each in wanted], device=device)
        left = counts.reshape(count, grammar.labels)
    zeros = torch.zeros(count, dtype=torch.long, device=device)
    rules = Rules(
        grammar.on(device),
        zeros,
        zeros,
        zeros + decoding.min_length,
        zeros + decoding.max_length,
        left,
        zeros,
        decoding.masked,
        aim=_aims(tasks, decoding, device) if decoding.rounded else None,
    )
    marks = grammar.after.shape[1]
    runs = [Runs(decoding.no_repeat, marks) for _ in tasks] if decoding.no_repeat else []
    # Drawn on the processor, so that they are the same wherever the network computes.
    chances = torch.stack(
        [
            torch.rand(room + 1, TRIES, generator=seeded(*task.chance), device="cpu")
            for task in tasks
        ]
    )
    return Batch(
        list(range(count)), list(tasks), rules, runs, network.start(count, room),
        zeros + grammar.end, chances.to(device), zeros.bool(),
    )  # fmt: skip


def _aims(tasks: Sequence[Task], decoding: Decoding, device: torch.device) -> Tensor:
    """Return from which length on each text winds up: there must be room to do so. (rows,)"""
    most = int(decoding.max_length / (1 + STRETCH))
    lengths = [most if task.length is None else min(most, task.length) for task in tasks]
    return torch.tensor([max(1, decoding.min_length, length) for length in lengths], device=device)


def filtered(scores: Tensor, batch: Batch) -> Tensor:
    """Rule out what grammar, lengths and repetitions forbid, in place. (rows, vocabulary)"""
    scores = batch.rules.apply(scores)
    for row, runs in enumerate(batch.runs):
        banned = runs.banned()
        if banned:
            scores[row, list(banned)] = _NEVER
    return scores


def choose(scores: Tensor, batch: Batch, decoding: Decoding) -> Tensor:
    """Choose the next id of each text. (rows,)"""
    scores = filtered(scores, batch)
    if decoding.method == "greedy":
        return scores.argmax(1)
    scores.div_(decoding.temperature)
    if decoding.method == "top-k":
        scores = keep_likeliest(scores, decoding.top_k)
    # (rows, TRIES), of the place where each text goes on
    chances = batch.chances.gather(1, batch.rules.written[:, None, None].expand(-1, 1, TRIES))[:, 0]
    if decoding.method == "nucleus":
        return draw_nucleus(scores, chances, decoding.top_p)
    return draw(scores, chances[:, 0])


def take(batch: Batch, chosen: Tensor, counts: Tensor) -> None:
    """Go on with the ids chosen; `counts` tells whose ids are of the body."""
    inside = batch.rules.states > 0
    batch.rules.advance(chosen, counts)
    if not batch.runs:
        return
    for runs, number, is_body, is_inside in zip(
        batch.runs, chosen.tolist(), counts.tolist(), inside.tolist(), strict=True
    ):
        if is_body:
            runs.add(number, is_inside=is_inside)


def shrink(batch: Batch, rows: Tensor) -> None:
    """Keep some rows."""
    kept = rows.tolist()
    batch.rows = [batch.rows[row] for row in kept]
    batch.runs = [batch.runs[row] for row in kept] if batch.runs else []
    batch.rules = batch.rules.keep(rows)
    batch.memory = batch.memory.keep(rows)
    batch.ids, batch.chances, batch.done = batch.ids[rows], batch.chances[rows], batch.done[rows]
