"""Refuses to start when a room is not ours: its plain name may belong to another distribution."""

import importlib.metadata
import importlib.util
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

_REMEDY = f"install {DISTRIBUTION} alone in a new virtual environment or use its image"


def check_rooms() -> None:
    """Make sure that every room is imported from where this module is.

    Another distribution can own a name such as `rules`: installed later it overwrites files of
    ours, uninstalled it takes them away. Raises ConfigError with the room and the remedy.
    """
    root = Path(__file__).resolve().parents[2]
    owners = importlib.metadata.packages_distributions()
    for room in ROOMS:
        _check_owner(room, owners.get(room, []))
        _check_place(room, root)


def has_compiled_rules() -> bool:
    """Return whether the rules were compiled to C when they were installed."""
    spec = importlib.util.find_spec("rules.matching.scanner")
    return spec is not None and not str(spec.origin).endswith(".py")


def _check_owner(room: str, owners: list[str]) -> None:
    others = sorted({name for name in owners if name.lower() != DISTRIBUTION})
    if others:
        problem = f"the distribution {', '.join(others)} claims the package '{room}' too"
        raise ConfigError("installation", problem, _REMEDY)


def _check_place(room: str, root: Path) -> None:
    spec = importlib.util.find_spec(room)
    expected = root / room / "__init__.py"
    if spec is None or spec.origin is None:
        problem = f"the package '{room}' is incomplete"
        raise ConfigError("installation", problem, _REMEDY)
    if Path(spec.origin).resolve() != expected:
        problem = f"the package '{room}' is imported from elsewhere than the other rooms"
        raise ConfigError("installation", problem, _REMEDY)
    if expected.stat().st_size:
        # Ours are empty; this is what a distribution of the same name leaves behind.
        raise ConfigError("installation", f"the package '{room}' was overwritten", _REMEDY)
