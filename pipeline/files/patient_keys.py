"""Checks what is told of a patient before it is read: what nobody reads nobody searches for."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from datetime import date
from typing import Any

from pipeline.config.near_misses import suggest
from record.errors import ConfigError
from record.label import Label
from record.patient import Address, Identifier, PatientRecord, PersonName

_LISTS = ("given_names", "family_names", "birth_names", "phones", "emails")
_OBJECTS = {"addresses": Address, "identifiers": Identifier, "relatives": PersonName}
# What other programs call what this one has under another name.
_MEANT = {
    "given_names": "first first_name firstname forename given prenom prenoms vorname voornaam"
    " nombre",
    "family_names": "last last_name lastname surname surnames nom noms nachname achternaam name"
    " apellido apellidos names full_name fullname",
    "birth_names": "maiden_name nee nom_de_naissance geburtsname",
    "birth_date": "dob birthdate birthday date_of_birth born naissance geboren birth",
    "addresses": "street zip city postcode town home region",
    "phones": "tel telephone mobile cell fax",
    "emails": "mail",
    "identifiers": "mrn ipp nir nhs ssn nhs_number patient_id insurance_id ids numbers number",
    "relatives": "contacts next_of_kin family kin",
    "street": "line line1 address road",
    "zip": "postcode postal_code plz cp",
    "city": "town place",
    "label": "type kind",
    "value": "number id",
}
_BY_WORD = {word: key for key, words in _MEANT.items() for word in words.split()}


def check_patient(record: Any, where: str) -> list[str]:
    """Return the keys of a patient's object that are not read, whatever they are.

    `where` names the object. Raises ConfigError for what is no patient, for a field of the wrong
    shape, an unknown label, and for a key that stands for one that is read. No value is told.
    """
    if not isinstance(record, Mapping):
        raise ConfigError(where, "is no object", "write {...} with person_id")
    if record.get("person_id") in (None, ""):
        raise ConfigError(where, "has no person_id", "add one")
    unread = list(_find_unread(record, PatientRecord, where))
    for key in _LISTS:
        _check_strings(record.get(key), key, where)
    _check_birth_date(record.get("birth_date"), where)
    for key, shape in _OBJECTS.items():
        for each in _check_list(record.get(key), key, where):
            if not isinstance(each, Mapping):
                raise ConfigError(where, f"{key}: must be a list of objects", "see docs/files.md")
            unread += [f"{key}.{name}" for name in _find_unread(each, shape, where)]
            if shape is Identifier:
                _check_identifier(each, where)
            if shape is PersonName:
                for name in ("given_names", "family_names"):
                    _check_strings(each.get(name), f"{key}.{name}", where)
    return unread


def _find_unread(record: Mapping[str, Any], shape: type, where: str) -> Iterator[str]:
    known = [each.name for each in fields(shape)]
    for key in record:
        if key in known:
            continue
        meant = _BY_WORD.get(str(key).lower().replace("-", "_"), "")
        near = f"did you mean {meant}?" if meant in known else suggest(str(key), known, least=0.75)
        if near:
            raise ConfigError(where, f"unknown key {key}, which would not be searched for", near)
        yield str(key)


def _check_list(value: Any, key: str, where: str) -> Sequence[Any]:
    if value is None:
        return ()
    if not isinstance(value, list | tuple):
        raise ConfigError(where, f"{key}: must be a list", f'write "{key}": [...]')
    return value


def _check_strings(value: Any, key: str, where: str) -> None:
    for each in _check_list(value, key, where):
        if not isinstance(each, str | int | float):
            raise ConfigError(where, f"{key}: must be a list of strings", f'write "{key}": ["..."]')


def _check_birth_date(value: Any, where: str) -> None:
    if not value:
        return
    is_date = False
    with suppress(ValueError):
        date.fromisoformat(str(value)[:10])
        is_date = True
    # Not where the other error is handled, which quotes the value.
    if not is_date:
        raise ConfigError(where, "birth_date: is no date", "write it as YYYY-MM-DD")


def _check_identifier(record: Mapping[str, Any], where: str) -> None:
    if missing := [name for name in ("label", "value") if record.get(name) in (None, "")]:
        raise ConfigError(where, f"identifiers: no {missing[0]}", "give label and value")
    label = str(record["label"])
    if label not in {str(each) for each in Label}:
        meant = "did you mean PATIENT_ID?" if label.upper() in ("IPP", "MRN") else ""
        meant = meant or suggest(label, map(str, Label))
        # Where nothing is like it, it may be a value in the wrong place.
        told = f"unknown label {label}" if meant else "unknown label"
        raise ConfigError(where, f"identifiers: {told}", meant or "docs/policy.md lists the labels")
