"""Splitting of annotated notes into train, dev and test by patient, without near-duplicates."""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from record.document import Annotated
from record.errors import Unreadable
from record.tokens import tokens
from synthesis.markup import PAR, encode

SPLITS = ("train", "dev", "test")
SHARES = (0.8, 0.1, 0.1)

PLACEHOLDER = "deidentified"

_OPENING = 3  # words
_SHINGLE = 5  # words that follow one another
_SKETCH = 64  # smallest hashes of shingles that stand for a note
_SIMILARITY = 0.9  # of a note's sketch that another one shares
_MARK = re.compile(r"<\w[^<>\s]*>")
_PLACEHOLDERS = re.compile(r"\[\*\*[^\]]*\*\*\]|\[[A-Z][A-Z_ -]*\d*\]")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[^\W\d_a-zß-öø-ÿ])|(?<=:)\s+")


@dataclass(frozen=True)
class SplitNote:
    """A note of the corpus, its text with tags, and the part it belongs to."""

    note: Annotated = field(repr=False)
    marked: str = field(repr=False)
    split: str


@dataclass
class SplitCorpus:
    """The notes of a corpus, and the number of rejected ones by reason."""

    notes: list[SplitNote] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)

    def part(self, split: str) -> list[SplitNote]:
        """Return the notes of one part."""
        return [each for each in self.notes if each.split == split]


def split_notes(
    notes: Iterable[Annotated],
    *,
    seed: int,
    encode_note: Callable[[Annotated], str] = encode,
    shares: Sequence[float] = SHARES,
) -> SplitCorpus:
    """Split notes by patient into train, dev and test, and encode them with tags.

    A patient's part depends on the seed and the patient alone; a note without one stands for
    itself. Empty notes, nested spans, and held-out notes that repeat or nearly repeat one of
    train are left out and counted.
    """
    parting = SplitCorpus()
    for note in notes:
        if not note.document.text.strip():
            parting.refused["empty"] += 1
            continue
        try:
            marked = encode_note(note)
        except Unreadable as error:
            parting.refused[error.reason] += 1
            continue
        owner = owner_of(note.document.person_id, note.document.note_id)
        parting.notes.append(SplitNote(note, marked, _split(owner, seed, shares)))
    seen = _NearDuplicateIndex(each.note.document.text for each in parting.part("train"))
    kept = []
    for each in parting.notes:
        if each.split != "train" and seen.contains(each.note.document.text):
            parting.refused["repeats-train"] += 1
        else:
            kept.append(each)
    parting.notes = kept
    return parting


def owner_of(person_id: str | None, note_id: str) -> str:
    """Return the owner of a note: the patient, or the note itself if it has none."""
    return person_id or f"note {note_id}"


def _split(owner: str, seed: int, shares: Sequence[float]) -> str:
    drawn = hashlib.blake2b(f"{seed}/{owner}".encode(), digest_size=8).digest()
    place = int.from_bytes(drawn) / 2**64 * sum(shares)
    for split, share in zip(SPLITS, shares, strict=True):
        if place < share:
            return split
        place -= share
    return SPLITS[-1]


class _NearDuplicateIndex:
    """Index of texts by the smallest hashes of their word n-grams (Broder, 1997)."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._whole: set[bytes] = set()
        self._notes_by_hash: defaultdict[int, list[int]] = defaultdict(list)
        for number, text in enumerate(texts):
            self._whole.add(_normalized_hash(text))
            for hashed in _min_hashes(text):
                self._notes_by_hash[hashed].append(number)

    def contains(self, text: str) -> bool:
        """Return whether the index contains this text or a near-duplicate."""
        if _normalized_hash(text) in self._whole:
            return True
        sketch = _min_hashes(text)
        shared = Counter(
            number for hashed in sketch for number in self._notes_by_hash.get(hashed, ())
        )
        return bool(shared) and max(shared.values()) >= _SIMILARITY * len(sketch)


def _normalized_hash(text: str) -> bytes:
    return hashlib.blake2b(" ".join(text.lower().split()).encode("utf-8", "replace")).digest()


def _min_hashes(text: str) -> list[int]:
    words = re.findall(r"\w+", text.lower())
    runs = {" ".join(words[at : at + _SHINGLE]) for at in range(len(words) - _SHINGLE + 1)}
    hashes = (hashlib.blake2b(run.encode("utf-8", "replace"), digest_size=8) for run in runs)
    return sorted(int.from_bytes(hashed.digest()) for hashed in hashes)[:_SKETCH]


def opening(marked: str) -> str:
    """Return the first words of a note with marks, up to its first tag or line break."""
    head = marked.split("<", 1)[0]
    words = tokens(head)[:_OPENING]
    return head[: words[-1][1]] if words else ""


def to_benchmark_form(note: Annotated) -> str:
    """Format a note like the corpora of Melamud and Shivade (2019).

    Every entity and every bracketed stand-in of one is the word `deidentified`; lines are merged,
    and end after a colon and at the end of sentences.
    """
    text, parts, at = note.document.text, [], 0
    for span in sorted(note.spans):
        if span.start >= at:
            parts += [text[at : span.start], PLACEHOLDER]
        at = max(at, span.end)
    whole = _PLACEHOLDERS.sub(PLACEHOLDER, "".join([*parts, text[at:]]))
    merged = " ".join(whole.split()).replace("<", "\u2039")
    return PAR.join(_SENTENCE.split(merged))


def benchmark_statistics(parting: SplitCorpus, *, rare: int) -> dict[str, float]:
    """Return the statistics that language-modelling benchmarks report.

    Notes of each part; words; vocabulary: words that occur `rare` times or more in train; the
    share of held-out words that are not in it.
    """
    counts = {split: _words(each.marked for each in parting.part(split)) for split in SPLITS}
    known = {word for word, count in counts["train"].items() if count >= rare}
    held_out = counts["dev"] + counts["test"]
    unknown = sum(count for word, count in held_out.items() if word not in known)
    return {
        **{f"{split}_notes": len(parting.part(split)) for split in SPLITS},
        "words": sum(each.total() for each in counts.values()),
        "vocabulary": len(known),
        "out_of_vocabulary": unknown / (held_out.total() or 1),
    }


def _words(texts: Iterable[str]) -> Counter[str]:
    return Counter(word for text in texts for word in _tokens_outside_marks(text))


def _tokens_outside_marks(text: str) -> Iterator[str]:
    plain = _MARK.sub(" ", text)
    for start, end in tokens(plain):
        yield plain[start:end]
