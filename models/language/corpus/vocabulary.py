"""Vocabularies of language models: tags and special tokens, and words or byte pairs between them.

Text comes with marks in it (`Seen by <NAME_START>Smith<NAME_END><PAR>`); each mark is one id,
whatever the pieces of the text are. The ids of marks come first, in the order they were given.
"""

import hashlib
import json
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import torch
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from torch import Tensor

from record.atomic_write import OWNER_FILE, write_atomically
from record.errors import ConfigError
from record.tokens import tokens

END = "<END>"
"""The mark that ends a document; it pads, too."""

UNKNOWN = "<UNK>"
"""The mark that stands for rare words where whole words are the pieces."""

_NAME_WORD = re.compile(r"[^\W_]+")  # of the name of a mark
_OPENS = "_START>"  # how the marks end that open an entity
# What the marks of text stand for that a pretrained model has a token for.
_WRITTEN = {"<PAR>": "\n", "<LT>": "<"}
_PAR, _LINE_ENDS = "<PAR>", ("\n", "\r")
_SIDE = re.compile(r"_(?:START|END|WANTED)(?=>)")
_BLANK = "\u2581"  # before a word: one blank stood before it
_REMEDY = "give a folder written by `cryptonym synthesize train`"
# As GPT-2 cuts, but that digits part: numbers are invented digit by digit.
_CUT = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


class Vocabulary(ABC):
    """Special tokens (`marks`, beginning with END and UNKNOWN) and subwords with their ids."""

    kind: ClassVar[str]

    def __init__(self, marks: Sequence[str]) -> None:
        self.marks = tuple(marks)
        self._ids = {mark: number for number, mark in enumerate(self.marks)}
        self._mark_pattern = re.compile(
            "(" + "|".join(re.escape(mark) for mark in self.marks) + ")"
        )

    @property
    @abstractmethod
    def size(self) -> int:
        """How many ids there are."""

    @abstractmethod
    def _pieces(self, text: str) -> list[int]:
        """Cut a text without marks."""

    @abstractmethod
    def _text(self, ids: Sequence[int]) -> str:
        """Join pieces that stand between two marks."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Return all that rebuilds it."""

    def mark(self, mark: str) -> int:
        """Return the id of a mark; raises KeyError."""
        return self._ids[mark]

    def encode(self, marked: str) -> list[int]:
        """Return the ids of a text with marks."""
        ids: list[int] = []
        for part in self._mark_pattern.split(marked):
            number = self._ids.get(part)
            if number is not None:
                ids.append(number)
            elif part:
                ids += self._pieces(part)
        return ids

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text with marks; what was rare when encoded is UNKNOWN."""
        parts: list[str] = []
        piece_ids: list[int] = []
        for number in ids:
            if number < len(self.marks):
                parts += self._text(piece_ids), self.marks[number]
                piece_ids = []
            else:
                piece_ids.append(number)
        return "".join([*parts, self._text(piece_ids)])

    @cached_property
    def has_alphanumeric(self) -> Tensor:
        """Return of each id whether it holds a letter or a digit; no mark does. (size,)"""
        return self._flag_pieces(lambda text: any(char.isalnum() for char in text))

    @cached_property
    def ends_sentence(self) -> Tensor:
        """Return of each id whether a sentence may end with it; no mark is said to. (size,)"""
        return self._flag_pieces(lambda text: text.endswith((".", "!", "?")))

    def _flag_pieces(self, predicate: Callable[[str], bool]) -> Tensor:
        """Return of which pieces something holds. (size,)"""
        flags = torch.zeros(self.size, dtype=torch.bool)
        for number in range(len(self.marks), self.size):
            flags[number] = predicate(self._text([number]))
        return flags

    @cached_property
    def excluded(self) -> Tensor:
        """The ids that no text may hold, beside marks: none. (ids,)"""
        return torch.zeros(0, dtype=torch.long)

    @cached_property
    def widths(self) -> list[int]:
        """How many characters each id stands for; a mark counts as one."""
        marks = len(self.marks)
        return [1] * marks + [len(self._text([n])) for n in range(marks, self.size)]

    def digest(self) -> str:
        """Return a digest of all special tokens and subwords."""
        return hashlib.sha256(self._serialized()).hexdigest()

    def save(self, path: Path) -> None:
        """Write it to a file, which only its owner may read: it may hold words of the notes."""
        write_atomically(path, self._serialized(), OWNER_FILE)

    def _serialized(self) -> bytes:
        return json.dumps({"kind": self.kind, "marks": self.marks, **self.to_json()}).encode()


class WordVocabulary(Vocabulary):
    """Whole words; rare ones are UNKNOWN. A piece includes whether a blank precedes it.

    Words are the tokens of `record.tokens`, so that offsets and white space come back.
    """

    kind = "words"

    def __init__(self, marks: Sequence[str], words: Sequence[str]) -> None:
        super().__init__(marks)
        self.words = tuple(words)
        self._known = {word: len(self.marks) + place for place, word in enumerate(self.words)}

    @classmethod
    def learn(cls, marks: Sequence[str], texts: Iterable[str], *, rare: int) -> "WordVocabulary":
        """Take the words that occur at least `rare` times in these texts, the frequent first."""
        empty = cls(marks, ())
        counts = Counter(
            word
            for marked in texts
            for part in empty._mark_pattern.split(marked)
            if part not in empty._ids
            for word in _words(part)
        )
        kept = [word for word, count in counts.items() if count >= rare]
        return cls(marks, sorted(kept, key=lambda word: (-counts[word], word)))

    @property
    def size(self) -> int:
        """How many ids there are."""
        return len(self.marks) + len(self.words)

    def _pieces(self, text: str) -> list[int]:
        unknown = self._ids[UNKNOWN]
        return [self._known.get(word, unknown) for word in _words(text)]

    def _text(self, ids: Sequence[int]) -> str:
        words = (self.words[number - len(self.marks)] for number in ids)
        return "".join(word.replace(_BLANK, " ") for word in words)

    def to_json(self) -> dict[str, Any]:
        """Return all that rebuilds it."""
        return {"words": self.words}


def _words(text: str) -> Iterator[str]:
    """Cut a text into words and the white space between them; what says `▁` itself is unknown."""
    text = text.replace(_BLANK, "\ufffd")
    at = 0
    for start, end in tokens(text):
        gap = text[at:start]
        if gap == " ":
            yield _BLANK + text[start:end]
        else:
            yield from gap.replace(" ", _BLANK)
            yield text[start:end]
        at = end
    yield from text[at:].replace(" ", _BLANK)


class BytePairVocabulary(Vocabulary):
    """Subwords by byte-pair encoding (Sennrich et al., ACL 2016), as in GPT-2.

    Nothing is unknown: any text comes back as it was.
    """

    kind = "pieces"

    def __init__(self, marks: Sequence[str], tokenizer: Tokenizer) -> None:
        super().__init__(marks)
        self._tokenizer = tokenizer

    @classmethod
    def learn(
        cls, marks: Sequence[str], texts: Iterable[str], *, size: int
    ) -> "BytePairVocabulary":
        """Learn at most `size` ids, marks among them, from pairs that occur twice or more."""
        room = size - len(marks)
        if room < len(_ALPHABET) + 1:
            least = len(marks) + len(_ALPHABET) + 1
            raise ConfigError(
                "--vocabulary-size",
                "too small for the byte alphabet and the marks",
                f"give at least {least}",
            )
        tokenizer = _byte_level(Tokenizer(models.BPE()))
        trainer = trainers.BpeTrainer(
            vocab_size=room, min_frequency=2, initial_alphabet=_ALPHABET, show_progress=False
        )
        apart = re.compile("|".join(re.escape(mark) for mark in marks))
        parts = (part for marked in texts for part in apart.split(marked) if part)
        tokenizer.train_from_iterator(parts, trainer)
        return cls(marks, tokenizer)

    @classmethod
    def read(cls, marks: Sequence[str], dumped: str) -> "BytePairVocabulary":
        """Rebuild it from what `to_json` gave."""
        return cls(marks, Tokenizer.from_str(dumped))

    @property
    def size(self) -> int:
        """How many ids there are."""
        return len(self.marks) + int(self._tokenizer.get_vocab_size())

    @property
    def by_piece(self) -> dict[str, int]:
        """The ids of pieces as byte-level vocabularies write them (`Ġ` is a blank)."""
        found: dict[str, int] = self._tokenizer.get_vocab()
        return {piece: number + len(self.marks) for piece, number in found.items()}

    def _pieces(self, text: str) -> list[int]:
        encoded: list[int] = self._tokenizer.encode(text).ids
        return [number + len(self.marks) for number in encoded]

    def _text(self, ids: Sequence[int]) -> str:
        text: str = self._tokenizer.decode([number - len(self.marks) for number in ids])
        return text

    def to_json(self) -> dict[str, Any]:
        """Return all that rebuilds it."""
        return {"tokenizer": self._tokenizer.to_str()}


_ALPHABET = sorted(pre_tokenizers.ByteLevel.alphabet())


def _byte_level(tokenizer: Tokenizer) -> Tokenizer:
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(_CUT), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


class PretrainedVocabulary(Vocabulary):
    """Subwords of a pretrained model, whatever kind they are.

    `unused` are ids that no text may hold: special tokens of the model, and rows of its embeddings
    without a token.
    """

    kind = "pretrained"

    def __init__(
        self, marks: Sequence[str], tokenizer: Tokenizer, size: int, unused: Sequence[int]
    ) -> None:
        super().__init__(marks)
        self._tokenizer, self._rows = tokenizer, size
        self._unused = tuple(unused)

    @classmethod
    def of(cls, marks: Sequence[str], tokenizer: Tokenizer, size: int) -> "PretrainedVocabulary":
        """Put marks before a tokenizer of a model with embeddings of `size` ids."""
        special = {n for n, token in tokenizer.get_added_tokens_decoder().items() if token.special}
        known = set(tokenizer.get_vocab().values()) - special
        return cls(marks, tokenizer, size, sorted(set(range(size)) - known))

    @property
    def size(self) -> int:
        """How many ids there are."""
        return len(self.marks) + self._rows

    @cached_property
    def excluded(self) -> Tensor:
        """The ids that no text may hold; a line breaks by its mark alone, if there is one."""
        numbers = {number + len(self.marks) for number in self._unused}
        if _PAR in self._ids:
            breaks = self._flag_pieces(lambda text: any(end in text for end in _LINE_ENDS))
            numbers |= set(breaks.nonzero().flatten().tolist())
        return torch.tensor(sorted(numbers), dtype=torch.long)

    def pieces_of_name(self, mark: str) -> list[int]:
        """Return the model's own ids of what a mark stands for, or of the words it is named by.

        Of the tag that opens an entity these are the words of its label; the tag that closes one
        has none. No word of text tells that an entity begins or ends: a tag that began as the words
        *start* or *end* would bring these into the text.
        """
        if mark.endswith("_END>"):
            return []
        words = " ".join(_NAME_WORD.findall(_SIDE.sub("", mark))).lower()
        found: list[int] = self._tokenizer.encode(
            _WRITTEN.get(mark, words), add_special_tokens=False
        ).ids
        return found

    def encode(self, marked: str) -> list[int]:
        """Return the ids of a text with marks.

        Blanks before the tag that opens an entity stand behind it: `by <NAME_START>Smith` is read
        as `by<NAME_START> Smith`, since a model knows words with the blank before them.
        """
        return super().encode("".join(self._exchange_blanks(self._mark_pattern.split(marked))))

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text with marks, and with blanks where `encode` found them."""
        parts: list[str] = [""]
        piece_ids: list[int] = []
        for number in ids:
            if number < len(self.marks):
                parts[-1] = self._text(piece_ids)
                parts += [self.marks[number], ""]
                piece_ids = []
            else:
                piece_ids.append(number)
        parts[-1] = self._text(piece_ids)
        return "".join(self._exchange_blanks(parts, is_back=True))

    @staticmethod
    def _exchange_blanks(parts: list[str], *, is_back: bool = False) -> list[str]:
        """Exchange the blanks before and behind each opening tag; `is_back` undoes it.

        Every other part is a mark. Tags are taken in order, and backwards in the other order.
        """
        made = list(parts)
        places = [at for at in range(1, len(made), 2) if made[at].endswith(_OPENS)]
        for at in reversed(places) if is_back else places:
            before, behind = made[at - 1].rstrip(" "), made[at + 1].lstrip(" ")
            blanks = made[at - 1][len(before) :]
            more = made[at + 1][: len(made[at + 1]) - len(behind)]
            made[at - 1], made[at + 1] = before + more, blanks + behind
        return made

    def _pieces(self, text: str) -> list[int]:
        encoded: list[int] = self._tokenizer.encode(text, add_special_tokens=False).ids
        return [number + len(self.marks) for number in encoded]

    def _text(self, ids: Sequence[int]) -> str:
        numbers = [number - len(self.marks) for number in ids]
        text: str = self._tokenizer.decode(numbers, skip_special_tokens=False)
        return text

    def to_json(self) -> dict[str, Any]:
        """Return all that rebuilds it."""
        return {"tokenizer": self._tokenizer.to_str(), "size": self._rows, "unused": self._unused}


def read_vocabulary(path: Path) -> Vocabulary:
    """Read a vocabulary; raises ConfigError where it is missing or damaged."""
    try:
        held = json.loads(path.read_text("utf-8"))
        marks: list[str] = held["marks"]
        if held["kind"] == WordVocabulary.kind:
            return WordVocabulary(marks, held["words"])
        if held["kind"] == PretrainedVocabulary.kind:
            tokenizer = Tokenizer.from_str(held["tokenizer"])
            return PretrainedVocabulary(marks, tokenizer, held["size"], held["unused"])
        return BytePairVocabulary.read(marks, held["tokenizer"])
    except OSError:
        raise ConfigError(str(path), "cannot be read", _REMEDY) from None
    except (ValueError, KeyError, TypeError):
        raise ConfigError(str(path), "not a valid vocabulary file", _REMEDY) from None
