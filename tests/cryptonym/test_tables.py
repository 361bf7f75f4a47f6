"""Tables of notes: the bytes of single notes, every row accounted for, no text of a refused one."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import cryptonym
from cryptonym.tables import REFUSED, pseudonymize
from record.errors import ConfigError
from tests.keys import make_key

PATIENT = {"person_id": "7", "given_names": ["Jean"], "family_names": ["Vauquelin"]}
TEXTS = [
    "Vu ce jour M. Jean VAUQUELIN, né le 3 mai 1951, tél. 06 12 34 56 78.",
    None,
    "Le 4 mars 2021, Mme Lucie BERNARD est venue avec son fils Hugo.",
    "Zorblinda VAUQUELIN \ufffd <b>gras",
]
COLUMNS: Any = {"text": "note_text", "person": "person_id", "note": "note_id", "date": "day"}


def rows() -> pa.Table:
    return pa.table(
        {
            "note_id": [1, 2, 3, 4],
            "person_id": [7, 7, None, 7],
            "ward": ["A", "B", None, "C"],
            "day": [date(2021, 3, 2), None, date(2021, 3, 4), None],
            "note_text": TEXTS,
            "doctor": ["Dr Canary"] * 4,
        }
    )


@pytest.fixture(scope="module")
def detector() -> cryptonym.Detector:
    return cryptonym.Detector(lang="fr", model="none")


@pytest.fixture(scope="module")
def pseudonymizer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[cryptonym.Pseudonymizer]:
    folder = tmp_path_factory.mktemp("key")
    make_key(folder / "master.key", "study")
    with cryptonym.Pseudonymizer(f"file:{folder / 'master.key'}", "study") as made:
        yield made


@pytest.fixture(scope="module")
def right(
    detector: cryptonym.Detector, pseudonymizer: cryptonym.Pseudonymizer
) -> list[dict[str, Any]]:
    """What each row becomes alone."""
    found = []
    for row in rows().to_pylist():
        record = {
            "note_id": row["note_id"],
            "person_id": row["person_id"],
            "text": row["note_text"],
        }
        if row["day"]:
            record["note_datetime"] = row["day"].isoformat()
        patient = PATIENT if row["person_id"] else None
        try:
            (detected,) = detector.detect_records([record], [patient])
            found.append(pseudonymizer.apply_record(detected, patient))
        except cryptonym.Refused as refused:
            found.append({REFUSED: refused.reason})
    return found


def check(made: pa.Table, right: list[dict[str, Any]]) -> None:
    found = made.to_pylist()
    assert made.column_names == ["note_id", "person_id", "ward", "day", "note_text", REFUSED]
    assert [row["note_id"] for row in found] == [1, 2, 3, 4]
    assert [row["ward"] for row in found] == ["A", "B", None, "C"]
    assert [row["note_text"] for row in found] == [each.get("text") for each in right]
    assert [row["person_id"] for row in found] == [each.get("person_id") for each in right]
    assert [row[REFUSED] for row in found] == [each.get(REFUSED) for each in right]
    days = [str(row["day"])[:10] if row["day"] else None for row in found]
    assert days == [each.get("note_datetime") for each in right]
    assert found[1][REFUSED] == "no-text"
    assert "VAUQUELIN" not in str(found)
    assert "Canary" not in str(found)


@pytest.mark.parametrize("kind", ["arrow", "batch", "pandas", "polars", "foreign", "dataset"])
def test_every_kind_of_table_has_the_bytes_of_single_notes(
    kind: str,
    detector: cryptonym.Detector,
    pseudonymizer: cryptonym.Pseudonymizer,
    right: list[dict[str, Any]],
    tmp_path: Path,
) -> None:
    given: Any = rows()
    if kind == "batch":
        (given,) = given.to_batches()
    elif kind == "pandas":
        given = given.to_pandas(date_as_object=True).set_index(
            pandas.Index([9, 8, 7, 6], name="mrn")
        )
    elif kind == "polars":
        given = polars.DataFrame(given)
    elif kind == "foreign":
        given = Foreign(given)
    elif kind == "dataset":
        pq.write_table(given, tmp_path / "notes.parquet", row_group_size=3)
        given = ds.dataset(tmp_path / "notes.parquet")
    made = pseudonymize(
        given, detector, pseudonymizer=pseudonymizer, patients=[PATIENT], keep=["ward"], **COLUMNS
    )
    if kind == "pandas":
        assert isinstance(made, pandas.DataFrame)
        assert made.index.tolist() == [0, 1, 2, 3]
        made = pa.Table.from_pandas(made, preserve_index=False)
    elif kind == "polars":
        assert isinstance(made, polars.DataFrame)
        made = made.to_arrow()
    elif kind == "dataset":
        assert isinstance(made, pa.RecordBatchReader)
        made = made.read_all()
    check(made, right)


class Foreign:
    """A frame of another library, which exports Arrow and nothing else."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


def test_a_note_is_rewritten_in_the_language_it_was_read_in() -> None:
    class Spy:
        def apply_record(self, record: dict[str, Any], patient: Any) -> dict[str, Any]:
            languages.append(record["lang"])
            return record

    languages: list[str] = []
    frame = pa.table(
        {
            "note": ["Hb 12,3", "Hb 12,3", "Pas de fièvre ce jour, revu en consultation."],
            "said": [None, "es", None],
        }
    )
    german = cryptonym.Detector(lang="de", model="none")
    spy: Any = Spy()
    table = pseudonymize(frame, german, pseudonymizer=spy, text="note", lang="said")
    assert languages == ["de", "es", "fr"]
    assert table["said"].to_pylist() == [None, "es", None]


def test_what_is_not_named_is_left_out(
    detector: cryptonym.Detector, pseudonymizer: cryptonym.Pseudonymizer
) -> None:
    made = pseudonymize(rows(), detector, pseudonymizer=pseudonymizer, text="note_text")
    assert made.column_names == ["note_text", REFUSED]
    assert made.num_rows == 4


@pytest.mark.parametrize(
    ("columns", "keep", "problem"),
    [
        ({"text": "none"}, (), "none: not a column"),
        ({"text": "note_text"}, ("no",), "no: not a column"),
        ({"text": "note_text"}, ("note_text",), "note_text: has a treatment"),
        ({"text": "note_text", "ward": "ward"}, (), "ward: unknown"),
        ({"person": "person_id"}, (), "text: missing"),
    ],
)
def test_wrong_columns_are_refused_before_any_row(
    columns: Any,
    keep: tuple[str, ...],
    problem: str,
    detector: cryptonym.Detector,
    pseudonymizer: cryptonym.Pseudonymizer,
) -> None:
    with pytest.raises(cryptonym.ConfigError, match=problem):
        pseudonymize(rows(), detector, pseudonymizer=pseudonymizer, keep=keep, **columns)


def test_what_is_no_table_is_refused(
    detector: cryptonym.Detector, pseudonymizer: cryptonym.Pseudonymizer
) -> None:
    with pytest.raises(cryptonym.ConfigError, match="list is no table"):
        pseudonymize([TEXTS], detector, pseudonymizer=pseudonymizer, text="note_text")


def test_persons_of_whom_nothing_is_known_are_refused(
    detector: cryptonym.Detector, pseudonymizer: cryptonym.Pseudonymizer
) -> None:
    given = pa.table({"p": ["7", "007", "8"], "t": ["Zorblinda revu", "Zorblinda vu", "revu"]})
    patient = {"person_id": 7.0, "given_names": ["Zorblinda"], "family_names": ["Vauquelin"]}
    options: Any = {"pseudonymizer": pseudonymizer, "text": "t", "person": "p"}
    made = pseudonymize(given, detector, patients=[patient], **options).to_pylist()
    assert [row[REFUSED] for row in made] == [None, "unknown-patient", "unknown-patient"]
    assert "Zorblinda" not in str(made)
    made = pseudonymize(given, detector, patients=[patient], allow_unknown=True, **options)
    assert made.column(REFUSED).to_pylist() == [None, None, None]
    with pytest.raises(ConfigError, match="two records"):
        pseudonymize(given, detector, patients=[patient, {**patient, "person_id": "7"}], **options)
    large = pa.table({"p": [2.0**53], "t": ["revu"]})
    with pytest.raises(ConfigError, match="several ids"):
        pseudonymize(large, detector, **options)


def test_a_malformed_birth_date_is_quoted_nowhere(detector: cryptonym.Detector) -> None:
    with pytest.raises(cryptonym.CryptonymError) as raised:
        detector.detect("vu", {"person_id": "7", "birth_date": "Zorblatt 3 mai 1951"})
    error: BaseException | None = raised.value
    while error is not None:
        assert "Zorblatt" not in repr(error)
        error = error.__context__
