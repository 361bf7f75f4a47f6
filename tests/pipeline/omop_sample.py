"""Loads the OMOP CDM 5.4 tables of Synthea27Nj (OHDSI, Apache-2.0) with the types of the CDM."""

import csv
import io
import zipfile
from datetime import date, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Date,
    DateTime,
    Engine,
    MetaData,
    Numeric,
    Table,
    Text,
    insert,
)

ARCHIVE = Path(__file__).parents[3] / "shared/fixtures/omop_synthea27nj/Synthea27Nj_5.4.zip"
TABLES = ("PERSON", "PROVIDER", "VISIT_OCCURRENCE", "DEATH", "NOTE", "LOCATION", "CARE_SITE")


def load(engine: Engine, schema: None = None) -> dict[str, int]:
    """Create and fill the tables; returns the number of rows of each."""
    metadata = MetaData(schema=schema)
    counts = {}
    with zipfile.ZipFile(ARCHIVE) as archive, engine.begin() as connection:
        for name in TABLES:
            lines = io.TextIOWrapper(archive.open(f"{name}.csv"), encoding="utf-8-sig")
            reader = csv.DictReader(lines)
            kinds = {column.lower(): _kind(column.lower()) for column in reader.fieldnames or ()}
            key = name.lower() + "_id"
            columns = [Column(c, kind, primary_key=c == key) for c, kind in kinds.items()]
            table = Table(name.lower(), metadata, *columns)
            table.create(connection)
            rows = [
                {c.lower(): _value(kinds[c.lower()], text) for c, text in row.items()}
                for row in reader
            ]
            if rows:
                connection.execute(insert(table), rows)
            counts[name.lower()] = len(rows)
    return counts


def _kind(column: str) -> Any:
    if column.endswith("_datetime"):
        return DateTime()
    if column.endswith("_date"):
        return Date()
    if column in ("latitude", "longitude"):
        return Numeric()
    whole = column.endswith("_id") or column in ("year_of_birth", "month_of_birth", "day_of_birth")
    return BigInteger() if whole else Text()


def _value(kind: Any, text: str) -> datetime | date | int | str | None:
    if text == "":
        return None
    if isinstance(kind, DateTime):
        return datetime.fromisoformat(text)
    if isinstance(kind, Date):
        return date.fromisoformat(text)
    return int(text) if isinstance(kind, BigInteger) else text
