"""Attacks on shared sentence vectors: linkage, word look-up, trained inversion, membership.

Every attack is run three times: on the vectors to be shared; on vectors of other identifiers,
which cannot leak; and on plain word vectors, which hide nothing. The noise, the sentence pairs and
the attacker's own sentences are redrawn for every seed.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evaluation.attacks.attack_trials import Rate, summarize_rates
from evaluation.attacks.sentence_pairs import (
    Encode,
    Floats,
    SentencePairs,
    SharedSentences,
    Vectors,
    choose_by_linkage,
    choose_by_mean,
    derive_seeds,
    encode_pairs,
    make_pairs,
    membership_auc,
    whitening_matrix,
)
from evaluation.detection.auc import area_under_curve
from evaluation.gate import Measured
from models.private.adversary_training import InversionSettings, train_inversion
from models.private.pseudonymization import NeighbourReplacer
from models.private.sentences import Sentence
from models.tagger.encoders.bilstm import CASES, case_class

CARRIERS = 4
"""Number of carrier sentences for each word."""

TOP = (1, 5)
"""Numbers of guesses that are counted."""

_REACH = 5
_BLOCK = 512
_CASED = frozenset(CASES.index(name) for name in ("lower", "upper", "initial upper", "other"))


@dataclass(frozen=True)
class TokenSlots:
    """Tokens of sentences: the sentence, the token in it, and its word in a vocabulary.

    All are [slots].
    """

    sentence: NDArray[np.int64]
    token: NDArray[np.int64]
    word: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.word)

    def take(self, chosen: NDArray[np.int64] | NDArray[np.bool_]) -> "TokenSlots":
        """Return some of the slots."""
        return TokenSlots(self.sentence[chosen], self.token[chosen], self.word[chosen])

    def vectors(self, shared: Sequence[Vectors]) -> Floats:
        """Return the vectors of the tokens: [slots, size]."""
        found = [shared[row][place] for row, place in zip(self.sentence, self.token, strict=True)]
        return np.stack(found).astype(np.float64)


@dataclass(frozen=True)
class Codebook:
    """What the vectors of words look like.

    `means` is [words, size], whitened by the spread of vectors of one word; `scale` whitens other
    vectors; `kinds` is the case class of each word.
    """

    means: Floats = field(repr=False)
    scale: Floats = field(repr=False)
    kinds: NDArray[np.int64] = field(repr=False)

    def distances(self, vectors: Floats, kinds: NDArray[np.int64]) -> Floats:
        """Return the squared distances of vectors from words, infinite where the case differs.

        [vectors, size], [vectors] -> [vectors, words]
        """
        white = vectors @ self.scale
        squares = (white**2).sum(1)[:, None] + (self.means**2).sum(1) - 2 * white @ self.means.T
        return np.where(kinds[:, None] == self.kinds, np.maximum(squares, 0), np.inf)


def find_slots(
    sentences: Sequence[Sentence], vocabulary: dict[str, int], *, phi: bool
) -> TokenSlots:
    """Find the tokens that are identifiers, or those that are not, with known words.

    `vocabulary` maps case-folded words to their number.
    """
    rows = [
        (number, place, vocabulary[token.casefold()])
        for number, sentence in enumerate(sentences)
        for place, (token, hidden) in enumerate(zip(sentence.tokens, sentence.phi, strict=True))
        if hidden is phi and token.casefold() in vocabulary
    ]
    columns = np.array(rows, np.int64).reshape(-1, 3).T
    return TokenSlots(*columns)


def make_codebook(
    words: Sequence[str],
    carriers: Sequence[tuple[Sentence, int]],
    encode: Encode,
    seed: int,
) -> Codebook:
    """Encode every word in random carriers: sentences with the position to insert it at.

    Raises ValueError without carriers.
    """
    if not carriers:
        raise ValueError("there must be carrier sentences")
    chance = np.random.default_rng(seed)
    drawn = chance.integers(len(carriers), size=(CARRIERS, len(words)))
    found = [
        _encode_in_carriers(words, [carriers[number] for number in row], encode, each)
        for row, each in zip(drawn, derive_seeds(seed, CARRIERS, "carriers"), strict=True)
    ]
    means = np.mean(found, axis=0)
    scale = whitening_matrix(np.concatenate([each - means for each in found]))
    return Codebook(means @ scale, scale, case_kinds(words))


def cut_window(sentence: Sentence, place: int) -> tuple[Sentence, int]:
    """Cut a sentence to the tokens around one; return it and the new position of the token."""
    first, end = max(0, place - _REACH), place + _REACH + 1
    some = replace(
        sentence,
        tokens=sentence.tokens[first:end],
        offsets=sentence.offsets[first:end],
        casing=sentence.casing[first:end],
        spans=(),
    )
    return some, place - first


def case_kinds(words: Sequence[str]) -> NDArray[np.int64]:
    """Return the case class of each word, as far as it depends on the word: [words]."""
    return np.array([case_kind(CASES.index(case_class(word))) for word in words], np.int64)


def case_kind(casing: int) -> int:
    """Return the case class of a token: letters only, or which digits."""
    return -1 if casing in _CASED else casing


def ranks(
    book: Codebook, vectors: Floats, kinds: NDArray[np.int64], words: NDArray[np.int64]
) -> Floats:
    """Return how many words are closer to each vector than its own: [vectors].

    Ties count half.
    """
    found = np.empty(len(words))
    for start in range(0, len(words), _BLOCK):
        some = slice(start, start + _BLOCK)
        found[some] = rank_of_true(-book.distances(vectors[some], kinds[some]), words[some])
    return found


def rank_of_true(scores: Floats, words: NDArray[np.int64]) -> Floats:
    """Return how many other candidates score above the true one; ties count half.

    [rows, candidates], [rows] -> [rows]
    """
    own = scores[np.arange(len(words)), words][:, None]
    above, equal = (scores > own).sum(1), (scores == own).sum(1) - 1
    found: Floats = above + equal / 2
    return found


def slot_case_kinds(sentences: Sequence[Sentence], slots: TokenSlots) -> NDArray[np.int64]:
    """Return the case class of the token of each slot: [slots]."""
    pairs = zip(slots.sentence, slots.token, strict=True)
    return np.array([case_kind(sentences[row].casing[place]) for row, place in pairs], np.int64)


def replace_identifiers(
    sentences: Sequence[Sentence], words: Sequence[str], seed: int
) -> list[Sentence]:
    """Replace all identifiers by random words, so that their vectors cannot reveal them.

    Words are drawn uniformly among those with the case class of the token, which is preserved.
    """
    chance = np.random.default_rng(seed)
    by_kind: dict[int, list[str]] = {}
    for word, kind in zip(words, case_kinds(words).tolist(), strict=True):
        by_kind.setdefault(kind, []).append(word)
    found = []
    for sentence in sentences:
        tokens = list(sentence.tokens)
        for place, hidden in enumerate(sentence.phi):
            some = by_kind.get(case_kind(sentence.casing[place]), []) if hidden else []
            if some:
                tokens[place] = some[chance.integers(len(some))]
        found.append(replace(sentence, tokens=tuple(tokens)))
    return found


def _encode_in_carriers(
    words: Sequence[str],
    carriers: Sequence[tuple[Sentence, int]],
    encode: Encode,
    seed: int,
) -> Floats:
    filled = [
        replace(carrier, tokens=(*carrier.tokens[:at], word, *carrier.tokens[at + 1 :]))
        for word, (carrier, at) in zip(words, carriers, strict=True)
    ]
    encoded = encode(filled, seed)
    return np.stack([e[at] for e, (_, at) in zip(encoded, carriers, strict=True)]).astype(
        np.float64
    )


FEWEST = 2
MOST = 8
"""Minimum and maximum number of occurrences of one identifier that are combined."""


@dataclass(frozen=True, slots=True)
class RepeatedWords:
    """The rank of the true word of each identifier after combining several occurrences."""

    ranks: Floats
    sights: NDArray[np.int64]


def intersect_vectors(
    book: Codebook, slots: TokenSlots, vectors: Floats, kinds: NDArray[np.int64]
) -> RepeatedWords:
    """Sum the distances of several vectors of one word from each word of a vocabulary.

    The attacker knows which vectors are of the same word, like somebody who knows that a name
    occurs in every letter of a patient. `vectors` and `kinds` are those of `slots`.
    """
    found, sights = [], []
    for word in np.unique(slots.word):
        rows = np.flatnonzero(slots.word == word)[:MOST]
        if len(rows) >= FEWEST:
            total = book.distances(vectors[rows], kinds[rows]).sum(0)
            found.append(rank_of_true(-total[None], np.array([word]))[0])
            sights.append(len(rows))
    return RepeatedWords(np.array(found), np.array(sights, np.int64))


ENCODINGS = (1, 2, 4, 8)
"""Numbers of encodings of the same sentence that are averaged."""

OTHERS = 1_000
"""Tokens that are not identifiers, whose words are looked up for comparison."""

MOST_TOKENS = 4_000
"""Identifying tokens whose words are looked up."""

LESSONS = 1_000
"""Training sentences of the inverse per epoch."""

MOST_WORDS = 6_000
"""Words of the vocabulary that an attacker chooses from."""


@dataclass(frozen=True)
class AttackedRelease:
    """The release under attack, and what the attacker has.

    `shared` are the vectors of `sentences` as in the file. The attacker has sentences of their
    `own`, the representer (`encode`, and `plain` without it), the embeddings (`words` with their
    `matrix`), and the method by which identifiers are replaced by neighbours.
    """

    sentences: Sequence[Sentence] = field(repr=False)
    shared: Sequence[Vectors] = field(repr=False)
    own: Sequence[Sentence] = field(repr=False)
    encode: Encode = field(repr=False)
    plain: Encode = field(repr=False)
    replacing: NeighbourReplacer = field(repr=False)
    words: Sequence[str] = field(repr=False)
    matrix: Vectors = field(repr=False)

    @cached_property
    def vocabulary(self) -> dict[str, int]:
        """The number of each word."""
        return {word: number for number, word in enumerate(self.words)}


@dataclass(frozen=True)
class AttackSide:
    """The vectors an attack is run on: the shared ones, or one of the controls.

    `twin` returns the vectors shared for sentence pairs, one list for each time they were shared;
    `all` those of all sentences.
    """

    twin: Callable[[SentencePairs, int, int], list[Sequence[Vectors]]]
    all: Callable[[int], Sequence[Vectors]]


def shared_side(subject: AttackedRelease) -> AttackSide:
    """Return the shared vectors: the first encoding is the one in the file."""

    def twin(twins: SentencePairs, times: int, seed: int) -> list[Sequence[Vectors]]:
        first = [subject.shared[place] for place in twins.places]
        more = [
            subject.encode(twins.real, drawn) for drawn in derive_seeds(seed, times - 1, "shared")
        ]
        return [first, *more]

    return AttackSide(twin, lambda seed: subject.shared)


def blinded_side(subject: AttackedRelease) -> AttackSide:
    """Return vectors that cannot leak: of a random sentence of the pair, or of random words."""

    def twin(twins: SentencePairs, times: int, seed: int) -> list[Sequence[Vectors]]:
        tossed = twins.toss_coins(seed)
        return [subject.encode(tossed, drawn) for drawn in derive_seeds(seed, times, "shared")]

    def all_(seed: int) -> Sequence[Vectors]:
        hidden = replace_identifiers(subject.sentences, subject.words, seed)
        return subject.encode(hidden, *derive_seeds(seed, 1, "shared"))

    return AttackSide(twin, all_)


def unprotected_side(subject: AttackedRelease) -> AttackSide:
    """Return vectors that hide nothing: plain word vectors."""

    def twin(twins: SentencePairs, times: int, seed: int) -> list[Sequence[Vectors]]:
        return [subject.plain(twins.real, drawn) for drawn in derive_seeds(seed, times, "shared")]

    return AttackSide(twin, lambda seed: subject.plain(subject.sentences, seed))


RunAttack = Callable[[AttackSide], dict[str, Rate]]
"""A prepared attack: runs on one side and returns a rate for each name."""

PrepareAttack = Callable[[AttackedRelease, Encode, int], RunAttack | None]
"""Prepares an attack with an encoder and a seed; returns None if it cannot be run.

The shared and the blinded vectors are attacked with the same preparation; for plain word vectors
the attack is prepared with those.
"""


def prepare_pair_attacks(subject: AttackedRelease, encode: Encode, seed: int) -> RunAttack | None:
    """Choose between sentence pairs: by linkage, means of several encodings, and membership."""
    twins = make_pairs(subject.sentences, subject.replacing, seed)
    if len(twins) < 2:
        return None
    sights = encode_pairs(twins, encode, seed)

    def ready(side: AttackSide) -> dict[str, Rate]:
        shared = side.twin(twins, max(ENCODINGS), seed)
        found = {"sentence-linkage": choose_by_linkage(shared[0], sights)}
        for times in ENCODINGS:
            found[f"averaged-{times}"] = choose_by_mean(shared[:times], sights)
        rates = {name: Rate(float(hits.mean()), len(hits)) for name, hits in found.items()}
        rate = Rate(membership_auc(shared[0], sights), len(twins))
        return rates | {"sentence-membership": rate}

    return ready


def prepare_word_lookup(subject: AttackedRelease, encode: Encode, seed: int) -> RunAttack | None:
    """Look words up in a codebook, one by one and by several occurrences of one word."""
    chance = np.random.default_rng(seed)
    tables = []
    for name, phi, most in (("nearest-word", True, MOST_TOKENS), ("other-word", False, OTHERS)):
        slots = find_slots(subject.sentences, subject.vocabulary, phi=phi)
        slots = slots.take(chance.permutation(len(slots))[:most])
        # Windows around tokens that are identifiers, or around those that are not
        carriers = [
            cut_window(sentence, place)
            for sentence in subject.own
            for place, hidden in enumerate(sentence.phi)
            if hidden is phi
        ]
        if not len(slots) or not carriers:
            return None
        kinds = slot_case_kinds(subject.sentences, slots)
        tables.append((name, slots, make_codebook(subject.words, carriers, encode, seed), kinds))

    def ready(side: AttackSide) -> dict[str, Rate]:
        shared = side.all(seed)
        found: dict[str, Rate] = {}
        for name, slots, book, kinds in tables:
            vectors = slots.vectors(shared)
            found |= _top_rates(name, ranks(book, vectors, kinds, slots.word))
            if name == "nearest-word":
                repeated = intersect_vectors(book, slots, vectors, kinds)
                found |= _top_rates("repeated-word", repeated.ranks)
        return found

    return ready


def prepare_trained_inverse(
    subject: AttackedRelease, encode: Encode, seed: int
) -> RunAttack | None:
    """Recover words with a network trained on the attacker's own sentences."""
    hidden = find_slots(subject.sentences, subject.vocabulary, phi=True)
    if not len(hidden) or not subject.own:
        return None

    def lesson(epoch: int) -> tuple[Sequence[Vectors], list[NDArray[np.int64]]]:
        drawn = seed + epoch
        own = subject.own[:LESSONS]
        some = replace_identifiers(own, subject.words, drawn) if epoch % 2 else own
        known = subject.vocabulary
        numbers = [np.array([known.get(t.casefold(), -1) for t in s.tokens]) for s in some]
        return encode(some, *derive_seeds(drawn, 1, "lesson")), numbers

    inverse = train_inversion(lesson, subject.matrix, InversionSettings(seed=seed))
    # The codebook for the output of an inverse: embeddings of length one
    lengths = np.linalg.norm(subject.matrix, axis=1, keepdims=True)
    means = subject.matrix / np.maximum(lengths, 1e-12)
    whitening = np.eye(means.shape[1])
    book = Codebook(means.astype(np.float64), whitening, case_kinds(subject.words))
    kinds = slot_case_kinds(subject.sentences, hidden)

    def ready(side: AttackSide) -> dict[str, Rate]:
        answers = hidden.vectors(inverse.read(side.all(seed)))
        return _top_rates("trained-word", ranks(book, answers, kinds, hidden.word))

    return ready


def prepare_known_sentences(
    subject: AttackedRelease, encode: Encode, seed: int
) -> RunAttack | None:
    """Search for whole sentences that the attacker knows; these are not meant to be hidden.

    The attacker's own sentences are those not in the file. `known-shape` uses the casing and labels
    that the file shows, `known-sentence` also the vectors.
    """
    if not subject.sentences or not subject.own:
        return None
    inside, outside = (
        encode(some, drawn)
        for some, drawn in zip(
            (subject.sentences, subject.own), derive_seeds(seed, 2, "known"), strict=True
        )
    )
    noise = np.concatenate(encode(subject.own, *derive_seeds(seed, 1, "again"))) - np.concatenate(
        outside
    )
    scale = whitening_matrix(noise)

    def ready(side: AttackSide) -> dict[str, Rate]:
        rows = SharedSentences(subject.sentences, side.all(seed), scale)
        shapes = area_under_curve(rows.has(subject.sentences), rows.has(subject.own))
        found = area_under_curve(
            -rows.nearest(subject.sentences, inside), -rows.nearest(subject.own, outside)
        )
        tries = min(len(subject.sentences), len(subject.own))
        return {"known-shape": Rate(shapes, tries), "known-sentence": Rate(found, tries)}

    return ready


ATTACKS: tuple[PrepareAttack, ...] = (
    prepare_pair_attacks,
    prepare_word_lookup,
    prepare_trained_inverse,
    prepare_known_sentences,
)


def measure_attacks(
    subject: AttackedRelease,
    drawn: Sequence[int],
    data: str,
    *,
    attacks: Sequence[PrepareAttack] = ATTACKS,
    advance: Callable[[int, int], None] = lambda done, planned: None,
) -> list[Measured]:
    """Run attacks on a release for each seed, and on both controls with the first seed.

    `data` identifies what is measured. An attack that could not be run yields no measurement, so
    that the gate holds the release. Raises ValueError for fewer than two seeds.
    """
    if len(set(drawn)) < 2:
        raise ValueError("there must be at least two seeds")
    shared, cannot, known = shared_side(subject), blinded_side(subject), unprotected_side(subject)
    planned, done = len(attacks) * (len(drawn) + 1), 0
    found: list[Measured] = []
    for attack in attacks:
        rates: list[dict[str, Rate]] = []
        null: dict[str, Rate] = {}
        for seed in drawn:
            ready = attack(subject, subject.encode, seed)
            rates.append(ready(shared) if ready else {})
            if ready and len(rates) == 1:
                null = ready(cannot)
            advance(done := done + 1, planned)
        ready = attack(subject, subject.plain, drawn[0])
        found += summarize_rates(rates, null, ready(known) if ready else {}, data)
        advance(done := done + 1, planned)
    return found


def _top_rates(name: str, places: Floats) -> dict[str, Rate]:
    """Return how often the true word is among the first guesses."""
    if not len(places):
        return {}
    return {f"{name}-{top}": Rate(float(np.mean(places < top)), len(places)) for top in TOP}
