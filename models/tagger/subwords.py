"""Words as pieces of an encoder's vocabulary, with line breaks that the encoder can see."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from tokenizers import Tokenizer, normalizers
from tokenizers.models import Unigram

from models.tagger.words import words
from record.errors import ConfigError
from record.tokens import Token, is_break

MARKS = ("<s>", "<pad>", "</s>", "<unk>", "<mask>", "<newline>")
"""The marks that open every vocabulary; the id of a mark is its place here."""

START, PADDING, END, UNKNOWN, MASK, NEWLINE = range(len(MARKS))

_BLANK = "\u2581"  # stands for the blank before a word in unigram vocabularies
_LONGEST = 16
_CACHED = 200_000

Piece = tuple[str, float]
"""A piece of the vocabulary and its logarithmic probability."""


class SubWords:
    """Cuts words into the pieces of a unigram vocabulary (Kudo, ACL 2018), each word for itself.

    A piece never reaches over the border of a word, so that whatever is made of words can be
    labelled exactly; a vocabulary's own way of cutting misses 6 % of the spans of MEDDOCAN. The
    first piece of a word tells whether a blank stands before it. A run of line breaks is one
    piece, `NEWLINE`. Of a word with more than 16 pieces the first 16 count.
    """

    def __init__(self, pieces: Sequence[Piece], normalizer: str) -> None:
        self.pieces = tuple(pieces)
        self.normalizer = normalizer
        marks = [(mark, 0.0) for mark in MARKS]
        self._model = Unigram([*marks, *self.pieces], unk_id=UNKNOWN, byte_fallback=False)
        self._normalizer = _normalizer(normalizer)
        self._known: dict[str, tuple[int, ...]] = {}

    def __len__(self) -> int:
        return len(MARKS) + len(self.pieces)

    def __repr__(self) -> str:
        return f"<{len(self)} pieces>"

    @classmethod
    def load(cls, path: Path) -> "SubWords":
        """Read what `save` wrote. Raises ConfigError."""
        try:
            held = json.loads(path.read_text("utf-8"))
            return cls(
                [(piece, float(score)) for piece, score in held["pieces"]], held["normalizer"]
            )
        except OSError as error:
            problem = f"cannot be read: {error.strerror}"
        except (ValueError, KeyError, TypeError):
            problem = "is no vocabulary"
        raise ConfigError(path.name, problem, "name a folder that `cryptonym train` wrote")

    def save(self, path: Path) -> None:
        """Write the vocabulary as JSON."""
        held = {"normalizer": self.normalizer, "pieces": self.pieces}
        path.write_text(json.dumps(held, ensure_ascii=False), "utf-8")

    def of(self, text: str) -> tuple[list[Token], list[tuple[int, ...]]]:
        """Give the words of a text and for each the ids of its pieces, at least one."""
        cut = words(text)
        return cut, [self._ids(text, word) for word in cut]

    def _ids(self, text: str, word: Token) -> tuple[int, ...]:
        if is_break(text, word):
            return (NEWLINE,)
        start, end = word
        apart = start == 0 or text[start - 1].isspace()
        written = f"{_BLANK}{text[start:end]}" if apart else text[start:end]
        found = self._known.get(written)
        if found is None:
            found = self._cut(text[start:end], apart=apart)
            if len(self._known) < _CACHED:
                self._known[written] = found
        return found

    def _cut(self, word: str, *, apart: bool) -> tuple[int, ...]:
        plain = self._normalizer.normalize_str(word).strip().replace(" ", _BLANK)
        written = _BLANK + plain if apart else plain
        pieces = self._model.tokenize(written)[:_LONGEST] if plain else []
        return tuple(piece.id for piece in pieces) or (UNKNOWN,)


def _normalizer(serialized: str) -> normalizers.Normalizer:
    # Only a whole tokenizer can be read; the model in it is never asked.
    whole = {
        "version": "1.0",
        "added_tokens": [],
        "normalizer": json.loads(serialized),
        "model": {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0]]},
    }
    normalizer: normalizers.Normalizer = Tokenizer.from_str(json.dumps(whole)).normalizer
    return normalizer


def trimmed(path: Path, texts: Iterable[str], *, size: int) -> tuple[SubWords, list[int]]:
    """Keep of a `tokenizer.json` the pieces that texts need, then the most probable, up to a size.

    Pieces in letters of the texts come before all others, so that names, which texts without their
    spans do not show, are not cut small for the sake of scripts that nobody writes there.
    Gives the vocabulary and, for each of its pieces in order, the id it had in the file: the rows
    of the encoder's embeddings that stay. Single characters stay, so that any word of known
    letters can still be cut.
    """
    held = json.loads(path.read_text("utf-8"))
    vocabulary: list[Piece] = [(piece, score) for piece, score in held["model"]["vocab"]]
    marks = {mark["content"] for mark in held["added_tokens"]}
    plain = [(row, piece) for row, piece in enumerate(vocabulary) if piece[0] not in marks]
    normalizer = json.dumps(held["normalizer"])
    whole = SubWords([piece for _, piece in plain], normalizer)
    held_texts = list(texts)
    needed = {
        number - len(MARKS) for text in held_texts for ids in whole.of(text)[1] for number in ids
    }
    letters = {_BLANK}.union(*held_texts)
    likely = sorted(
        range(len(plain)),
        key=lambda at: (not letters.issuperset(plain[at][1][0]), -plain[at][1][1]),
    )
    single = {at for at in likely if len(plain[at][1][0]) == 1}
    kept = {at for at in needed if at >= 0} | single
    for at in likely:
        if len(kept) >= size:
            break
        kept.add(at)
    rows = sorted(kept)
    return SubWords([plain[at][1] for at in rows], normalizer), [plain[at][0] for at in rows]
