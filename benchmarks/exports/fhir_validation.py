"""Validates FHIR resources by HAPI FHIR, the reference implementation in Java.

    cd benchmarks/exports/validator; mvn -B dependency:copy-dependencies -DoutputDirectory=JARS
    python -m benchmarks.exports.fhir_validation JARS FILE...

Java 17 or newer is needed. Prints a Markdown table: resources by type, and how many have faults.
"""

import gzip
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

PROGRAM = Path(__file__).parent / "validator" / "ValidateFhir.java"


@dataclass(frozen=True)
class Validated:
    """A resource that was validated, by its file and line; each fault has its place and message."""

    file: str
    line: int
    type: str
    faults: tuple[str, ...]


def validate_files(jars: Path, files: Iterable[Path]) -> list[Validated]:
    """Validate NDJSON and JSON files, also with `.gz`; raises CalledProcessError without Java."""
    with tempfile.TemporaryDirectory() as folder:
        plain = [_unpack(file, Path(folder)) for file in files]
        command = ["java", "-Xmx1500m", "-cp", f"{jars}/*", str(PROGRAM), *map(str, plain)]
        found = subprocess.run(command, check=True, capture_output=True, text=True)
    lines = map(json.loads, found.stdout.splitlines())
    return [
        Validated(line["file"], line["line"], line["type"], tuple(line["faults"])) for line in lines
    ]


def _unpack(file: Path, folder: Path) -> Path:
    if file.suffix != ".gz":
        return file
    unpacked = folder / file.stem
    unpacked.write_bytes(gzip.decompress(file.read_bytes()))
    return unpacked


def count_by_type(results: Iterable[Validated]) -> dict[str, tuple[int, int]]:
    """Return how many resources of each type there are, and how many of them have faults."""
    all_of, faulty = Counter[str](), Counter[str]()
    for each in results:
        all_of[each.type] += 1
        faulty[each.type] += bool(each.faults)
    return {name: (all_of[name], faulty[name]) for name in sorted(all_of)}


def main() -> int:
    jars, *files = map(Path, sys.argv[1:])
    results = validate_files(jars, files)
    print("| type | resources | with faults |\n| --- | ---: | ---: |")
    for name, (count, faulty) in count_by_type(results).items():
        print(f"| {name} | {count} | {faulty} |")
    for each in results:
        for fault in each.faults:
            print(f"{each.file}:{each.line}: {fault}")
    return int(any(each.faults for each in results))


if __name__ == "__main__":
    raise SystemExit(main())
