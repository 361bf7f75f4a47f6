"""Columns of identity tables as hospitals name them: told by name and by what they hold."""

from datetime import date

import pytest
from sqlalchemy import create_engine, text

from pipeline.setup.identity_columns import KnownPerson, find_identity_tables, match_column
from pipeline.setup.inspected_tables import DatabaseTables

TABLE = """
given_names                Anna;Marie          given_names
FIRST_NAME                 Anna                given_names
prenom                     Jean-Paul           given_names
Vorname                    Jürgen              given_names
nombre                     José                given_names
voornaam                   Piet                given_names
LastName                   de Vries            family_names
nom                        MARTIN              family_names
nom_usuel                  MARTIN              family_names
apellidos                  García              family_names
primer_apellido            García              family_names
segundo_apellido           López               family_names
PrimerApellido             García              family_names
apellido1                  García              family_names
apellido_2                 López               family_names
apellido_materno           López               family_names
first_surname              García              family_names
second_last_name           López               family_names
primer_nombre              José                given_names
segundo_nombre             Luis                given_names
segundo_apellido           42                  -
nom_naissance              DUPONT              birth_names
maiden_name                Smith               birth_names
Geburtsname                Müller              birth_names
dob                        1950-02-03          birth_date
date_naissance             1950-02-03          birth_date
geburtsdatum               1950-02-03 00:00:00 birth_date
born                       1950-02-03          birth_date
né_le                      1950-02-03          birth_date
tel_portable               06 12 34 56 78      phones
Mobile                     +49 171 1234567     phones
courriel                   a@example.org       emails
anything                   a@example.org       emails
adresse                    3 rue des Lilas     street
address                    1 rue X, 75012 Lyon address
street                     12345 Main Street   street
code_postal                75012               zip
PLZ                        20095               zip
ville                      Paris               city
nir                        1 50 02 75 123 456  SSN
dni                        12345678Z           SSN
ipp                        8012345678          PATIENT_ID
mrn                        A-4711              PATIENT_ID
kvnr                       A123456789          INSURANCE_ID
sexe                       F                   gender
contact_first_name         Marie               relative_given_names
kin_surname                DUPONT              relative_family_names
gender_concept_id          8507                -
created_at                 2024-01-01          -
ward                       Cardiology          -
birth_date                 spring              -
born                       Lyon                -
born                       03/02/1950          -
first_name                 42                  -
phone                      none                -
email                      yes                 -
nominal_dose               4                   -
"""


@pytest.mark.parametrize("row", TABLE.strip().splitlines())
def test_a_column_is_what_its_name_and_values_say(row: str) -> None:
    name, value, field = row[:27].strip(), row[27:47].strip(), row[47:].strip()
    assert match_column(name, [value]) == (None if field == "-" else field)


def test_one_stray_value_in_five_is_no_contradiction() -> None:
    dates = ["1950-02-03"] * 8 + ["unknown"] * 2
    assert match_column("dob", dates) == "birth_date"
    assert match_column("dob", [*dates, "unknown"]) is None


def test_without_values_the_name_tells() -> None:
    assert match_column("email", []) == "emails"
    assert match_column("anything", []) is None


def test_columns_of_no_telling_names_are_known_by_the_rows_of_person() -> None:
    """A birth date agrees with the year of birth, a number is the one that `person` has."""
    engine = create_engine("sqlite://")
    people = {
        number: KnownPerson(1930 + 7 * number, f"80{number:04}")
        for number in range(1, 9)
    }  # fmt: skip
    columns = ("d1", "d2", "n", "c", "w", "dob")
    names = "Anna Jean Marie Paul Sophie Pierre Claire Louis".split()
    with engine.begin() as connection:
        connection.execute(
            text(f"create table who (person_id integer, {' text, '.join(columns)} text)")
        )
        for number, person in people.items():
            values = {
                "id": number,
                "d1": date(person.year_of_birth or 0, 2, 3).isoformat(),
                "d2": "2024-05-06",
                "n": person.number,
                "c": names[number - 1],
                "w": "Cardiology",
                "dob": "03/02/1950",
            }
            places = ", ".join(f":{each}" for each in ("id", *columns))
            connection.execute(text(f"insert into who values ({places})"), values)
    tables = DatabaseTables(engine, None)
    found = find_identity_tables(
        tables, lambda ids: {each: people[each] for each in ids}, ignored=()
    )
    engine.dispose()
    (table,) = found
    assert dict(table.columns) == {"birth_date": "d1", "PATIENT_ID": "n"}
    assert table.unlike == {"dob": "birth_date"}
    # Whose names they are is for people to say.
    assert table.maybe_names == ("c",) and not table.has_names


def test_both_family_names_are_read_and_a_table_with_them_comes_first() -> None:
    engine = create_engine("sqlite://")
    with engine.begin() as connection:
        for table, columns in (
            ("a_short", "nombre text, dni text, sexo text, movil text"),
            ("z_whole", "nombre text, primer_apellido text, segundo_apellido text"),
        ):
            connection.execute(text(f"create table {table} (person_id integer, {columns})"))
        connection.execute(text("insert into a_short values (1, 'Ana', '12345678Z', 'F', '')"))
        connection.execute(text("insert into z_whole values (1, 'Ana', 'Wexlo', 'Vitch')"))
    found = find_identity_tables(
        DatabaseTables(engine, None), lambda ids: {each: KnownPerson() for each in ids}, ignored=()
    )
    engine.dispose()
    whole, short = found
    assert dict(whole.columns) == {
        "given_names": "nombre", "family_names": ("primer_apellido", "segundo_apellido"),
    }  # fmt: skip
    assert not whole.further and whole.has_family_names
    assert short.has_names and not short.has_family_names


@pytest.mark.parametrize("agree", [True, False])
def test_a_key_of_another_name_is_known_by_what_stands_beside_it(agree: bool) -> None:
    """Rows are numbered as persons are; only the column whose persons were born then is the key."""
    people = {number: KnownPerson(1930 + 7 * number) for number in range(1, 9)}
    engine = create_engine("sqlite://")
    with engine.begin() as connection:
        connection.execute(
            text("create table kartei (nr integer, pid integer, nir text, nom text, dob text)")
        )
        for number in people:
            person = number % 8 + 1
            born = people[person].year_of_birth or 0
            values = {"nr": number, "pid": person, "dob": f"{born if agree else 1900}-02-03"}
            connection.execute(
                text(f"insert into kartei values (:nr, :pid, '{'9' * 25}', 'Wexlovitch', :dob)"),
                values,
            )
    found = find_identity_tables(
        DatabaseTables(engine, None),
        lambda ids: {each: people[each] for each in ids if each in people},
        ignored=(),
    )
    engine.dispose()
    assert [(each.table, each.person_id) for each in found] == [("kartei", "pid")] * agree
