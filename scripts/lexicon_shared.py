"""Writes the lists of `locales/lexicons`: the drawn entries anew, what rules know as it is."""

import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from locales import word_lists  # noqa: E402
from record.folding import fold  # noqa: E402

LISTS = ROOT / "locales" / "lexicons"
_OF_KNOWN = ("# known: ", "# Source of the known: ", "# More of the known ")


def write(kind: str, lang: str, head: Iterable[str], drawn: Iterable[tuple[str, str]]) -> None:
    """Write a list: its head, and the entries that are drawn in their order, each with its code.

    Entries that rules know keep their mark and the lines of the head about them; those that are
    not drawn any more stay, and the list is sorted then.
    """
    path = LISTS / lang / f"{kind}.txt"
    about = path.read_text(encoding="utf-8").splitlines()
    kept = [line for line in about if line.startswith(_OF_KNOWN)]
    known = {fold(entry): entry for entry in word_lists.known(kind, lang)}
    rows = [(entry, code, known.pop(fold(entry), "")) for entry, code in drawn]
    if known:
        rows += [(entry, "", entry) for entry in known.values()]
        rows.sort(key=lambda row: fold(row[0]))
    lines = [f"{entry};{code}" + (";x" if mark else "") for entry, code, mark in rows]
    text = "\n".join([*(f"# {line}" for line in head), *kept, *lines, ""])
    path.write_text(text, encoding="utf-8")
    sys.stderr.write(f"{kind}.{lang}: {len(lines)}\n")
