"""Names that leave the process stay: scripts, dashboards and configurations rely on them."""

import json
from pathlib import Path

import pytest

from tests.public_names import collect

NAMES = Path(__file__).parent / "vectors" / "public_names.json"


@pytest.mark.slow
def test_names_that_leave_the_process_are_those_of_before() -> None:
    """A name more goes into the list with the change that adds it; none goes out of it."""
    assert json.loads(json.dumps(collect())) == json.loads(NAMES.read_text(encoding="utf-8"))
