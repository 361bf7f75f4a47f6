"""Faults on a Spark cluster of two workers, in a night of some thousand notes by rules.

    python -m benchmarks.night.spark_faults [--notes 2000]

Runs the tests of faults on a longer night: the driver killed and the command run again, a worker
stopped beyond its lease, copies of a task, and the state database restarted, each while the victim
holds a unit. Needs Java, PySpark and PostgreSQL. Prints what pytest does, with the seconds of each.
"""

import argparse
import os

import pytest


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--notes", type=int, default=2_000)
    os.environ["CRYPTONYM_SPARK_NOTES"] = str(parser.parse_args().notes)
    return pytest.main(["tests/pipeline/spark/test_faults.py", "--durations=0", "-v"])


if __name__ == "__main__":
    raise SystemExit(main())
