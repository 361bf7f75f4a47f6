"""Copies a hospital's database from a file to a server."""

from pathlib import Path

from sqlalchemy import URL, MetaData, create_engine


def move(file: Path, url: str | URL) -> None:
    """Copy every table of a SQLite file to a server."""
    local, server = create_engine(f"sqlite:///{file}"), create_engine(url)
    tables = MetaData()
    tables.reflect(local)
    for table in tables.sorted_tables:
        for column in table.columns:
            column.type = column.type.as_generic()
    tables.create_all(server)
    with local.connect() as here, server.begin() as there:
        for table in tables.sorted_tables:
            rows = [dict(row._mapping) for row in here.execute(table.select())]
            if rows:
                there.execute(table.insert(), rows)
    local.dispose()
    server.dispose()
