"""The tokenizer of encoders: words as subword ids, with a token of its own for line breaks."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from models.tagger.encoders.subword_models import (
    BLANK,
    NEWLINE,
    SPECIAL_TOKENS,
    UNKNOWN,
    Piece,
    TokenizerConfig,
    make_segmenter,
    read_pieces,
)
from models.tagger.encoders.words import words
from record.errors import ConfigError
from record.tokens import Token, is_break

_LONGEST = 16
_CACHED = 200_000


class SubwordTokenizer:
    """Segments words into subwords, each word independently.

    The vocabulary is one of unigrams (Kudo, ACL 2018), word pieces (Schuster and Nakajima, ICASSP
    2012) or pairs of bytes (Sennrich et al., ACL 2016; Radford et al., 2019). A piece never
    reaches over the border of a word, so that whatever is made of words can be labelled exactly; a
    vocabulary's own way of cutting misses 6 % of the spans of MEDDOCAN. The first piece of a word
    tells whether a blank stands before it, but among word pieces. A run of line breaks is one
    piece, `NEWLINE`. Of a word with more than 16 pieces the first 16 count.
    """

    def __init__(self, pieces: Sequence[Piece], config: TokenizerConfig) -> None:
        self.pieces = tuple(pieces)
        self.config = config
        self._segment = make_segmenter(self.pieces, config)
        self._known: dict[tuple[str, bool], tuple[int, ...]] = {}

    def __len__(self) -> int:
        return len(SPECIAL_TOKENS) + len(self.pieces)

    def __repr__(self) -> str:
        return f"<{len(self)} pieces>"

    @classmethod
    def load(cls, path: Path) -> "SubwordTokenizer":
        """Read what `save` wrote. Raises ConfigError."""
        try:
            held = json.loads(path.read_text("utf-8"))
            pieces = [(piece, float(score)) for piece, score in held.pop("pieces")]
            return cls(pieces, TokenizerConfig.from_json(held))
        except OSError as error:
            problem = f"cannot be read: {error.strerror}"
        except (ValueError, KeyError, TypeError):
            problem = "not a valid vocabulary file"
        raise ConfigError(path.name, problem, "give a folder written by `cryptonym train`")

    def save(self, path: Path) -> None:
        """Write the vocabulary as JSON."""
        held = {**self.config.to_json(), "pieces": self.pieces}
        path.write_text(json.dumps(held, ensure_ascii=False), "utf-8")

    def of(self, text: str) -> tuple[list[Token], list[tuple[int, ...]]]:
        """Return the words of a text and for each the ids of its pieces, at least one."""
        cut = words(text)
        return cut, [self._ids(text, word) for word in cut]

    def _ids(self, text: str, word: Token) -> tuple[int, ...]:
        if is_break(text, word):
            return (NEWLINE,)
        start, end = word
        apart = start == 0 or text[start - 1].isspace()
        asked = text[start:end], apart
        found = self._known.get(asked)
        if found is None:
            found = tuple(self._segment(text[start:end], apart=apart)[:_LONGEST]) or (UNKNOWN,)
            if len(self._known) < _CACHED:
                self._known[asked] = found
        return found


def trim_vocabulary(
    path: Path, texts: Iterable[str], *, size: int
) -> tuple[SubwordTokenizer, list[int]]:
    """Reduce a `tokenizer.json` to the subwords that texts need, then the most probable ones.

    Pieces in letters of the texts come before all others, so that names, which texts without their
    spans do not show, are not cut small for the sake of scripts that nobody writes there. Where a
    vocabulary tells no probabilities its order counts.
    Returns the vocabulary and, for each of its pieces in order, the id it had in the file: the rows
    of the encoder's embeddings that stay. Single characters stay, so that any word of known
    letters can still be cut, as do the pieces that others are made of.
    """
    held = json.loads(path.read_text("utf-8"))
    pieces_by_id, config = read_pieces(held), TokenizerConfig.from_tokenizer_json(held)
    whole = SubwordTokenizer([piece for _, piece in pieces_by_id], config)
    held_texts = list(texts)
    needed = {
        number - len(SPECIAL_TOKENS)
        for text in held_texts
        for ids in whole.of(text)[1]
        for number in ids
    }
    letters = {BLANK, " "}.union(*held_texts)
    names = [piece for _, (piece, _) in pieces_by_id]
    likely = sorted(
        range(len(pieces_by_id)),
        key=lambda at: (not letters.issuperset(config.surface(names[at])), -pieces_by_id[at][1][1]),
    )
    single = {at for at in likely if config.is_single_symbol(names[at])}
    kept = {at for at in needed if at >= 0} | single
    for at in likely:
        if len(kept) >= size:
            break
        kept.add(at)
    closed = config.with_components({names[at] for at in kept})
    rows = [at for at, name in enumerate(names) if name in closed]
    fewer = config.restricted_to(closed)
    return SubwordTokenizer([pieces_by_id[at][1] for at in rows], fewer), [
        pieces_by_id[at][0] for at in rows
    ]
