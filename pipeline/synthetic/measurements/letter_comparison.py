"""How near filled letters are to their sources, and what of the sources' identifiers came back."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from evaluation.attacks.reidentification import (
    Pieces,
    RemadeLetter,
    ReplacedIdentifier,
    measure_kept_identifiers,
    measure_reidentification,
    measure_source_linkage,
    select_direct,
)
from evaluation.detection.alignment import pair_annotations
from evaluation.detection.scores import measure_masker
from evaluation.gate import Axis, Measured
from evaluation.utility.readability import formulas_of
from evaluation.utility.resemblance import Refilled, Vectors, reading_ease, resemblance
from models.language.networks.evaluation_networks import PACKAGED, ContextualEmbeddings
from models.tagger.encoders.subword_tokenizer import SubwordTokenizer
from models.tagger.folder import VOCABULARY
from models.tagger.shipped_model import SHIPPED
from pipeline.config.progress import Progress
from pipeline.config.signing import hash_file
from pipeline.files.gold import read_annotated, read_label_map
from pipeline.synthetic.filled_letters import read_filled
from record.document import Annotated
from record.errors import ConfigError
from record.span import Span
from synthesis.generation_files import NOTES, manifest_digest, read_generated
from synthesis.masked_letters import FOLDER_FORMAT, load_letters
from synthesis.masking import MaskedDocument


@dataclass(frozen=True)
class ComparisonRequest:
    """Filled letters and the masked ones they were made of, and how they are compared.

    `gold` are letters annotated by hand, which score the masking, with labels renamed by
    `label_map`. `encoder` is the name or folder of an encoder for BERTScore; `lang` overrides the
    language of all letters; `seed` decides the base rates. `is_demo` takes `gold` that was made
    for a demonstration, by no person.
    """

    filled: Path
    masked: Path
    gold: Path | None = None
    label_map: Path | None = None
    encoder: str | None = None
    lang: str | None = None
    seed: int = 1
    is_demo: bool = False


DEMO = "demo"
"""The `annotator` of letters that no person annotated; the gate takes them in no other place."""


@dataclass(frozen=True)
class ComparedLetters:
    """The measurements of filled letters, by the digest of their file, and how many there are.

    `manifest` is the digest of the letters' manifest (see `manifest_digest`).
    """

    data: str
    manifest: str
    letters: int
    measured: Sequence[Measured]

    def to_json(self) -> dict[str, Any]:
        """Return what the gate reads."""
        measured = [each.to_json() for each in self.measured]
        about = {"format": 1, "data": self.data, "manifest": self.manifest}
        return {**about, "measured": measured}


@dataclass(frozen=True)
class _LetterPair:
    """A filled letter with the masked one that it was made of."""

    source: MaskedDocument
    filled: Annotated

    @property
    def person(self) -> str:
        document = self.source.document
        return document.person_id or f"note {document.note_id}"


def compare_letters(request: ComparisonRequest, progress: Progress) -> ComparedLetters:
    """Compare filled letters with their sources.

    Raises ConfigError where they do not belong together, or are too few.
    """
    if request.lang:
        formulas_of(request.lang)
    manifest = read_generated(request.filled)
    if manifest.get("masked_sha256") != FOLDER_FORMAT.digest(request.masked):
        problem = "not what these letters were filled from"
        raise ConfigError(str(request.masked), problem, "give the folder that `fill` was given")
    masked = load_letters(request.masked).letters
    data = hash_file(request.filled / NOTES)
    subwords = SubwordTokenizer.load(SHIPPED / VOCABULARY)

    def split_pieces(value: str) -> list[int]:
        return [piece for word in subwords.of(value)[1] for piece in word]

    progress.phase("reading")
    letters = list(_read_pairs(request, masked))
    name = request.encoder
    if name is None:
        vectors = None
    elif name not in PACKAGED:
        vectors = ContextualEmbeddings.of_folder(Path(name))
    else:
        documents = (document for each in letters for document in (each.source, each.filled))
        vectors = ContextualEmbeddings.packaged(name, (each.document.text for each in documents))
    measured = [
        *_score_masking(request, masked, data),
        *_measure_identifiers(letters, split_pieces, data, request.seed),
        *_measure_resemblance(letters, data, vectors, progress),
        *_measure_fills(manifest, data),
    ]
    return ComparedLetters(data, manifest_digest(manifest), len(letters), measured)


def _measure_fills(manifest: Mapping[str, Any], data: str) -> Iterator[Measured]:
    """Return what filling itself counted; nothing of what an older version filled."""
    told = manifest.get("fills", {})
    for name, key, axis in (
        ("distinct-fills", "distinct_per_1000", Axis.RESEMBLANCE),
        ("most-frequent-fills", "most_frequent_share", Axis.RESEMBLANCE),
        ("medical-terms-kept", "medical_kept", Axis.UTILITY),
    ):
        value = told.get(key)
        if value is not None:
            yield Measured(name, axis, value, value, value, data)


def _read_pairs(
    request: ComparisonRequest, masked: Sequence[MaskedDocument]
) -> Iterator[_LetterPair]:
    for each in read_filled(request.filled / NOTES):
        if each.letter >= len(masked):
            where = f"note {each.annotated.document.note_id}"
            problem = f"made of masked letter {each.letter}, but there are {len(masked)}"
            raise ConfigError(where, problem, "fill the letters again")
        source = masked[each.letter]
        if request.lang:
            source = replace(source, document=replace(source.document, lang=request.lang))
        yield _LetterPair(source, each.annotated)


def _score_masking(
    request: ComparisonRequest, masked: Sequence[MaskedDocument], data: str
) -> list[Measured]:
    if request.gold is None:
        return []
    if not request.is_demo:
        _refuse_demo(request.gold)
    labels = read_label_map(request.label_map) if request.label_map else None
    found = {each.document.note_id: each for each in masked}
    gold = [g for g in read_annotated(request.gold, []) if g.document.note_id in found]
    if not gold:
        problem = "has none of the letters that were masked"
        raise ConfigError(str(request.gold), problem, "annotate some of them, under their note_id")
    hidden = [
        Annotated(letter.document, tuple(letter.identifiers))
        for letter in (found[each.document.note_id] for each in gold)
    ]
    pairs = pair_annotations(gold, hidden, labels).pairs
    return measure_masker(
        (replace(each, person_id=found[each.note_id].document.person_id) for each in pairs), data
    )


def _refuse_demo(gold: Path) -> None:
    """Raise ConfigError for letters that were annotated for a demonstration."""
    files = [gold] if gold.is_file() else sorted(gold.rglob("*.jsonl"))
    for line in (line for file in files for line in file.read_bytes().splitlines()):
        try:
            note = json.loads(line)
        except ValueError:
            continue
        if isinstance(note, dict) and note.get("annotator") == DEMO:
            problem = "was annotated by nobody: it belongs to a demonstration"
            raise ConfigError("--gold", problem, "let people annotate some of the letters")


def _measure_identifiers(
    letters: Sequence[_LetterPair], pieces: Pieces, data: str, seed: int
) -> list[Measured]:
    replaced = [
        each
        for letter in letters
        for each in pair_identifiers(letter.source, letter.filled, letter.person)
    ]
    remade = [
        RemadeLetter(
            each.source.document.text, each.filled.document.text,
            [(span.label, value) for span, value in _identifier_values(each.source)], each.person,
        )
        for each in letters
    ]  # fmt: skip
    return [
        *measure_reidentification(replaced, pieces, data, seed=seed),
        *measure_reidentification(
            select_direct(replaced), pieces, data, prefix="direct-", seed=seed
        ),
        *measure_kept_identifiers(remade, data),
        measure_source_linkage(remade, data),
    ]


def pair_identifiers(
    source: MaskedDocument, filled: Annotated, person: str
) -> Iterator[ReplacedIdentifier]:
    """Pair the identifiers of a letter with their replacements, label by label in text order.

    A label without any replacement left the letter altogether. Raises ConfigError where some of
    its identifiers have a replacement and others have none.
    """
    replacements: defaultdict[str, list[str]] = defaultdict(list)
    text = filled.document.text
    for span in sorted(filled.spans):
        replacements[span.label].append(text[span.start : span.end])
    originals: defaultdict[str, list[str]] = defaultdict(list)
    for span, value in _identifier_values(source):
        originals[span.label].append(value)
    for label, values in originals.items():
        others = replacements.get(label) or [""] * len(values)
        if len(others) != len(values):
            where = f"note {filled.document.note_id}"
            problem = f"has {len(others)} {label} for {len(values)} of its source"
            raise ConfigError(where, problem, "fill the letters again")
        for value, other in zip(values, others, strict=True):
            yield ReplacedIdentifier(label, value, other, person)


def _identifier_values(masked: MaskedDocument) -> Iterable[tuple[Span, str]]:
    text = masked.document.text
    return ((span, text[span.start : span.end]) for span in masked.identifiers)


def _measure_resemblance(
    letters: Sequence[_LetterPair], data: str, vectors: Vectors | None, progress: Progress
) -> list[Measured]:
    by_source: dict[str, list[_LetterPair]] = {}
    for each in letters:
        by_source.setdefault(each.source.document.note_id, []).append(each)
    progress.phase("comparing")
    refilled = [
        Refilled(
            some[0].source.document.text, [each.filled.document.text for each in some],
            some[0].source.document.lang,
        )
        for some in by_source.values()
    ]  # fmt: skip
    try:
        return [
            *resemblance(refilled, data, vectors, progress.advance),
            reading_ease(refilled, data),
        ]
    except ValueError as error:
        raise ConfigError("the letters", str(error), "fill more of them") from None
