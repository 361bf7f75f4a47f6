"""Finds the table of identifying data of patients, by the names of columns and by their values."""

import dataclasses
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from pipeline.setup.inspected_tables import InspectedTables
from pipeline.warehouse.note_rows import parse_date, parse_integer
from pipeline.warehouse.postal_addresses import split_address
from record.errors import Unreadable
from record.folding import fold
from record.label import Label
from rules.matching.lexicon import given_rank, surname_rank

SAMPLED = 500
"""Rows of a table that are looked at."""

_KIN = r"(?:relative|contact|kin|nok|mother|father|proche|tuteur|mere|pere|angehor|familiar|naaste)"
_GIVEN = r"(?:given|first|forename|prenom|vorname|voornaam|nombres?)"
_FAMILY = r"(?:family|last|surname|nom|nachname|apellidos?|achternaam)"
# Spanish has two family names, which many tables have in columns of their own.
_ORDINAL = r"(?:(?:primer|segundo|first|second)_?)?"
_NUMBER = r"(?:_?(?:[12]|uno|dos|paterno|materno))?"

# Field or label -> what the name of its column looks like; the first that fits counts.
_BY_NAME: tuple[tuple[str, str], ...] = (
    ("relative_given_names", rf"{_KIN}.*{_GIVEN}"),
    ("relative_family_names", rf"{_KIN}.*{_FAMILY}"),
    (
        "birth_names",
        r"birth_?name|maiden|nom_(?:de_)?(?:naissance|jeune)|geburtsname|geboortenaam|soltera",
    ),
    (
        "birth_date",
        r"birth_?da(?:te|y)|date_?(?:of_?)?birth|^d_?o_?b$|^birth$|^born|naissance|^ddn$|^ne_?e?_le"
        r"|geburtsdat|geb_?dat|^geb(?:oren)?(?:_am|_op)?$|fecha_?nac|^nacid|nacimiento|geboorteda",
    ),
    ("emails", r"e_?mail|courriel|correo"),
    ("phones", r"phone|^tel|_tel$|telef|mobile|^cell|gsm|handy|rufnummer"),
    ("zip", r"zip|post_?(?:al|code)|code_?postal|^cp$|^plz$|codigo_?postal"),
    ("city", r"city|town|ville|commune|^ort$|stadt|ciudad|localidad|plaats"),
    ("street", r"street|address|adresse|strasse|calle|direccion|straat|^rue$|anschrift|domicil"),
    ("region", r"^state$|region|province|bundesland|provincia|^county$"),
    ("country", r"country|^pays$|^land$|^pais$"),
    (
        Label.SSN.value,
        r"ssn|social_?sec|^nir$|^nss$|^dni$|^bsn$|securite_?sociale|num_?secu|national_?id|nhs_?n",
    ),
    (Label.INSURANCE_ID.value, r"insur|mutuelle|kvnr|krankenkasse|versicher|seguro|^policy_n"),
    (
        Label.PATIENT_ID.value,
        r"mrn|medical_?record|^ipp$|^nip$|^nhc$|patient_?(?:number|num|no|nr)$|chart_?n"
        r"|num_?patient|patientennummer",
    ),
    ("gender", r"gender|^sexe?$|geschlecht|^sexo$|geslacht"),
    (
        "given_names",
        rf"^{_ORDINAL}{_GIVEN}(?:_?names?)?{_NUMBER}$|prenoms?$|vornamen?$|middle_?name",
    ),
    (
        "family_names",
        rf"^{_ORDINAL}{_FAMILY}(?:_?names?)?{_NUMBER}$|nom_(?:usuel|usage|famille)|familienname",
    ),
)
_PERSON_KEYS = ("person_id", "patient_id", "id_patient", "subject_id", "patient", "person")
_NAMES = frozenset(("given_names", "family_names", "birth_names"))
"""Fields of which all columns are read, not the first alone: none may be missed."""
_LEAST_SHARE = 0.8
_WHOLE_SHARE = 0.5
_LEAST_ROWS = 5
_LEAST_NO_ID = 1 << 63
_SEPARATORS = (";", "|")
_LONGEST_GENDER = 12
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.\w+")


@dataclass(frozen=True, slots=True)
class KnownPerson:
    """What the table `person` tells of somebody, as far as it has the columns."""

    year_of_birth: int | None = None
    number: str = dataclasses.field(default="", repr=False)


FindPersons = Callable[[Sequence[int]], Mapping[int, KnownPerson]]
"""Returns those of some ids that are of persons of the source."""


@dataclass(frozen=True)
class IdentityTable:
    """A table that tells who patients are.

    `columns` maps a field or label to a column, or the names of patients to all of their columns,
    and `further` the others to columns that look alike, which are not read; values of
    `maybe_names` look like names of people, of whom is not known. `unlike` maps a column to what
    its name says and its values do not. `known` is the share of the sampled rows whose person is
    in `person`.
    """

    table: str
    person_id: str
    columns: Mapping[str, str | tuple[str, ...]]
    further: Mapping[str, tuple[str, ...]]
    separator: str
    rows: int
    known: float
    maybe_names: tuple[str, ...] = ()
    unlike: Mapping[str, str] = dataclasses.field(default_factory=dict)

    @property
    def has_names(self) -> bool:
        """Whether it tells names of patients."""
        return not _NAMES.isdisjoint(self.columns)

    @property
    def has_family_names(self) -> bool:
        """Whether it tells the family names of patients, without which few names are found."""
        return "family_names" in self.columns


def find_identity_tables(
    tables: InspectedTables, find_persons: FindPersons, ignored: Collection[str]
) -> list[IdentityTable]:
    """Return the tables that may tell who patients are, the most telling first.

    In tables of `ignored` names, in lower case, no identity is looked for. A column of person ids
    is known by its name, or by birth dates or patient numbers beside it that are these persons'.
    """
    candidates = (
        name for name in tables.names() if name.lower() not in ignored and _NAME.fullmatch(name)
    )
    found = [_inspect_table(tables, name, find_persons) for name in candidates]
    telling = [each for each in found if each is not None and len(each.columns) > 1]
    return sorted(
        telling,
        key=lambda each: (
            not each.has_family_names, not each.has_names, -len(each.columns), each.table
        ),
    )  # fmt: skip


def _inspect_table(
    tables: InspectedTables, table: str, find_persons: FindPersons
) -> IdentityTable | None:
    # Settings name no others: a view renames them.
    columns = [name for name in tables.columns(table) if _NAME.fullmatch(name)]
    lower = {name.lower(): name for name in columns}
    named = next((lower[name] for name in _PERSON_KEYS if name in lower), None)
    if named is None and not any(map(_find_named, columns)):
        return None
    rows = tables.sample(table, columns, SAMPLED)
    keys = [named] if named else columns
    found = (_try_key(name, rows, find_persons, is_named=name == named) for name in keys)
    tried = next((each for each in found if each is not None), None)
    if tried is None:
        return None
    key, known_persons = tried
    matched: dict[str, list[str]] = {}
    told: dict[str, list[str]] = {}
    maybe_names, unlike = [], {}
    for name in columns:
        if name == key:
            continue
        texts = [_to_text(row[name]) for row in rows]
        values = [text for text in texts if text]
        if field := match_column(name, values):
            matched.setdefault(field, []).append(name)
        elif field := _match_persons(texts, known_persons):
            told.setdefault(field, []).append(name)
        elif _are_names(values):
            maybe_names.append(name)
        elif values and (field := _find_named(name)):
            unlike[name] = field
    for field, names in told.items():
        matched.setdefault(field, []).extend(names)
    return IdentityTable(
        table=table,
        person_id=key,
        columns={
            field: tuple(names) if field in _NAMES and len(names) > 1 else names[0]
            for field, names in matched.items()
        },
        further={
            field: tuple(names[1:])
            for field, names in matched.items()
            if field not in _NAMES and len(names) > 1
        },
        separator=_find_separator(rows, matched),
        rows=tables.count(table),
        known=_share_known(known_persons),
        maybe_names=tuple(maybe_names),
        unlike=unlike,
    )


def _try_key(
    key: str, rows: Sequence[Mapping[str, Any]], find_persons: FindPersons, *, is_named: bool
) -> tuple[str, list[KnownPerson | None]] | None:
    """Return a column of person ids with the person of each row; None if it is no such column.

    Numbers of rows are ids of persons, too: where the name says nothing, birth dates or patient
    numbers beside them must be these persons'.
    """
    ids = [parse_integer(row[key]) for row in rows]
    # Other columns may hold numbers that no id can be.
    sought = [each for each in ids if each is not None and 0 < each < _LEAST_NO_ID]
    found = find_persons(sought) if sought else {}
    persons = [found.get(each) if each is not None else None for each in ids]
    if _share_known(persons) < _LEAST_SHARE:
        return None
    others = ([_to_text(row[name]) for row in rows] for name in rows[0] if name != key)
    if is_named or any(_match_persons(texts, persons) for texts in others):
        return key, persons
    return None


def _share_known(persons: Sequence[KnownPerson | None]) -> float:
    return sum(each is not None for each in persons) / len(persons) if persons else 0.0


def match_column(name: str, values: Sequence[str]) -> str | None:
    """Return the field of the patient record or the label that a column holds; None for no one.

    Where values are at hand, four of five must look like it, whatever the name. Streets are an
    `address` where half of the values have a postal code and a city, too.
    """
    field = _find_named(name)
    if field is None:
        return "emails" if values and _share(values, _EMAIL.fullmatch) >= _LEAST_SHARE else None
    if values and _share(values, _LOOKS[field]) < _LEAST_SHARE:
        return None
    is_whole = field == "street" and values and _share(values, _is_whole_address) >= _WHOLE_SHARE
    return "address" if is_whole else field


def _find_named(name: str) -> str | None:
    plain = re.sub(r"[^a-z0-9]+", "_", fold(name).lower()).strip("_")
    if plain.endswith("concept_id"):
        return None
    return next((field for field, pattern in _BY_NAME if re.search(pattern, plain)), None)


def _match_persons(texts: Sequence[str], persons: Sequence[KnownPerson | None]) -> str | None:
    """Return what a column of any name holds by the rows of `person`; texts are in their order."""
    pairs = [(text, person) for text, person in zip(texts, persons, strict=True) if text and person]
    dates = [
        _find_year(text) == person.year_of_birth for text, person in pairs if person.year_of_birth
    ]
    if len(dates) >= _LEAST_ROWS and sum(dates) >= _LEAST_SHARE * len(pairs):
        return "birth_date"
    numbers = [text == person.number for text, person in pairs if person.number]
    if len(numbers) >= _LEAST_ROWS and sum(numbers) >= _LEAST_SHARE * len(pairs):
        return Label.PATIENT_ID.value
    return None


def _find_year(value: str) -> int | None:
    """Return the year of a whole date; none of a year alone, which `person` has already."""
    with suppress(Unreadable):
        found = parse_date(value[:10])
        return found.year if found else None
    return None


def _are_names(values: Sequence[str]) -> bool:
    """Return whether values of a column that nothing else tells of are names of people."""
    words = [word for value in values for word in fold(value).lower().split()[:1]]
    distinct = set(words)
    if len(distinct) < _LEAST_ROWS or not all(map(_is_name, values)):
        return False
    named = sum(bool(given_rank(word) or surname_rank(word)) for word in distinct)
    return named >= _LEAST_SHARE * len(distinct)


def _is_whole_address(value: str) -> bool:
    found = split_address(value)
    return bool(found.street and found.zip and found.city)


def _share(values: Sequence[str], looks: Callable[[str], object]) -> float:
    return sum(bool(looks(value)) for value in values) / len(values)


def _is_date(value: str) -> bool:
    with suppress(Unreadable):
        return parse_date(value[:10]) is not None
    return False


def _is_name(value: str) -> bool:
    return any(map(str.isalpha, value)) and not any(map(str.isdigit, value))


def _has_digits(count: int) -> Callable[[str], bool]:
    return lambda value: sum(map(str.isdigit, value)) >= count


def _is_short(value: str) -> bool:
    return len(value) <= _LONGEST_GENDER


_LOOKS: dict[str, Callable[[str], object]] = {
    **dict.fromkeys(
        (
            *("given_names", "family_names", "birth_names", "city", "region", "country"),
            *("relative_given_names", "relative_family_names"),
        ),
        _is_name,
    ),
    "birth_date": _is_date,
    "emails": _EMAIL.search,
    "phones": _has_digits(6),
    "zip": _has_digits(1),
    "street": lambda value: any(map(str.isalpha, value)),
    "gender": _is_short,
    Label.SSN.value: _has_digits(4),
    Label.INSURANCE_ID.value: _has_digits(2),
    Label.PATIENT_ID.value: _has_digits(2),
}


def _find_separator(rows: Iterable[Mapping[str, Any]], matched: Mapping[str, list[str]]) -> str:
    names = [name for several in matched.values() for name in several]
    counts = {
        sign: sum(sign in _to_text(row[name]) for row in rows for name in names)
        for sign in _SEPARATORS
    }
    return max(_SEPARATORS, key=lambda sign: counts[sign])


def _to_text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("latin-1").strip()
    return "" if value is None else str(value).strip()
