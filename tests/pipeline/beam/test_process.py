"""What the start of a worker leaves out, and that it can be had afterwards; interrupts of it."""

import signal
import subprocess
import sys

import pytest

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


STRUCK = """
import os, signal, sys
from pipeline.beam import process

def main():
    print("went on", flush=True)
    return 0

sys.modules["struck"] = sys.modules["__main__"]
os.kill(os.getpid(), signal.SIGINT)
sys.exit(process.main())
"""


@pytest.mark.parametrize(
    ("words", "ignored", "code", "said"),
    [
        (["--interruptible", "struck"], False, -signal.SIGINT, ""),
        (["--interruptible", "struck"], True, 0, "went on"),
        (["struck"], False, 0, "went on"),
    ],
)
def test_an_interrupt_that_was_blocked_ends_the_worker_unless_the_one_who_started_it_blocks_it(
    words: list[str], ignored: bool, code: int, said: str
) -> None:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    handler = signal.getsignal(signal.SIGINT)
    if ignored:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        done = subprocess.run(
            [sys.executable, "-c", STRUCK, *words],
            check=False, capture_output=True, text=True,
        )  # fmt: skip
    finally:
        signal.signal(signal.SIGINT, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    assert (done.returncode, done.stdout.strip()) == (code, said), done.stderr
