"""Start-up check that every top-level package comes from this distribution, not another one."""

import importlib.metadata
import importlib.util
import re
from collections import defaultdict
from collections.abc import Collection
from importlib.metadata import Distribution
from pathlib import Path

from record.errors import ConfigError

DISTRIBUTION = "cryptonym"

ROOMS = (
    "record",
    "locales",
    "rules",
    "models",
    "surrogates",
    "extractors",
    "pipeline",
    "synthesis",
    "evaluation",
)
"""The top-level packages of the distribution."""

_RECORDED = re.compile(rf"^({'|'.join(ROOMS)})(?:/|\.[^/,\n]*,)", re.MULTILINE)
"""A package of ours, or a module of its name, in the list of a distribution's files."""

_REMEDY = f"install {DISTRIBUTION} alone in a new virtual environment, or use its image"


def check_installation() -> None:
    """Raise ConfigError unless every package is imported from where this module is.

    Another distribution can own a name such as `rules`: installing it overwrites our files,
    uninstalling it removes them.
    """
    root = Path(__file__).resolve().parents[2]
    owners = _find_owners()
    for room in ROOMS:
        _check_owner(room, owners[room])
        _check_place(room, root)


def has_compiled_rules() -> bool:
    """Return whether the rules were compiled to C when they were installed."""
    spec = importlib.util.find_spec("rules.matching.scanner")
    return spec is not None and not str(spec.origin).endswith(".py")


def _find_owners() -> dict[str, set[str]]:
    """Return the names of the distributions that each package is from.

    As `importlib.metadata.packages_distributions`, which parses the lists of all files of all
    distributions, and takes longer at each start than the imports of most commands.
    """
    owners: dict[str, set[str]] = defaultdict(set)
    for distribution in importlib.metadata.distributions():
        for room in _list_packages(distribution) & set(ROOMS):
            owners[room].add(distribution.metadata["Name"])
    return owners


def _list_packages(distribution: Distribution) -> set[str]:
    declared = (distribution.read_text("top_level.txt") or "").split()
    if declared:
        return set(declared)
    recorded = distribution.read_text("RECORD")
    if recorded is None:  # not from a wheel
        return {file.parts[0].partition(".")[0] for file in distribution.files or ()}
    return set(_RECORDED.findall(recorded))


def _check_owner(room: str, owners: Collection[str]) -> None:
    others = sorted({name for name in owners if name.lower() != DISTRIBUTION})
    if others:
        problem = f"package '{room}' also belongs to the distribution {', '.join(others)}"
        raise ConfigError("installation", problem, _REMEDY)


def _check_place(room: str, root: Path) -> None:
    spec = importlib.util.find_spec(room)
    expected = root / room / "__init__.py"
    if spec is None or spec.origin is None:
        problem = f"package '{room}' is incomplete"
        raise ConfigError("installation", problem, _REMEDY)
    if Path(spec.origin).resolve() != expected:
        problem = f"package '{room}' is imported from another place than this program"
        raise ConfigError("installation", problem, _REMEDY)
    if expected.stat().st_size:
        # Ours are empty; a distribution of the same name has overwritten this one.
        raise ConfigError("installation", f"package '{room}' was overwritten", _REMEDY)
