"""Policies by name or file: what `[policy]` and `--policy` say becomes one checked Policy."""

import json
import tomllib
from dataclasses import fields
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from record.errors import ConfigError
from record.policy import Action, Policy

_POLICY = TypeAdapter(Policy)
_TABLES = ("actions", "columns")
_SUFFIX = ".toml"


@cache
def shipped() -> tuple[str, ...]:
    """Name the policies that come with the program."""
    folder = files("surrogates") / "policies"
    names = (each.name for each in folder.iterdir())
    return tuple(sorted(name.removesuffix(_SUFFIX) for name in names if name.endswith(_SUFFIX)))


def shipped_text(name: str) -> str:
    """Return the file of a shipped policy, comments and all."""
    path = files("surrogates") / "policies" / f"{name}{_SUFFIX}"
    return path.read_text(encoding="utf-8")


def read_policy(name: str, base: Path) -> dict[str, Any]:
    """Read the table of a shipped policy, or of a TOML file relative to `base`.

    A file may hold the keys themselves or a whole configuration with `[policy]` in it, and name
    the policy it changes. Raises ConfigError that names the file or `policy.name`.
    """
    return _read(name, base, ())


def language_of(name: str, base: Path) -> str | None:
    """Return the `lang` of a whole configuration, which decides the policy's locale and
    so its id.
    """
    if name in shipped():
        return None
    lang = _table(base / name).get("lang")
    return lang if isinstance(lang, str) else None


def expand(table: dict[str, Any], base: Path) -> dict[str, Any]:
    """Put the policy that a table names under the table's own keys, which win.

    The tables of actions and columns are merged line by line. Raises ConfigError.
    """
    return _expand(table, base, ())


def _read(name: str, base: Path, above: tuple[str, ...]) -> dict[str, Any]:
    if name in above:
        raise ConfigError("policy.name", "policies name each other in a ring", "break it")
    if name in shipped():
        return tomllib.loads(shipped_text(name))
    path = base / name
    if not path.is_file() and not name.endswith(_SUFFIX):
        raise ConfigError(
            "policy.name",
            f"no policy of this name is shipped, and {path} is no file",
            f"name one of {', '.join(shipped())}, or a TOML file",
        )
    table = _table(path)
    # A whole configuration without `[policy]` says nothing of policies.
    inner = table.get("policy", {} if "output" in table else table)
    if not isinstance(inner, dict):
        raise ConfigError("policy", "is no table", "write its keys under [policy]")
    return _expand(inner, path.parent, (*above, name))


def _table(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        raise ConfigError(str(path), "cannot be read", "give a TOML file in UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(str(path), f"not valid TOML ({error})", "correct it") from None


def _expand(table: dict[str, Any], base: Path, above: tuple[str, ...]) -> dict[str, Any]:
    own = dict(table)
    name = own.pop("name", None)
    if name is None:
        return own
    if not isinstance(name, str):
        raise ConfigError("policy.name", "is no text", "name a shipped policy or a TOML file")
    under = _read(name, base, above)
    merged = {
        key: {**under.get(key, {}), **own[key]} for key in _TABLES if isinstance(own.get(key), dict)
    }
    return under | own | merged


def build(table: dict[str, Any], lang: str) -> Policy:
    """Make a policy of a table: every label that it does not name is replaced.

    `lang` is its locale unless it names one. Raises ConfigError that names the key.
    """
    known = [field.name for field in fields(Policy)]
    if unknown := sorted(set(table) - set(known)):
        remedy = f"remove it or correct its name; the keys are name, {', '.join(known)}"
        raise ConfigError(f"policy.{unknown[0]}", "unknown key", remedy)
    actions = table.get("actions", {})
    whole = {"locale": lang} | table
    if isinstance(actions, dict):
        whole["actions"] = {label: str(act) for label, act in Policy().actions.items()} | actions
    try:
        # As JSON, where a name may stand for a member of an enumeration and 1 is not true.
        return _POLICY.validate_json(json.dumps(whole, default=str), strict=True)
    except ValidationError as error:
        raise _explained(error) from None


def _explained(error: ValidationError) -> ConfigError:
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    place = [str(part) for part in first["loc"] if part != "function-after"]
    remedy = "correct the value; docs/policy.md lists all keys"
    if place[:1] == ["actions"]:
        remedy = "write " + ", ".join(f'"{action}"' for action in Action)
    return ConfigError(".".join(["policy", *place]), first["msg"], remedy)
