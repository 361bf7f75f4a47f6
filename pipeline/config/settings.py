"""Settings of the nightly job: a TOML file read into validated, frozen dataclasses."""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_type_hints

from pydantic import (
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    TypeAdapter,
    ValidationError,
)

from extractors.document.options import LANGUAGES, Engine, Layout
from models.tagger.shipped_model import DEFAULT, NO_MODEL
from pipeline.config.near_misses import suggest
from pipeline.config.policies import build_policy, expand_policy
from pipeline.config.value_errors import UNKNOWN_KEY, describe_value_error
from record.columns import TABLES
from record.errors import ConfigError
from record.languages import Lang
from record.policy import Policy
from rules.identifiers.site_patterns import SITE, SiteNumbers
from surrogates.keys.locators import MOST_BYTES, PrivateFile, read_private

_STRICT = ConfigDict(extra="forbid")
Kind = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$")]
Name = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
Count = Annotated[int, Field(ge=1)]
AboveZero = Annotated[float, Field(gt=0)]
URL_FILE = "file:"
"""Prefix of the path of a file that holds a URL. SQLite's own `file:` follows `sqlite:///`."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def _read_columns(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


@dataclass(frozen=True)
class IdentitySettings:
    """The table of identifying data of patients, which OMOP lacks, and the meaning of its columns.

    `columns` maps a field of the patient record (`given_names`, `family_names`, `birth_names`,
    `birth_date`, `gender`, `phones`, `emails`, `street`, `zip`, `city`, `region`, `country`,
    `relative_given_names`, `relative_family_names`) or a label (`PATIENT_ID`, `SSN` ...) to a
    column, or to several, as for the two family names of Spanish. Several values in one column are
    separated by `separator`. Several rows of one person are combined. With `required`, notes of a
    person without a row go to quarantine.
    """

    __pydantic_config__ = _STRICT

    table: Name
    columns: dict[str, Annotated[str | tuple[str, ...], PlainValidator(_read_columns)]]
    person_id: Name = "person_id"
    separator: str = ";"
    required: bool = True

    def __post_init__(self) -> None:
        """Raise ConfigError for what is no name of a column."""
        for name in self.columns:
            found = self.columns_of(name)
            if not found or not all(
                isinstance(each, str) and _NAME.fullmatch(each) for each in found
            ):
                problem = "must be the name of a column, or a list of such names"
                remedy = "letters, digits and _ alone: a view renames others"
                raise ConfigError(f"source.identity.columns.{name}", problem, remedy)

    def columns_of(self, name: str) -> tuple[str, ...]:
        """Return the columns of a field or label; none where it is not configured."""
        found = self.columns.get(name, ())
        return found if isinstance(found, tuple) else (found,)

    @property
    def all_columns(self) -> list[str]:
        """The column of ids and all others, each once."""
        named = (column for name in self.columns for column in self.columns_of(name))
        return sorted({self.person_id, *named})


@dataclass(frozen=True)
class ObjectionSettings:
    """The persons who object to the use of their data: one of a table, a file and a query.

    `table` is a table of the source, whose column `person_id` has the persons; `file` a Parquet
    file, JSON Lines with `person_id`, a table of text, or one id per line; `sql` a query on the
    source that returns `person_id`.
    """

    __pydantic_config__ = _STRICT

    table: Name | None = None
    file: str | None = None
    sql: str | None = field(default=None, repr=False)
    person_id: Name = "person_id"

    def __post_init__(self) -> None:
        """Raise ConfigError unless exactly one of them is given."""
        if sum(each is not None for each in (self.table, self.file, self.sql)) != 1:
            problem = "must name a table, a file or a query"
            raise ConfigError("source.objections", problem, "give one of table, file and sql")


def _read_objections(value: Any) -> Any:
    """Return a single text as what it is: the name of a table, a query, or else a file."""
    if not isinstance(value, str):
        return value
    if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", value):
        return {"table": value}
    return {"sql" if re.match(r"\s*(select|with)\s", value, re.IGNORECASE) else "file": value}


@dataclass(frozen=True)
class ChangeSettings:
    """The column of `note` with the time of a row's last change, by which nights are narrowed.

    One night of `full_every` compares all notes, whatever the column says.
    """

    __pydantic_config__ = _STRICT

    column: Name
    full_every: Annotated[int, Field(ge=2, le=366)] = 7


@dataclass(frozen=True)
class SourceSettings:
    """The source of the notes: an OMOP CDM 5.4 database, a folder of Parquet tables, or an export.

    `url` is a SQLAlchemy URL, `parquet:FOLDER`, `fhir:FOLDER` or `hl7:FOLDER`. `schema` is the
    database schema of the CDM. `documents` is the folder of the documents named in
    `note_source_value`; with `hard_links`, also files there that have a second name are read, which
    may be outside the folder.
    `kinds` maps a note_class_concept_id (as text) to the kind of note shown in reports; titles
    are never used, since they may hold names. `sites` maps a care_site_id (as text), of the visit
    or else of the provider, to the name of a site. `classes` maps a code of the kind of document
    in an export, such as a LOINC code, to a note_class_concept_id. With `changes`, most nights
    compare only the notes that a column says were touched.
    """

    __pydantic_config__ = _STRICT

    url: str = field(repr=False)
    schema: Name | None = None
    documents: str | None = None
    hard_links: bool = False
    identity: IdentitySettings | None = None
    kinds: dict[str, Kind] = field(default_factory=dict)
    sites: dict[str, Kind] = field(default_factory=dict)
    classes: dict[str, int] = field(default_factory=dict)
    objections: Annotated[ObjectionSettings | None, BeforeValidator(_read_objections)] = None
    changes: ChangeSettings | None = None


_OWN_TABLES = frozenset(("person", "note", "note_span"))


@dataclass(frozen=True)
class OutputSettings:
    """The output of de-identified notes: a SQLAlchemy URL or `parquet:FOLDER`.

    `tables` are the OMOP tables that it has beside notes and persons; ids that refer to rows of
    others are empty. `note_nlp` holds the surrogates of its notes, not what the source has there.
    With `vocabulary`, it has the source's vocabulary tables too.
    """

    __pydantic_config__ = _STRICT

    url: str = field(repr=False)
    schema: Name | None = None
    tables: tuple[Name, ...] = ("visit_occurrence", "visit_detail", "provider", "care_site")
    vocabulary: bool = False

    def __post_init__(self) -> None:
        """Raise ConfigError for a table that the output cannot have."""
        known = [name for name in TABLES if name not in _OWN_TABLES]
        if unknown := sorted(set(self.tables) - set(known)):
            problem = f"unknown table: {', '.join(unknown)}"
            raise ConfigError("output.tables", problem, f"use some of {', '.join(known)}")


@dataclass(frozen=True)
class StateSettings:
    """The restricted database of ledger, sealed spans, staged notes and quarantine.

    With `keep_texts`, the texts of documents are stored there, sealed together with their spans,
    so that a release does not extract the documents again.
    """

    __pydantic_config__ = _STRICT

    url: str = field(default="sqlite:///state.db", repr=False)
    keep_texts: bool = True


@dataclass(frozen=True)
class KeySettings:
    """The location of the master key; never the key itself.

    `locator` has the syntax of `surrogates.keys.locators`: `file:PATH`, `env:NAME` ... `custody` is
    the folder of cohort secrets and of the usage log, if it is not beside the key file.
    """

    __pydantic_config__ = _STRICT

    locator: str = "file:master.key"
    custody: str | None = None


@dataclass(frozen=True)
class ReversalSettings:
    """The vault for re-identifying persons of releases, and the location of its key."""

    __pydantic_config__ = _STRICT

    vault: str
    key: str


@dataclass(frozen=True)
class LimitSettings:
    """Limits on hostile or broken input, and on the share of notes in quarantine."""

    __pydantic_config__ = _STRICT

    notes_per_unit: Annotated[int, Field(ge=1, le=10_000)] = 500
    max_note_characters: Annotated[int, Field(ge=1)] = 1_000_000
    max_document_bytes: Annotated[int, Field(ge=1)] = 64_000_000
    max_pages: Annotated[int, Field(ge=1)] = 400
    seconds_per_document: Annotated[float, Field(gt=0)] = 60.0
    document_memory_mb: Annotated[int, Field(ge=128)] = 1024
    max_quarantine_share: Annotated[float, Field(ge=0, le=1)] = 0.05


Share = Annotated[float, Field(ge=0, le=1)]


@dataclass(frozen=True)
class ExtractionSettings:
    """Extraction of text from documents.

    `layout` is `body` (the letter without letterhead, margins, stamps and footers) or `full`.
    `engine` reads PDFs: `pymupdf`, or `pdfplumber` if the licence of the former does not fit.
    `languages` are tesseract languages, for pages without a usable text layer; with an empty list
    such pages are refused. `tessdata` is the folder of tesseract's data if not the default.
    `passwords` locates the passwords of encrypted PDFs, one per line: `file:PATH` or `env:NAME`.
    `boxes` is a file made by `cryptonym extract train`. A document whose quality is below
    `min_quality`, or the value for its kind in `min_quality_by_kind`, goes to quarantine.
    """

    __pydantic_config__ = _STRICT

    layout: Layout = Layout.BODY
    engine: Engine = Engine.PYMUPDF
    languages: tuple[Annotated[str, Field(pattern=r"^[A-Za-z_]{3,20}$")], ...] = LANGUAGES
    dpi: Annotated[int, Field(ge=100, le=600)] = 300
    tessdata: str | None = None
    passwords: str | None = None
    boxes: str | None = None
    min_quality: Share = 0.6
    min_quality_by_kind: dict[Kind, Share] = field(default_factory=dict)

    def threshold(self, kind: str) -> float:
        """Return the quality below which a document of this kind is refused."""
        return self.min_quality_by_kind.get(kind, self.min_quality)


@dataclass(frozen=True)
class RulesSettings:
    """Formats of the hospital's patient and visit numbers, and the words that introduce them.

    Shapes are regular expressions of characters, sets, groups, `|`, `?` and counted repetition,
    over text in lower case without accents. Words are those that precede the number.
    """

    __pydantic_config__ = _STRICT

    patient_shapes: tuple[str, ...] = SITE.patient_shapes
    visit_shapes: tuple[str, ...] = ()
    patient_words: tuple[str, ...] = ()
    visit_words: tuple[str, ...] = ()

    @cached_property
    def site(self) -> SiteNumbers:
        """The numbers as the rules expect them; raises ConfigError with the key."""
        try:
            made = SiteNumbers(**asdict(self))
        except ConfigError as error:
            raise ConfigError(f"rules.{error.key}", error.problem, error.remedy) from None
        return SITE if made == SITE else made


Language = Annotated[str, Field(pattern=r"^[a-z]{2,3}$")]


@dataclass(frozen=True)
class DetectionSettings:
    """Languages that are let through, the rules that take part, and how long finds are valid.

    `allow_languages` are ISO 639-1 codes of languages that no rule speaks; notes in other ones go
    to quarantine, since their names would not be found. `selection` is a file written by
    `cryptonym select`. What earlier detectors found is released for `keep_days` after they last
    ran, unless they are of a version before `minimum_version`.
    """

    __pydantic_config__ = _STRICT

    allow_languages: tuple[Language, ...] = ()
    selection: str | None = None
    keep_days: Annotated[int, Field(ge=0, le=3_650)] = 90
    minimum_version: Annotated[str, Field(pattern=r"^[a-z]+-[0-9]{1,9}$")] | None = None

    @property
    def allowed(self) -> frozenset[str]:
        """The languages as a set."""
        return frozenset(self.allow_languages)


@dataclass(frozen=True)
class BackfillSettings:
    """How a night detects notes again that earlier detectors read, after its own notes.

    At most `minutes` a night, by the clock; `order` are cohorts whose persons come first.
    """

    __pydantic_config__ = _STRICT

    minutes: Annotated[float, Field(ge=0, le=1_440)] = 240.0
    order: tuple[Annotated[str, Field(min_length=1, max_length=200)], ...] = ()


@dataclass(frozen=True)
class ModelSettings:
    """The tagger model used in detection.

    `folder` is one written by `cryptonym train`, `default` for the shipped model, or `none`: then
    only rules and known values of the patient are used. `runtime` is the runtime of the encoder;
    `auto` is PyTorch where it has a GPU, else ONNX Runtime. `thresholds` is a file written by
    `cryptonym evaluate --calibrate`.
    """

    __pydantic_config__ = _STRICT

    folder: Annotated[str, Field(min_length=1)] = DEFAULT
    runtime: Literal["auto", "onnx", "onnx-int8", "openvino", "openvino-int8", "torch"] = "auto"
    thresholds: str | None = None

    def __post_init__(self) -> None:
        """Raise ConfigError for thresholds without a tagger."""
        if self.thresholds is not None and not self.is_on:
            problem = "there is no tagger whose thresholds they are"
            raise ConfigError("model.thresholds", problem, "remove it, or name a tagger")

    @property
    def is_on(self) -> bool:
        """Whether a model takes part in detection."""
        return self.folder != NO_MODEL


@dataclass(frozen=True)
class ReportSettings:
    """The folder that `report.html` and `report.json` are written to, and who may read them.

    `mode` is that of the files, in octal; folders that are created get it with permission to enter.
    """

    __pydantic_config__ = _STRICT

    folder: str = "."
    mode: Literal["600", "640", "644"] = "600"

    @property
    def file_mode(self) -> int:
        """The mode of the files as a number."""
        return int(self.mode, 8)


@dataclass(frozen=True)
class LogSettings:
    """The event log: a file to which one line of JSON is appended per event; none by default."""

    __pydantic_config__ = _STRICT

    file: str | None = None


@dataclass(frozen=True)
class PersonsSettings:
    """The persons of a cohort: either a file, or a query on the source that returns `person_id`."""

    __pydantic_config__ = _STRICT

    file: str | None = None
    sql: str | None = field(default=None, repr=False)


@dataclass(frozen=True)
class CohortSettings:
    """Defaults for the options of `cryptonym release --cohort NAME`.

    `output` is a URL as for `--output`; `since` and `until` are dates of the source. `policy` is
    the name of a policy, a file, or a table like `[policy]`. `columns` are tables or
    `table.column`. `spans` releases where surrogates stand in notes, `vocabulary` adds the
    source's vocabulary tables.
    """

    __pydantic_config__ = _STRICT

    persons: PersonsSettings | None = None
    output: str | None = field(default=None, repr=False)
    schema: Name | None = None
    since: date | None = None
    until: date | None = None
    kinds: tuple[Kind, ...] = ()
    columns: tuple[str, ...] = ()
    policy: str | dict[str, Any] | None = None
    spans: bool = False
    vocabulary: bool = False


@dataclass(frozen=True)
class SynthesisSettings:
    """What `cryptonym synthesize run` makes of the release of a cohort, and where it goes.

    `cohort` is one of `[cohorts]` that is released with spans. `folder` keeps what the
    stages wrote and stays inside; `output` gets what may leave. `recipe`, `training` and
    `generation` are options of `synthesize train` and `synthesize generate`, with `_` for `-`;
    the `utility_` keys are options of `synthesize utility`, minutes are those of each tagger. With
    `medical` taggers of words of medicine are trained, too; with `sound` people are asked whether
    single notes make medical sense: neither then may be missing. Notes whose annotations agree with
    what rules and the tagger `agreement_model` find by less than the F1 `agreement` are left out;
    with 0 nothing is compared.
    `public` is a corpus prepared from public notes, for training with epsilon: what is neither
    weights nor chance comes from it. `words` is a list of words, a file or a language of wordfreq,
    `reader` the folder of a language model that did not write the notes, and reads at most
    `reader_notes` of them, and as many real ones.
    `unseen` are notes that a pretrained model which the generator begins with cannot have seen, in
    any format of annotated notes; it is asked about at most `unseen_notes` of them, and as many of
    the release. `requirements` is a file or a shipped set. `answers` is a folder of files that
    reviewers saved, `measured` are further files of signed measurements.
    """

    __pydantic_config__ = _STRICT

    cohort: Annotated[str, Field(min_length=1, max_length=200)]
    output: Annotated[str, Field(min_length=1)]
    folder: Annotated[str, Field(min_length=1)] = "synthesis"
    notes: Annotated[int, Field(ge=1)] = 1_000
    seed: int = 1
    recipe: str | None = None
    public: str | None = None
    training: dict[str, bool | int | float | str] = field(default_factory=dict)
    generation: dict[str, bool | int | float | str] = field(default_factory=dict)
    agreement: Annotated[float, Field(ge=0, le=1)] = 0.5
    agreement_model: str = "default"
    utility_encoder: str = "bilstm"
    utility_seeds: Annotated[int, Field(ge=2)] = 3
    utility_minutes: Annotated[float | None, Field(gt=0)] = None
    utility_epochs: Annotated[int | None, Field(ge=1)] = None
    medical: bool = False
    sound: bool = False
    reviewers: Annotated[int, Field(ge=2)] = 2
    words: str | None = None
    reader: str | None = None
    reader_notes: Annotated[int, Field(ge=2)] = 200
    unseen: str | None = None
    unseen_notes: Annotated[int, Field(ge=2)] = 200
    requirements: str | None = None
    answers: str | None = None
    measured: tuple[str, ...] = ()


@dataclass(frozen=True)
class QualitySettings:
    """When the counts of a run raise an alarm, and what happens then.

    With the gate `hold`, nothing new from a run with an alarm is published until it is accepted;
    `warn` only reports it. A run is compared with the nights of the last `window_days`; with fewer
    than `min_days` nights no run is held. `hook` is a program with arguments that receives alarms
    as JSON on its standard input; `prometheus` a file for a textfile collector.

    The number of notes of a night is only a notice, unless it is `volume_factor` times what is
    expected, or that part of it.

    A run or release that would withdraw more than the share `max_withdrawn_share` of its notes or
    of its persons is held from the first night on, whatever the gate, except where it withdraws
    at most `min_withdrawn` of them.

    `reevaluate`, such as "90 days", is how long an audit by people counts before the report asks
    for another sample.
    """

    __pydantic_config__ = _STRICT

    gate: Literal["hold", "warn"] = "hold"
    window_days: Annotated[int, Field(ge=14, le=366)] = 84
    min_days: Annotated[int, Field(ge=5, le=366)] = 28
    false_alarms_per_quarter: Annotated[float, Field(gt=0, le=10)] = 0.5
    volume_factor: Annotated[float, Field(ge=2)] = 8.0
    max_withdrawn_share: Share = 0.05
    min_withdrawn: Annotated[int, Field(ge=0)] = 30
    hook: tuple[str, ...] = ()
    prometheus: str | None = None
    reevaluate: Annotated[str, Field(pattern=r"^[1-9][0-9]{0,3} days$")] | None = None

    @property
    def reevaluate_days(self) -> int | None:
        """The days after which an audit is due again; None if it never is."""
        return None if self.reevaluate is None else int(self.reevaluate.split()[0])


@dataclass(frozen=True)
class EnergySettings:
    """Assumptions of the energy estimate (`pipeline.config.energy`), defaults of Green Algorithms.

    Watts of a busy core and of a gigabyte of memory, watts of the data center per watt of the
    machine, and grams of CO2 equivalent per kilowatt hour (global average).
    """

    __pydantic_config__ = _STRICT

    watts_per_core: Annotated[float, Field(gt=0, le=1000)] = 12.0
    watts_per_gigabyte: Annotated[float, Field(ge=0, le=100)] = 0.3725
    power_usage_effectiveness: Annotated[float, Field(ge=1, le=10)] = 1.67
    grams_per_kilowatt_hour: Annotated[float, Field(ge=0, le=2000)] = 475.0


@dataclass(frozen=True)
class EngineSettings:
    """What runs the workers, and how units of work are given to them.

    `kind` is `processes` of this machine or tasks of `spark`; `master` is the URL of Spark's
    master, none under spark-submit. A worker holds a unit for `lease_seconds`, and renews that
    while it works; a unit whose worker
    has not been heard of for so long goes to another one. One in which no note has come further for
    `unit_minutes` is not renewed, and its worker process ends.
    """

    __pydantic_config__ = _STRICT

    kind: Literal["processes", "spark"] = "processes"
    master: str | None = None
    lease_seconds: Annotated[float, Field(ge=1, le=3600)] = 60.0
    unit_minutes: Annotated[float, Field(gt=0, le=1440)] = 60.0

    def __post_init__(self) -> None:
        """Raise ConfigError where there is a master of another engine."""
        if self.master is not None and self.kind != "spark":
            problem = "is that of Spark, and the engine is another one"
            raise ConfigError("engine.master", problem, 'remove it, or set engine.kind = "spark"')


@dataclass(frozen=True)
class Settings:
    """All settings of a nightly run; paths are relative to the configuration's folder."""

    __pydantic_config__ = _STRICT

    source: SourceSettings
    output: OutputSettings
    cohort: Annotated[str, Field(min_length=1, max_length=200)] = "research"
    lang: Lang = "fr"
    state: StateSettings = field(default_factory=StateSettings)
    key: KeySettings = field(default_factory=KeySettings)
    reversal: ReversalSettings | None = None
    policy: dict[str, Any] = field(default_factory=dict)
    limits: LimitSettings = field(default_factory=LimitSettings)
    extraction: ExtractionSettings = field(default_factory=ExtractionSettings)
    rules: RulesSettings = field(default_factory=RulesSettings)
    detection: DetectionSettings = field(default_factory=DetectionSettings)
    backfill: BackfillSettings = field(default_factory=BackfillSettings)
    model: ModelSettings = field(default_factory=ModelSettings)
    report: ReportSettings = field(default_factory=ReportSettings)
    quality: QualitySettings = field(default_factory=QualitySettings)
    cohorts: dict[str, CohortSettings] = field(default_factory=dict)
    log: LogSettings = field(default_factory=LogSettings)
    energy: EnergySettings = field(default_factory=EnergySettings)
    engine: EngineSettings = field(default_factory=EngineSettings)
    synthesis: SynthesisSettings | None = None
    base: Path = Path()

    def make_policy(self) -> Policy:
        """Build the policy: every label is replaced unless `[policy.actions]` says otherwise."""
        return build_policy(self.policy, self.lang)


_SETTINGS = TypeAdapter(Settings)


def load(path: Path) -> Settings:
    """Read a configuration file.

    Raises ConfigError with the key, the problem and the remedy, but never the value, which may
    hold a password.
    """
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(str(path), "no such file", "give the path of a TOML file") from None
    except IsADirectoryError:
        remedy = "give the path of a TOML file in it"
        raise ConfigError(str(path), "is a folder", remedy) from None
    except UnicodeDecodeError:
        remedy = "give the path of a TOML file, as `cryptonym init` writes"
        raise ConfigError(str(path), "no text in UTF-8", remedy) from None
    except OSError as error:
        problem = (error.strerror or "cannot be read").lower()
        raise ConfigError(str(path), problem, "check its permissions") from None
    except tomllib.TOMLDecodeError as error:
        remedy = "correct that line; texts stand in quotes"
        raise ConfigError(str(path), f"not valid TOML ({error})", remedy) from None
    if "base" in table:
        raise ConfigError(
            "base", "unknown key", "remove it; paths are relative to the file's folder"
        )
    try:
        settings = _SETTINGS.validate_python({**table, "base": path.resolve().parent})
        # As JSON: strict, "yes" is not true and "5" is no number, but a list may be a tuple.
        _SETTINGS.validate_json(json.dumps(table, default=str), strict=True)
    except ValidationError as error:
        raise _make_error(error, path.name) from None
    # Expanded once, here: the policy sent to workers must not change during a run.
    settings = replace(settings, policy=expand_policy(settings.policy, settings.base))
    settings.make_policy()
    assert settings.rules.site
    for name in settings.backfill.order:
        if settings.cohorts.get(name, CohortSettings()).persons is None:
            problem = f"names {name}, whose persons are not configured"
            raise ConfigError("backfill.order", problem, f"add [cohorts.{name}.persons]")
    _check_synthesis(settings)
    return settings


def _check_synthesis(settings: Settings) -> None:
    """Raise ConfigError where the cohort that synthetic notes are made of is not configured."""
    if settings.synthesis is None:
        return
    name = settings.synthesis.cohort
    cohort = settings.cohorts.get(name, CohortSettings())
    if cohort.output is None or not cohort.spans:
        problem = f"names {name}, which is not released with spans to a place of its own"
        remedy = f"set output and spans = true in [cohorts.{name}]"
        raise ConfigError("synthesis.cohort", problem, remedy)


def check_options(
    table: str, given: Mapping[str, Any], shape: type, more: Mapping[str, Any]
) -> None:
    """Raise ConfigError for an option of a table that is no field of `shape`, nor one of `more`.

    So is one whose value is of another type.
    """
    hints = get_type_hints(shape)
    known = {each.name: hints[each.name] for each in fields(shape)} | dict(more)
    for name, value in given.items():
        key = f"{table}.{name}"
        if name not in known:
            raise ConfigError(key, "unknown option", f"use some of {', '.join(sorted(known))}")
        try:
            TypeAdapter(known[name]).validate_python(value, strict=True)
        except ValidationError:
            raise ConfigError(key, "not a value of this option", "see docs/synthesis.md") from None


def resolve_url(url: str, environ: Mapping[str, str], base: Path) -> str:
    """Return the URL; `env:NAME` and `file:PATH` are replaced with what holds it.

    That is an environment variable, or a private file (mode 600) whose path is relative to `base`.
    This keeps passwords out of configuration files and serialized graphs. Raises ConfigError.
    """
    if url.startswith(URL_FILE):
        return _read_url(base / url.removeprefix(URL_FILE))
    if not url.startswith("env:"):
        return url
    name = url.removeprefix("env:")
    if not environ.get(name):
        raise ConfigError(f"url env:{name}", "environment variable not set", f"export {name}=...")
    return environ[name]


_URL_FILE_KIND = PrivateFile("url file:PATH", "URL", "write the URL into it, with mode 600:")


def _read_url(path: Path) -> str:
    """Read a file that holds a URL and no more; raises ConfigError, which never quotes it."""
    content = read_private(path, _URL_FILE_KIND)
    try:
        url = content.decode().rstrip("\r\n")
    except UnicodeDecodeError:
        url = ""
    if not url or not url.isprintable() or len(content) >= MOST_BYTES:
        problem = f"{path} does not hold one URL in one line"
        raise ConfigError(_URL_FILE_KIND.setting, problem, "write the URL into it, and no more")
    return url


def _make_error(error: ValidationError, file: str) -> ConfigError:
    first = describe_value_error(error)
    place = [str(part) for part in first["loc"] if not str(part).startswith("function-")]
    key = ".".join(place)
    if first["type"] in UNKNOWN_KEY:
        hint = _suggest_key(place)
        remedy = f"{hint} Otherwise remove this key" if hint else "remove or rename this key"
        return ConfigError(key, "unknown key", remedy)
    if first["type"] in ("missing", "missing_argument"):
        return ConfigError(key, "missing", "add this key")
    remedy = f"correct the value in {file}; docs/operations.md lists all keys"
    return ConfigError(key or "configuration", first["msg"], remedy)


def _suggest_key(place: list[str]) -> str:
    """Return what an unknown key may have meant: another one of its table, or of another table."""
    *above, name = place
    if above[:1] == ["cohorts"]:
        del above[1:2]  # the name of a cohort is nobody's misspelling
    dotted = [key for key in _list_keys(Settings) if key != "base"]
    siblings = [key for key in dotted if key.split(".")[:-1] == above]
    near = suggest(name, (key.split(".")[-1] for key in siblings))
    if near:
        return near
    elsewhere = sorted(key for key in dotted if key.split(".")[-1] == name)
    return f"did you mean {' or '.join(elsewhere)}?" if elsewhere else ""


def _list_keys(shape: type, prefix: str = "") -> Iterator[str]:
    """Yield every key, tables joined by dots, without the names of cohorts."""
    hints = get_type_hints(shape)
    for each in fields(shape):
        kind = hints[each.name]
        yield prefix + each.name
        inner = next((one for one in (kind, *get_args(kind)) if is_dataclass(one)), None)
        if isinstance(inner, type):
            yield from _list_keys(inner, f"{prefix}{each.name}.")
