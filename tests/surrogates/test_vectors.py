"""Surrogates that were given once are given for ever: releases of different days must join."""

import json
from datetime import datetime
from pathlib import Path

import pytest

from record.document import Document
from record.label import Label
from record.policy import Policy
from record.span import Span
from surrogates.keys.keys import MasterKey
from surrogates.rewrite import Rewriter
from surrogates.tables.columns import Columns

VECTORS = json.loads(
    (Path(__file__).parents[1] / "vectors" / "surrogates.json").read_text(encoding="utf-8")
)
MASTER = MasterKey(bytes.fromhex(VECTORS["master"]))


@pytest.mark.parametrize("vector", VECTORS["surrogates"], ids=lambda v: f"{v['label']}-{v['lang']}")
def test_surrogates(vector: dict[str, str]) -> None:
    text, lang = vector["text"], vector["lang"]
    written = datetime.fromisoformat(VECTORS["written"])
    document = Document("n1", text, vector["person_id"], lang, written)
    rewriter = Rewriter(MASTER.cohort(VECTORS["cohort"], algorithm=2), Policy(locale=lang))
    release = rewriter.rewrite(document, (Span(0, len(text), vector["label"]),), None)
    assert release.text == vector["surrogate"]


def test_keys() -> None:
    cohort = MASTER.cohort(VECTORS["cohort"], algorithm=2)
    assert MASTER.key_id == VECTORS["master_key_id"]
    assert cohort.key_id == VECTORS["cohort_key_id"]
    assert MASTER.derive("span-store").hex() == VECTORS["derive_span_store"]


def test_columns() -> None:
    columns = Columns(MASTER.cohort(VECTORS["cohort"], algorithm=2), Policy())
    for person, days in VECTORS["shift_days"].items():
        assert columns.days(person) == days
    for person, pseudonym in VECTORS["person_pseudonyms"].items():
        assert columns.pseudonym("person", person) == pseudonym


def test_every_label_has_a_vector_in_every_language() -> None:
    covered = {(vector["label"], vector["lang"]) for vector in VECTORS["surrogates"]}
    assert covered == {(label, lang) for label in Label for lang in ("fr", "en", "es")}
