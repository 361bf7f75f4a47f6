"""Beam search for one text: several continuations side by side, the one with most entities kept."""

from dataclasses import dataclass

import torch

from models.language.decoding.generation import (
    Batch,
    Decoding,
    Task,
    Written,
    begin,
    filtered,
    finished,
    refuse_length,
    take,
)
from models.language.decoding.grammar import Grammar
from models.language.networks.interface import LanguageModel


@dataclass(frozen=True)
class _Beam:
    ids: list[int]
    score: float
    entities: int
    is_hurried: bool


@torch.inference_mode()
def search_text(
    network: LanguageModel, grammar: Grammar, task: Task, decoding: Decoding
) -> Written:
    """Write a text by beam search; of the texts that ended, the one with most entities, and of
    equals the likeliest id for id, is given. Raises ConfigError as `write_texts`."""
    room = refuse_length(network, [task], decoding)
    batch = begin(network, grammar, [task], decoding, room)
    chosen = batch.ids
    for at, number in enumerate([*task.asked, *task.opening]):
        _, batch.memory = network.step(chosen, batch.memory)
        chosen = torch.tensor([number])
        take(batch, chosen, torch.tensor([at >= len(task.asked)]))
    batch.ids = chosen
    return _search(network, batch, task, decoding)


def _search(network: LanguageModel, batch: Batch, task: Task, decoding: Decoding) -> Written:
    grammar = batch.rules.grammar
    starts = set(grammar.starts.tolist())
    texts: list[list[int]] = [list(task.opening)]
    totals = torch.zeros(1)
    ended: list[_Beam] = []
    while texts and len(ended) < decoding.beams:
        scores, batch.memory = network.step(batch.ids, batch.memory)
        steps = filtered(scores.float(), batch).log_softmax(1)
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
        _go_on(batch, rows, numbers)
        texts = [[*texts[row], number] for row, number in zip(rows, numbers, strict=True)]
        totals = torch.tensor(kept)
    best = max(ended, key=lambda beam: (beam.entities, beam.score / (len(beam.ids) + 1)))
    return finished(best.ids, grammar, decoding, is_hurried=best.is_hurried)


def _go_on(batch: Batch, rows: list[int], numbers: list[int]) -> None:
    """Make the batch hold these continuations."""
    places = torch.tensor(rows, dtype=torch.long)
    batch.memory = batch.memory.keep(places)
    batch.rules = batch.rules.keep(places)
    batch.runs = [batch.runs[row].copy() for row in rows] if batch.runs else []
    batch.rows = list(range(len(rows)))
    batch.ids = torch.tensor(numbers, dtype=torch.long)
    take(batch, batch.ids, torch.ones(len(rows), dtype=torch.bool))
