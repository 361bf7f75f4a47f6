"""URLs with a password: where it may stand, and URLs that have none."""

import pytest

from pipeline.config.url_passwords import has_password

WITH = """
postgresql://me:S3cret@db/cdm
postgresql+psycopg://me:@db/cdm
postgresql+psycopg://h/db?user=u&password=S3cret
postgresql://h/db?PassFile=/home/me/.pgpass
postgresql://h/db?sslkey=key.pem&sslpassword=S3cret
postgresql://?dsn=host%3Dh+password%3DS3cret
postgresql://?dsn=postgresql://me:S3cret@h/db
postgresql://h/?dbname=postgresql://me:S3cret@h/db
postgresql://me:a@b:S3cret@h/db
postgresql://me:a/S3cret@h/db
postgresql://me/12:34/S3cret@h/db
mssql+pyodbc:///?odbc_connect=DRIVER%3Dodbc%3BPWD%3DS3cret
mssql+pyodbc:///?odbc_connect=DRIVER%3Dodbc;UID=me;Password%3DS3cret
snowflake://me@account/db?token=S3cret
oracle+oracledb://me/S3cret@host
postgresql:/me:S3cret@h/db?password=S3cret
//me:S3cret@h/db
env:postgresql://me:S3cret@db/cdm
file:postgresql://me:S3cret@db/cdm
"""
WITHOUT = """
env:RESEARCH_URL
env:PASSWORD_URL
file:/etc/cryptonym/password.url
file:warehouse.url
sqlite:///research.db
sqlite:////data/passport=1/me@ward.db
parquet:research
jsonl:/data/2026-11-27
fhir:/exports/2026-11-27
postgresql://me@db:5432/cdm
postgresql+psycopg://me@/cdm?host=/run/postgresql&sslmode=verify-full
postgresql://?service=research
mssql+pyodbc://db/cdm?driver=ODBC+Driver+18+for+SQL+Server&Trusted_Connection=yes
"""


@pytest.mark.parametrize("url", WITH.split("\n")[1:-1])
def test_urls_with_a_password(url: str) -> None:
    assert has_password(url)


@pytest.mark.parametrize("url", WITHOUT.split("\n")[1:-1])
def test_urls_without_one(url: str) -> None:
    assert not has_password(url)
