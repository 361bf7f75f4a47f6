"""What `cryptonym keys` and `cryptonym policy` take."""

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

_KEYS = """\
examples:
  cryptonym keys new master.key
  cryptonym keys derive --key master.key --cohort research
  cryptonym keys log --key master.key --verify
  cryptonym keys destroy --key master.key --cohort research

LOCATOR is a file, or file:PATH, env:NAME, or command:'PROGRAM ARGUMENT...' whose output is the
key. Beside a key file lies the folder FILE.custody: secrets of cohorts and the log of every use.
No command prints key material. docs/operations.md says what destroying does not reach.
"""
_POLICY = """\
examples:
  cryptonym policy check
  cryptonym policy check gdpr-research
  cryptonym policy check nightly.toml --json

Shipped: gdpr-research, hipaa-limited, hipaa-safe-harbor, mask-only, synthetic-source.
"""


def add_keys(added: Any, commands: Mapping[str, Callable[..., int]]) -> None:
    """Add `keys` with its actions; `commands` maps `keys new` and so on to what runs them."""
    keys = added.add_parser(
        "keys",
        help="key custody: make, derive, destroy, log",
        epilog=_KEYS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    actions = keys.add_subparsers(required=True, metavar="ACTION")
    new = actions.add_parser("new", help="write a new master key", allow_abbrev=False)
    new.add_argument("file", type=Path, metavar="FILE", help="must not exist yet")
    new.set_defaults(command=commands["keys new"])
    derive = actions.add_parser(
        "derive", help="print the ids of keys: of a cohort, or of all", allow_abbrev=False
    )
    derive.add_argument("--cohort", metavar="NAME", help="made if it is new; default: list all")
    destroy = actions.add_parser(
        "destroy", help="destroy the secret of a cohort for ever", allow_abbrev=False
    )
    destroy.add_argument("--cohort", required=True, metavar="NAME")
    destroy.add_argument(
        "--retire", action="store_true",
        help="of a cohort without a secret of its own: refuse it from now on, although the master "
        "key could still derive it",
    )  # fmt: skip
    log = actions.add_parser("log", help="every use of a key", allow_abbrev=False)
    log.add_argument("--verify", action="store_true", help="exit 1 where it was cut or changed")
    log.add_argument("--noted", metavar="HASH", help="the line of this hash must still be there")
    for name, action in (("derive", derive), ("destroy", destroy), ("log", log)):
        add_key(action)
        action.add_argument("--json", action="store_true", help="print JSON only")
        action.set_defaults(command=commands[f"keys {name}"])


def add_key(parser: argparse.ArgumentParser, *, required: bool = False) -> None:
    """Add --key and --custody."""
    default = None if required else "master.key"
    parser.add_argument(
        "--key", required=required, default=default, metavar="LOCATOR",
        help="master key: FILE, env:NAME or command:PROGRAM" + ("" if required else "; default "
        "master.key"),
    )  # fmt: skip
    parser.add_argument(
        "--custody", type=Path, metavar="DIR", help="its folder, where it is not FILE.custody"
    )


def add_policy(added: Any, commands: Mapping[str, Callable[..., int]]) -> None:
    """Add `policy` with its action `check`."""
    policy = added.add_parser(
        "policy",
        help="what happens to every label and column",
        epilog=_POLICY,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    actions = policy.add_subparsers(required=True, metavar="ACTION")
    check = actions.add_parser(
        "check", help="check a policy and show all it does", allow_abbrev=False
    )
    check.add_argument(
        "policy", nargs="?", metavar="POLICY",
        help="a shipped name, a policy file or nightly.toml; default: everything is replaced",
    )  # fmt: skip
    check.add_argument(
        "--lang", choices=("fr", "en", "es"),
        help="decides the locale where the policy names none; default that of nightly.toml, or fr",
    )  # fmt: skip
    check.add_argument("--json", action="store_true", help="print JSON only")
    check.set_defaults(command=commands["policy check"])
