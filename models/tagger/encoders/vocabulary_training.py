"""Training of a subword vocabulary on text, for encoders that are trained from scratch."""

import json
import math
from collections import Counter
from collections.abc import Iterable

from tokenizers import Tokenizer
from tokenizers.models import BPE
from tokenizers.trainers import BpeTrainer

from models.tagger.encoders.subword_models import BLANK, Piece, TokenizerConfig
from models.tagger.encoders.subword_tokenizer import SubwordTokenizer
from models.tagger.encoders.words import words
from record.document import Annotated
from record.span import merge_spans
from record.tokens import is_break

_LONGEST = 16
# Letters and digits that only names and numbers of the notes have must not be unknown.
_ALPHABET = "".join(chr(code) for code in range(0x21, 0x180) if chr(code).isprintable())
_CONFIG = TokenizerConfig(json.dumps({"type": "NFKC"}))


def train_vocabulary(texts: Iterable[str], *, size: int) -> SubwordTokenizer:
    """Train at most so many subwords on the words of texts.

    Pieces are found by merging (Sennrich et al., ACL 2016) and weighed by how often they are
    used: unlike the training of unigram vocabularies in `tokenizers` this gives the same pieces
    with the same weights every time.
    """
    counts: Counter[str] = Counter()
    for text in texts:
        for start, end in words(text):
            if not is_break(text, (start, end)):
                apart = start == 0 or text[start - 1].isspace()
                counts[BLANK * apart + text[start:end]] += 1
    tokenizer = Tokenizer(BPE())
    trainer = BpeTrainer(
        vocab_size=size,
        max_token_length=_LONGEST,
        initial_alphabet=[*_ALPHABET],
        show_progress=False,
    )
    repeated = (word for word in sorted(counts) for _ in range(counts[word]))
    tokenizer.train_from_iterator(repeated, trainer)
    used: Counter[str] = Counter(tokenizer.get_vocab().keys())  # once each: no weight is 0
    for word, count in counts.items():
        for piece in tokenizer.encode(word).tokens:
            used[piece] += count
    total = math.log(used.total() or 1)
    pieces: list[Piece] = [(piece, math.log(used[piece]) - total) for piece in sorted(used)]
    return SubwordTokenizer(pieces, _CONFIG)


def text_outside_spans(notes: Iterable[Annotated]) -> list[str]:
    """Return the texts of notes without what their spans cover.

    A vocabulary is not confidential: names in it would reveal that they occur in the notes.
    """
    texts = []
    for note in notes:
        parts, at = [], 0
        for start, end in merge_spans(note.spans):
            parts.append(note.document.text[at:start])
            at = max(at, end)
        texts.append(" ".join([*parts, note.document.text[at:]]))
    return texts
