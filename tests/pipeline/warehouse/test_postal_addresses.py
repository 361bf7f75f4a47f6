"""Whole addresses as hospitals write them, by their parts."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.config.settings import IdentitySettings
from pipeline.warehouse.people import find_patients
from pipeline.warehouse.postal_addresses import split_address
from record.patient import Address

TABLE = """
12 rue des Lilas, 75012 Paris                 | 12 rue des Lilas | 75012 | Paris | |
12 rue des Lilas 75012 Paris                  | 12 rue des Lilas | 75012 | Paris | |
Bât. B, 12 rue du 8 mai 1945, 69003 Lyon      | Bât. B, 12 rue du 8 mai 1945 | 69003 | Lyon | |
3 av. Foch - 59000 Lille                      | 3 av. Foch | 59000 | Lille | |
12 rue Haute, 75012 Paris, France             | 12 rue Haute | 75012 | Paris | France |
Hauptstraße 5, 20095 Hamburg                  | Hauptstraße 5 | 20095 | Hamburg | |
Hauptstr. 5, D-20095 Hamburg                  | Hauptstr. 5 | D-20095 | Hamburg | |
Ringstraße 1, 1010 Wien                       | Ringstraße 1 | 1010 | Wien | |
Calle Mayor 5, 28013 Madrid                   | Calle Mayor 5 | 28013 | Madrid | |
Damrak 1, 1012 LG Amsterdam                   | Damrak 1 | 1012 LG | Amsterdam | |
12345 Main Street, Springfield, IL 62701      | 12345 Main Street | 62701 | Springfield | | IL
1 Main St, Springfield IL 62701-1234          | 1 Main St | 62701-1234 | Springfield | | IL
10 Downing Street, London SW1A 2AA            | 10 Downing Street | SW1A 2AA | London | |
10 Downing Street, London, SW1A 2AA, UK       | 10 Downing Street | SW1A 2AA | London | UK |
1 rue Haute, 75012 Paris, porte 3, France     | 1 rue Haute, porte 3 | 75012 | Paris | France |
12 rue des Lilas                              | 12 rue des Lilas | | | |
12345 Main Street                             | 12345 Main Street | | | |
12 rue du 8 mai 1945                          | 12 rue du 8 mai 1945 | | | |
"""


@pytest.mark.parametrize("row", TABLE.strip().splitlines())
def test_an_address_has_its_parts(row: str) -> None:
    text, street, code, city, country, region = map(str.strip, row.split("|"))
    assert split_address(text) == Address(street, code, city, country, region)


def test_lines_separate_as_commas_do() -> None:
    assert split_address("12 rue Haute\r\n75012 Paris\n") == Address(
        "12 rue Haute", "75012", "Paris"
    )


@given(st.text(alphabet="aB1 ,-;\n", max_size=60) | st.text(max_size=60))
def test_no_letter_or_digit_is_lost(text: str) -> None:
    found = split_address(text)
    parts = " ".join((found.street, found.zip, found.city, found.region, found.country))
    assert sorted(filter(str.isalnum, parts)) == sorted(filter(str.isalnum, text))


class People:
    """One person, and a row of an identity table with two addresses."""

    def lookup(self, table: str, *_: Any) -> Sequence[dict[str, Any]]:
        whole = "12 rue des Lilas, 75012 Paris;3 place Haute, 69003 Lyon"
        rows: dict[str, dict[str, Any]] = {
            "person": {"person_id": 1},
            "who": {"person_id": 1, "whole": whole},
        }
        return [rows[table]] if table in rows else []


def test_a_patient_s_address_is_known_by_its_parts() -> None:
    identity = IdentitySettings("who", {"address": "whole"})
    (patient,) = find_patients(People(), identity, [1]).values()
    assert patient.addresses == (
        Address("12 rue des Lilas", "75012", "Paris"),
        Address("3 place Haute", "69003", "Lyon"),
    )
