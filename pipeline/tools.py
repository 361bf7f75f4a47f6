"""What a process needs to work on notes: databases, keys, readers, opened once and closed."""

import hashlib
import json
import os
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import TracebackType

from extractors.limits import Limits
from extractors.plain import clean
from extractors.read import Reader, read_file
from pipeline.detection import DETECTOR_VERSION, KnownPatients
from pipeline.ledger import State, open_state
from pipeline.sealing import PURPOSE, Seal
from pipeline.settings import Settings, resolve
from pipeline.warehouse import Source, open_source
from record.errors import Unreadable
from record.policy import Policy
from surrogates.columns import Columns
from surrogates.keys import CohortKey, MasterKey, load_master
from surrogates.rewrite import Rewriter

EXTRACTION_VERSION = "full-1"
"""Changes whenever an extractor may give another text for the same bytes."""


@dataclass
class Tools:
    """The open resources of one process (or thread) that works on notes; never serialized."""

    settings: Settings
    source: Source
    state: State
    cohort: CohortKey
    policy: Policy
    rewriter: Rewriter
    columns: Columns
    seal: Seal
    reader: Reader
    config: bytes
    known: KnownPatients = field(default_factory=KnownPatients)

    def text(self, value: object, data: bytes | None, *, name: str = "") -> tuple[str, str]:
        """Give the text of a note and where it came from; `name` is that of its document.

        Raises Unreadable when there is none, when it is no text, or when it is too long.
        """
        limit = self.settings.limits.max_note_characters
        if data is not None:
            extracted = self.reader.read(data, name=name)
            text, origin = extracted.text, extracted.origin
        elif isinstance(value, str):
            text, origin = clean(value), "note_text"
        else:
            raise Unreadable("malformed-text" if value else "no-text")
        if not text.strip():
            raise Unreadable("no-text")
        if len(text) > limit:
            raise Unreadable("too-long")
        return text, origin

    def document(self, name: str) -> bytes:
        """Read the document that a note points to, inside the documents' folder."""
        folder = self.settings.source.documents
        if folder is None:
            raise Unreadable("no-document-folder")
        return read_file(name, self.settings.base / folder, self.reader.limits)

    def close(self) -> None:
        """Close databases and the extraction process."""
        self.reader.close()
        self.source.close()
        self.state.close()

    def __enter__(self) -> "Tools":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("tools hold keys and are never serialized")


def open_tools(settings: Settings) -> Tools:
    """Open everything that the stages need; raises ConfigError or Unavailable."""
    master = load_master(settings.key.locator, settings.base)
    policy = settings.make_policy()
    cohort = master.cohort(settings.cohort)
    limits = _limits(settings)
    return Tools(
        settings=settings,
        source=open_source(settled(settings).source, settings.base),
        state=open_state(settled(settings).state, settings.base),
        cohort=cohort,
        policy=policy,
        rewriter=Rewriter(cohort, policy),
        columns=Columns(cohort, policy),
        seal=make_seal(master),
        reader=Reader(limits),
        config=config_hash(settings, cohort),
    )


def make_seal(master: MasterKey) -> Seal:
    """Derive the sealing key of the span store from the master key."""
    return Seal(master.derive(PURPOSE))


def settled(settings: Settings) -> Settings:
    """Replace `env:NAME` by the URLs themselves; the result must not leave this process."""
    return replace(
        settings,
        source=replace(settings.source, url=resolve(settings.source.url, os.environ)),
        output=replace(settings.output, url=resolve(settings.output.url, os.environ)),
        state=replace(settings.state, url=resolve(settings.state.url, os.environ)),
    )


def config_hash(settings: Settings, cohort: CohortKey) -> bytes:
    """Hash all that decides what a note becomes: when it changes, every note is done again."""
    identity = settings.source.identity
    deciding = {
        "detector": DETECTOR_VERSION,
        "extraction": EXTRACTION_VERSION,
        "policy": settings.make_policy().policy_id,
        "key": cohort.key_id,
        "lang": settings.lang,
        "kinds": settings.source.kinds,
        "identity": asdict(identity) if identity else None,
        "limits": asdict(settings.limits) | {"notes_per_unit": 0, "max_quarantine_share": 0},
    }
    canonical = json.dumps(deciding, sort_keys=True, default=str).encode()
    return hashlib.blake2b(canonical, digest_size=16).digest()


def documents_folder(settings: Settings) -> Path | None:
    """Give the folder that documents are read from, if there is one."""
    documents = settings.source.documents
    return settings.base / documents if documents else None


def _limits(settings: Settings) -> Limits:
    limits = settings.limits
    return Limits(
        max_bytes=limits.max_document_bytes,
        max_pages=limits.max_pages,
        max_characters=limits.max_note_characters,
        seconds=limits.seconds_per_document,
        memory_mb=limits.document_memory_mb,
    )
