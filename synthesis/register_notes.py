"""Notes that authors wrote one by one in many registers: read, told from near copies, filled anew.

`registers/<language>/<register>.txt` holds them, each after a line `=== note author=N`, or
`=== nobody author=N` for one without an identifier. A slot `[[Awa|FIRST_NAME]]` shows an example
of the form that fills it.
"""

import hashlib
import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from record.document import Annotated, Document
from record.errors import ConfigError, Unsafe
from record.folding import fold
from record.label import Label
from record.policy import Policy
from record.span import Span
from surrogates.keys.keys import MasterKey
from surrogates.patient.name_pools import gender_of
from surrogates.patient.text_normalization import apply_case
from surrogates.rewrite import Rewriter
from synthesis.age_spans import cover_age_units

REGISTERS = Path(__file__).with_name("registers")
"""The folder of the notes, which a checkout has and an installation has not."""

HELD_OUT_AUTHORS = frozenset(("2", "8"))
"""Authors of whom no note is trained on."""

HELD_OUT_REGISTERS = frozenset(
    (
        *(("de", "messages"), ("en", "board-minutes"), ("en", "recognition-noise")),
        *(("en", "social-work"), ("es", "messages"), ("es", "psychiatry"), ("es", "tables")),
        *(("fr", "dictation"), ("fr", "pathology-report"), ("nl", "discharge-letter")),
    )
)
"""Language and register of which no note is trained on."""

SHORT_REGISTERS = frozenset(("one-liners",))
"""Registers whose notes may have fewer than `FEWEST_WORDS`."""

FEWEST_WORDS = 40
"""The fewest words that a note has outside its slots."""

_HEAD = re.compile(r"=== (?P<kind>note|nobody) author=(?P<author>\w+)")
_SLOT = re.compile(r"\[\[(?P<text>[^\[\]|]+)\|(?P<label>[A-Z_]+)\]\]")
_WORD = re.compile(r"[^\W_]+")
_RUN = 8
_MOST_SHARED = 0.2
_LABELS = frozenset(label.value for label in Label)
_NAMES = (Label.FIRST_NAME.value, Label.LAST_NAME.value)
# Labels whose examples stand for one another: what authors think of, our lists do not have.
_EXCHANGED = frozenset(
    (
        *_NAMES,
        *(Label.CITY.value, Label.REGION.value, Label.COUNTRY.value, Label.STREET.value),
        *(Label.HOSPITAL.value, Label.ORGANIZATION.value, Label.PROFESSION.value),
    )
)
_CODES = frozenset(
    label.value
    for label in (Label.ID, Label.VISIT_ID, Label.PATIENT_ID, Label.DEVICE_ID, Label.OTHER)
)
_AGE = re.compile(r"\d{1,3}")
_OLDEST_DRAWN = 99
_MINOR = 18
_PAIR, _LONGEST_INITIALS = 2, 4
_LONG_WORD = re.compile(r"[^\W\d_]{4,}")
# Shares of values that stay as the author wrote them, and that another example replaces.
_KEPT, _SWAPPED = 0.2, 0.35


@dataclass(frozen=True, slots=True)
class RegisterNote:
    """A note as its author wrote it, its slots filled with their examples."""

    lang: str
    register: str
    author: str
    number: int
    annotated: Annotated = field(repr=False)

    @property
    def is_held_out(self) -> bool:
        """Whether the note may be used to choose and measure, never to train."""
        register = self.lang, self.register
        return self.author in HELD_OUT_AUTHORS or register in HELD_OUT_REGISTERS


def read_registers(folder: Path = REGISTERS) -> list[RegisterNote]:
    """Read all notes, in order of language, register and place.

    Raises ConfigError where the folder has none, or a file is not written as it should be.
    """
    paths = sorted(folder.glob("*/*.txt"))
    if not paths:
        raise ConfigError(
            "registers", "there are no notes in the folder", "run this from a checkout"
        )
    return [note for path in paths for note in _read_file(path)]


def _read_file(path: Path) -> Iterator[RegisterNote]:
    lang, register = path.parent.name, path.stem
    pieces = re.split(r"^(?==== )", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    for number, piece in enumerate((piece for piece in pieces if piece.strip()), 1):
        head, _, body = piece.partition("\n")
        where = f"{lang}/{path.name}, note {number}"
        found = _HEAD.fullmatch(head.strip())
        if found is None:
            raise ConfigError(where, "its first line is no head", "write `=== note author=N`")
        text, spans = parse_slots(body.strip("\n"), where)
        if bool(spans) == (found["kind"] == "nobody"):
            raise ConfigError(
                where, f"has {len(spans)} slots", "`nobody` has none, `note` at least one"
            )
        document = Document(f"{lang}/{register}/{number}", text, None, lang, kind=register)
        yield RegisterNote(lang, register, found["author"], number, Annotated(document, spans))


def parse_slots(marked: str, where: str) -> tuple[str, tuple[Span, ...]]:
    """Return a text with the examples of its slots, and their spans in it.

    The span of an age covers the unit after it, whether or not the slot does.

    Raises ConfigError, naming `where`, for an unknown label or a slot that is not closed.
    """
    pieces: list[str] = []
    spans: list[Span] = []
    end = length = 0
    for slot in _SLOT.finditer(marked):
        if slot["label"] not in _LABELS:
            raise ConfigError(where, "a slot has an unknown label", "use one of the format's")
        pieces += (marked[end : slot.start()], slot["text"])
        start = length + slot.start() - end
        length = start + len(slot["text"])
        spans.append(Span(start, length, slot["label"]))
        end = slot.end()
    pieces.append(marked[end:])
    text = "".join(pieces)
    if "[[" in text or "]]" in text:
        raise ConfigError(where, "a slot is not closed", "write `[[text|LABEL]]`")
    return text, cover_age_units(text, spans)


# Different notes ----------------------------------------------------------------------------------


def words_outside(note: Annotated) -> list[str]:
    """Return the words of a note outside its slots, in lower case."""
    text, end, found = note.document.text, 0, []
    for span in note.spans:
        found += _WORD.findall(text[end : span.start].lower())
        end = span.end
    return found + _WORD.findall(text[end:].lower())


def find_different(notes: Iterable[RegisterNote]) -> list[RegisterNote]:
    """Return the notes that share at most a fifth of their runs of eight words with one before.

    The words are those outside slots; shorter notes count as one run.
    """
    holders: dict[tuple[str, ...], list[int]] = defaultdict(list)
    kept: list[RegisterNote] = []
    for note in notes:
        words = words_outside(note.annotated)
        runs = {tuple(words[at : at + _RUN]) for at in range(max(1, len(words) - _RUN + 1))}
        shared: dict[int, int] = defaultdict(int)
        for run in runs:
            for holder in holders[run]:
                shared[holder] += 1
        if max(shared.values(), default=0) > _MOST_SHARED * len(runs):
            continue
        for run in runs:
            holders[run].append(len(kept))
        kept.append(note)
    return kept


# Filling ------------------------------------------------------------------------------------------


class RegisterFiller:
    """Fills the slots of notes anew, differently for each number.

    A value of a note becomes the surrogate of its form that a random key draws, or the example of
    another slot of the label, language, gender and form; some stay as they are. Equal values of a
    note stay equal, and what is outside the slots is unchanged.
    """

    def __init__(self, notes: Sequence[RegisterNote], *, seed: int) -> None:
        self._seed = seed
        self._examples = _collect_examples(notes)

    def fill(self, note: RegisterNote, number: int) -> Annotated:
        """Return the note with other values, as the copy of a number."""
        rng = random.Random(f"{self._seed}/{note.annotated.document.note_id}/{number}")  # noqa: S311
        drawn = self._draw_surrogates(note, rng)
        made: dict[tuple[str, str], str] = {}
        document = note.annotated.document
        pieces: list[str] = []
        spans: list[Span] = []
        end = length = 0
        for place, span in enumerate(note.annotated.spans):
            example = document.text[span.start : span.end]
            asked = span.label, fold(example)
            if asked not in made:
                made[asked] = self._choose(note.lang, span.label, example, drawn[place], rng)
            value = apply_case(example, made[asked]) if span.label in _NAMES else made[asked]
            pieces += (document.text[end : span.start], value)
            start = length + span.start - end
            length = start + len(value)
            spans.append(Span(start, length, span.label))
            end = span.end
        pieces.append(document.text[end:])
        filled = Document(
            f"{document.note_id}/{number}", "".join(pieces), None, document.lang, kind=document.kind
        )
        return Annotated(filled, tuple(spans))

    def _draw_surrogates(self, note: RegisterNote, rng: random.Random) -> list[str]:
        """Draw a surrogate for each slot; the example where none can be drawn."""
        document, spans = note.annotated.document, note.annotated.spans
        examples = [document.text[span.start : span.end] for span in spans]
        secret = hashlib.sha256(f"{self._seed}/{rng.random()}".encode()).digest()
        policy = Policy(
            locale=note.lang, times="exact", birth_dates="shift", shift_direction="both"
        )
        rewriter = Rewriter(MasterKey(secret).cohort("registers"), policy)
        try:
            released = rewriter.rewrite(document, spans, None)
        except Unsafe:
            return examples
        return [released.text[span.start : span.end] for span in released.spans]

    def _choose(
        self, lang: str, label: str, example: str, surrogate: str, rng: random.Random
    ) -> str:
        chance = rng.random()
        if chance < _KEPT:
            return example
        if label == Label.AGE:
            return _AGE.sub(lambda found: str(_vary_age(int(found[0]), rng)), example)
        if label in (*_NAMES, Label.NAME) and _is_initials(example):
            return re.sub(r"[^\W\d_]", lambda found: _vary_letter(found[0], rng), example)
        if chance < _KEPT + _SWAPPED and label in _EXCHANGED:
            others = self._examples.get(_form(lang, label, example), ())
            if len(others) > 1:
                return rng.choice(others)
        # Words that no list has would become letters that no author writes.
        if label in _CODES and _LONG_WORD.search(example):
            return example
        return surrogate


def _is_initials(name: str) -> bool:
    """Return whether a name is initials alone: `J.`, `JB`, `A. R.`, `SMcG`."""
    words = _WORD.findall(name)
    return all(len(word) == 1 or (word.isupper() and len(word) == _PAIR) for word in words) or (
        len(words) == 1 and len(name) <= _LONGEST_INITIALS and name[:2].isupper() and name.isalpha()
    )


def _vary_age(age: int, rng: random.Random) -> int:
    """Return an age near another, of a child for a child."""
    if age < _MINOR:
        return max(1, age + rng.randint(-1, 1))
    return min(max(_MINOR, age + rng.randint(-9, 9)), _OLDEST_DRAWN)


def _vary_letter(letter: str, rng: random.Random) -> str:
    """Return a letter in the case of another."""
    drawn = rng.choice("ABCDEFGHIJKLMNOPRSTUVWYZ")
    return drawn if letter.isupper() else drawn.lower()


def _collect_examples(notes: Iterable[RegisterNote]) -> Mapping[tuple[object, ...], list[str]]:
    found: dict[tuple[object, ...], dict[str, None]] = defaultdict(dict)
    for note in notes:
        text = note.annotated.document.text
        for span in note.annotated.spans:
            if span.label in _EXCHANGED:
                example = text[span.start : span.end]
                found[_form(note.lang, span.label, example)][example] = None
    return {form: list(examples) for form, examples in found.items()}


def _form(lang: str, label: str, example: str) -> tuple[object, ...]:
    """Return what two examples have in common that may stand for one another."""
    words = _WORD.findall(example)
    letters = sum(len(word) for word in words)
    case = (example.isupper(), example.islower())
    gender = gender_of(fold(words[0]), lang) if label == Label.FIRST_NAME and words else ""
    is_short = letters <= 2
    return lang, label, len(words), case, gender, is_short, any(map(str.isdigit, example))
