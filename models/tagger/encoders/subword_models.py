"""How vocabularies cut words into pieces: unigrams, word pieces, or pairs of bytes."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Protocol

from tokenizers import Tokenizer, decoders, normalizers
from tokenizers.models import Unigram

MARKS = ("<s>", "<pad>", "</s>", "<unk>", "<mask>", "<newline>")
"""The marks that open every vocabulary; the id of a mark is its place here."""

START, PADDING, END, UNKNOWN, MASK, NEWLINE = range(len(MARKS))

BLANK = "\u2581"
"""Stands for the blank before a word in unigram vocabularies."""

Piece = tuple[str, float]
"""A piece of the vocabulary and its logarithmic probability; 0 where the vocabulary tells none."""

UNIGRAM, WORD_PIECES, BYTE_PAIRS = "Unigram", "WordPiece", "BPE"


@dataclass(frozen=True)
class Way:
    """The way of a vocabulary to cut words: what its `tokenizer.json` says beside the pieces.

    `normalizer` and `splitter` (its `pre_tokenizer`) are JSON. Of word pieces those that go on
    with a word begin with `prefix`. `merges` are the pairs that make the pieces of byte pairs,
    the first to be made first.
    """

    normalizer: str
    kind: str = UNIGRAM
    splitter: str = "null"
    prefix: str = ""
    merges: tuple[tuple[str, str], ...] = ()

    @classmethod
    def told(cls, held: Mapping[str, Any]) -> "Way":
        """Read what a `tokenizer.json` or a saved vocabulary tells.

        Raises ValueError for another kind of model, KeyError or TypeError where something is
        missing.
        """
        model = held["model"]
        kind = model.get("type", UNIGRAM)
        normalizer = json.dumps(held["normalizer"])
        if kind == UNIGRAM:
            return cls(normalizer)
        splitter = json.dumps(_without_blank(held["pre_tokenizer"]))
        if kind == WORD_PIECES:
            return cls(normalizer, kind, splitter, model["continuing_subword_prefix"])
        if kind != BYTE_PAIRS or '"ByteLevel"' not in splitter:
            raise ValueError("no vocabulary of unigrams, word pieces or pairs of bytes")
        pairs = (pair.split(" ") if isinstance(pair, str) else pair for pair in model["merges"])
        return cls(normalizer, kind, splitter, merges=tuple((one, other) for one, other in pairs))

    @classmethod
    def loaded(cls, saved: Mapping[str, Any]) -> "Way":
        """Read what `saved` gave. Raises TypeError or ValueError."""
        merges = tuple((one, other) for one, other in saved.get("merges", ()))
        return cls(**{**saved, "merges": merges})

    def saved(self) -> dict[str, Any]:
        """Return what tells this way from that of unigrams, as JSON."""
        told = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in told.items() if value != _DEFAULTS.get(name)}

    def tell(self) -> dict[str, Any]:
        """Return what `told` reads, but for the pieces."""
        model: dict[str, Any] = {"type": self.kind}
        if self.kind == WORD_PIECES:
            model["continuing_subword_prefix"] = self.prefix
        if self.kind == BYTE_PAIRS:
            model["merges"] = [list(pair) for pair in self.merges]
        held = {"normalizer": json.loads(self.normalizer), "model": model}
        return held if self.kind == UNIGRAM else held | {"pre_tokenizer": json.loads(self.splitter)}

    def written(self, piece: str) -> str:
        """Return the signs that a piece stands for in a text, a blank before a word among them."""
        if self.kind == BYTE_PAIRS:
            return _BYTES.decode([piece])
        return piece.removeprefix(self.prefix) if self.prefix else piece

    def whole(self, piece: str) -> str:
        """Return the word that a piece is by itself; empty where it is part of one."""
        if self.kind == WORD_PIECES:
            word = "" if piece.startswith(self.prefix) else piece
        elif self.kind == BYTE_PAIRS:
            written = self.written(piece)
            word = written[1:] if written.startswith(" ") else ""
        else:
            word = piece[1:] if piece.startswith(BLANK) else ""
        return word if word.isalpha() else ""

    def is_single(self, piece: str) -> bool:
        """Return whether a piece is one character, or one byte: any word can be cut into such."""
        return len(piece.removeprefix(self.prefix) if self.prefix else piece) == 1

    def among(self, kept: set[str]) -> "Way":
        """Return the way of fewer pieces: pairs of others are not made."""
        merges = tuple(pair for pair in self.merges if kept.issuperset((*pair, "".join(pair))))
        return Way(self.normalizer, self.kind, self.splitter, self.prefix, merges)

    def closed(self, pieces: set[str]) -> set[str]:
        """Add to pieces all that they are made of, one pair after the other."""
        made = {"".join(pair): pair for pair in self.merges}
        found, waiting = set(pieces), list(pieces)
        while waiting:
            for part in made.get(waiting.pop(), ()):
                if part not in found:
                    found.add(part)
                    waiting.append(part)
        return found


class Cutter(Protocol):
    """Cuts a word into the ids of its pieces; `apart` tells that a blank stands before it."""

    def __call__(self, word: str, *, apart: bool) -> list[int]: ...


def make_cutter(pieces: Sequence[Piece], way: Way) -> Cutter:
    """Return what cuts words into pieces, whose ids follow those of the marks.

    Raises ValueError where a piece stands twice.
    """
    return _unigrams(pieces, way) if way.kind == UNIGRAM else _others(pieces, way)


def vocabulary(held: Mapping[str, Any]) -> list[tuple[int, Piece]]:
    """Read the pieces of a `tokenizer.json` with their ids, in order, without the marks."""
    found = held["model"]["vocab"]
    if isinstance(found, Mapping):
        rows = sorted((int(row), (piece, 0.0)) for piece, row in found.items())
    else:
        rows = [(row, (piece, float(score))) for row, (piece, score) in enumerate(found)]
    marks = {mark["content"] for mark in held["added_tokens"]}
    return [(row, piece) for row, piece in rows if piece[0] not in marks]


def described(pieces: Sequence[Piece], way: Way) -> dict[str, Any]:
    """Return what a `tokenizer.json` says of the marks and pieces, whose ids follow one another.

    Raises ValueError where a piece stands twice.
    """
    held = way.tell()
    model, marked = held["model"], [*((mark, 0.0) for mark in MARKS), *pieces]
    if way.kind == UNIGRAM:
        model |= {"unk_id": UNKNOWN, "vocab": marked}
        return held
    model |= {
        "unk_token": MARKS[UNKNOWN],
        "vocab": {name: at for at, (name, _) in enumerate(marked)},
    }
    if len(model["vocab"]) < len(marked):
        raise ValueError("a piece stands twice in the vocabulary")
    if way.kind == WORD_PIECES:
        model["max_input_chars_per_word"] = _LONGEST_WORD
    return held


def mark_rows(held: Mapping[str, Any]) -> list[int]:
    """Return the id in a `tokenizer.json` of each mark; line breaks start as the end of a sentence.

    Raises KeyError where one is missing.
    """
    found = held["model"]["vocab"]
    numbers = {piece: int(row) for piece, row in found.items()} if isinstance(found, dict) else {}
    numbers |= {mark["content"]: int(mark["id"]) for mark in held["added_tokens"]}
    names = _BERT if _BERT[START] in numbers else MARKS[:NEWLINE]
    rows = [numbers[name] for name in names]
    return [*rows, numbers.get(MARKS[NEWLINE], rows[END])]


_DEFAULTS = {each.name: each.default for each in fields(Way)}
_BERT = ("[CLS]", "[PAD]", "[SEP]", "[UNK]", "[MASK]")
_BYTES = decoders.ByteLevel()


def _unigrams(pieces: Sequence[Piece], way: Way) -> Cutter:
    marks = [(mark, 0.0) for mark in MARKS]
    model = Unigram([*marks, *pieces], unk_id=UNKNOWN, byte_fallback=False)
    normalizer = _normalizer(way)

    def cut(word: str, *, apart: bool) -> list[int]:
        plain = normalizer.normalize_str(word).strip().replace(" ", BLANK)
        written = BLANK + plain if apart else plain
        return [piece.id for piece in model.tokenize(written)] if plain else []

    return cut


def _others(pieces: Sequence[Piece], way: Way) -> Cutter:
    # A mark that is written in a note is no mark: none is among those that are looked for.
    whole = {"version": "1.0", "added_tokens": [], **described(pieces, way)}
    tokenizer: Tokenizer = Tokenizer.from_str(json.dumps(whole))
    blank = " " if way.kind == BYTE_PAIRS else ""

    def cut(word: str, *, apart: bool) -> list[int]:
        found: list[int] = tokenizer.encode(blank * apart + word, add_special_tokens=False).ids
        return found

    return cut


_LONGEST_WORD = 100


def _normalizer(way: Way) -> normalizers.Normalizer:
    # Only a whole tokenizer can be read; the model in it is never asked.
    whole = {
        "version": "1.0",
        "added_tokens": [],
        "normalizer": json.loads(way.normalizer),
        "model": {"type": UNIGRAM, "unk_id": 0, "vocab": [["<unk>", 0.0]]},
    }
    normalizer: normalizers.Normalizer = Tokenizer.from_str(json.dumps(whole)).normalizer
    return normalizer


def _without_blank(splitter: Any) -> Any:
    """Let no splitter put a blank before what it is given: it is told where one stands."""
    if isinstance(splitter, Mapping):
        held = {name: _without_blank(value) for name, value in splitter.items()}
        return held | {"add_prefix_space": False} if held.get("type") == "ByteLevel" else held
    return [_without_blank(each) for each in splitter] if isinstance(splitter, list) else splitter
