"""What hurried typing and old software do to a text: typos, glued words, double blanks, wraps."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from record.folding import fold
from synthesis.fictional.notes.planted_text import TextPiece

_LONG_WORD = re.compile(r"(?<![\w-])[^\W\d_]{6,}(?![\w-])")


@dataclass(frozen=True, slots=True)
class Habits:
    """How often a writer errs: each rate is a chance for one opportunity.

    `width` is where an old program breaks lines, in characters; 0 where it does not.
    """

    typos: float = 0.0
    glue: float = 0.0
    double_blanks: float = 0.0
    width: int = 0


def draw_habits(rng: Random) -> Habits:
    """Draw a writer: half are careful, a few type badly."""
    draw = rng.random()
    width = rng.choice((78, 92, 110)) if rng.random() < 0.15 else 0
    if draw < 0.5:
        return Habits(width=width)
    if draw < 0.85:
        return Habits(typos=0.03, glue=0.01, double_blanks=0.02, width=width)
    return Habits(typos=0.10, glue=0.04, double_blanks=0.06, width=width)


def disturb(
    pieces: Sequence[TextPiece], rng: Random, habits: Habits, avoid: frozenset[str]
) -> list[TextPiece]:
    """Disturb the plain pieces; planted ones stay as they are.

    `avoid` holds folded words that a typo must not make by chance: the patient's own names.
    """
    disturbed = list(pieces)
    if habits.typos or habits.glue or habits.double_blanks:
        _mistype(disturbed, rng, habits, avoid)
        _glue(disturbed, rng, habits.glue)
    if habits.width:
        _wrap(disturbed, habits.width)
    return [piece for piece in disturbed if piece.text]


def _mistype(pieces: list[TextPiece], rng: Random, habits: Habits, avoid: frozenset[str]) -> None:
    for index, piece in enumerate(pieces):
        text = piece.text
        if piece.label or len(text) < 12:
            continue
        if rng.random() < habits.typos:
            text = _typo(text, rng, avoid)
        if rng.random() < habits.double_blanks and " " in text[1:-1]:
            at = text.index(" ", 1)
            text = f"{text[:at]} {text[at:]}"
        pieces[index] = TextPiece(text)


def _typo(text: str, rng: Random, avoid: frozenset[str]) -> str:
    words = list(_LONG_WORD.finditer(text))
    if not words:
        return text
    word = rng.choice(words)
    at = rng.randint(1, len(word.group()) - 3)
    letters = list(word.group())
    draw = rng.random()
    if draw < 0.4:
        letters[at], letters[at + 1] = letters[at + 1], letters[at]
    elif draw < 0.7:
        del letters[at]
    else:
        letters.insert(at, letters[at])
    wrong = "".join(letters)
    if fold(wrong) in avoid:
        return text
    return text[: word.start()] + wrong + text[word.end() :]


def _glue(pieces: list[TextPiece], rng: Random, rate: float) -> None:
    """Drop the blank between a planted value and the word beside it: `Dr DUPONTle 12/03`.

    Only where case or kind of character still shows the seam to a reader.
    """
    for index in range(1, len(pieces)):
        left, right = pieces[index - 1], pieces[index]
        if not left.text or not right.text or rng.random() >= rate:
            continue
        if left.label and not right.label and _seam(left.text, right.text[1:2], right.text[:1]):
            pieces[index] = TextPiece(right.text[1:])
        elif right.label in ("DATE", "BIRTH_DATE") and not left.label:
            if left.text[-1] == " " and left.text[-2:-1].isalpha() and right.text[0].isdigit():
                pieces[index - 1] = TextPiece(left.text[:-1])
        elif index > 1 and left.text == " " and right.label == "LAST_NAME":
            before = pieces[index - 2]
            if before.label == "FIRST_NAME" and before.text[-1].islower():
                pieces[index - 1] = TextPiece("")


def _seam(value: str, following: str, blank: str) -> bool:
    if blank != " " or not following.isalpha():
        return False
    last = value[-1]
    return last.isdigit() or (last.isupper() and following.islower())


def _wrap(pieces: list[TextPiece], width: int) -> None:
    """Break long lines at plain blanks."""
    column = 0
    for index, (text, label, _) in enumerate(pieces):
        if label:
            column += len(text)
            continue
        wrapped = []
        for part in re.split(r"( |\n)", text):
            breaks = part == "\n" or (part == " " and column >= width)
            column = 0 if breaks else column + len(part)
            wrapped.append("\n" if breaks else part)
        pieces[index] = TextPiece("".join(wrapped))
