"""Replay what the Dockerfile does with Python in an empty environment, where there is no Docker.

    python scripts/replay_image.py FOLDER [--interpreted]

The build context is made as .dockerignore has it. Of each stage the RUN instructions that call pip
are run as they stand, in a virtual environment of their own; packages of the system, the boot
program of Beam and the user of the image are left out. Then the entry point is started with the
image's command, with `demo --help`, and on a note in which the shipped tagger must find a name.
FOLDER is new and may be deleted afterwards. --interpreted leaves the rules uncompiled, which takes
minutes less. Prints the seconds of each step, and what the environment takes on the disk.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
import venv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_MOUNT = re.compile(r"--mount=\S+\s+")
_CHECKS = """\
from models.tagger.onnx_tagger import read_parts
from models.tagger.shipped_model import SHIPPED
print(len(read_parts(SHIPPED).labels), "labels in", SHIPPED)
"""
_NOTE = "Dr. Kowalczyk saw the patient with Maria Oyelaran in clinic.\n"


@dataclass(frozen=True)
class Instruction:
    """An instruction of a Dockerfile in one line."""

    name: str
    value: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="new folder")
    parser.add_argument("--interpreted", action="store_true", help="do not compile the rules")
    options = parser.parse_args()
    folder: Path = options.folder.resolve()
    folder.mkdir(parents=True)
    copy_context(folder / "context")
    stages = read_stages((ROOT / "Dockerfile").read_text(encoding="utf-8"))
    for number, stage in enumerate(stages):
        if any(is_pip(each) for each in stage):
            replay(stage, folder, f"stage-{number}", interpreted=options.interpreted)
    check(folder, f"stage-{len(stages) - 1}", stages[-1])


def read_stages(text: str) -> list[list[Instruction]]:
    """Return the instructions of a Dockerfile, by stage."""
    lines = (line for line in text.splitlines() if not line.startswith("#"))
    joined = "\n".join(lines).replace("\\\n", " ")
    stages: list[list[Instruction]] = []
    for line in filter(str.strip, joined.splitlines()):
        name, _, value = line.strip().partition(" ")
        if name == "FROM":
            stages.append([])
        stages[-1].append(Instruction(name, value.strip()))
    return stages


def list_context(names: Sequence[str], rules: Sequence[str]) -> Iterator[str]:
    """Yield the files that rules such as those of .dockerignore let through; the last one decides.

    A rule is for a file, or a folder with all that is in it.
    """
    compiled = [
        (not rule.startswith("!"), _compile(rule.removeprefix("!")))
        for rule in rules
        if rule and not rule.startswith("#")
    ]
    for name in names:
        is_ignored = False
        for ignores, pattern in compiled:
            if pattern.match(name):
                is_ignored = ignores
        if not is_ignored:
            yield name


def _compile(rule: str) -> re.Pattern[str]:
    parts = (re.escape(rule).replace(r"\*\*/", "(?:.*/)?").replace(r"\*", "[^/]*"), "(?:/.*)?$")
    return re.compile("".join(parts))


def copy_context(target: Path) -> None:
    """Copy what Docker would send to its builder."""
    asked = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    rules = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    for name in list_context(names.splitlines(), rules):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, target / name)


def is_pip(each: Instruction) -> bool:
    """Return whether an instruction calls pip."""
    return each.name == "RUN" and bool(re.search(r"\bpip\b", each.value))


def replay(stage: Sequence[Instruction], folder: Path, name: str, *, interpreted: bool) -> None:
    """Run the calls of pip of a stage in an environment of its own, and say what is left out."""
    made = folder / name
    started = time.monotonic()
    venv.create(made, with_pip=True)
    print(f"{name}: empty environment of Python {sys.version.split()[0]}, {_since(started)}")
    places = {"/wheels": folder / "wheels", "/constraints.txt": folder / "context/constraints.txt"}
    for each in stage:
        if is_pip(each):
            command = _MOUNT.sub("", each.value)
            for place, path in places.items():
                command = re.sub(rf"(?<=\s){re.escape(place)}", str(path), command)
            if interpreted:
                command = command.replace("CRYPTONYM_USE_MYPYC=1 ", "")
            started = time.monotonic()
            _call(["sh", "-c", command], made, cwd=folder / "context")
            print(f"{name}: {' '.join(_MOUNT.sub('', each.value).split())}, {_since(started)}")
        elif each.name == "COPY" and each.value.endswith("/usr/local/bin/entrypoint"):
            shutil.copyfile(folder / "context/scripts/entrypoint", made / "bin/entrypoint")
            (made / "bin/entrypoint").chmod(0o755)
        elif each.name in ("RUN", "COPY"):
            print(f"{name}: left out: {' '.join(each.value.split())[:70]}")


def check(folder: Path, name: str, stage: Sequence[Instruction]) -> None:
    """Start what the image would start, away from the sources; raises where it does not."""
    made, data = folder / name, folder / "data"
    data.mkdir()
    (command,) = (json.loads(each.value) for each in stage if each.name == "CMD")
    (entry,) = (json.loads(each.value) for each in stage if each.name == "ENTRYPOINT")
    entry = [Path(entry[0]).name, *entry[1:]]
    _call(["pip", "check"], made, cwd=data)
    print(_call(["python", "-c", _CHECKS], made, cwd=data).strip())
    for asked in (command, ["demo", "--help"]):
        said = _call([*entry, *asked], made, cwd=data)
        print(f"{' '.join([*entry, *asked])}: {said.splitlines()[0]}")
    (data / "notes.jsonl").write_text(json.dumps({"note_id": "1", "text": _NOTE, "lang": "en"}))
    started = time.monotonic()
    asked = ["detect", "notes.jsonl", "-o", "found.jsonl", "--detectors", "model", "--plain"]
    _call([*entry, *asked], made, cwd=data)
    spans = json.loads((data / "found.jsonl").read_text("utf-8"))["spans"]
    found = [(span["label"], span["detector"]) for span in spans]
    if not found:
        raise SystemExit("the tagger found no name")
    print(f"{' '.join([*entry, *asked])}: {found}, {_since(started)}")
    packages = next(made.glob("lib/python*/site-packages"))
    sizes = {path.name: _megabytes(path) for path in packages.iterdir()}
    print(f"site-packages: {sum(sizes.values()):.0f} MB")
    largest = sorted(sizes.items(), key=lambda each: -each[1])[:6]
    print("largest: " + ", ".join(f"{path} {size:.0f}" for path, size in largest))


def _call(command: Sequence[str], made: Path, cwd: Path) -> str:
    """Run a command in an environment; returns what it prints, and ends with its errors."""
    paths = {"VIRTUAL_ENV": str(made), "PATH": f"{made / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        command, cwd=cwd, env=kept | paths, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr[-4000:]}")
    return done.stdout


def _megabytes(path: Path) -> float:
    files = (each for each in path.rglob("*") if each.is_file()) if path.is_dir() else (path,)
    return sum(each.stat().st_size for each in files) / 1e6


def _since(started: float) -> str:
    return f"{time.monotonic() - started:.0f} s"


if __name__ == "__main__":
    main()
