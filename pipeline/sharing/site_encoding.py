"""Encodes a site's labelled notes as vectors to share, and keeps the row order for attacks."""

import hashlib
import json
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from models.private.deidentifier import EncodedSentence, examples
from models.private.sentences import Sentence, sentences
from models.private.serialization import RepresenterBundle, digest, load
from models.training_loop import make_generator
from pipeline.files.alignment import align
from pipeline.sharing.shared_files import MANIFEST, VECTORS, Manifest, arrow_bytes, write_shared
from pipeline.sharing.word_search import find_words
from record.atomic_write import write_atomically
from record.document import Annotated
from record.errors import ConfigError, Unsafe

ORDER = "order.json"
"""The file that is not shared: the sentence of each row of a shared file."""

_BLOCK = 64
_OWNER_ONLY = 0o700

Advance = Callable[[int, int], None]


@dataclass(frozen=True)
class Site:
    """The sentences of a site's notes, by note."""

    notes: Sequence[Sequence[Sentence]] = field(repr=False)

    @property
    def sentences(self) -> list[Sentence]:
        """All sentences, in the order of the notes."""
        return [sentence for note in self.notes for sentence in note]

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of all spans, in order."""
        return tuple(sorted({label for each in self.sentences for _, _, label in each.spans}))

    def words(self) -> set[str]:
        """Return all words of the notes."""
        return {token for sentence in self.sentences for token in sentence.tokens}

    def digest(self) -> str:
        """Return a digest of all tokens and spans, in order."""
        total = hashlib.sha256()
        for sentence in self.sentences:
            total.update(json.dumps([sentence.tokens, sentence.spans]).encode())
        return total.hexdigest()


def make_site(notes: Iterable[Annotated], renamed: Mapping[str, str], *, binary: bool) -> Site:
    """Split notes into sentences of cleaned text, as detection does; `binary` merges all labels.

    Raises ConfigError where no note has a span.
    """
    cut = [list(_split_sentences(note, renamed, binary=binary)) for note in notes]
    site = Site([note for note in cut if note])
    if not site.labels:
        raise ConfigError("the notes", "must have labelled spans", "provide annotated notes")
    return site


@dataclass(frozen=True)
class SharingPaths:
    """The folder that a site shares, and the folder that it keeps."""

    shared: Path
    inside: Path

    def check(self) -> None:
        """Raise ConfigError where the shared folder is in use, or contains the folder to keep."""
        remedy = "choose a new folder"
        if (self.shared / MANIFEST).exists():
            raise ConfigError(str(self.shared), "already contains a shared file", remedy)
        if self.inside.absolute().is_relative_to(self.shared.absolute()):
            raise ConfigError(str(self.inside), "must not be inside the shared folder", remedy)


def encode_site(
    site: Site,
    kit: RepresenterBundle,
    places: SharingPaths,
    *,
    representer: str,
    noise: float = 1.0,
    advance: Advance = lambda done, planned: None,
) -> Manifest:
    """Encode a site's sentences in random order; write the shared file and the order to keep.

    Order and noise come from the system's random source, without a stored seed: whoever could
    reproduce the noise could remove it. The file is searched for words of the notes before it is
    written. Raises ConfigError, and Unsafe where a word is found.
    """
    places.check()
    everything = site.sentences
    order = list(range(len(everything)))
    secrets.SystemRandom().shuffle(order)
    drawn = [everything[number] for number in order]
    rows: list[EncodedSentence] = []
    for start in range(0, len(drawn), _BLOCK):
        some = drawn[start : start + _BLOCK]
        draw = make_generator("share", secrets.token_hex(32))
        rows += examples(some, kit.encode(some, draw, noise))
        advance(len(rows), len(drawn))
    manifest = Manifest(
        sentences=len(rows),
        tokens=sum(map(len, rows)),
        size=rows[0].vectors.shape[1],
        labels=site.labels,
        representer=representer,
        noise=noise,
        neighbours=int(kit.about["recipe"]["neighbours"]),
        version=version("cryptonym"),
    )
    places.inside.mkdir(mode=_OWNER_ONLY, parents=True, exist_ok=True)
    whole = write_shared(
        places.shared, rows, manifest, lambda content: _check(content, site, manifest)
    )
    record = {"format": 1, "data": whole.vectors_sha256, "notes": site.digest(), "order": order}
    write_atomically(places.inside / ORDER, json.dumps(record).encode())
    (places.inside / ORDER).chmod(0o600)
    return whole


def load_site_kit(manifest: Manifest, representer: Path) -> RepresenterBundle:
    """Load the representer that encoded a file; raises ConfigError where it is a different one."""
    if manifest.representer != digest(representer):
        problem = "not the representer that encoded this file"
        raise ConfigError(str(representer), problem, "use the one that did")
    return load(representer)


def read_order(inside: Path, site: Site, manifest: Manifest) -> list[int]:
    """Read the sentence number of each row of a shared file.

    Raises ConfigError where the order belongs to another file or to other notes.
    """
    path = inside / ORDER
    remedy = "use the folder that `share encode` wrote as --inside, and the same notes"
    try:
        record: dict[str, Any] = json.loads(path.read_text("utf-8"))
        order = [int(each) for each in record["order"]]
        belongs = (record["data"], record["notes"]) == (manifest.vectors_sha256, site.digest())
    except (OSError, ValueError, KeyError, TypeError):
        raise ConfigError(str(path), "cannot be read", remedy) from None
    if not belongs or sorted(order) != list(range(manifest.sentences)):
        raise ConfigError(str(path), "belongs to other notes or another file", remedy)
    return order


def find_shared_words(folder: Path, site: Site, manifest: Manifest) -> set[str]:
    """Find words of the notes in the bytes of a shared file, except words of the file format."""
    return _find_words((folder / VECTORS).read_bytes(), site, manifest)


def _check(content: bytes, site: Site, manifest: Manifest) -> None:
    if _find_words(content, site, manifest):
        raise Unsafe("text-in-shared-file")


def _find_words(content: bytes, site: Site, manifest: Manifest) -> set[str]:
    words = site.words()
    return find_words(content, words) - find_words(arrow_bytes((), manifest), words)


def _split_sentences(
    note: Annotated, renamed: Mapping[str, str], *, binary: bool
) -> Iterator[Sentence]:
    alignment = align(note.document.text)
    spans = alignment.to_clean(note.spans)
    named = [replace(span, label=renamed.get(span.label, span.label)) for span in spans]
    for sentence in sentences(alignment.clean, named):
        yield sentence.binary() if binary else sentence
