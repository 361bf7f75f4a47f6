"""What the start of a worker leaves out, and that it can be had afterwards."""

import subprocess
import sys

START = """
import sys
from pipeline.beam.process import leave_out_connectors

with leave_out_connectors():
    import pipeline.beam.worker
connectors = {"boto3", "pandas", "pymongo"}
assert not connectors & sys.modules.keys(), connectors & sys.modules.keys()
import pandas
assert pandas.Series([1]).sum() == 1
with leave_out_connectors():
    import pandas as again
assert again is pandas
assert "boto3" not in sys.modules
"""


def test_a_worker_starts_without_the_libraries_of_connectors_and_may_import_them_later() -> None:
    done = subprocess.run(
        [sys.executable, "-c", START], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
