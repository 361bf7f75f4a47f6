"""Notes that nobody wrote, planted among those a model learns from: does it keep them?

A canary begins as notes do and goes on with words in no order (Meeus et al., ICML 2025). As many
are not planted, so that those that were have something to stand out of: they begin alike and have
the same words in other company, since how frequent words are says nothing about single notes.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from models.language.corpus.batching import Text
from models.language.corpus.vocabulary import END, Vocabulary
from record.atomic_write import write_atomically
from record.errors import ConfigError
from synthesis.corpus_statistics import words_in
from synthesis.markup import decode
from synthesis.note_requests import Request
from synthesis.prepared_corpus import Corpus

CANARIES = "canaries.jsonl"
"""The list of canaries beside a model that learnt from them."""

_SECRET = 8  # words
_OWNERS = 3  # patients in whose notes a word must be: of fewer it may be a name
_LEAST = 12  # words to draw from: 8 of 12 in some order are 28 bits


@dataclass(frozen=True)
class Canary:
    """A made-up note: how it is asked for, how it begins, and its words in no order."""

    codes: str
    head: str = field(repr=False)
    secret: str = field(repr=False)

    def text(self, vocabulary: Vocabulary) -> Text:
        """Return the whole note as ids, to learn from."""
        asked, told = self._parts(vocabulary)
        return Text([*asked, *told], len(vocabulary.encode(self.codes)))

    def question(self, vocabulary: Vocabulary) -> Text:
        """Return the note as ids of which only the secret words and its end are to be foreseen."""
        asked, told = self._parts(vocabulary)
        return Text([*asked, *told], len(asked))

    def _parts(self, vocabulary: Vocabulary) -> tuple[list[int], list[int]]:
        asked = [*vocabulary.encode(self.codes), *vocabulary.encode(self.head)]
        return asked, [*vocabulary.encode(" " + self.secret), vocabulary.mark(END)]


@dataclass(frozen=True)
class Canaries:
    """Canaries, each planted `repeats` times, and as many that are not."""

    repeats: int
    planted: Sequence[Canary] = field(repr=False)
    others: Sequence[Canary] = field(repr=False)

    def among(self, texts: Sequence[Text], vocabulary: Vocabulary, seed: int) -> list[Text]:
        """Return texts with the canaries between them, in an order of chance."""
        mixed = [*texts, *self.repeats * [each.text(vocabulary) for each in self.planted]]
        Random(f"{seed}/among").shuffle(mixed)  # noqa: S311 - the order is no secret
        return mixed

    def save(self, folder: Path) -> dict[str, Any]:
        """Write the list for its owner alone; returns what a model says of it."""
        content = self._dumped()
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / CANARIES
        path.touch(mode=0o600)
        write_atomically(path, content)
        path.chmod(0o600)
        return {
            "planted": len(self.planted),
            "repeats": self.repeats,
            "sha256": hashlib.sha256(content).hexdigest(),
        }

    def _dumped(self) -> bytes:
        lines = [{"planted": True, **asdict(each)} for each in self.planted]
        lines += [{"planted": False, **asdict(each)} for each in self.others]
        return "".join(json.dumps(line) + "\n" for line in lines).encode()


def draw_canaries(corpus: Corpus, count: int, repeats: int, seed: int) -> Canaries:
    """Draw canaries for a corpus: kinds and first words of its requests, words of its notes.

    Words are small ones that the notes of several patients have, outside of entities. Raises
    ConfigError where there are too few of them, or of canaries.
    """
    if count < 2 or repeats < 1:
        raise ConfigError("--canaries", "are too few to tell anything", "plant 20, say")
    words = _house_words(corpus)
    if len(words) < _LEAST:
        raise ConfigError("the corpus", "has too few words for canaries", "prepare a larger one")
    chance = Random(f"{seed}/canaries")  # noqa: S311 - the list is written down anyway

    requests = [chance.choice(corpus.requests) for _ in range(count)]
    drawn = chance.choices(words, k=count * _SECRET)

    def shuffled() -> list[Canary]:
        secrets = chance.sample(drawn, len(drawn))
        return [
            Canary(Request(each.kind).codes(), each.opening, " ".join(secrets[at : at + _SECRET]))
            for each, at in zip(requests, range(0, len(drawn), _SECRET), strict=True)
        ]

    return Canaries(repeats, shuffled(), shuffled())


def load_canaries(folder: Path, about: Mapping[str, Any]) -> Canaries:
    """Read the list beside a model; `about` is what the model says of it. Raises ConfigError where
    it is missing or another one."""
    path = folder / CANARIES
    try:
        content = path.read_bytes()
    except OSError:
        raise ConfigError(str(path), "cannot be read", "copy the model with its list") from None
    if hashlib.sha256(content).hexdigest() != about["sha256"]:
        raise ConfigError(str(path), "is not the list that was planted", "copy the model again")
    lines = [json.loads(line) for line in content.splitlines()]
    held: dict[bool, list[Canary]] = {True: [], False: []}
    for line in lines:
        held[line.pop("planted")].append(Canary(**line))
    return Canaries(about["repeats"], held[True], held[False])


def _house_words(corpus: Corpus) -> list[str]:
    owners: defaultdict[str, set[str]] = defaultdict(set)
    for note in corpus.notes["train"]:
        for word in _plain_words(note.marked):
            if len(owners[word]) < _OWNERS:
                owners[word].add(note.owner)
    return sorted(word for word, some in owners.items() if len(some) >= _OWNERS)


def _plain_words(marked: str) -> Iterator[str]:
    """Return the words in small letters outside of entities."""
    text, spans = decode(marked)
    at = 0
    for start, end in [*((span.start, span.end) for span in spans), (len(text), len(text))]:
        for word in words_in(text[at:start]):
            if word.isalpha() and word.islower():
                yield word
        at = end
