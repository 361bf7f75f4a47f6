"""Reads and writes the files that sites share: sentence vectors with casing and labels, no text.

An Arrow file has one row for each sentence, in random order: `vectors` (a list of float32 for each
token), `casing` (a number for each token, an index into `models.tagger.encoders.bilstm.CASES`) and
`tags` (0 outside, 2 i + 1 where a span of label i begins, 2 i + 2 where it continues). A manifest
is next to it. Neither contains text, offsets into text, ids of notes, or their order.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from io import BytesIO
from pathlib import Path
from typing import Any

import pyarrow as pa

from models.private.deidentifier import EncodedSentence
from models.tagger.sequences.tags import WordSpan
from pipeline.config.signing import hash_file
from record.atomic_write import write_atomically
from record.errors import ConfigError

VECTORS, MANIFEST = "vectors.arrow", "manifest.json"

_FORMAT = 1
_ROWS = 1_000
_REMEDY = "use a complete, unchanged folder written by `cryptonym share encode`"


@dataclass(frozen=True)
class Manifest:
    """The description of a shared file: counts, labels and how it was encoded; no text.

    `representer` is the digest of the folder that encoded it, `noise` the factor of its noise,
    `neighbours` the number it was trained for, `vectors_sha256` the checksum of the Arrow file.
    """

    sentences: int
    tokens: int
    size: int
    labels: tuple[str, ...]
    representer: str
    noise: float
    neighbours: int
    version: str
    vectors_sha256: str = ""
    format: int = _FORMAT


def write_shared(
    folder: Path,
    rows: Sequence[EncodedSentence],
    manifest: Manifest,
    check: Callable[[bytes], None] = lambda content: None,
) -> Manifest:
    """Write examples as a shared folder, the manifest last: a folder with a manifest is complete.

    `check` gets the bytes before they are written, and raises where they must not be. Returns the
    manifest with the checksum of the file.
    """
    content = arrow_bytes(rows, manifest)
    check(content)
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(folder / VECTORS, content)
    whole = Manifest(**asdict(manifest) | {"vectors_sha256": hash_file(folder / VECTORS)})
    write_atomically(folder / MANIFEST, json.dumps(asdict(whole), indent=1).encode())
    return whole


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a shared folder; raises ConfigError where it is invalid."""
    path = folder / MANIFEST
    try:
        stored = json.loads(path.read_text("utf-8"))
        if stored["format"] != _FORMAT or set(stored) != {each.name for each in fields(Manifest)}:
            raise ValueError
        return Manifest(**stored | {"labels": tuple(stored["labels"])})
    except (OSError, ValueError, KeyError, TypeError):
        raise ConfigError(str(path), "not a manifest of shared vectors", _REMEDY) from None


def read_shared(folder: Path) -> tuple[Manifest, list[EncodedSentence]]:
    """Read a shared folder and verify it against its manifest; raises ConfigError."""
    manifest = read_manifest(folder)
    path = folder / VECTORS
    if hash_file(path) != manifest.vectors_sha256:
        raise ConfigError(str(path), "checksum mismatch", _REMEDY)
    try:
        with pa.ipc.open_file(path) as file:
            batches = [file.get_batch(at) for at in range(file.num_record_batches)]
            rows = [row for batch in batches for row in _decode_rows(batch, manifest)]
    except (pa.ArrowException, OSError, KeyError, ValueError, IndexError):
        raise ConfigError(str(path), "corrupt file", _REMEDY) from None
    if len(rows) != manifest.sentences or sum(map(len, rows)) != manifest.tokens:
        raise ConfigError(str(path), "number of rows differs from the manifest", _REMEDY)
    return manifest, rows


def arrow_bytes(rows: Sequence[EncodedSentence], manifest: Manifest) -> bytes:
    """Encode examples as the bytes of an Arrow file."""
    schema = pa.schema(
        {
            "vectors": pa.list_(pa.list_(pa.float32(), manifest.size)),
            "casing": pa.list_(pa.uint8()),
            "tags": pa.list_(pa.uint16()),
        }
    )
    sink = BytesIO()
    with pa.ipc.new_file(sink, schema) as file:
        for start in range(0, len(rows), _ROWS):
            some = rows[start : start + _ROWS]
            flat = pa.concat_arrays([pa.array(row.vectors.reshape(-1)) for row in some])
            ends = [0]
            for row in some:
                ends.append(ends[-1] + len(row))
            vectors = pa.ListArray.from_arrays(
                pa.array(ends, pa.int32()), pa.FixedSizeListArray.from_arrays(flat, manifest.size)
            )
            columns = [
                vectors,
                pa.array([row.casing.tolist() for row in some], schema.field("casing").type),
                pa.array(
                    [_encode_tags(row, manifest.labels) for row in some], schema.field("tags").type
                ),
            ]
            file.write_batch(pa.record_batch(columns, schema=schema))
    return sink.getvalue()


def _decode_rows(batch: Any, manifest: Manifest) -> list[EncodedSentence]:
    names = ("vectors", "casing", "tags")
    vectors, casing, tags = (batch.column(name) for name in names)
    if vectors.type.value_type.list_size != manifest.size:
        raise ValueError
    found = []
    for one, cased, tagged in zip(vectors, casing, tags, strict=True):
        flat = one.values.flatten().to_numpy().copy()
        spans = _decode_tags(tagged.as_py(), manifest.labels)
        cases = cased.values.to_numpy().astype("int64")
        shaped = flat.reshape(len(cases), manifest.size)
        found.append(EncodedSentence(shaped, cases, spans))
    return found


def _encode_tags(row: EncodedSentence, labels: Sequence[str]) -> list[int]:
    tags = [0] * len(row)
    for first, end, label in row.spans:
        number = labels.index(label)
        tags[first:end] = [2 * number + 2] * (end - first)
        tags[first] = 2 * number + 1
    return tags


def _decode_tags(tags: Sequence[int], labels: Sequence[str]) -> tuple[WordSpan, ...]:
    spans: list[tuple[int, int, str]] = []
    for place, tag in enumerate(tags):
        if not tag:
            continue
        label = labels[(tag - 1) // 2]
        if tag % 2:
            spans.append((place, place + 1, label))
        else:
            spans[-1] = (spans[-1][0], place + 1, label)
    return tuple(spans)
