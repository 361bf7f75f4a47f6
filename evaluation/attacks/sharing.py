"""All attacks on a representation that is to be shared, each beside its two controls.

Every attack is run three times: on what is to be shared; on vectors that cannot give an identifier
away, since another was encoded in its place; and on the plain vectors of words, which hide nothing.
The noise, the twins and the attacker's own sentences are drawn anew for every seed.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evaluation.attacks.attack_trials import Rate, measured_rates
from evaluation.attacks.sentence_pairs import (
    Encode,
    Floats,
    Rows,
    Twins,
    Vectors,
    averaged,
    linkage,
    look,
    make_twins,
    membership,
    seeds,
    whitening,
)
from evaluation.detection.auc import area
from evaluation.gate import Measured
from models.private.inversion_attack import InversionSettings, train_inversion
from models.private.pseudonymization import Pseudonymizer
from models.private.sentences import Sentence
from models.tagger.encoders.bilstm import CASES, case_class

CARRIERS = 4
"""Sentences that each word is put into."""

TOP = (1, 5)
"""How many guesses are counted."""

_REACH = 5
_BLOCK = 512
_CASED = frozenset(CASES.index(name) for name in ("lower", "upper", "initial upper", "other"))


@dataclass(frozen=True)
class Slots:
    """Tokens of sentences: which sentence, which token in it, and which word of a vocabulary it is.

    All are [slots].
    """

    sentence: NDArray[np.int64]
    token: NDArray[np.int64]
    word: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.word)

    def take(self, chosen: NDArray[np.int64] | NDArray[np.bool_]) -> "Slots":
        """Return some of them."""
        return Slots(self.sentence[chosen], self.token[chosen], self.word[chosen])

    def vectors(self, shared: Sequence[Vectors]) -> Floats:
        """Return the vectors of the tokens: [slots, size]."""
        found = [shared[row][place] for row, place in zip(self.sentence, self.token, strict=True)]
        return np.stack(found).astype(np.float64)


@dataclass(frozen=True)
class Codebook:
    """What the vectors of words look like.

    `means` is [words, size], white as far as the vectors of one word differ; `scale` whitens
    others; `kinds` tells of each word what its case can be.
    """

    means: Floats = field(repr=False)
    scale: Floats = field(repr=False)
    kinds: NDArray[np.int64] = field(repr=False)

    def distances(self, vectors: Floats, kinds: NDArray[np.int64]) -> Floats:
        """Return the squared distance of vectors from words, infinite where the case rules it out.

        [vectors, size], [vectors] -> [vectors, words]
        """
        white = vectors @ self.scale
        squares = (white**2).sum(1)[:, None] + (self.means**2).sum(1) - 2 * white @ self.means.T
        return np.where(kinds[:, None] == self.kinds, np.maximum(squares, 0), np.inf)


def slots_of(sentences: Sequence[Sentence], vocabulary: dict[str, int], *, phi: bool) -> Slots:
    """Find the tokens that identify somebody, or those that do not, as far as their word is known.

    `vocabulary` has words in folded case with their number.
    """
    rows = [
        (number, place, vocabulary[token.casefold()])
        for number, sentence in enumerate(sentences)
        for place, (token, hidden) in enumerate(zip(sentence.tokens, sentence.phi, strict=True))
        if hidden is phi and token.casefold() in vocabulary
    ]
    columns = np.array(rows, np.int64).reshape(-1, 3).T
    return Slots(*columns)


def make_codebook(
    words: Sequence[str],
    carriers: Sequence[tuple[Sentence, int]],
    encode: Encode,
    seed: int,
) -> Codebook:
    """Encode every word in drawn carriers, sentences with the place of the token to put it into.

    Raises ValueError where there is no carrier.
    """
    if not carriers:
        raise ValueError("no sentences to put words into")
    chance = np.random.default_rng(seed)
    drawn = chance.integers(len(carriers), size=(CARRIERS, len(words)))
    found = [
        _placed(words, [carriers[number] for number in row], encode, each)
        for row, each in zip(drawn, seeds(seed, CARRIERS, "carriers"), strict=True)
    ]
    means = np.mean(found, axis=0)
    scale = whitening(np.concatenate([each - means for each in found]))
    return Codebook(means @ scale, scale, kinds_of(words))


def carriers_of(sentences: Sequence[Sentence], *, phi: bool) -> list[tuple[Sentence, int]]:
    """Find places where identifiers stand, or where they do not, with the tokens around each."""
    return [
        window(sentence, place)
        for sentence in sentences
        for place, hidden in enumerate(sentence.phi)
        if hidden is phi
    ]


def window(sentence: Sentence, place: int) -> tuple[Sentence, int]:
    """Cut a sentence to the tokens around one; returns the rest and the place of the
    token there.
    """
    first, end = max(0, place - _REACH), place + _REACH + 1
    some = replace(
        sentence,
        tokens=sentence.tokens[first:end],
        offsets=sentence.offsets[first:end],
        casing=sentence.casing[first:end],
        spans=(),
    )
    return some, place - first


def kinds_of(words: Sequence[str]) -> NDArray[np.int64]:
    """Return what the case of each word can be, as far as it is of the word itself: [words]."""
    return np.array([kind_of_case(CASES.index(case_class(word))) for word in words], np.int64)


def kind_of_case(casing: int) -> int:
    """Return what the class of a token's case tells of the word: letters alone, or which digits."""
    return -1 if casing in _CASED else casing


def ranks(
    book: Codebook, vectors: Floats, kinds: NDArray[np.int64], words: NDArray[np.int64]
) -> Floats:
    """Return how many words are nearer to each vector than its own: [vectors].

    Of words that are as near as its own, half count.
    """
    found = np.empty(len(words))
    for start in range(0, len(words), _BLOCK):
        some = slice(start, start + _BLOCK)
        found[some] = place_of(-book.distances(vectors[some], kinds[some]), words[some])
    return found


def place_of(scores: Floats, words: NDArray[np.int64]) -> Floats:
    """Return how many others have a score above that of the right one; of equals half count.

    [rows, candidates], [rows] -> [rows]
    """
    own = scores[np.arange(len(words)), words][:, None]
    above, equal = (scores > own).sum(1), (scores == own).sum(1) - 1
    found: Floats = above + equal / 2
    return found


def kinds_at(sentences: Sequence[Sentence], slots: Slots) -> NDArray[np.int64]:
    """Return what the case of the tokens of slots tells of their words: [slots]."""
    pairs = zip(slots.sentence, slots.token, strict=True)
    return np.array([kind_of_case(sentences[row].casing[place]) for row, place in pairs], np.int64)


def blinded(sentences: Sequence[Sentence], words: Sequence[str], seed: int) -> list[Sentence]:
    """Put drawn words in the place of all identifiers: their vectors cannot tell what stood there.

    A word is drawn evenly among those whose case can be that of the token; the class of its case
    stays.
    """
    chance = np.random.default_rng(seed)
    by_kind: dict[int, list[str]] = {}
    for word, kind in zip(words, kinds_of(words).tolist(), strict=True):
        by_kind.setdefault(kind, []).append(word)
    found = []
    for sentence in sentences:
        tokens = list(sentence.tokens)
        for place, hidden in enumerate(sentence.phi):
            some = by_kind.get(kind_of_case(sentence.casing[place]), []) if hidden else []
            if some:
                tokens[place] = some[chance.integers(len(some))]
        found.append(replace(sentence, tokens=tuple(tokens)))
    return found


def _placed(
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
"""Sights of one identifier that are laid over each other, at least and at most."""


@dataclass(frozen=True, slots=True)
class Repeated:
    """How many words are likelier than the true one, for each identifier, after all its sights."""

    ranks: Floats
    sights: NDArray[np.int64]


def intersect_vectors(
    book: Codebook, slots: Slots, vectors: Floats, kinds: NDArray[np.int64]
) -> Repeated:
    """Add up how far the vectors of one word are from each word of a vocabulary.

    The attacker knows which vectors are of one word, as who knows that a name stands in every
    letter of a patient does. `vectors` and `kinds` are those of `slots`.
    """
    found, sights = [], []
    for word in np.unique(slots.word):
        rows = np.flatnonzero(slots.word == word)[:MOST]
        if len(rows) >= FEWEST:
            total = book.distances(vectors[rows], kinds[rows]).sum(0)
            found.append(place_of(-total[None], np.array([word]))[0])
            sights.append(len(rows))
    return Repeated(np.array(found), np.array(sights, np.int64))


ENCODINGS = (1, 2, 4, 8)
"""How often the same sentence was shared, where encodings of it are averaged."""

OTHERS = 1_000
"""Tokens that identify nobody, whose words are looked for to compare."""

MOST_TOKENS = 4_000
"""Tokens that identify somebody, whose words are looked for."""

LESSONS = 1_000
"""Sentences that a trained inverse learns from in an epoch."""

MOST_WORDS = 6_000
"""Words of a vocabulary that an attacker chooses from."""


@dataclass(frozen=True)
class AttackedRelease:
    """What is attacked, and what the attacker has.

    `shared` are the vectors of `sentences` as they stand in the file. The attacker has sentences of
    their `own`, the representer (`encode`, `plain` without it), and the embeddings: `words` with
    their `matrix`, and how identifiers are replaced by neighbours.
    """

    sentences: Sequence[Sentence] = field(repr=False)
    shared: Sequence[Vectors] = field(repr=False)
    own: Sequence[Sentence] = field(repr=False)
    encode: Encode = field(repr=False)
    plain: Encode = field(repr=False)
    replacing: Pseudonymizer = field(repr=False)
    words: Sequence[str] = field(repr=False)
    matrix: Vectors = field(repr=False)

    @cached_property
    def vocabulary(self) -> dict[str, int]:
        """The number of each word."""
        return {word: number for number, word in enumerate(self.words)}


@dataclass(frozen=True)
class Side:
    """What an attack is run on: what is to be shared, or one of its controls.

    `twin` gives the vectors that were shared of twins' sentences, one list for each time that they
    were; `all` those of all sentences.
    """

    twin: Callable[[Twins, int, int], list[Sequence[Vectors]]]
    all: Callable[[int], Sequence[Vectors]]


def in_question(subject: AttackedRelease) -> Side:
    """Return the side of what is to be shared: its first encoding is the one in the file."""

    def twin(twins: Twins, times: int, seed: int) -> list[Sequence[Vectors]]:
        first = [subject.shared[place] for place in twins.places]
        more = [subject.encode(twins.real, drawn) for drawn in seeds(seed, times - 1, "shared")]
        return [first, *more]

    return Side(twin, lambda seed: subject.shared)


def blind(subject: AttackedRelease) -> Side:
    """Return the side that cannot leak: which twin was encoded was tossed for, or a word drawn."""

    def twin(twins: Twins, times: int, seed: int) -> list[Sequence[Vectors]]:
        tossed = twins.tossed(seed)
        return [subject.encode(tossed, drawn) for drawn in seeds(seed, times, "shared")]

    def all_(seed: int) -> Sequence[Vectors]:
        hidden = blinded(subject.sentences, subject.words, seed)
        return subject.encode(hidden, *seeds(seed, 1, "shared"))

    return Side(twin, all_)


def bare(subject: AttackedRelease) -> Side:
    """Return the side that hides nothing: the vectors of words themselves."""

    def twin(twins: Twins, times: int, seed: int) -> list[Sequence[Vectors]]:
        return [subject.plain(twins.real, drawn) for drawn in seeds(seed, times, "shared")]

    return Side(twin, lambda seed: subject.plain(subject.sentences, seed))


Ready = Callable[[Side], dict[str, Rate]]
"""An attacker who has prepared: attacks one side, and gives a rate for each name."""

Attack = Callable[[AttackedRelease, Encode, int], Ready | None]
"""Prepares an attacker with an encoder and what a seed draws; none where nothing can be attacked.

The attacker of what cannot leak is the one of what is to be shared; that of plain vectors of words
prepares with those.
"""


def attack_twins(subject: AttackedRelease, encode: Encode, seed: int) -> Ready | None:
    """Choose between twins: by linkage, by means of several encodings, and by membership."""
    twins = make_twins(subject.sentences, subject.replacing, seed)
    if len(twins) < 2:
        return None
    sights = look(twins, encode, seed)

    def ready(side: Side) -> dict[str, Rate]:
        shared = side.twin(twins, max(ENCODINGS), seed)
        found = {"sentence-linkage": linkage(shared[0], sights)}
        for times in ENCODINGS:
            found[f"averaged-{times}"] = averaged(shared[:times], sights)
        rates = {name: Rate(float(hits.mean()), len(hits)) for name, hits in found.items()}
        told = Rate(membership(shared[0], sights), len(twins))
        return rates | {"sentence-membership": told}

    return ready


def attack_words(subject: AttackedRelease, encode: Encode, seed: int) -> Ready | None:
    """Read words off a look-up table, one by one and by several sights of one word."""
    chance = np.random.default_rng(seed)
    tables = []
    for name, phi, most in (("nearest-word", True, MOST_TOKENS), ("other-word", False, OTHERS)):
        slots = slots_of(subject.sentences, subject.vocabulary, phi=phi)
        slots = slots.take(chance.permutation(len(slots))[:most])
        carriers = carriers_of(subject.own, phi=phi)
        if not len(slots) or not carriers:
            return None
        kinds = kinds_at(subject.sentences, slots)
        tables.append((name, slots, make_codebook(subject.words, carriers, encode, seed), kinds))

    def ready(side: Side) -> dict[str, Rate]:
        shared = side.all(seed)
        found: dict[str, Rate] = {}
        for name, slots, book, kinds in tables:
            vectors = slots.vectors(shared)
            found |= _tops(name, ranks(book, vectors, kinds, slots.word))
            if name == "nearest-word":
                repeated = intersect_vectors(book, slots, vectors, kinds)
                found |= _tops("repeated-word", repeated.ranks)
        return found

    return ready


def attack_trained(subject: AttackedRelease, encode: Encode, seed: int) -> Ready | None:
    """Read words by a network that learnt from the attacker's own sentences."""
    hidden = slots_of(subject.sentences, subject.vocabulary, phi=True)
    if not len(hidden) or not subject.own:
        return None

    def lesson(epoch: int) -> tuple[Sequence[Vectors], list[NDArray[np.int64]]]:
        drawn = seed + epoch
        own = subject.own[:LESSONS]
        some = blinded(own, subject.words, drawn) if epoch % 2 else own
        known = subject.vocabulary
        numbers = [np.array([known.get(t.casefold(), -1) for t in s.tokens]) for s in some]
        return encode(some, *seeds(drawn, 1, "lesson")), numbers

    inverse = train_inversion(lesson, subject.matrix, InversionSettings(seed=seed))
    book, kinds = _of_embeddings(subject), kinds_at(subject.sentences, hidden)

    def ready(side: Side) -> dict[str, Rate]:
        answers = hidden.vectors(inverse.read(side.all(seed)))
        return _tops("trained-word", ranks(book, answers, kinds, hidden.word))

    return ready


def attack_known(subject: AttackedRelease, encode: Encode, seed: int) -> Ready | None:
    """Look for whole sentences that the attacker knows, which were not meant to be hidden.

    Sentences of the attacker's own are those that are not in the file. `known-shape` goes by the
    case and labels that the file shows, `known-sentence` by vectors as well.
    """
    if not subject.sentences or not subject.own:
        return None
    inside, outside = (
        encode(some, drawn)
        for some, drawn in zip(
            (subject.sentences, subject.own), seeds(seed, 2, "known"), strict=True
        )
    )
    noise = np.concatenate(encode(subject.own, *seeds(seed, 1, "again"))) - np.concatenate(outside)
    scale = whitening(noise)

    def ready(side: Side) -> dict[str, Rate]:
        rows = Rows(subject.sentences, side.all(seed), scale)
        shapes = area(rows.has(subject.sentences), rows.has(subject.own))
        found = area(-rows.nearest(subject.sentences, inside), -rows.nearest(subject.own, outside))
        tries = min(len(subject.sentences), len(subject.own))
        return {"known-shape": Rate(shapes, tries), "known-sentence": Rate(found, tries)}

    return ready


ATTACKS: tuple[Attack, ...] = (attack_twins, attack_words, attack_trained, attack_known)


def measure(
    subject: AttackedRelease,
    drawn: Sequence[int],
    data: str,
    *,
    attacks: Sequence[Attack] = ATTACKS,
    advance: Callable[[int, int], None] = lambda done, planned: None,
) -> list[Measured]:
    """Run attacks on a subject, for each seed, and on both controls with the first.

    `data` names what is measured. What an attack could not be run on is not there: the gate then
    holds. Raises ValueError where there are fewer than two seeds.
    """
    if len(set(drawn)) < 2:
        raise ValueError("at least two seeds are needed: one tells nothing about others")
    shared, cannot, known = in_question(subject), blind(subject), bare(subject)
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
        found += measured_rates(rates, null, ready(known) if ready else {}, data)
        advance(done := done + 1, planned)
    return found


def _tops(name: str, places: Floats) -> dict[str, Rate]:
    """Count how often the true word is among the first guesses."""
    if not len(places):
        return {}
    return {f"{name}-{top}": Rate(float(np.mean(places < top)), len(places)) for top in TOP}


def _of_embeddings(subject: AttackedRelease) -> Codebook:
    """Return the look-up table of the answers of an inverse:
    the embeddings, scaled to length one.
    """
    lengths = np.linalg.norm(subject.matrix, axis=1, keepdims=True)
    means = subject.matrix / np.maximum(lengths, 1e-12)
    return Codebook(means.astype(np.float64), np.eye(means.shape[1]), kinds_of(subject.words))
