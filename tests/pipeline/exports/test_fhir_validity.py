"""Resources that our scripts write are valid by HAPI FHIR, where it is at hand.

`CRYPTONYM_TEST_FHIR_JARS` names the folder of its files; `benchmarks.exports.fhir_validation` says
how to get them. Such resources go through a night in `tests/pipeline/night/test_export_night.py`.
"""

import json
import os
import shutil
from pathlib import Path

import pytest

from benchmarks.exports.fhir_validation import count_by_type, validate_files
from synthesis.fictional.fhir import first_notes, write_fhir
from synthesis.fictional.hospital import make_hospital

JARS = os.environ.get("CRYPTONYM_TEST_FHIR_JARS", "")
pytestmark = [
    pytest.mark.skipif(not JARS, reason="CRYPTONYM_TEST_FHIR_JARS names no folder with HAPI FHIR"),
    pytest.mark.skipif(shutil.which("java") is None, reason="Java is not installed"),
]


def test_a_made_up_export_is_valid_and_a_planted_fault_is_found(tmp_path: Path) -> None:
    hospital = make_hospital(3, seed=5, lang="en", pdf_share=0.1, scan_share=0)
    written = write_fhir(hospital, tmp_path, notes=first_notes(hospital, 12))
    planted = {"resourceType": "Patient", "id": "planted", "gender": "mail"}
    (tmp_path / "Planted.ndjson").write_text(json.dumps(planted) + "\n")
    results = validate_files(Path(JARS), sorted(tmp_path.glob("*.ndjson*")))
    counts = count_by_type(results)
    assert counts["DocumentReference"][0] + counts["DiagnosticReport"][0] == written == 12
    assert counts["Patient"][0] == 3 + 1
    assert {each.file for each in results if each.faults} == {"Planted.ndjson"}
