"""What the warehouse knows of a patient: names, addresses, identifiers, relatives."""

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import date
from typing import Any

_LEAST_INEXACT = 2**53
"""The least integer from which on a float may stand for several."""


@dataclass(frozen=True, slots=True)
class PersonName:
    """The names of one person, in the order they are written."""

    given_names: tuple[str, ...] = field(default=(), repr=False)
    family_names: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Address:
    """A postal address; `country` is an ISO 3166 code or a name."""

    street: str = field(default="", repr=False)
    zip: str = field(default="", repr=False)
    city: str = field(default="", repr=False)
    country: str = field(default="", repr=False)
    region: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Identifier:
    """A number or code that identifies a person or thing, and the label it is replaced under."""

    label: str
    value: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class PatientRecord:
    """What is known of a patient; every field but `person_id` may be empty."""

    person_id: str = field(repr=False)
    given_names: tuple[str, ...] = field(default=(), repr=False)
    family_names: tuple[str, ...] = field(default=(), repr=False)
    birth_names: tuple[str, ...] = field(default=(), repr=False)
    gender: str = field(default="", repr=False)
    birth_date: date | None = field(default=None, repr=False)
    addresses: tuple[Address, ...] = field(default=(), repr=False)
    phones: tuple[str, ...] = field(default=(), repr=False)
    emails: tuple[str, ...] = field(default=(), repr=False)
    identifiers: tuple[Identifier, ...] = field(default=(), repr=False)
    relatives: tuple[PersonName, ...] = field(default=(), repr=False)

    def digest(self) -> bytes:
        """Return a BLAKE2b hash (16 bytes) of the record, which changes with any of its fields."""
        canonical = json.dumps(self, sort_keys=True, default=_to_jsonable, ensure_ascii=True)
        return hashlib.blake2b(canonical.encode(), digest_size=16).digest()

    def to_json(self) -> dict[str, Any]:
        """Return the record as an object of `patients.jsonl`, without empty fields."""
        record = asdict(self)
        record["birth_date"] = self.birth_date.isoformat() if self.birth_date else None
        return {key: _drop_empty(value) for key, value in record.items() if value}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> "PatientRecord":
        """Read an object of `patients.jsonl`; unknown keys are ignored.

        Raises KeyError without `person_id`, ValueError for a malformed birth date,
        TypeError for a field of the wrong shape.
        """
        born = record.get("birth_date")
        return cls(
            person_id=_to_id(record["person_id"]),
            given_names=_to_strings(record.get("given_names")),
            family_names=_to_strings(record.get("family_names")),
            birth_names=_to_strings(record.get("birth_names")),
            gender=str(record.get("gender") or ""),
            birth_date=_to_date(born) if born else None,
            addresses=tuple(
                Address(**_select_fields(a, Address)) for a in record.get("addresses") or ()
            ),
            phones=_to_strings(record.get("phones")),
            emails=_to_strings(record.get("emails")),
            identifiers=tuple(
                Identifier(str(i["label"]), str(i["value"]))
                for i in record.get("identifiers") or ()
            ),
            relatives=tuple(
                PersonName(_to_strings(r.get("given_names")), _to_strings(r.get("family_names")))
                for r in record.get("relatives") or ()
            ),
        )


def _to_id(value: Any) -> str:
    """Return an id as text; a whole number stays one where a table of numbers had it as float."""
    if isinstance(value, float):
        if not value.is_integer() or abs(value) >= _LEAST_INEXACT:
            raise ValueError("person_id must be text or an integer")
        value = int(value)
    return str(value)


def _to_date(value: Any) -> date:
    """Return a date of ISO 8601; what Python says of one that is malformed would quote it."""
    found = None
    with suppress(ValueError):
        found = date.fromisoformat(str(value)[:10])
    if found is None:
        raise ValueError("malformed birth date")
    return found


def _to_jsonable(value: Any) -> Any:
    """Convert a value that JSON cannot hold, like `asdict` but without copying."""
    if isinstance(value, date):
        return str(value)
    return {name: getattr(value, name) for name in value.__slots__}


def _to_strings(values: Any) -> tuple[str, ...]:
    if isinstance(values, str):
        raise TypeError("must be a list of strings, not a string")
    return tuple(str(value) for value in values or () if str(value).strip())


def _select_fields(record: Mapping[str, Any], shape: type) -> dict[str, str]:
    names = shape.__dataclass_fields__  # type: ignore[attr-defined]
    return {key: str(value) for key, value in record.items() if key in names and value}


def _drop_empty(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _drop_empty(item) for key, item in value.items() if item}
    if isinstance(value, list | tuple):
        return [_drop_empty(item) for item in value]
    return value
