"""The Arrow types of the columns of an output's tables."""

from typing import Any

import pyarrow as pa
from sqlalchemy import BigInteger, Date, DateTime, Float, Integer, Table, Text
from sqlalchemy.types import TypeEngine

_TYPES: tuple[tuple[type[TypeEngine[Any]], pa.DataType], ...] = (
    (BigInteger, pa.int64()), (Integer, pa.int32()), (Text, pa.string()),
    (Date, pa.date32()), (DateTime, pa.timestamp("us")), (Float, pa.float64()),
)  # fmt: skip


def make_arrow_schema(table: Table) -> pa.Schema:
    """Return the Arrow schema of a table."""
    return pa.schema(
        [
            (column.name, next(found for sql, found in _TYPES if isinstance(column.type, sql)))
            for column in table.columns
        ]
    )
