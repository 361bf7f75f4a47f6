"""Subword segmentation by unigram, WordPiece and byte-level BPE vocabularies."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Protocol

from tokenizers import Tokenizer, decoders, normalizers
from tokenizers.models import Unigram

SPECIAL_TOKENS = ("<s>", "<pad>", "</s>", "<unk>", "<mask>", "<newline>")
"""The marks that open every vocabulary; the id of a mark is its place here."""

START, PADDING, END, UNKNOWN, MASK, NEWLINE = range(len(SPECIAL_TOKENS))

BLANK = "\u2581"
"""Stands for the blank before a word in unigram vocabularies."""

Piece = tuple[str, float]
"""A subword and its log probability; 0 if the vocabulary has no probabilities."""

UNIGRAM, WORD_PIECES, BYTE_PAIRS = "Unigram", "WordPiece", "BPE"


@dataclass(frozen=True)
class TokenizerConfig:
    """The settings of a tokenizer besides its subwords, as in `tokenizer.json`.

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
    def from_tokenizer_json(cls, held: Mapping[str, Any]) -> "TokenizerConfig":
        """Read a `tokenizer.json` or a saved vocabulary.

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
            raise ValueError("the tokenizer model must be Unigram, WordPiece or byte-level BPE")
        pairs = (pair.split(" ") if isinstance(pair, str) else pair for pair in model["merges"])
        return cls(normalizer, kind, splitter, merges=tuple((one, other) for one, other in pairs))

    @classmethod
    def from_json(cls, held: Mapping[str, Any]) -> "TokenizerConfig":
        """Read the result of `to_json`. Raises TypeError or ValueError."""
        merges = tuple((one, other) for one, other in held.get("merges", ()))
        return cls(**{**held, "merges": merges})

    def to_json(self) -> dict[str, Any]:
        """Return the settings that differ from the defaults, as JSON."""
        settings = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in settings.items() if value != _DEFAULTS.get(name)}

    def to_tokenizer_json(self) -> dict[str, Any]:
        """Return the part of a `tokenizer.json` besides the subwords."""
        model: dict[str, Any] = {"type": self.kind}
        if self.kind == WORD_PIECES:
            model["continuing_subword_prefix"] = self.prefix
        if self.kind == BYTE_PAIRS:
            model["merges"] = [list(pair) for pair in self.merges]
        held = {"normalizer": json.loads(self.normalizer), "model": model}
        return held if self.kind == UNIGRAM else held | {"pre_tokenizer": json.loads(self.splitter)}

    def surface(self, piece: str) -> str:
        """Return the characters that a subword stands for, including a blank before a word."""
        if self.kind == BYTE_PAIRS:
            return _BYTES.decode([piece])
        return piece.removeprefix(self.prefix) if self.prefix else piece

    def whole_word(self, piece: str) -> str:
        """Return the word that a subword is by itself; empty if it is part of one."""
        if self.kind == WORD_PIECES:
            word = "" if piece.startswith(self.prefix) else piece
        elif self.kind == BYTE_PAIRS:
            text = self.surface(piece)
            word = text[1:] if text.startswith(" ") else ""
        else:
            word = piece[1:] if piece.startswith(BLANK) else ""
        return word if word.isalpha() else ""

    def is_single_symbol(self, piece: str) -> bool:
        """Return whether a subword is one character or byte."""
        return len(piece.removeprefix(self.prefix) if self.prefix else piece) == 1

    def restricted_to(self, kept: set[str]) -> "TokenizerConfig":
        """Return the settings for fewer subwords, without merges that use others."""
        merges = tuple(pair for pair in self.merges if kept.issuperset((*pair, "".join(pair))))
        return TokenizerConfig(self.normalizer, self.kind, self.splitter, self.prefix, merges)

    def with_components(self, pieces: set[str]) -> set[str]:
        """Add to subwords all those that they are merged from."""
        made = {"".join(pair): pair for pair in self.merges}
        found, waiting = set(pieces), list(pieces)
        while waiting:
            for part in made.get(waiting.pop(), ()):
                if part not in found:
                    found.add(part)
                    waiting.append(part)
        return found


class WordSegmenter(Protocol):
    """Segments a word into subword ids; `apart` means that a blank precedes it."""

    def __call__(self, word: str, *, apart: bool) -> list[int]: ...


def make_segmenter(pieces: Sequence[Piece], config: TokenizerConfig) -> WordSegmenter:
    """Return the segmenter of a vocabulary, whose ids follow those of the special tokens.

    Raises ValueError where a piece stands twice.
    """
    if config.kind == UNIGRAM:
        return _unigram_segmenter(pieces, config)
    # Without added tokens, so that special tokens written in a note are ordinary text.
    held = {"version": "1.0", "added_tokens": [], **tokenizer_json(pieces, config)}
    tokenizer: Tokenizer = Tokenizer.from_str(json.dumps(held))
    blank = " " if config.kind == BYTE_PAIRS else ""

    def cut(word: str, *, apart: bool) -> list[int]:
        found: list[int] = tokenizer.encode(blank * apart + word, add_special_tokens=False).ids
        return found

    return cut


def read_pieces(held: Mapping[str, Any]) -> list[tuple[int, Piece]]:
    """Read the subwords of a `tokenizer.json` with their ids, in order, without special tokens."""
    found = held["model"]["vocab"]
    if isinstance(found, Mapping):
        rows = sorted((int(row), (piece, 0.0)) for piece, row in found.items())
    else:
        rows = [(row, (piece, float(score))) for row, (piece, score) in enumerate(found)]
    marks = {mark["content"] for mark in held["added_tokens"]}
    return [(row, piece) for row, piece in rows if piece[0] not in marks]


def tokenizer_json(pieces: Sequence[Piece], config: TokenizerConfig) -> dict[str, Any]:
    """Return the content of a `tokenizer.json` with special tokens and consecutive subword ids.

    Raises ValueError where a piece stands twice.
    """
    held = config.to_tokenizer_json()
    model, marked = held["model"], [*((mark, 0.0) for mark in SPECIAL_TOKENS), *pieces]
    if config.kind == UNIGRAM:
        model |= {"unk_id": UNKNOWN, "vocab": marked}
        return held
    model |= {
        "unk_token": SPECIAL_TOKENS[UNKNOWN],
        "vocab": {name: at for at, (name, _) in enumerate(marked)},
    }
    if len(model["vocab"]) < len(marked):
        raise ValueError("a vocabulary must not contain a subword twice")
    if config.kind == WORD_PIECES:
        model["max_input_chars_per_word"] = _LONGEST_WORD
    return held


def special_token_rows(held: Mapping[str, Any]) -> list[int]:
    """Return the id in a `tokenizer.json` of each special token; NEWLINE defaults to END's.

    Raises KeyError where one is missing.
    """
    found = held["model"]["vocab"]
    numbers = {piece: int(row) for piece, row in found.items()} if isinstance(found, dict) else {}
    numbers |= {mark["content"]: int(mark["id"]) for mark in held["added_tokens"]}
    names = _BERT if _BERT[START] in numbers else SPECIAL_TOKENS[:NEWLINE]
    rows = [numbers[name] for name in names]
    return [*rows, numbers.get(SPECIAL_TOKENS[NEWLINE], rows[END])]


_DEFAULTS = {each.name: each.default for each in fields(TokenizerConfig)}
_BERT = ("[CLS]", "[PAD]", "[SEP]", "[UNK]", "[MASK]")
_BYTES = decoders.ByteLevel()


def _unigram_segmenter(pieces: Sequence[Piece], config: TokenizerConfig) -> WordSegmenter:
    marks = [(mark, 0.0) for mark in SPECIAL_TOKENS]
    model = Unigram([*marks, *pieces], unk_id=UNKNOWN, byte_fallback=False)
    # Only a whole tokenizer can be read; the model in it is never asked.
    held = {
        "version": "1.0",
        "added_tokens": [],
        "normalizer": json.loads(config.normalizer),
        "model": {"type": UNIGRAM, "unk_id": 0, "vocab": [["<unk>", 0.0]]},
    }
    normalizer: normalizers.Normalizer = Tokenizer.from_str(json.dumps(held)).normalizer

    def cut(word: str, *, apart: bool) -> list[int]:
        plain = normalizer.normalize_str(word).strip().replace(" ", BLANK)
        marked = BLANK + plain if apart else plain
        return [piece.id for piece in model.tokenize(marked)] if plain else []

    return cut


_LONGEST_WORD = 100


def _without_blank(splitter: Any) -> Any:
    """Disable the leading blank of byte-level pre-tokenizers: `apart` says where one belongs."""
    if isinstance(splitter, Mapping):
        held = {name: _without_blank(value) for name, value in splitter.items()}
        return held | {"add_prefix_space": False} if held.get("type") == "ByteLevel" else held
    return [_without_blank(each) for each in splitter] if isinstance(splitter, list) else splitter
