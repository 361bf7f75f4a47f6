"""Columns of identity tables as hospitals name them: told by name and by what they hold."""

import pytest

from pipeline.setup.identity_columns import match_column

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
nom_naissance              DUPONT              birth_names
maiden_name                Smith               birth_names
Geburtsname                Müller              birth_names
dob                        1950-02-03          birth_date
date_naissance             1950-02-03          birth_date
geburtsdatum               1950-02-03 00:00:00 birth_date
tel_portable               06 12 34 56 78      phones
Mobile                     +49 171 1234567     phones
courriel                   a@example.org       emails
anything                   a@example.org       emails
adresse                    3 rue des Lilas     street
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
