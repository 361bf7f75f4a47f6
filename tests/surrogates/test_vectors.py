"""Surrogates that were given once are given for ever: releases of different days must join."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from record.document import Document
from record.label import Label
from record.languages import LANGUAGES
from record.policy import Policy
from record.span import Span
from surrogates.keys.keys import MasterKey
from surrogates.rewrite import Rewriter
from surrogates.tables.columns import Columns

VECTORS = json.loads(
    (Path(__file__).parents[1] / "vectors" / "surrogates.json").read_text(encoding="utf-8")
)
OF_VERSION: dict[int, dict[str, Any]] = {2: VECTORS, 3: VECTORS["version_3"]}
MASTER = MasterKey(bytes.fromhex(VECTORS["master"]))
CASES = [(version, each) for version, of in OF_VERSION.items() for each in of["surrogates"]]


@pytest.mark.parametrize(
    ("version", "vector"), CASES, ids=[f"{v}-{each['label']}-{each['lang']}" for v, each in CASES]
)
def test_surrogates(version: int, vector: dict[str, str]) -> None:
    text, lang = vector["text"], vector["lang"]
    written = datetime.fromisoformat(VECTORS["written"])
    document = Document("n1", text, vector["person_id"], lang, written)
    cohort = MASTER.cohort(VECTORS["cohort"], algorithm=version)
    rewriter = Rewriter(cohort, Policy(locale=lang))
    release = rewriter.rewrite(document, (Span(0, len(text), vector["label"]),), None)
    assert release.text == vector["surrogate"]


@pytest.mark.parametrize("version", OF_VERSION)
def test_keys(version: int) -> None:
    cohort = MASTER.cohort(VECTORS["cohort"], algorithm=version)
    assert MASTER.key_id == VECTORS["master_key_id"]
    assert cohort.key_id == OF_VERSION[version]["cohort_key_id"]
    assert MASTER.derive("span-store").hex() == VECTORS["derive_span_store"]


@pytest.mark.parametrize("version", OF_VERSION)
def test_columns(version: int) -> None:
    columns = Columns(MASTER.cohort(VECTORS["cohort"], algorithm=version), Policy())
    for person, days in OF_VERSION[version]["shift_days"].items():
        assert columns.days(person) == days
    ids = VECTORS["person_pseudonyms"] if version == 2 else OF_VERSION[version]["ids"]
    for person, pseudonym in ids.items():
        assert columns.pseudonym("person", person) == pseudonym


@pytest.mark.parametrize(("version", "languages"), [(2, ("fr", "en", "es")), (3, LANGUAGES)])
def test_every_label_has_a_vector_in_every_language(
    version: int, languages: tuple[str, ...]
) -> None:
    vectors = OF_VERSION[version]["surrogates"]
    covered = {(vector["label"], vector["lang"]) for vector in vectors}
    assert covered == {(label, lang) for label in Label for lang in languages}
