"""A night by rules on a Spark cluster of two workers: its faults, and its speed by tasks.

    python -m benchmarks.night.spark_faults [--notes 20000] [--only speed|faults]

Runs the tests of faults on a longer night: a worker killed, the driver killed and the command run
again, a worker stopped beyond its lease, copies of a task, the state database restarted, a worker
whose network is cut; each while the victim holds a unit. The test of speed runs the night without a
fault by one and by two tasks, and prints notes a second from the start of the command to its end,
Spark's own start among them. Needs Java, PySpark and PostgreSQL. Prints what pytest does.
"""

import argparse
import os

import pytest

TESTS = ("tests/pipeline/spark/test_faults.py", "tests/pipeline/spark/test_network.py")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--notes", type=int, default=20_000)
    parser.add_argument("--only", choices=["speed", "faults"])
    options = parser.parse_args()
    os.environ["CRYPTONYM_SPARK_NOTES"] = str(options.notes)
    chosen = {"speed": ["-k", "by_tasks"], "faults": ["-k", "not by_tasks"], None: []}
    return pytest.main([*TESTS, "--durations=0", "-v", "-s", *chosen[options.only]])


if __name__ == "__main__":
    raise SystemExit(main())
