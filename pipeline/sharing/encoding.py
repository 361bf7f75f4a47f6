"""A site's labelled notes as vectors to share, and what must stay inside to attack them."""

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
from pipeline.sharing.leak_check import words_in
from pipeline.sharing.vectors import MANIFEST, VECTORS, Manifest, arrow_bytes, write_shared
from record.atomic_write import write_atomically
from record.document import Annotated
from record.errors import ConfigError, Unsafe

ORDER = "order.json"
"""The file that stays inside: which sentence each row of a shared file is."""

_BLOCK = 64
_OWNER_ONLY = 0o700

Advance = Callable[[int, int], None]


@dataclass(frozen=True)
class Site:
    """The sentences of a site's notes, note by note."""

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
        """Every word that a note holds."""
        return {token for sentence in self.sentences for token in sentence.tokens}

    def digest(self) -> str:
        """Return what changes with any token or span, and with their order."""
        total = hashlib.sha256()
        for sentence in self.sentences:
            total.update(json.dumps([sentence.tokens, sentence.spans]).encode())
        return total.hexdigest()


def site_of(notes: Iterable[Annotated], renamed: Mapping[str, str], *, binary: bool) -> Site:
    """Cut notes into sentences, as detection sees the text; with `binary` all labels are one.

    Raises ConfigError where no note has a span.
    """
    cut = [list(_cut(note, renamed, binary=binary)) for note in notes]
    site = Site([note for note in cut if note])
    if not site.labels:
        raise ConfigError("the notes", "have no labelled spans", "give annotated notes")
    return site


@dataclass(frozen=True)
class SharingPaths:
    """Where a site writes: what is shared, and what stays inside."""

    shared: Path
    inside: Path

    def check(self) -> None:
        """Raise ConfigError where one is taken, or what stays inside would be shared with it."""
        remedy = "name a new folder"
        if (self.shared / MANIFEST).exists():
            raise ConfigError(str(self.shared), "holds a shared file already", remedy)
        if self.inside.absolute().is_relative_to(self.shared.absolute()):
            raise ConfigError(str(self.inside), "lies in the folder that is shared", remedy)


def encode_site(
    site: Site,
    kit: RepresenterBundle,
    places: SharingPaths,
    *,
    representer: str,
    noise: float = 1.0,
    advance: Advance = lambda done, planned: None,
) -> Manifest:
    """Encode a site's sentences in a drawn order, and write what is shared and what stays inside.

    Order and noise come from the system's source of chance and are kept nowhere: whoever could draw
    them again would see through the noise. The file is searched for the words of the notes before
    it is written. Raises ConfigError, and Unsafe where a word is found.
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
    whole = write_shared(places.shared, rows, manifest, lambda held: _check(held, site, manifest))
    held = {"format": 1, "data": whole.vectors_sha256, "notes": site.digest(), "order": order}
    write_atomically(places.inside / ORDER, json.dumps(held).encode())
    (places.inside / ORDER).chmod(0o600)
    return whole


def kit_of(manifest: Manifest, representer: Path) -> RepresenterBundle:
    """Read the representer that encoded a file; raises ConfigError where it is another."""
    if manifest.representer != digest(representer):
        problem = "is not what encoded this file"
        raise ConfigError(str(representer), problem, "give the one that did")
    return load(representer)


def read_order(inside: Path, site: Site, manifest: Manifest) -> list[int]:
    """Read which sentence each row is.

    Raises ConfigError where it belongs to another file, or the notes are others.
    """
    path = inside / ORDER
    remedy = "give the folder that `share encode` wrote as --inside, and the same notes"
    try:
        held: dict[str, Any] = json.loads(path.read_text("utf-8"))
        order = [int(each) for each in held["order"]]
        belongs = (held["data"], held["notes"]) == (manifest.vectors_sha256, site.digest())
    except (OSError, ValueError, KeyError, TypeError):
        raise ConfigError(str(path), "cannot be read", remedy) from None
    if not belongs or sorted(order) != list(range(manifest.sentences)):
        raise ConfigError(str(path), "belongs to other notes or another file", remedy)
    return order


def words_shared(folder: Path, site: Site, manifest: Manifest) -> set[str]:
    """Find words of the notes in the bytes of a shared file; those of its format do not count."""
    return _words((folder / VECTORS).read_bytes(), site, manifest)


def _check(content: bytes, site: Site, manifest: Manifest) -> None:
    if _words(content, site, manifest):
        raise Unsafe("text-in-shared-file")


def _words(content: bytes, site: Site, manifest: Manifest) -> set[str]:
    words = site.words()
    return words_in(content, words) - words_in(arrow_bytes((), manifest), words)


def _cut(note: Annotated, renamed: Mapping[str, str], *, binary: bool) -> Iterator[Sentence]:
    alignment = align(note.document.text)
    spans = alignment.to_clean(note.spans)
    named = [replace(span, label=renamed.get(span.label, span.label)) for span in spans]
    for sentence in sentences(alignment.clean, named):
        yield sentence.binary() if binary else sentence
