"""Cost and protection of private representations and word-level pseudonymization.

    python -m benchmarks.sharing.private tokens TRAIN DEV
    python -m benchmarks.sharing.private base TRAIN DEV [--notes 60] [--seeds 5]
    python -m benchmarks.sharing.private curve TRAIN DEV [--neighbours 1 10 50 100 200 500 1000]
    python -m benchmarks.sharing.private phases TRAIN DEV [--epochs 8 6 12] [--further 20]
        [-o FOLDER]
    python -m benchmarks.sharing.private guesses TRAIN DEV --kit FOLDER [--neighbours 2 10 50 200]

TRAIN and DEV are annotated notes as JSON Lines. Embeddings are trained on the text of TRAIN. Nine
tenths of the first `--notes` of TRAIN are learnt from, a tenth ends trainings; the first
`--scored` of DEV are scored, token by token, identifying or not. `tokens` compares ways to cut
text; `base` trains the de-identifier on embeddings, with the case of tokens and without, and tests
which embeddings need it more; `curve` trains it on pseudonymized sentences and scores it on real
ones; `phases` trains a private representation, scores it beside the de-identifier without privacy
of the same notes, seed and most epochs, and attacks it, with its controls; `guesses` has attackers
choose between sentences of DEV and their twins, encoded by what was trained, for several numbers of
neighbours that twins' words are drawn from. Prints one JSON object a line.
"""

import argparse
import json
import random
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from time import process_time

import numpy as np
import torch
from scipy.stats import binomtest

from evaluation.attacks.sentence_pairs import LAST, bound_any_attack
from evaluation.attacks.shared_vectors import AttackedRelease, measure_attacks, prepare_pair_attacks
from models.private import deidentifier_training, embeddings, recipe, representer_training
from models.private.adversaries import Adversaries
from models.private.adversary_training import RepresenterLike, make_adversaries, train_adversaries
from models.private.deidentifier import Deidentifier, EncodedSentence, examples
from models.private.embeddings import Embeddings
from models.private.pseudonymization import NeighbourReplacer, pseudonymize
from models.private.representer import IdentityRepresenter
from models.private.sentence_pairs import SentencePairSampler
from models.private.sentences import Sentence, sentences
from models.private.serialization import SETTINGS, RepresenterBundle, load
from models.private.stop_words import stop_words
from models.training_loop import TrainingCallbacks, make_generator
from pipeline.files.jsonl import JsonLine, read_notes
from record.document import Annotated

Notes = Sequence[Sequence[Sentence]]


@dataclass(frozen=True)
class Parts:
    """Sentences of notes: to learn from, to end by, and to score; vectors of all of TRAIN."""

    train: Notes
    held: Notes
    scored: Sequence[Sentence]
    vectors: Embeddings


def main() -> None:
    options = _parser().parse_args()
    torch.set_num_threads(options.threads)
    for found in WAYS[options.what](options):
        print(json.dumps(found), flush=True)


def compare_tokenizers(options: argparse.Namespace) -> Iterator[dict[str, object]]:
    """Return how many boundaries of spans are boundaries of tokens, and how many tokens are new."""
    cut: list[set[str]] = [set(), set()]
    plain: list[set[str]] = [set(), set()]
    for place, path in enumerate((options.train, options.dev)):
        notes = _annotated(path)
        small = [sentences(note.document.text) for note in notes]
        edges = [_edges(note) for note in small]
        spans = [(span, at) for note, at in zip(notes, edges, strict=True) for span in note.spans]
        right = sum(s.start in starts and s.end in ends for s, (starts, ends) in spans)
        yield {"notes": str(path.name), "spans": len(spans), "on_boundaries": right / len(spans)}
        held = [token.casefold() for note in small for one in note for token in one.tokens]
        words = [word for note in notes for word in note.document.text.casefold().split()]
        yield {"tokens": len(held), "sentences": sum(map(len, small)), "words": len(words)}
        if place:
            yield {
                "unknown_tokens": float(np.mean([token not in cut[0] for token in held])),
                "unknown_words": float(np.mean([word not in plain[0] for word in words])),
            }
        cut[place].update(held)
        plain[place].update(words)


def compare_embeddings(options: argparse.Namespace) -> Iterator[dict[str, object]]:
    """Train the de-identifier on embeddings; test whether whole words need the case more."""
    costs: dict[str, list[float]] = {kind: [] for kind in embeddings.KINDS}
    for kind in embeddings.KINDS:
        parts = _parts(options, kind)
        for seed in range(1, options.seeds + 1):
            f1 = {}
            for has_case in (True, False):
                scores, summary = _deidentify(options, parts, _flat(parts.train), seed, has_case)
                f1[has_case] = scores.f1
                yield {"embeddings": kind, "casing": has_case, "seed": seed, **summary}
            costs[kind].append(f1[True] - f1[False])
    differ = np.subtract(costs["words"], costs["subwords"])
    more, seeds = int((differ > 0).sum()), int((differ != 0).sum())
    chance = binomtest(more, seeds).pvalue if seeds else 1.0
    means = {kind: float(np.mean(each)) for kind, each in costs.items()}
    yield {"casing gives": means, "more to words": more, "of seeds": seeds, "p": float(chance)}


def neighbour_curve(options: argparse.Namespace) -> Iterator[dict[str, object]]:
    """Train the de-identifier on pseudonymized sentences, score it on real ones."""
    parts = _parts(options, options.kind)
    for neighbours in options.neighbours:
        changes = NeighbourReplacer(parts.vectors, neighbours, stop_words(options.languages))
        for seed in range(1, options.seeds + 1):
            made = pseudonymize(parts.train, changes, random.Random(seed))
            _, summary = _deidentify(options, parts, made, seed)
            yield {"neighbours": neighbours, "seed": seed, **summary}


def train_phases(options: argparse.Namespace) -> Iterator[dict[str, object]]:
    """Train a private representation in three phases and by reversal, and attack it."""
    parts = _parts(options, options.kind)
    stops = stop_words(options.languages)
    corpus = recipe.SentenceCorpus(_flat(parts.train), _flat(parts.held), parts.vectors, stops)
    # In short sentences an identifier is more of the whole, and adversaries see it sooner.
    short = [one for one in corpus.train if any(one.phi) and len(one) <= options.longest]
    replacing = NeighbourReplacer(parts.vectors, options.near, stops)
    pairs = SentencePairSampler(short[: options.pairs], parts.vectors, replacing)
    with tempfile.TemporaryDirectory() as spare:
        folder = options.output or Path(spare)
        for seed in options.seed or range(1, options.seeds + 1):
            _, summary = _deidentify(options, parts, corpus.train, seed)
            yield {"what": "on embeddings", "seed": seed, "pairs": len(pairs), **summary}
            size = parts.vectors.size
            new = make_adversaries(size, size, options.adversary_units, seed)
            raw = _attack(options, pairs, seed, IdentityRepresenter(), new, 1.0)
            yield {"what": "embeddings as they are", "seed": seed, **raw}
            for way in options.ways:
                yield from _way(options, parts, corpus, pairs, (way, seed, folder))


def guess_pairs(options: argparse.Namespace) -> Iterator[dict[str, object]]:
    """Attack a representation by choices between twins, for several numbers of neighbours."""
    kit, stops = load(options.kit), stop_words(options.languages)
    attacked = _flat([_sentences(note) for note in _annotated(options.dev)[: options.scored]])

    def encode(some: Sequence[Sentence], seed: int) -> list[np.ndarray]:
        return kit.encode(some, make_generator("attack", seed))

    def plain(some: Sequence[Sentence], _: int) -> list[np.ndarray]:
        return [kit.embeddings.vectors(sentence.tokens) for sentence in some]

    drawn, data = range(1, options.seeds + 1), options.kit.name
    for neighbours in options.neighbours:
        replacing = NeighbourReplacer(kit.embeddings, neighbours, stops)
        none = np.zeros((0, kit.embeddings.size), np.float32)
        shared = kit.encode(attacked, make_generator("shared"))
        subject = AttackedRelease(attacked, shared, (), encode, plain, replacing, (), none)
        found = measure_attacks(subject, drawn, data, attacks=[prepare_pair_attacks])
        found += bound_any_attack(
            kit, SentencePairSampler(attacked, kit.embeddings, replacing), drawn, data
        )
        for each in found:
            yield {"neighbours": neighbours, **each.to_json()}


def _way(
    options: argparse.Namespace,
    parts: Parts,
    corpus: recipe.SentenceCorpus,
    pairs: SentencePairSampler,
    case: tuple[str, int, Path],
) -> Iterator[dict[str, object]]:
    way, seed, folder = case
    out = folder / f"{way}-{seed}"
    plan = recipe.RepresenterRecipe(
        way=way,
        size=options.size,
        neighbours=options.near,
        hiding=options.hiding,
        adversary_units=options.adversary_units,
        epochs=tuple(options.epochs),
        seed=seed,
    )
    started = process_time()
    if not (out / SETTINGS).exists():
        representer_training.train(corpus, plan, out, _tell(options))
    kit = load(out)
    yield {
        "what": way,
        "seed": seed,
        "seconds": process_time() - started,
        **asdict(_scores(kit, parts, seed)),
        "noise_in": float(kit.representer.noise_in.detach().abs().mean()),
        "noise_out": float(kit.representer.noise_out.detach().abs().mean()),
    }
    fresh = [make_adversaries(**kit.adversaries.shape, seed=seed) for _ in range(2)]
    for what, judges, noise in (
        ("adversaries go on", kit.adversaries, 1.0),
        ("new adversaries", fresh[0], 1.0),
        ("new adversaries, noise off", fresh[1], 0.0),
    ):
        found = _attack(options, pairs, seed, kit.representer, judges, noise)
        yield {"what": f"{way}: {what}", "seed": seed, **found}


def _scores(
    kit: RepresenterBundle, parts: Parts, seed: int
) -> deidentifier_training.DeidentifierScores:
    given = kit.encode(parts.scored, make_generator("scored", seed))
    return deidentifier_training.token_scores(kit.deidentifier, _examples(parts.scored, given))


def _attack(
    options: argparse.Namespace,
    pairs: SentencePairSampler,
    seed: int,
    represent: RepresenterLike,
    judges: Adversaries,
    noise: float,
) -> dict[str, object]:
    """Let adversaries learn further; give the accuracy of their last epochs on their own pairs."""
    rounds = train_adversaries(
        represent, judges, pairs, options.further, seed=seed, noise=noise, last=LAST
    )
    judged = 2 * len(rounds) * len(pairs)
    return {
        "accuracy": float(np.mean(rounds)),
        "highest": max(rounds),
        "judged": judged,
    }


def _tell(options: argparse.Namespace) -> TrainingCallbacks:
    if not options.verbose:
        return TrainingCallbacks()
    return TrainingCallbacks(evaluated=lambda entry: print(json.dumps(entry), flush=True))


def _deidentify(
    options: argparse.Namespace,
    parts: Parts,
    train: Sequence[Sentence],
    seed: int,
    has_case: bool = True,
) -> tuple[deidentifier_training.DeidentifierScores, dict[str, object]]:
    """Train on sentences; give the scores on those of DEV, and the training summary."""

    def made(held: Sequence[Sentence]) -> list[EncodedSentence]:
        vectors = [parts.vectors.vectors(sentence.tokens) for sentence in held]
        found = _examples(held, vectors)
        return found if has_case else [replace(one, casing=one.casing * 0) for one in found]

    plan = deidentifier_training.DeidentifierRecipe(
        epochs=options.base_epochs, patience=3, seed=seed
    )
    started = process_time()
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        deidentifier_training.train_deidentifier(made(train), made(_flat(parts.held)), plan, out)
        network: Deidentifier = deidentifier_training.load_deidentifier(out)
    scores = deidentifier_training.token_scores(network, made(parts.scored))
    return scores, {**asdict(scores), "seconds": process_time() - started}


def _examples(held: Sequence[Sentence], vectors: Sequence[np.ndarray]) -> list[EncodedSentence]:
    return examples([sentence.binary() for sentence in held], vectors)


def _parts(options: argparse.Namespace, kind: str) -> Parts:
    notes = [_sentences(note) for note in _annotated(options.train)]
    plan = embeddings.EmbeddingRecipe(
        kind=kind, size=options.embedded, epochs=options.embedding_epochs
    )
    vectors = embeddings.train(_flat(notes), plan)
    chosen = notes[: options.notes]
    at = max(1, len(chosen) // 10)
    scored = [_sentences(note) for note in _annotated(options.dev)[: options.scored]]
    return Parts(chosen[at:], chosen[:at], _flat(scored), vectors)


def _sentences(note: Annotated) -> list[Sentence]:
    return sentences(note.document.text, note.spans)


def _flat(notes: Notes) -> list[Sentence]:
    return [sentence for note in notes for sentence in note]


def _annotated(path: Path) -> list[Annotated]:
    return [line.annotated for line in read_notes(path) if isinstance(line, JsonLine)]


def _edges(note: Sequence[Sentence]) -> tuple[set[int], set[int]]:
    offsets = [pair for sentence in note for pair in sentence.offsets]
    return {start for start, _ in offsets}, {end for _, end in offsets}


WAYS = {
    "tokens": compare_tokenizers,
    "base": compare_embeddings,
    "curve": neighbour_curve,
    "phases": train_phases,
    "guesses": guess_pairs,
}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=WAYS)
    parser.add_argument("train", type=Path)
    parser.add_argument("dev", type=Path)
    parser.add_argument(
        "-o", "--output", type=Path, help="folder for trainings; interrupted ones are resumed"
    )
    parser.add_argument("--kit", type=Path, help="folder that `phases` wrote")
    parser.add_argument("--notes", type=int, default=60)
    parser.add_argument("--scored", type=int, default=50)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--kind", choices=embeddings.KINDS, default="subwords")
    parser.add_argument("--embedded", type=int, default=100)
    parser.add_argument("--embedding-epochs", type=int, default=5)
    parser.add_argument("--base-epochs", type=int, default=8)
    parser.add_argument(
        "--neighbours", type=int, nargs="+", default=[1, 10, 50, 100, 200, 500, 1000]
    )
    parser.add_argument("--size", type=int, default=50)
    parser.add_argument("--near", type=int, default=50)
    parser.add_argument("--hiding", type=float, default=0.0)
    parser.add_argument("--ways", choices=recipe.WAYS, nargs="+", default=list(recipe.WAYS))
    parser.add_argument("--seed", type=int, nargs="+", help="seeds to use instead of 1 to --seeds")
    parser.add_argument("--adversary-units", type=int, default=64)
    parser.add_argument(
        "--pairs", type=int, default=1000, help="maximum number of attacked sentences"
    )
    parser.add_argument(
        "--longest", type=int, default=20, help="maximum number of tokens per attacked sentence"
    )
    parser.add_argument("--epochs", type=int, nargs=3, default=[8, 6, 12])
    parser.add_argument("--further", type=int, default=20)
    parser.add_argument("--languages", nargs="+", default=["es"])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--verbose", action="store_true", help="print the losses of every epoch")
    return parser


if __name__ == "__main__":
    main()
