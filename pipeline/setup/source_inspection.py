"""What a source holds: schema, version, counts, languages, kinds of notes, identity tables."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pipeline.config.settings import SourceSettings
from pipeline.setup.identity_columns import IdentityTable, KnownPerson, find_identity_tables
from pipeline.setup.inspected_tables import (
    DatabaseTables,
    InspectedTables,
    ParquetTables,
    list_schemas,
)
from pipeline.warehouse.databases import connect
from pipeline.warehouse.export_source import ExportStore, find_format
from pipeline.warehouse.note_rows import parse_integer
from pipeline.warehouse.omop_tables import CDM_VERSION, REQUIRED
from pipeline.warehouse.warehouse import PARQUET, open_source
from record.columns import TABLES
from record.errors import ConfigError, Unavailable
from record.folding import fold
from record.languages import OMOP_LANGUAGES, Lang
from rules.matching.language_identification import LANGUAGES, language
from surrogates.ciphers.id_permutation import ID_BITS

_VERSION = re.compile(
    r"(?:omop )?(?:cdm )?v?[. ]?[0-9]{1,3}(?:\.[0-9]{1,3}){0,3}(?:[ -](?:rc|beta) ?[0-9]{0,2})?",
    re.IGNORECASE,
)
_NO_VERSION = "of unknown form"
_COUNTED = ("person", "note", "visit_occurrence", "visit_detail", "provider", "care_site")
_SAMPLED_TEXTS = 100
_MOST_KINDS = 40
_MOST_NAMED = 20
_LONG_TEXT = 200
_MOST_SLUG, _SHORT_SLUG = 40, 28
_OBJECTIONS = re.compile(r"objection|opposition|opt_?out|refus|widerspruch|oposicion|bezwaar")
# Tables of OMOP CDM that tell nobody's name: vocabulary, results, and what is read anyway.
_VOCABULARY = frozenset(
    (
        *("concept", "vocabulary", "domain", "concept_class", "concept_relationship"),
        *("relationship", "concept_synonym", "concept_ancestor", "source_to_concept_map"),
        *("drug_strength", "cohort", "cohort_definition", "cdm_source", "metadata", "note_span"),
        *("fact_relationship", "cost", "payer_plan_period", "episode", "episode_event"),
    )
)


@dataclass(frozen=True)
class NoteClass:
    """A class of notes: its concept, how many notes have it, its name in the vocabulary or none."""

    concept: int
    notes: int
    name: str = ""


@dataclass(frozen=True)
class SourceContents:
    """What a source holds, whatever is configured.

    `version` is empty where the source does not tell it. `counts` are numbers of rows, of the
    tables that are there.
    """

    source: SourceSettings
    version: str
    counts: dict[str, int]
    kinds: tuple[NoteClass, ...]
    is_export: bool


@dataclass(frozen=True)
class Inspection(SourceContents):
    """What was found in a source that is to be configured.

    `languages` counts notes by language of their column, `lang` is the most frequent language, by
    the column or else by the text; `tied_languages` are others of as many notes. Notes
    `in_documents` have no text but name a document. `id_bits` is what the greatest id needs.
    """

    languages: dict[str, int]
    lang: Lang | None
    is_lang_of_text: bool
    in_documents: int
    id_bits: int
    identities: tuple[IdentityTable, ...] = ()
    objections: tuple[str, ...] = ()
    tied_languages: tuple[Lang, ...] = ()

    @property
    def identity(self) -> IdentityTable | None:
        """The table that tells most of patients, if it tells their names."""
        return next((each for each in self.identities if each.has_names), None)


def inspect_source(source: SourceSettings, base: Path) -> Inspection:
    """Look at a source, without a word of what is in it; URLs must be resolved.

    Where no schema is given, the only one with the tables of OMOP CDM is taken. Raises ConfigError
    where there are no such tables, or several schemas have them, and Unavailable.
    """
    with _open_tables(source, base) as (found, tables):
        names = {name.lower(): name for name in tables.names()}
        _check_tables(tables, names)
        contents = _read_contents(found, tables, names)
        texts = _sample_texts(found, base)
        languages = _count_languages(tables, names)
        (lang, *tied), is_of_text = _choose_languages(languages, texts)
        is_export = contents.is_export
        ignored = {*TABLES, *_VOCABULARY}

        def find_persons(ids: Sequence[int]) -> dict[int, KnownPerson]:
            return _find_persons(tables, names["person"], ids)

        identities = [] if is_export else find_identity_tables(tables, find_persons, ignored)
        return Inspection(
            **vars(contents),
            languages=languages,
            lang=lang,
            is_lang_of_text=is_of_text,
            in_documents=0 if is_export else _count_documents(tables, names),
            id_bits=_measure_ids(tables, names),
            identities=tuple(identities),
            objections=tuple(name for name in tables.names() if _OBJECTIONS.search(name.lower())),
            tied_languages=tuple(each for each in tied if each),
        )


def inspect_contents(source: SourceSettings, base: Path) -> SourceContents:
    """Look at what a configured source holds; raises as `inspect_source` does."""
    with _open_tables(source, base) as (found, tables):
        names = {name.lower(): name for name in tables.names()}
        _check_tables(tables, names)
        return _read_contents(found, tables, names)


def escape_unprintable(name: str) -> str:
    """Return a name with escapes for what moves a cursor, ends a line or turns its direction."""
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode() for each in name
    )


def find_version_problem(version: str) -> str:
    """Return what is wrong with the version of a source; empty for the one that is read."""
    if not version:
        return "CDM version not told (no row in cdm_source): read as 5.4"
    if version.lower().lstrip("v").startswith(CDM_VERSION):
        return ""
    return f"CDM version {version}: columns that 5.4 renamed are not read"


def _read_contents(
    source: SourceSettings, tables: InspectedTables, names: dict[str, str]
) -> SourceContents:
    return SourceContents(
        source=source,
        version=_read_version(tables, names),
        counts={each: tables.count(names[each]) for each in _COUNTED if each in names},
        kinds=tuple(_count_kinds(tables, names)),
        is_export=find_format(source.url) is not None,
    )


@contextmanager
def _open_tables(
    source: SourceSettings, base: Path
) -> Iterator[tuple[SourceSettings, InspectedTables]]:
    if find_format(source.url) is not None:
        with closing(open_source(source, base)) as opened:
            assert isinstance(opened.store, ExportStore)
            yield source, DatabaseTables(opened.store.engine, None)
        return
    if source.url.startswith(PARQUET):
        folder = base / source.url.removeprefix(PARQUET)
        if not folder.is_dir():
            raise Unavailable("--source", "not a directory", "check the path or mount")
        yield source, ParquetTables(folder)
        return
    engine = connect(source.url, base, what="--source", use="source", schema=source.schema)
    try:
        tables = DatabaseTables(engine, source.schema)
        if source.schema is None and "note" not in map(str.lower, tables.names()):
            schemas = list_schemas(engine)
            if len(schemas) > 1:
                problem = f"several schemas have the tables of OMOP CDM: {_list(schemas)}"
                raise ConfigError("--schema", problem, "name one of them")
            if schemas:
                source = replace(source, schema=schemas[0])
                tables = DatabaseTables(engine, schemas[0])
        yield source, tables
    finally:
        engine.dispose()


def _check_tables(tables: InspectedTables, names: dict[str, str]) -> None:
    if not names:
        remedy = "check the URL, or name the schema: --schema"
        raise ConfigError("--source", "has no tables", remedy)
    missing = [each for each in REQUIRED if each not in names]
    if missing:
        shown = _list(tables.names()[:_MOST_NAMED])
        problem = f"is no OMOP CDM: no table {' and no table '.join(missing)} among {shown}"
        remedy = "name the schema (--schema), or create views `person` and `note`"
        hints = _find_long_texts(tables)
        if hints:
            remedy += f"; {_list(hints)} may hold texts of notes"
        raise ConfigError("--source", problem, f"{remedy}; see docs/sources.md")
    for table, required in REQUIRED.items():
        present = [name.lower() for name in tables.columns(names[table])]
        lacking = [each for each in required if each not in present]
        if lacking:
            problem = f"table {table} has no column {' and no column '.join(lacking)}"
            raise ConfigError("--source", problem, "create a view with it; see docs/sources.md")


def _list(names: Iterable[str]) -> str:
    return ", ".join(map(escape_unprintable, names))


def _find_long_texts(tables: InspectedTables) -> list[str]:
    """Return `table.column` of what holds long texts."""
    found = []
    for table in tables.names():
        rows = tables.sample(table, tables.columns(table), _MOST_NAMED)
        for name in tables.columns(table):
            texts = [row[name] for row in rows if isinstance(row[name], str)]
            if texts and sum(map(len, texts)) / len(texts) > _LONG_TEXT:
                found.append(f"{table}.{name}")
    return found[:_MOST_NAMED]


def _find_persons(
    tables: InspectedTables, table: str, ids: Sequence[int]
) -> dict[int, KnownPerson]:
    key, year, number = (
        _find_column(tables, table, each)
        for each in ("person_id", "year_of_birth", "person_source_value")
    )
    assert key is not None
    columns = [each for each in (key, year, number) if each is not None]
    return {
        found: KnownPerson(
            parse_integer(row[year]) if year else None,
            str(row[number] or "").strip() if number else "",
        )
        for row in tables.find(table, columns, key, sorted(set(ids)))
        if (found := parse_integer(row[key])) is not None
    }


def _find_column(tables: InspectedTables, table: str, column: str) -> str | None:
    return next((name for name in tables.columns(table) if name.lower() == column), None)


def _read_version(tables: InspectedTables, names: dict[str, str]) -> str:
    table = names.get("cdm_source")
    column = _find_column(tables, table, "cdm_version") if table else None
    if table is None or column is None:
        return ""
    rows = tables.sample(table, [column], 1)
    version = str(rows[0][column] or "").strip() if rows else ""
    # Whatever else a source has there would stand in the file and on the screen.
    return version if not version or _VERSION.fullmatch(version) else _NO_VERSION


def _count_languages(tables: InspectedTables, names: dict[str, str]) -> dict[str, int]:
    column = _find_column(tables, names["note"], "language_concept_id")
    if column is None:
        return {}
    counts: Counter[str] = Counter()
    for concept, notes in tables.count_by(names["note"], column):
        counts[OMOP_LANGUAGES.get(parse_integer(concept) or 0, "unknown")] += notes
    return dict(counts.most_common())


def _choose_languages(
    languages: dict[str, int], texts: Sequence[str]
) -> tuple[list[Lang | None], bool]:
    """Return the most frequent languages, several where they tie and None where none is known.

    And whether they are those of texts, not of their column.
    """
    known: list[Lang] = [each for each in OMOP_LANGUAGES.values() if each in languages]
    if known:
        return _find_most(known, languages), False
    told = Counter(map(language, texts))
    spoken = [each for each in OMOP_LANGUAGES.values() if each in told and each in LANGUAGES]
    return _find_most(spoken, told), True


def _find_most(languages: Sequence[Lang], counts: Mapping[str, int]) -> list[Lang | None]:
    most = max((counts[each] for each in languages), default=0)
    # The values of the table are those of several concepts.
    return list(dict.fromkeys(each for each in languages if counts[each] == most)) or [None]


def _sample_texts(source: SourceSettings, base: Path) -> list[str]:
    with closing(open_source(replace(source, objections=None), base)) as opened:
        for unit, _ in opened.plan(_SAMPLED_TEXTS):
            rows = opened.read(unit)
            return [row.note_text for row in rows if isinstance(row.note_text, str)]
    return []


def _count_kinds(tables: InspectedTables, names: dict[str, str]) -> Iterator[NoteClass]:
    column = _find_column(tables, names["note"], "note_class_concept_id")
    if column is None:
        return
    counts = [
        (number, notes)
        for concept, notes in tables.count_by(names["note"], column)[:_MOST_KINDS]
        if (number := parse_integer(concept))
    ]
    named = _read_concepts(tables, names, {number for number, _ in counts})
    used: set[str] = set()
    for number, notes in counts:
        name = make_slug(named.get(number, ""))
        is_taken = bool(name) and name in used
        yield NoteClass(number, notes, f"{name[:_SHORT_SLUG]}-{number}" if is_taken else name)
        used.add(name)


def _read_concepts(
    tables: InspectedTables, names: dict[str, str], wanted: set[int]
) -> dict[int, str]:
    table = names.get("concept")
    if table is None or not wanted:
        return {}
    columns = [_find_column(tables, table, each) for each in ("concept_id", "concept_name")]
    if None in columns:
        return {}
    key, name = map(str, columns)
    rows: list[dict[str, Any]] = tables.find(table, [key, name], key, sorted(wanted))
    return {parse_integer(row[key]) or 0: str(row[name] or "") for row in rows}


def make_slug(name: str) -> str:
    """Return a concept's name as a kind of note, such as `discharge-summary`; it may be empty."""
    return re.sub(r"[^a-z0-9]+", "-", fold(name).lower()).strip("-")[:_MOST_SLUG].strip("-")


def _count_documents(tables: InspectedTables, names: dict[str, str]) -> int:
    """Return how many notes have no text but name a document."""
    columns = [
        _find_column(tables, names["note"], each) for each in ("note_text", "note_source_value")
    ]
    if None in columns:
        return 0
    text, named = map(str, columns)
    return tables.count_empty(names["note"], text, named)


def _measure_ids(tables: InspectedTables, names: dict[str, str]) -> int:
    most = 0
    for table, columns in TABLES.items():
        column = _find_column(tables, names[table], columns[0]) if table in names else None
        number = parse_integer(tables.greatest(names[table], column)) if column else None
        most = max(most, number or 0)
    return next((bits for bits in ID_BITS if most < 1 << bits), ID_BITS[-1])
