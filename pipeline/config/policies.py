"""Loading of policies: `[policy]` and `--policy`, by name or file, become a validated Policy."""

import json
import tomllib
from dataclasses import fields
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from pipeline.config.near_misses import suggest
from pipeline.config.value_errors import describe_value_error
from record.errors import ConfigError
from record.label import Label
from record.policy import Action, Policy

_POLICY = TypeAdapter(Policy)
_TABLES = ("actions", "columns")
_SUFFIX = ".toml"


@cache
def list_shipped_policies() -> tuple[str, ...]:
    """Return the names of the shipped policies."""
    folder = files("surrogates") / "policies"
    names = (each.name for each in folder.iterdir())
    return tuple(sorted(name.removesuffix(_SUFFIX) for name in names if name.endswith(_SUFFIX)))


def read_shipped_policy(name: str) -> str:
    """Return the text of a shipped policy file, including comments."""
    path = files("surrogates") / "policies" / f"{name}{_SUFFIX}"
    return path.read_text(encoding="utf-8")


def read_policy(name: str, base: Path) -> dict[str, Any]:
    """Read the table of a shipped policy, or of a TOML file relative to `base`.

    A file holds the keys of a policy, or a whole configuration with `[policy]`, and may name the
    policy that it is based on. Raises ConfigError with the file or `policy.name` as key.
    """
    return _read_table(name, base, ())


def read_language(name: str, base: Path) -> str | None:
    """Return the `lang` of a whole configuration, which determines the policy's locale and id."""
    if name in list_shipped_policies():
        return None
    lang = _load_toml(base / name).get("lang")
    return lang if isinstance(lang, str) else None


def expand_policy(table: dict[str, Any], base: Path) -> dict[str, Any]:
    """Merge a table with the policy it names; the table's own keys take precedence.

    The tables `actions` and `columns` are merged key by key. Raises ConfigError.
    """
    return _merge_base_policy(table, base, ())


def _read_table(name: str, base: Path, above: tuple[str, ...]) -> dict[str, Any]:
    if name in above:
        raise ConfigError(
            "policy.name", "policies must not name each other in a cycle", "remove one of the names"
        )
    if name in list_shipped_policies():
        return tomllib.loads(read_shipped_policy(name))
    path = base / name
    if not path.is_file() and not name.endswith(_SUFFIX):
        raise ConfigError(
            "policy.name",
            f"neither a shipped policy nor a file: {path}",
            f"name one of {', '.join(list_shipped_policies())}, or a TOML file",
        )
    table = _load_toml(path)
    # A whole configuration without `[policy]` uses the default policy.
    inner = table.get("policy", {} if "output" in table else table)
    if not isinstance(inner, dict):
        raise ConfigError("policy", "must be a table", "write its keys under [policy]")
    return _merge_base_policy(inner, path.parent, (*above, name))


def _load_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(str(path), "no such file", "give the path of a TOML file") from None
    except (OSError, UnicodeDecodeError):
        raise ConfigError(str(path), "cannot be read", "give a TOML file in UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(str(path), f"not valid TOML ({error})", "correct it") from None


def _merge_base_policy(table: dict[str, Any], base: Path, above: tuple[str, ...]) -> dict[str, Any]:
    own = dict(table)
    name = own.pop("name", None)
    if name is None:
        return own
    if not isinstance(name, str):
        raise ConfigError("policy.name", "must be a string", "name a shipped policy or a TOML file")
    under = _read_table(name, base, above)
    merged = {
        key: {**under.get(key, {}), **own[key]} for key in _TABLES if isinstance(own.get(key), dict)
    }
    return under | own | merged


def build_policy(table: dict[str, Any], lang: str) -> Policy:
    """Make a policy from a table: every label that it does not name is replaced.

    `lang` is its locale unless it names one. Raises ConfigError with the key.
    """
    known = [field.name for field in fields(Policy) if field.init]
    if unknown := sorted(set(table) - set(known)):
        hint = suggest(unknown[0], known)
        remedy = f"{hint} Valid keys are name, {', '.join(known)}".strip()
        raise ConfigError(f"policy.{unknown[0]}", "unknown key", remedy)
    actions = table.get("actions", {})
    whole = {"locale": lang} | table
    if isinstance(actions, dict):
        if strange := sorted(set(actions) - set(Label)):
            remedy = f"{suggest(strange[0], Label)} docs/policy.md lists all labels".strip()
            raise ConfigError(f"policy.actions.{strange[0]}", "unknown label", remedy)
        whole["actions"] = {label: str(act) for label, act in Policy().actions.items()} | actions
    try:
        # As JSON: strict validation then accepts names of enumeration members, but not 1 for true.
        return _POLICY.validate_json(json.dumps(whole, default=str), strict=True)
    except ValidationError as error:
        raise _make_error(error) from None


def _make_error(error: ValidationError) -> ConfigError:
    first = describe_value_error(error)
    place = [str(part) for part in first["loc"] if part != "function-after"]
    remedy = "correct the value; docs/policy.md lists all keys"
    if place[:1] == ["actions"]:
        remedy = "write " + ", ".join(f'"{action}"' for action in Action)
    return ConfigError(".".join(["policy", *place]), first["msg"], remedy)
