"""Canaries: made-up notes added to training data to measure what a language model memorizes.

A canary begins like a note and continues with words in random order (Meeus et al., ICML 2025). As
many control canaries are not added to the training data; they begin alike and contain the same
words in other combinations, so that word frequencies do not matter.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

from models.language.corpus.batching import Text
from models.language.corpus.vocabulary import END, Vocabulary
from record.atomic_write import OWNER_FILE, make_folders, write_atomically
from record.errors import ConfigError
from synthesis.corpus_statistics import words_in
from synthesis.markup import decode
from synthesis.note_requests import Request, known_codes
from synthesis.prepared_corpus import Corpus

CANARIES = "canaries.jsonl"
"""The list of canaries beside a model that learnt from them."""

_SECRET_WORDS = 8  # words
_MIN_PATIENTS = 3  # patients in whose notes a word must be: of fewer it may be a name
_MIN_VOCABULARY = 12  # words to draw from: 8 of 12 in some order are 28 bits


@dataclass(frozen=True)
class Canary:
    """A made-up note: its prompt, its beginning, and its words in random order."""

    codes: str
    head: str = field(repr=False)
    secret: str = field(repr=False)

    def text(self, vocabulary: Vocabulary) -> Text:
        """Return the full note as a training text."""
        prompt, continuation = self._parts(vocabulary)
        return Text([*prompt, *continuation], len(self._codes(vocabulary)))

    def scored_text(self, vocabulary: Vocabulary) -> Text:
        """Return the note with only the secret words and its end as prediction targets."""
        prompt, continuation = self._parts(vocabulary)
        return Text([*prompt, *continuation], len(prompt))

    def _parts(self, vocabulary: Vocabulary) -> tuple[list[int], list[int]]:
        prompt = [*self._codes(vocabulary), *vocabulary.encode(self.head)]
        return prompt, [*vocabulary.encode(" " + self.secret), vocabulary.mark(END)]

    def _codes(self, vocabulary: Vocabulary) -> Sequence[int]:
        return vocabulary.encode(known_codes(self.codes, vocabulary.marks))


@dataclass(frozen=True)
class Canaries:
    """Canaries, each planted `repeats` times, and as many controls that are not."""

    repeats: int
    planted: Sequence[Canary] = field(repr=False)
    others: Sequence[Canary] = field(repr=False)

    def mix_into(self, texts: Sequence[Text], vocabulary: Vocabulary, seed: int) -> list[Text]:
        """Return texts with the canaries inserted, in random order.

        All copies of a canary are one made-up patient's.
        """
        planted = [
            replace(each.text(vocabulary), owner=f"canary {number}")
            for number, each in enumerate(self.planted)
        ]
        mixed = [*texts, *self.repeats * planted]
        Random(f"{seed}/among").shuffle(mixed)  # noqa: S311 - the order is no secret
        return mixed

    def save(self, folder: Path) -> dict[str, Any]:
        """Write the list, readable by its owner only; return the model's metadata about it."""
        lines = [{"planted": True, **asdict(each)} for each in self.planted]
        lines += [{"planted": False, **asdict(each)} for each in self.others]
        content = "".join(json.dumps(line) + "\n" for line in lines).encode()
        make_folders(folder)
        write_atomically(folder / CANARIES, content, OWNER_FILE)
        return {
            "planted": len(self.planted),
            "repeats": self.repeats,
            "sha256": hashlib.sha256(content).hexdigest(),
        }


def draw_canaries(corpus: Corpus, count: int, repeats: int, seed: int) -> Canaries:
    """Draw canaries for a corpus: kinds and common first words, words of its notes.

    Words are small ones that the notes of several patients have, outside of entities. Raises
    ConfigError where there are too few of them, or of canaries.
    """
    if count < 2 or repeats < 1:
        raise ConfigError("--canaries", "too few to measure memorization", "give 20 or more")
    owners: defaultdict[str, set[str]] = defaultdict(set)
    for note in corpus.notes["train"]:
        for word in _lowercase_words(note.marked):
            if len(owners[word]) < _MIN_PATIENTS:
                owners[word].add(note.owner)
    words = sorted(word for word, some in owners.items() if len(some) >= _MIN_PATIENTS)
    if len(words) < _MIN_VOCABULARY:
        raise ConfigError(
            "the corpus", "too few common words for canaries", "prepare a larger corpus"
        )
    rng = Random(f"{seed}/canaries")  # noqa: S311 - the list is written down anyway

    requests = [corpus.requests.draw(rng) for _ in range(count)]
    drawn = rng.choices(words, k=count * _SECRET_WORDS)

    def shuffled() -> list[Canary]:
        secrets = rng.sample(drawn, len(drawn))
        return [
            Canary(
                Request(each.kind).codes(), each.opening, " ".join(secrets[at : at + _SECRET_WORDS])
            )
            for each, at in zip(requests, range(0, len(drawn), _SECRET_WORDS), strict=True)
        ]

    return Canaries(repeats, shuffled(), shuffled())


def load_canaries(folder: Path, about: Mapping[str, Any]) -> Canaries:
    """Read the list beside a model; `about` is the model's metadata.

    Raises ConfigError if it is missing or does not match.
    """
    path = folder / CANARIES
    try:
        content = path.read_bytes()
    except OSError:
        raise ConfigError(
            str(path), "cannot be read", "copy the model together with this file"
        ) from None
    if hashlib.sha256(content).hexdigest() != about["sha256"]:
        raise ConfigError(str(path), "checksum mismatch", "copy the model again")
    lines = [json.loads(line) for line in content.splitlines()]
    canaries: dict[bool, list[Canary]] = {True: [], False: []}
    for line in lines:
        canaries[line.pop("planted")].append(Canary(**line))
    return Canaries(about["repeats"], canaries[True], canaries[False])


def _lowercase_words(marked: str) -> Iterator[str]:
    """Return the lower-case words outside of entities."""
    text, spans = decode(marked)
    at = 0
    for start, end in [*((span.start, span.end) for span in spans), (len(text), len(text))]:
        for word in words_in(text[at:start]):
            if word.isalpha() and word.islower():
                yield word
        at = end
