"""Ids that a release had and has no more: what was made from them is found by these."""

from collections.abc import Iterable, Mapping
from typing import Any

from pipeline.release.release_context import Desk
from pipeline.release.unit_files import read_keys

_TABLES = {"person_id": "person", "note_id": "note"}


def trace(desk: Desk, manifests: Iterable[Mapping[str, Any]]) -> dict[str, list[int]]:
    """Name the ids of persons and notes that are withdrawn, until they come back.

    `manifests` are those of what is visible, and of a delivery that was interrupted: nobody knows
    whether that became visible, so that what it withdrew is listed where this release lacks it.
    """
    told = [manifest.get("withdrawn") for manifest in manifests]
    return {key: _missing(desk, key, told) for key in _TABLES}


def _missing(desk: Desk, key: str, told: Iterable[Any]) -> list[int]:
    name = _TABLES[key]
    gone = {number for each in told if isinstance(each, dict) for number in each.get(key, ())}
    for _, part in desk.draft.parts(name):
        gone.update(part.difference.withdrawn)
    if gone:
        for index in desk.draft.indexes():
            path = desk.draft.path(name, index, desk.target.suffix)
            gone -= read_keys(path, desk.tables[name])[1]
    return sorted(gone)
