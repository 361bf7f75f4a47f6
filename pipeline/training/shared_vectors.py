"""What shared vectors give away: attacks on them, and whether they may be shared."""

import os
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

from evaluation.attacks.sentence_pairs import attack_frozen_representer, bound_any_attack
from evaluation.attacks.shared_vectors import MOST_WORDS, AttackedRelease, measure_attacks
from evaluation.gate import Axis, Measured, Verdict, decide
from evaluation.gate_case import GateCase, load_requirements, read_measurements
from models.private.embeddings import Embeddings
from models.private.pseudonymization import NeighbourReplacer
from models.private.sentence_pairs import SentencePairSampler
from models.private.sentences import Sentence
from models.private.serialization import RepresenterBundle
from models.private.stop_words import stop_words
from models.training_loop import make_generator
from pipeline.config.progress import Progress
from pipeline.sharing.shared_files import VECTORS, Manifest, read_manifest, read_shared
from pipeline.sharing.site_encoding import Site, find_shared_words, load_site_kit, read_order
from pipeline.sharing.word_search import SHORTEST, find_words
from record.errors import ConfigError

# Sentences that adversaries go on learning from. In short ones an identifier is more of the whole.
_MOST_PAIRS, _SHORT = 300, 20

SETS = ("share",)
"""The shipped sets of requirements that may be named."""

_MEANS = {
    "null": "vectors that cannot give it away, since another word was encoded",
    "control": "plain vectors of words, which hide nothing",
}


@dataclass(frozen=True)
class VectorAttackRequest:
    """Shared vectors, what an attacker has of them, and how much is attacked.

    `inside` is the folder that stayed at the site. At most `sentences` are attacked; `neighbours`
    words are candidates for a twin, as many as in the training of the representer where it is
    None; `langs` are those whose stop words are kept. Attacks are repeated under `seeds` seeds
    from `seed` on.
    """

    shared: Path
    representer: Path
    inside: Path | None = None
    sentences: int = 2_000
    neighbours: int | None = None
    langs: Sequence[str] = ()
    seeds: int = 3
    seed: int = 1


@dataclass(frozen=True)
class VectorAttack:
    """The measurements of shared vectors, by the digest of their file."""

    data: str
    neighbours: int
    measured: Sequence[Measured]

    def to_json(self) -> dict[str, Any]:
        """Return what the gate reads."""
        return {
            "format": 1,
            "data": self.data,
            "neighbours": self.neighbours,
            "measured": [each.to_json() for each in self.measured],
        }


def attack_vectors(
    read_site: Callable[[], Site], request: VectorAttackRequest, progress: Progress
) -> VectorAttack:
    """Attack vectors as somebody would who has the file, the representer and notes of their own.

    `read_site` reads the notes that were encoded. Raises ConfigError where representer or notes
    are others than those of the file, or where there is but one seed.
    """
    if request.seeds < 2:
        problem = f"must be at least 2 for a confidence interval, not {request.seeds}"
        raise ConfigError("--seeds", problem, "give 2 or more")
    manifest = read_manifest(request.shared)
    kit = load_site_kit(manifest, request.representer)
    progress.phase("reading")
    site = read_site()
    data, neighbours = manifest.vectors_sha256, request.neighbours or manifest.neighbours
    replacing = NeighbourReplacer(kit.embeddings, neighbours, stop_words(request.langs))
    seeds = range(request.seed, request.seed + request.seeds)
    release = _attacked_release(site, manifest, kit, replacing, request)

    def report(what: str) -> Callable[[int, int], None]:
        return lambda done, planned: progress.phase(f"{what}: {done} of {planned}")

    progress.phase("attacking")
    measured = [_measure_words_in_file(site, manifest, request.shared)]
    measured += measure_attacks(release, seeds, data, advance=report("attacks"))
    named = sorted((each for each in release.sentences if any(each.phi)), key=len)
    every = SentencePairSampler(named, kit.embeddings, replacing)
    measured += bound_any_attack(kit, every, seeds, data, noise=manifest.noise)
    short = [each for each in named if len(each) <= _SHORT] or named
    pairs = SentencePairSampler(short[-_MOST_PAIRS:], kit.embeddings, replacing)
    measured += attack_frozen_representer(
        kit, pairs, seeds, data, noise=manifest.noise, advance=report("adversaries")
    )
    return VectorAttack(data, neighbours, measured)


def _attacked_release(
    site: Site,
    manifest: Manifest,
    kit: RepresenterBundle,
    replacing: NeighbourReplacer,
    request: VectorAttackRequest,
) -> AttackedRelease:
    """Part the notes in those that are attacked and those that the attacker has."""
    shared = request.shared
    inside = request.inside or shared.with_name(f"{shared.name}.inside")
    order = read_order(inside, site, manifest)
    row_of = {number: row for row, number in enumerate(order)}
    rows = read_shared(shared)[1]
    attacked, own = split_notes([len(note) for note in site.notes], request.sentences, request.seed)
    every = site.sentences
    words = _known_words([every[number] for number in [*attacked, *own]], kit.embeddings)
    words = words[:MOST_WORDS]

    def encode(sentences: Sequence[Sentence], seed: int) -> Any:
        return kit.encode(sentences, make_generator("attack", seed), manifest.noise)

    def embed(sentences: Sequence[Sentence], _seed: int) -> Any:
        return [kit.embeddings.vectors(sentence.tokens) for sentence in sentences]

    return AttackedRelease(
        sentences=[every[number] for number in attacked],
        shared=[rows[row_of[number]].vectors for number in attacked],
        own=[every[number] for number in own],
        encode=encode,
        plain=embed,
        replacing=replacing,
        words=words,
        matrix=kit.embeddings.vectors(words),
    )


def split_notes(lengths: Sequence[int], most: int, seed: int) -> tuple[list[int], list[int]]:
    """Draw whole notes until there are enough sentences to attack, and as many for the attacker.

    `lengths` are the numbers of sentences of each note. Returns the numbers of the sentences of
    both parts, `most` at most each. Raises ConfigError where there is but one note.
    """
    starts, total = [], 0
    for length in lengths:
        starts.append(total)
        total += length
    numbers = list(range(len(lengths)))
    random.Random(seed).shuffle(numbers)  # noqa: S311 - what is drawn is no secret
    wanted = min(most, total // 2)
    parts: list[list[int]] = [[], []]
    for number in numbers:
        part = parts[0] if len(parts[0]) < wanted else parts[1]
        if len(part) < wanted:
            part += range(starts[number], starts[number] + lengths[number])
    if not all(parts):
        raise ConfigError("--notes", "too few to attack", "give more notes")
    return parts[0][:most], parts[1][:most]


def _known_words(sentences: Sequence[Sentence], embeddings: Embeddings) -> list[str]:
    """Return the known words of sentences, those that identify somebody first."""
    found: dict[str, None] = {}
    for wanted in (True, False):
        for sentence in sentences:
            for token, hidden in zip(sentence.tokens, sentence.phi, strict=True):
                if hidden is wanted and embeddings.knows(token):
                    found.setdefault(token.casefold())
    return list(found)


def _measure_words_in_file(site: Site, manifest: Manifest, shared: Path) -> Measured:
    """Measure the share of the notes' words that occur in the bytes of the file."""
    # In folded case: a word that is written in two ways is one.
    words = {word.casefold() for word in site.words() if word.isalpha() and len(word) >= SHORTEST}
    every = max(1, len(words))
    value = len({word.casefold() for word in find_shared_words(shared, site, manifest)}) / every
    null = len(find_words(os.urandom((shared / VECTORS).stat().st_size), words)) / every
    control = len(find_words(" ".join(words).encode(), words)) / every
    return Measured(
        "words-in-file", Axis.PRIVACY, value, value, value, manifest.vectors_sha256,
        null=null, control=control, detail={"words": len(words)},
    )  # fmt: skip


def judge_vectors(
    shared: Path, measurements: Sequence[Path], requirements: Path, *, today: date
) -> GateCase:
    """Compare what was measured of shared vectors with what is required of them.

    Vectors whose noise was lessened are held. Raises ConfigError where the vectors were changed,
    or something else was measured.
    """
    manifest, _ = read_shared(shared)
    required = load_requirements(requirements, SETS)
    data = manifest.vectors_sha256
    remedy = "give a file that `share attack` wrote"
    measured = read_measurements(measurements, {data}, "vectors", remedy)
    decision = decide(measured, required)
    if manifest.noise < 1:
        reason = f"the noise was reduced to {manifest.noise:g} of the default"
        decision = replace(decision, verdict=Verdict.HOLD, reasons=(*decision.reasons, reason))
    about = {
        "what": "vectors of sentences",
        "made": today.isoformat(),
        "vectors": data,
        "sentences": manifest.sentences,
        "representer": manifest.representer,
        "neighbours": manifest.neighbours,
        "noise": manifest.noise,
        "version": version("cryptonym"),
    }
    return GateCase(measured, required, decision, about, word="SHARE", means=_MEANS)
