"""A process that runs the rules compiled to C, for comparison in benchmarks."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

ROOT = Path(__file__).resolve().parents[2]


def build(folder: Path, opt_level: str = "1") -> Path:
    """Build the rooms with compiled rules into `folder/native` (minutes, a C compiler); give it.

    What a build before has compiled is kept where its sources are the same. `opt_level` is the
    compiler's: "0" takes less time and makes slower code.
    """
    made = folder.resolve() / "native"
    command = ["setup.py", "-q", "build", "--build-base", str(folder), "--build-lib", str(made)]
    env = {**os.environ, "CRYPTONYM_USE_MYPYC": "1", "CRYPTONYM_MYPYC_OPT_LEVEL": opt_level}
    subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=env, check=True, stdout=subprocess.DEVNULL
    )
    return made


class Native:
    """A process that imports the rooms of a folder in place of those of this one.

    It runs `module`, which reads a line for each round and prints its answer as a line of JSON.
    """

    def __init__(self, rooms: Path, module: str, options: Sequence[str]) -> None:
        # The folder in which a module is run comes first of all.
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, *options],
            cwd=rooms,
            env={**os.environ, "PYTHONPATH": f"{rooms}{os.pathsep}{ROOT}"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def round(self) -> Any:
        """Have it do one round, and give its answer; raises EOFError where it has died."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise EOFError("the process with the compiled rules exited")
        return json.loads(answer)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait()
