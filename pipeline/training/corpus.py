"""Makes a corpus of annotated samples: compares two passes, decides where they differ, and splits
the notes by patient.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from evaluation.detection.alignment import Pair
from evaluation.detection.annotator_agreement import Mismatch, find_mismatches, measure_annotators
from pipeline.audit.formats import FORMATS
from pipeline.audit.private_files import MISMATCHES, make_private_folder, write_private
from pipeline.audit.review import check_unchanged, split_at_line_breaks
from pipeline.config.settings import Settings
from pipeline.files.jsonl import dump_line, spans_to_json
from pipeline.notes.overlap_resolution import resolve_spans
from pipeline.notes.worker_resources import open_master, resolve_urls
from pipeline.training.corpus_sample import PURPOSE, CorpusSample, read_manifest, write_sample
from pipeline.warehouse.databases import chunks
from pipeline.warehouse.note_rows import parse_integer
from pipeline.warehouse.warehouse import open_source
from record.document import Annotated
from record.errors import ConfigError
from record.span import Span

SPLITS = ("train", "dev", "test")
ABOUT = "corpus.json"
"""The file beside the splits that says how they came about; it contains no text."""

_FEWEST_PATIENTS = len(SPLITS)

Preference = Literal["first", "second", "union"]
PREFERENCES: tuple[Preference, ...] = ("first", "second", "union")
Notes = dict[str, Annotated]


@dataclass(frozen=True)
class SplitRequest:
    """Shares of the patients in `dev` and `test`, the seed of the split, and the new folder."""

    folder: Path
    dev: float = 0.1
    test: float = 0.2
    seed: str = "1"

    def __post_init__(self) -> None:
        """Raise ConfigError where nothing would be left to train on."""
        if not 0 < self.dev + self.test < 1:
            problem = f"shares of {self.dev:g} and {self.test:g} leave nothing for another split"
            raise ConfigError("--dev, --test", problem, "give shares that add up to less than 1")


@dataclass(frozen=True)
class AnnotatedSample:
    """A sample as it came back: the notes of each pass that their reader marked as read.

    `persons` maps a note to its person, of all notes that are in the source now and whose person
    does not object; no other note is in `passes`. `left_out` counts those.
    """

    sample: CorpusSample
    passes: tuple[Notes, ...] = field(repr=False)
    persons: Mapping[str, str] = field(repr=False)
    left_out: int = 0
    key: bytes = field(default=b"", repr=False)

    @property
    def pairs(self) -> list[Pair]:
        """The notes of both passes; `gold` is the first. Empty for a single pass."""
        if len(self.passes) == 1:
            return []
        first, second = self.passes
        return [
            Pair(note_id, note.document.text, note.spans, second[note_id].spans)
            for note_id, note in first.items()
            if note_id in second
        ]

    @property
    def unseen(self) -> int:
        """Notes of the sample that no pass has read."""
        return len(self.persons.keys() - {note_id for notes in self.passes for note_id in notes})


@dataclass(frozen=True)
class PassComparison:
    """How far two passes agree (`measure_annotators`), and where they do not."""

    agreement: dict[str, Any]
    mismatches: list[Mismatch]

    @property
    def note_ids(self) -> set[str]:
        """The notes that the passes differ in."""
        return {each.note_id for each in self.mismatches}


def read_passes(settings: Settings, paths: Sequence[Path]) -> AnnotatedSample:
    """Read annotation passes over one sample: folders, or exports beside its `sample.json`.

    Notes of persons who object now, and notes that have left the source, are left out. Raises
    ConfigError where passes are of different samples, where nothing is marked as read, for a note
    that is not in the sample, and with the file for one whose text was changed.
    """
    master = open_master(settings)
    master.note(PURPOSE)
    key = master.derive(PURPOSE)
    samples = [read_manifest(path if path.is_dir() else path.parent, key) for path in paths]
    sample = samples[0]
    for path, other in zip(paths, samples, strict=True):
        if other != sample:
            problem, remedy = "is a pass over another sample", "give passes over one sample"
            raise ConfigError(str(path), problem, remedy)
    persons = _find_persons(settings, sample)
    found = [_read_pass(sample, path, key) for path in paths]
    kept = tuple(
        {note_id: note for note_id, note in notes.items() if note_id in persons} for notes in found
    )
    return AnnotatedSample(sample, kept, persons, len(sample.notes) - len(persons), key)


def compare_passes(annotated: AnnotatedSample) -> PassComparison:
    """Compare two passes over the notes that both have read."""
    pairs = annotated.pairs
    return PassComparison(
        measure_annotators(pairs), [each for pair in pairs for each in find_mismatches(pair)]
    )


def write_mismatches(folder: Path, annotated: AnnotatedSample, comparison: PassComparison) -> None:
    """Write the notes that two passes differ in, for an adjudicator, and the list of differences.

    The notes are in the sample's format with the spans of both passes; who adjudicates deletes the
    wrong ones. The list has the words: all files are readable by their owner alone.
    """
    make_private_folder(folder)
    first, second = annotated.passes
    differing = sorted(comparison.note_ids, key=list(first).index)
    both = [
        replace(first[name], spans=tuple(sorted({*first[name].spans, *second[name].spans})))
        for name in differing
    ]
    write_sample(folder, annotated.sample, both, annotated.key)
    lines = [
        dump_line(_describe_mismatch(each, first[each.note_id].document.text))
        for each in comparison.mismatches
    ]
    write_private(folder / MISMATCHES, "".join(f"{line}\n" for line in lines))


def decide(
    annotated: AnnotatedSample,
    comparison: PassComparison | None,
    *,
    adjudicated: Notes | None = None,
    prefer: Preference | None = None,
) -> Notes:
    """Return each note once: as adjudicated, as both passes have it, or as preferred.

    A note that one pass alone has read is taken from there. `union` keeps what both have, and of
    the rest covers all that either covered. Raises ConfigError for a difference that nothing
    decides.
    """
    final = {note_id: note for notes in annotated.passes[::-1] for note_id, note in notes.items()}
    final |= adjudicated or {}
    mismatches = comparison.mismatches if comparison else []
    open_ids = {each.note_id for each in mismatches} - (adjudicated or {}).keys()
    if open_ids and prefer is None:
        count = sum(each.note_id in open_ids for each in mismatches)
        problem = f"the passes still differ in {len(open_ids)} notes ({count} places)"
        remedy = (
            "write them with --mismatches DIR, adjudicate them there, and give it as "
            "--adjudicated DIR; or choose with --prefer"
        )
        raise ConfigError("corpus read", problem, remedy)
    for note_id in open_ids:
        first, second = (notes[note_id] for notes in annotated.passes)
        final[note_id] = {"first": first, "second": second}.get(
            str(prefer), _unite(first, second.spans)
        )
    return {name: final[name] for name in annotated.sample.notes if name in final}


def split_by_patient(
    persons: Mapping[str, str], request: SplitRequest, key: bytes
) -> dict[str, str]:
    """Assign each note to a split; all notes of a patient are in the same.

    Key, seed and patient alone decide, so that a patient stays where a corpus grows; only where a
    split would be empty, the patient nearest to it moves there. `persons` maps notes to patients.
    Raises ConfigError for fewer than three patients.
    """
    places = {person: _place(person, request.seed, key) for person in set(persons.values())}
    if len(places) < _FEWEST_PATIENTS:
        problem = f"annotated notes of {len(places)} patients cannot be split by patient"
        raise ConfigError("corpus read", problem, "annotate notes of more patients")
    ordered = sorted(places, key=places.__getitem__)
    test = max(1, sum(place < request.test for place in places.values()))
    test = min(test, len(ordered) - 2)
    dev = max(1, sum(place < request.test + request.dev for place in places.values()) - test)
    dev = min(dev, len(ordered) - 1 - test)
    names = ["test"] * test + ["dev"] * dev + ["train"] * (len(ordered) - test - dev)
    split_of = dict(zip(ordered, names, strict=True))
    return {note_id: split_of[person] for note_id, person in persons.items()}


def write_corpus(
    annotated: AnnotatedSample, notes: Notes, request: SplitRequest, about: Mapping[str, Any]
) -> dict[str, int]:
    """Write `train.jsonl`, `dev.jsonl` and `test.jsonl`; return the number of notes in each.

    The lines hold original text, and what `count_corpus` counts. Raises ConfigError where the
    folder is not empty, or the patients are too few to split.
    """
    persons = {note_id: annotated.persons[note_id] for note_id in notes}
    split_of = split_by_patient(persons, request, annotated.key)
    make_private_folder(request.folder)
    for split in SPLITS:
        lines = [
            dump_line(_make_record(annotated, note)) + "\n"
            for note_id, note in notes.items()
            if split_of[note_id] == split
        ]
        write_private(request.folder / f"{split}.jsonl", "".join(lines))
    sizes = Counter(split_of.values())
    told = {"sample": annotated.sample.summary(), "seed": request.seed, **about}
    told["notes"] = {split: sizes[split] for split in SPLITS}
    write_private(request.folder / ABOUT, json.dumps(told, indent=1, sort_keys=True) + "\n")
    return {split: sizes[split] for split in SPLITS}


def _find_persons(settings: Settings, sample: CorpusSample) -> dict[str, str]:
    """Return the persons of the notes that are in the source, unless they object."""
    found: dict[str, str] = {}
    with closing(open_source(resolve_urls(settings).source, settings.base)) as source:
        for some in chunks(sorted(map(int, sample.notes))):
            for row in source.store.lookup("note", ("note_id", "person_id"), "note_id", some):
                person = parse_integer(row["person_id"])
                if person is not None and person not in source.objecting:
                    found[str(parse_integer(row["note_id"]))] = str(person)
    return found


def _read_pass(sample: CorpusSample, path: Path, key: bytes) -> Notes:
    form = FORMATS[sample.format]
    notes: Notes = {}
    for note in form.read(path):
        document = note.document
        file, known = form.locate(path, document.note_id), sample.notes.get(document.note_id)
        if known is None:
            problem = "contains a note that is not in this sample"
            raise ConfigError(str(file), problem, "remove it from the export")
        check_unchanged(document, file, bytes.fromhex(known.digest), key)
        if document.note_id in notes:
            raise ConfigError(str(path), "contains a note twice", "export the project once")
        document = replace(document, kind=known.kind, lang=known.lang, origin=known.origin)
        spans = split_at_line_breaks(note.spans, document.text)
        notes[document.note_id] = Annotated(document, tuple(sorted(set(spans))))
    if not notes:
        problem = f"none of the {len(sample.notes)} notes of the sample is marked as read"
        raise ConfigError(str(path), problem, f"{form.how_to_mark}; then export again")
    return notes


def _describe_mismatch(each: Mismatch, text: str) -> dict[str, Any]:
    return {
        "note_id": each.note_id,
        "start": each.start,
        "end": each.end,
        "kind": each.kind,
        "first": [[span.start, span.end, span.label] for span in each.first],
        "second": [[span.start, span.end, span.label] for span in each.second],
        "text": text[each.start : each.end],
    }


def _unite(first: Annotated, spans: Iterable[Span]) -> Annotated:
    ours, theirs = set(first.spans), set(spans)
    rest = resolve_spans(ours ^ theirs, first.document.text)
    return replace(first, spans=tuple(sorted({*(ours & theirs), *rest})))


def _place(person: str, seed: str, key: bytes) -> float:
    """Return where a patient lies between 0 and 1."""
    data = f"split\0{seed}\0{person}".encode()
    hashed = hashlib.blake2b(data, digest_size=8, key=key[:64]).digest()
    return int.from_bytes(hashed, "big") / 2**64


def _make_record(annotated: AnnotatedSample, note: Annotated) -> dict[str, Any]:
    document = note.document
    known = annotated.sample.notes[document.note_id]
    return {
        "note_id": document.note_id,
        "person_id": annotated.persons[document.note_id],
        "text": document.text,
        "lang": document.lang,
        "note_type": document.kind,
        "origin": document.origin,
        "after_extraction": asdict(known.after),
        "before_extraction": known.before and asdict(known.before),
        "spans": spans_to_json(note.spans),
    }
