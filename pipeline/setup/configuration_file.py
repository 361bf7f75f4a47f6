"""Writes a first configuration, with comments that say why each key is as it is."""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.config.settings import load
from pipeline.config.url_passwords import has_password
from pipeline.setup.identity_columns import IdentityTable
from pipeline.setup.source_inspection import (
    Inspection,
    escape_unprintable,
    find_version_problem,
)
from record.atomic_write import OWNER_FILE
from record.errors import ConfigError
from record.languages import LANGUAGES
from surrogates.ciphers.id_permutation import ID_BITS

_DEFAULT_LANG = "fr"
_WIDTH = 40
_HINTS = {"birth_date": ": dates are read as 1950-02-03, so a view may have them"}


@dataclass(frozen=True)
class Places:
    """What the person who starts decides: URLs as they are written, and files beside the file.

    `lang` overrides what was found; `documents` is the folder of documents, if there is one.
    """

    source: str = field(repr=False)
    output: str = field(repr=False)
    output_schema: str | None = None
    documents: str | None = None
    key: str = "master.key"
    lang: str | None = None


def write_configuration(path: Path, text: str) -> None:
    """Write a new file that only its owner may read, and check that it is valid.

    Raises ConfigError if it exists already, or a URL in it has a password; no file is left then.
    """
    try:
        with open(path, "x", encoding="utf-8", opener=_open_for_owner) as file:
            file.write(text)
    except FileExistsError:
        remedy = "give another name, or move it away"
        raise ConfigError(str(path), "exists already", remedy) from None
    try:
        settings = load(path)
        for place in ("source", "output", "state"):
            refuse_password(f"{place}.url", getattr(settings, place).url)
    except ConfigError:
        path.unlink()
        raise


def refuse_password(key: str, url: str) -> None:
    """Raise ConfigError for a URL with a password, which would stand in the file."""
    if has_password(url):
        remedy = "put the URL into a variable or file, and give env:NAME or file:PATH"
        raise ConfigError(key, "has a password, which would be in the file", remedy)


def _open_for_owner(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW, OWNER_FILE)


def describe(found: Inspection) -> list[str]:
    """Return what was found in lines for people: names of tables and columns, and counts."""
    counts = ", ".join(f"{count} {name}" for name, count in found.counts.items())
    lines = [f"rows: {counts}"]
    if not found.is_export:
        lines.append(f"CDM version: {found.version or 'not told (no row in cdm_source)'}")
    if found.source.schema:
        lines.append(f"schema: {escape_unprintable(found.source.schema)}")
    shown = ", ".join(f"{name} {count}" for name, count in found.languages.items())
    by = "texts of a sample" if found.is_lang_of_text else "language_concept_id"
    if found.lang and found.tied_languages:
        tied = ", ".join((found.lang, *found.tied_languages))
        most = f"as many in each of {tied}: {found.lang} is taken, --lang takes another one"
    else:
        most = f"most are in {found.lang or '?'}"
    lines.append(f"languages: {shown or 'no column'}; {most}, by {by}")
    named = sum(bool(kind.name) for kind in found.kinds)
    lines.append(f"kinds of notes: {len(found.kinds)} classes, {named} named by the vocabulary")
    if found.in_documents:
        lines.append(f"notes in documents: {found.in_documents}")
    if found.is_export:
        lines.append("patients: what the export tells of them is looked for in notes")
    for each in found.identities:
        use = "taken" if each is found.identity else "not taken"
        fields = ", ".join(f"{name} = {_list(column)}" for name, column in each.columns.items())
        lines.append(f"identity table {each.table} ({each.rows} rows), {use}: {fields}")
    return lines


def list_warnings(found: Inspection) -> list[str]:
    """Return what the person who starts must know before a night."""
    warnings = []
    if found.identity is None and not found.is_export:
        warnings.append(
            "no table of names of patients was found: names in notes are found by rules and the "
            "tagger alone, which miss some; add [source.identity], or read docs/threat-model.md "
            "first"
        )
    elif found.identity is not None and not found.identity.has_family_names:
        perhaps = found.identity.maybe_names
        warnings.append(
            f"no column of family names of patients was found in {found.identity.table}: family "
            "names in notes are found by rules and the tagger alone, which miss some; add "
            "family_names to [source.identity.columns]"
            + (f" (names of people are in {_list(perhaps)})" if perhaps else "")
        )
    if not found.counts.get("note"):
        warnings.append("there are no notes yet")
    if found.version and (problem := find_version_problem(found.version)):
        warnings.append(problem)
    return warnings


def make_configuration(found: Inspection, places: Places) -> str:
    """Return the text of a configuration for what was found."""
    blocks = (
        _make_head(found, places),
        _make_source(found, places),
        _make_kinds(found),
        _make_identity(found),
        _make_rest(found, places),
    )
    return "\n".join(line for block in blocks for line in block) + "\n"


def _make_head(found: Inspection, places: Places) -> Iterator[str]:
    yield "# The nightly job. Paths are relative to this file's folder; docs/operations.md lists"
    yield "# every key. A changed policy, language or identity table makes every note new."
    yield _pair("cohort", "research", "names the key; never changed once notes are out")
    if places.lang:
        yield _pair("lang", places.lang, "of surrogates, and of notes that tell no language")
    elif found.lang:
        by = "by the texts of a sample" if found.is_lang_of_text else "by language_concept_id"
        tied = ", ".join(found.tied_languages)
        most = f"as many notes in {tied}" if tied else "most notes"
        yield _pair("lang", found.lang, f"{most}, {by}; {', '.join(LANGUAGES)} are read")
    else:
        yield _pair("lang", _DEFAULT_LANG, f"NOT FOUND OUT: one of {', '.join(LANGUAGES)}")
    yield ""


def _make_source(found: Inspection, places: Places) -> Iterator[str]:
    counts = ", ".join(f"{count} {name}" for name, count in found.counts.items())
    yield "[source]"
    yield (
        f"# {counts}; CDM version {found.version or 'unknown'}"
        if not found.is_export
        else (f"# {counts}")
    )
    yield _pair("url", places.source, "")
    if found.source.schema:
        yield _pair("schema", found.source.schema, "")
    if places.documents:
        yield _pair("documents", places.documents, "folder of the documents notes name")
    elif found.in_documents:
        yield f'# documents = "FOLDER"  # {found.in_documents} notes have no text but name a file'
    for table in found.objections:
        yield f"# objections = {_quote(table)}  # persons who object, if this table has them"
    yield ""


def _make_kinds(found: Inspection) -> Iterator[str]:
    if not found.kinds:
        return
    yield "[source.kinds]  # note_class_concept_id -> kind of note shown in reports"
    for kind in found.kinds:
        pair = _pair(str(kind.concept), kind.name or "name-it", f"{kind.notes} notes")
        yield pair if kind.name else f"# {pair}"
    yield ""


def _make_identity(found: Inspection) -> Iterator[str]:
    if found.is_export:
        yield "# What is known of patients comes from the export: no [source.identity]."
        yield ""
        return
    identity = found.identity
    if identity is None:
        yield from _make_identity_hint()
        return
    share = f"{identity.known:.0%} of a sample are persons of the source"
    yield f"[source.identity]  # {identity.rows} rows; {share}"
    yield _pair("table", identity.table, "")
    if identity.person_id != "person_id":
        yield _pair("person_id", identity.person_id, "")
    yield _pair("separator", identity.separator, "between several values of one column")
    yield "required = true  # notes of a person without a row go to quarantine"
    yield ""
    yield "[source.identity.columns]  # field of the patient record, or label -> column"
    for name, column in identity.columns.items():
        more = identity.further.get(name, ())
        yield _pair(name, column, f"also like it, not read: {', '.join(more)}" if more else "")
    if not identity.has_family_names:
        yield "# NO FAMILY NAMES were found: without them, rules and the tagger alone find those in"
        yield "# notes, and miss some. Name their column, or several as a list:"
        yield '# family_names = ["COLUMN", "COLUMN"]'
    for column in identity.maybe_names:
        yield f"# {column} has names of people, not read: if of patients, add the field, such as"
        yield f'# family_names = "{column}"'
    for column, name in identity.unlike.items():
        yield f"# {column} is no {name} by its values, not read{_HINTS.get(name, '')}"
    yield from _list_others(found.identities, identity)
    yield ""


def _make_identity_hint() -> Iterator[str]:
    yield "# No table of names of patients was found. Without one, names are found by rules and"
    yield "# the tagger alone, which miss some. If there is such a table or view, with one row or"
    yield "# several for each person, name it here:"
    yield "# [source.identity]"
    yield '# table = "patient_identity"'
    yield "# [source.identity.columns]"
    for name in ("given_names", "family_names", "birth_date", "phones", "PATIENT_ID"):
        yield f'# {name} = "COLUMN"'
    yield ""


def _list_others(tables: tuple[IdentityTable, ...], taken: IdentityTable) -> Iterator[str]:
    for each in tables:
        if each is not taken:
            fields = ", ".join(map(_list, each.columns.values()))
            yield f"# {each.table} tells of patients too ({fields}): only one table or view is read"


def _make_rest(found: Inspection, places: Places) -> Iterator[str]:
    yield "[state]  # restricted: ledger, sealed spans, quarantine; nobody else may read it"
    yield _pair("url", "sqlite:///state.db", "")
    yield ""
    yield "[output]  # de-identified notes, for research"
    yield _pair("url", places.output, "")
    if places.output_schema:
        yield _pair("schema", places.output_schema, "")
    yield ""
    yield "[key]  # whoever has it can link every cohort: keep a copy offline"
    yield _pair("locator", f"file:{places.key}", "")
    yield ""
    if found.id_bits != ID_BITS[0]:
        yield "[policy]"
        yield f"id_bits = {found.id_bits}  # the greatest id needs more than {ID_BITS[0]} bits"
        yield ""
    yield "# A cohort, for `cryptonym release nightly.toml --cohort study`:"
    yield "# [cohorts.study]"
    yield '# persons.sql = "select person_id from person"'
    yield '# output = "parquet:study"'


def _list(columns: str | tuple[str, ...]) -> str:
    return columns if isinstance(columns, str) else ", ".join(columns)


def _pair(key: str, value: str | tuple[str, ...], comment: str) -> str:
    text = _quote(value) if isinstance(value, str) else f"[{', '.join(map(_quote, value))}]"
    pair = f"{key} = {text}"
    return f"{pair:<{_WIDTH}}  # {comment}" if comment else pair


def _quote(value: str) -> str:
    """Return a text as TOML has it, in one line: what cannot be printed is escaped."""
    quoted = json.dumps(value, ensure_ascii=False)
    return "".join(each if each.isprintable() else _escape(ord(each)) for each in quoted)


def _escape(code: int) -> str:
    return f"\\u{code:04x}" if code < 1 << 16 else f"\\U{code:08x}"
