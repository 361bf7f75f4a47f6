"""Start-up check that every top-level package comes from this distribution, not another one."""

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

_REMEDY = f"install {DISTRIBUTION} alone in a new virtual environment, or use its image"


def check_installation() -> None:
    """Raise ConfigError unless every package is imported from where this module is.

    Another distribution can own a name such as `rules`: installing it overwrites our files,
    uninstalling it removes them.
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
