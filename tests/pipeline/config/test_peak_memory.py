import subprocess
import sys

from pipeline.config.peak_memory import measure_peak_kilobytes

_CHILD = """
import subprocess, sys
ballast = b"x" * 300_000_000
small = "from pipeline.config import peak_memory; print(peak_memory.measure_peak_kilobytes())"
print(subprocess.run([sys.executable, "-c", small], capture_output=True, text=True).stdout)
"""


def test_the_peak_rises_with_what_is_held() -> None:
    before = measure_peak_kilobytes()
    ballast = b"x" * (before * 1024)
    assert measure_peak_kilobytes() >= before + len(ballast) // 1024 // 2


def test_a_parents_memory_does_not_count() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _CHILD], capture_output=True, text=True, check=True
    )
    assert 0 < int(done.stdout) < 200_000
