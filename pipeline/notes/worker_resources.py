"""Resources of a worker process: databases, keys, document reader and model, opened once."""

import hashlib
import json
import os
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any

from extractors.document.limits import Limits
from extractors.document.options import Options
from extractors.document_reader import DocumentReader, read_file
from extractors.note_text import read_note_text
from extractors.pdf.tessdata import find_tessdata
from models.tagger.shipped_model import digest, folder_of
from models.tagger.thresholds import SpanThresholds
from pipeline.config.document_passwords import load_passwords
from pipeline.config.settings import Settings, resolve_url
from pipeline.config.url_passwords import has_password
from pipeline.notes.detection import (
    DETECTOR_VERSION,
    SECURITY_VERSIONS,
    KnownPatients,
    is_older,
)
from pipeline.notes.model_detection import SpanTagger, check_labels
from pipeline.notes.people import RememberedPeople
from pipeline.notes.selected_rules import load_selection
from pipeline.notes.threshold_file import (
    CalibrationRecord,
    check_labels_exist,
    load_thresholds,
)
from pipeline.state.detection_register import Detectors, EarlierConfiguration
from pipeline.state.ledger import State, open_state
from pipeline.state.row_codes import AlteredState
from pipeline.state.run_lock import make_lock_path
from pipeline.state.span_sealing import Seal, StateKeys
from pipeline.warehouse.export_source import find_format
from pipeline.warehouse.warehouse import Source, open_source
from record.algorithms import ALGORITHMS
from record.errors import ConfigError, Unreadable
from record.policy import Policy
from surrogates.keys import vault
from surrogates.keys.keys import CohortKey, MasterKey, load_master
from surrogates.keys.locators import SCHEMES
from surrogates.keys.vault import Vault
from surrogates.rewrite import Rewriter
from surrogates.tables.columns import Columns

_MOST_MARKUP = 10  # characters of markup for one of text, at most

EXTRACTION_VERSION = "layout-2"
"""Changed whenever extraction may produce another text from the same bytes."""


@dataclass
class WorkerResources:
    """The open resources of one process (or thread) that processes notes; never serialized.

    `config` is the hash of the configuration, `accepted` those whose stored spans are in use.
    `stale` are earlier ones that differ in detection alone: their notes wait for a backfill.
    `released` tells what detected the spans that may be released, by configuration. `dropped` are
    rules whose spans are left out.
    """

    settings: Settings
    source: Source
    state: State
    cohort: CohortKey
    policy: Policy
    rewriter: Rewriter
    columns: Columns
    keys: StateKeys
    reader: DocumentReader
    config: bytes
    accepted: frozenset[bytes]
    extraction: bytes
    stale: frozenset[bytes] = frozenset()
    released: Mapping[bytes, str] = field(default_factory=dict)
    tagger: SpanTagger | None = None
    dropped: frozenset[str] = frozenset()
    known: KnownPatients = field(default_factory=KnownPatients)
    remembered: RememberedPeople = field(default_factory=RememberedPeople)

    @property
    def seal(self) -> Seal:
        """The seal of stored spans and staged notes."""
        return self.keys.seal

    @cached_property
    def print_key(self) -> CohortKey:
        """The key of fingerprints, which compare notes across versions of the surrogates."""
        return self.cohort.under(ALGORITHMS[0])

    def text(self, value: object) -> str:
        """Return the text of a column, decoded where it holds markup or an encoding.

        Raises Unreadable if it is missing or too long, `markup` or `encoding`.
        """
        if not isinstance(value, str):
            raise Unreadable("malformed-text" if value else "no-text")
        if len(value) > _MOST_MARKUP * self.settings.limits.max_note_characters:
            raise Unreadable("too-long")
        return self.check_length(read_note_text(value, self.reader.read))

    def check_length(self, text: str) -> str:
        """Return the text; raises Unreadable if it is blank or too long."""
        if not text.strip():
            raise Unreadable("no-text")
        if len(text) > self.settings.limits.max_note_characters:
            raise Unreadable("too-long")
        return text

    def document(self, name: str) -> bytes:
        """Read the document that a note refers to, inside the folder of documents or the export."""
        source, limits = self.settings.source, self.reader.limits
        found = self.source.fetch_document(name)
        if found is not None and found.data is not None:
            if len(found.data) > limits.max_bytes:
                raise Unreadable("too-large")
            return found.data
        folder = documents_folder(self.settings) or export_folder(self.settings)
        if folder is None:
            raise Unreadable("no-document-folder")
        name = found.location if found is not None else name
        return read_file(name, folder, limits, hard_links=source.hard_links)

    def close(self) -> None:
        """Close the databases and the extraction process."""
        self.reader.close()
        self.source.close()
        self.state.close()

    def __enter__(self) -> "WorkerResources":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("worker resources hold keys and must not be serialized")


def open_resources(
    settings: Settings,
    *,
    release: str | None = None,
    is_trial: bool = False,
    algorithm: int | None = None,
) -> WorkerResources:
    """Open everything that the stages need; raises ConfigError or Unavailable.

    `release` names the cohort of a release, `algorithm` the version of its surrogates. Then no
    model is loaded, and `config` is the hash of the nightly job, whose spans must be up to date. A
    trial creates no cohort.
    """
    master = open_master(settings)
    keys, options = StateKeys(master), make_extraction_options(settings)
    state = open_state(resolve_urls(settings).state, settings.base, keys)
    state.require_sealed()
    derive = open_trial_cohort if is_trial else MasterKey.cohort
    nightly = derive(master, settings.cohort, algorithm=state.read_algorithm())
    is_nightly = release is None or (is_trial and release == settings.cohort)
    cohort = nightly if is_nightly else derive(master, str(release), algorithm=algorithm)
    policy = settings.make_policy()
    cohort = with_id_bits(cohort, policy)
    policy = policy.under(cohort.algorithm)
    config = config_hash(settings, nightly)
    detectors = describe_detectors(settings, nightly)
    accepted, earlier = (
        state.detections.read_accepted(config),
        state.detections.read_earlier(config),
    )
    return WorkerResources(
        settings=settings,
        source=open_source(resolve_urls(settings).source, settings.base),
        state=state,
        cohort=cohort,
        policy=policy,
        rewriter=Rewriter(cohort, policy),
        columns=Columns(cohort, policy),
        keys=keys,
        reader=DocumentReader(_make_limits(settings), options),
        config=config,
        accepted=accepted,
        extraction=_extraction_hash(settings, options, master),
        stale=find_stale(earlier, detectors),
        released=dict.fromkeys(accepted, detectors.label)
        | find_releasable(earlier, detectors, settings, datetime.now(UTC)),
        tagger=load_tagger(settings) if release is None else None,
        dropped=load_dropped_rules(settings, []),
    )


def with_id_bits(cohort: CohortKey, policy: Policy) -> CohortKey:
    """Return a cohort's key with ids of the size that a policy chooses."""
    return cohort.with_id_bits(policy.under(cohort.algorithm).id_bits)


def open_master(settings: Settings) -> MasterKey:
    """Load the master key of a configuration; with custody, its use is logged.

    Raises ConfigError or Unavailable.
    """
    folder = settings.key.custody
    custody = None if folder is None else settings.base / folder
    return open_key(settings.key.locator, settings.base, custody)


def open_trial_cohort(master: MasterKey, name: str, *, algorithm: int | None = None) -> CohortKey:
    """Derive the key of a cohort; for one that does not exist yet, a key that nobody keeps."""
    custody = master.custody
    if custody is not None:
        with custody.locked():
            is_new = custody.entry(name) is None
        if is_new:
            return MasterKey(secrets.token_bytes(32)).cohort(name, algorithm=algorithm)
    return master.cohort(name, algorithm=algorithm)


def open_key(key: str, base: Path, custody: Path | None = None) -> MasterKey:
    """Load the master key from a locator, or from a file path relative to `base`."""
    locator = key if key.startswith(SCHEMES) else f"file:{base / key}"
    return load_master(locator, base, environ=os.environ, custody=custody)


def open_vault(path: Path, key: str, base: Path) -> Vault:
    """Open a vault; its key is a locator or a file path, relative to `base` as is its own path."""
    locator = key if key.startswith(SCHEMES) else f"file:{base / key}"
    return vault.open_vault(path, locator, base, environ=os.environ)


def open_reversal_vault(settings: Settings) -> Vault | None:
    """Open the vault of a configuration, if it has one; raises ConfigError or Unavailable."""
    reversal = settings.reversal
    if reversal is None:
        return None
    return open_vault(Path(reversal.vault), reversal.key, settings.base)


def make_seal(master: MasterKey) -> Seal:
    """Return the seal of the span store, with a key derived from the master key."""
    return StateKeys(master).seal


def seal_state(settings: Settings, master: MasterKey, state: State) -> None:
    """Seal what earlier versions stored in the state database; requires the run lock.

    With custody it is logged, and happens once for a place: rows of an earlier version that come
    back there were put back, and are refused with AlteredState.
    """
    if state.is_sealed():
        return
    lock = make_lock_path(resolve_urls(settings).state.url, settings.base).absolute()
    place = f"state {hashlib.blake2b(str(lock).encode(), digest_size=8).hexdigest()}"
    custody, logged = master.custody, False
    if custody is not None:
        with custody.locked():
            uses = [use for use in custody.log.uses() if use.action == _SEAL]
        logged = (settings.cohort, place) in [(use.cohort, use.reason) for use in uses]
    if logged and any(state.count_outcomes().values()):
        raise AlteredState(
            "the state database holds rows of an earlier version, although they were sealed "
            "before: it was changed or restored from outside, and nothing was released. Remedy: "
            "restore a backup from after the upgrade, or delete state database and output, and run"
        )
    state.seal_at_rest()
    if custody is not None and not logged:
        master.cohort(settings.cohort, action=_SEAL, reason=place)


_SEAL = "seal"


def resolve_urls(settings: Settings) -> Settings:
    """Replace `env:NAME` and `file:PATH` with the URLs themselves.

    The result must not leave this process.
    """
    source, output, state = (
        resolve_url(place.url, os.environ, settings.base)
        for place in (settings.source, settings.output, settings.state)
    )
    return replace(
        settings,
        source=replace(settings.source, url=source),
        output=replace(settings.output, url=output),
        state=replace(settings.state, url=state),
    )


def refuse_written_passwords(settings: Settings) -> None:
    """Raise ConfigError, which names the setting, where a URL has a password: settings are sent."""
    urls = {f"{place}.url": getattr(settings, place).url for place in ("source", "output", "state")}
    urls |= {f"cohorts.{name}.output": each.output for name, each in settings.cohorts.items()}
    for place, url in urls.items():
        if url and has_password(url):
            raise ConfigError(
                place,
                "must not hold a password, which would be sent to the workers in plain text",
                'write "env:NAME" or "file:PATH", and put it there on every worker',
            )


def load_tagger(settings: Settings) -> SpanTagger | None:
    """Load the model of the configuration; raises ConfigError, also if its labels do not fit."""
    if not settings.model.is_on:
        return None
    from models.tagger.loading import load_tagger_folder  # noqa: PLC0415 # seconds to import

    folder = folder_of(settings.model.folder, settings.base)
    calibrated = _load_calibration(settings)
    tagger = load_tagger_folder(
        folder,
        settings.model.runtime,
        threads=int(os.environ.get("OMP_NUM_THREADS") or 0),  # the share of a worker
        thresholds=calibrated.thresholds if calibrated else None,
    )
    check_labels("model.folder", tagger, settings.make_policy())
    if calibrated:
        check_labels_exist(calibrated.path, calibrated.thresholds, tagger.labels)
    return tagger


@dataclass(frozen=True)
class _Calibration:
    path: Path
    thresholds: SpanThresholds
    record: CalibrationRecord


def _load_calibration(settings: Settings) -> _Calibration | None:
    model = settings.model
    if model.thresholds is None:
        return None
    path = settings.base / model.thresholds
    return _Calibration(path, *load_thresholds(path, folder_of(model.folder, settings.base)))


def load_dropped_rules(settings: Settings, warnings: list[str]) -> frozenset[str]:
    """Return the rules that the configuration leaves out; warn where their file is outdated.

    Raises ConfigError.
    """
    selection = settings.detection.selection
    if selection is None:
        return frozenset()
    return load_selection(settings.base / selection, DETECTOR_VERSION, warnings)


def describe_detection(settings: Settings, warnings: list[str]) -> tuple[str, ...]:
    """Return what takes part in detection beside known values, one sentence each."""
    told: list[str] = []
    load_dropped_rules(settings, told)
    lines = [f"rules {DETECTOR_VERSION}", *told]
    warnings += told
    if not settings.model.is_on:
        return (*lines, "no tagger")
    runtime = settings.model.runtime
    lines.append(f"tagger {digest_tagger(settings)[:12]} on the runtime {runtime}")
    if calibrated := _load_calibration(settings):
        lines.append(f"thresholds of the tagger: {calibrated.record.describe()}")
    return tuple(lines)


def digest_tagger(settings: Settings) -> str:
    """Return the digest of the configuration's model; empty if it has none."""
    model = settings.model
    return digest(folder_of(model.folder, settings.base)) if model.is_on else ""


def _thresholds_in_use(settings: Settings) -> dict[str, object]:
    calibrated = _load_calibration(settings)
    return {"thresholds": dict(calibrated.thresholds.by_label)} if calibrated else {}


def config_hash(settings: Settings, cohort: CohortKey) -> bytes:
    """Hash all settings that affect the output: when it changes, every note is processed again."""
    written = {
        "policy": settings.make_policy().under(cohort.algorithm).policy_id,
        "key": cohort.key_id,
    }
    return _hash_settings(written | _list_detection_settings(settings))


def describe_detectors(settings: Settings, cohort: CohortKey) -> Detectors:
    """Describe what a configuration detects with, and under which key and policy it writes."""
    tagger = digest_tagger(settings)
    model = f" model:{tagger[:12]}" if tagger else ""
    others = _hash_settings(_list_detection_settings(settings)).hex()[:8]
    return Detectors(
        version=DETECTOR_VERSION,
        label=f"{DETECTOR_VERSION}{model} settings:{others}",
        key_id=cohort.key_id,
        policy_id=settings.make_policy().under(cohort.algorithm).policy_id,
    )


def find_stale(earlier: Iterable[EarlierConfiguration], detectors: Detectors) -> frozenset[bytes]:
    """Return the earlier configurations that differ from the present one in detection alone.

    The output of their notes is valid under the present key and policy until it is redone.
    """
    written = detectors.key_id, detectors.policy_id
    return frozenset(
        each.config
        for each in earlier
        if (each.detectors.key_id, each.detectors.policy_id) == written
    )


def find_releasable(
    earlier: Iterable[EarlierConfiguration],
    detectors: Detectors,
    settings: Settings,
    now: datetime,
) -> dict[bytes, str]:
    """Return which stale configurations' spans may still be released, with what detected them.

    Raises ConfigError where the site demands a later version than that of this program.
    """
    earlier = list(earlier)
    demanded = settings.detection.minimum_version
    if demanded is not None and is_older(DETECTOR_VERSION, demanded):
        raise ConfigError(
            "detection.minimum_version",
            f"is not a version up to that of this program's detectors, {DETECTOR_VERSION}",
            "correct it, or install a later version of cryptonym",
        )
    least = (*SECURITY_VERSIONS, *((demanded,) if demanded else ()))
    oldest = now - timedelta(days=settings.detection.keep_days)
    stale = find_stale(earlier, detectors)
    return {
        each.config: each.detectors.label
        for each in earlier
        if each.config in stale
        and each.last_used > oldest
        and not any(is_older(each.detectors.version, version) for version in least)
    }


def _list_detection_settings(settings: Settings) -> dict[str, Any]:
    """Return all settings but key and policy that affect the output."""
    identity = settings.source.identity
    return {
        "detector": DETECTOR_VERSION,
        "lang": settings.lang,
        "kinds": settings.source.kinds,
        "rules": asdict(settings.rules),
        "identity": asdict(identity) if identity else None,
        "limits": asdict(settings.limits) | {"notes_per_unit": 0, "max_quarantine_share": 0},
        # Settings added later count only where they are given: other notes are not read again.
        **({"languages": sorted(allowed)} if (allowed := settings.detection.allowed) else {}),
        **({"dropped": sorted(dropped)} if (dropped := load_dropped_rules(settings, [])) else {}),
        **(
            {
                "model": model,
                "runtime": settings.model.runtime,
                **_thresholds_in_use(settings),
            }
            if (model := digest_tagger(settings))
            else {}
        ),
    }


def _hash_settings(deciding: Mapping[str, Any]) -> bytes:
    canonical = json.dumps(deciding, sort_keys=True, default=str).encode()
    return hashlib.blake2b(canonical, digest_size=16).digest()


def make_extraction_options(settings: Settings) -> Options:
    """Return the options of extraction; raises ConfigError if passwords cannot be read."""
    extraction = settings.extraction
    return Options(
        layout=extraction.layout,
        engine=extraction.engine,
        languages=extraction.languages,
        dpi=extraction.dpi,
        tessdata=str(settings.base / extraction.tessdata) if extraction.tessdata else None,
        passwords=load_passwords(extraction.passwords, settings.base, os.environ)
        if extraction.passwords
        else (),
        boxes=str(settings.base / extraction.boxes) if extraction.boxes else None,
    )


def _extraction_hash(settings: Settings, options: Options, master: MasterKey) -> bytes:
    """Hash all that affects the text of documents: they are extracted again when it changes.

    Notes whose text is in the database are not affected. The hash is keyed, since passwords are
    part of it.
    """
    found = find_tessdata(options.languages, options.tessdata)
    boxes = Path(options.boxes).read_bytes() if options.boxes else b""
    deciding = {
        **asdict(options),
        **asdict(settings.extraction),
        "passwords": options.passwords,
        "version": EXTRACTION_VERSION,
        "recognizes": found is not None,
        "boxes": hashlib.blake2b(boxes, digest_size=16).hexdigest(),
    }
    canonical = json.dumps(deciding, sort_keys=True, default=str).encode()
    key = master.derive("extraction")
    return hashlib.blake2b(canonical, digest_size=16, key=key).digest()


def documents_folder(settings: Settings) -> Path | None:
    """Return the folder of documents, if one is configured."""
    documents = settings.source.documents
    return settings.base / documents if documents else None


def export_folder(settings: Settings) -> Path | None:
    """Return the folder of the export that is the source, if it is one."""
    export = find_format(resolve_urls(settings).source.url)
    return settings.base / export[1] if export is not None else None


def _make_limits(settings: Settings) -> Limits:
    limits = settings.limits
    return Limits(
        max_bytes=limits.max_document_bytes,
        max_pages=limits.max_pages,
        max_characters=limits.max_note_characters,
        seconds=limits.seconds_per_document,
        memory_mb=limits.document_memory_mb,
    )
