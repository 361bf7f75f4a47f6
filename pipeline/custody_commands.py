"""Runs `cryptonym keys` and `cryptonym policy`: ids, treatments and uses, never key material."""

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from pipeline.console import Console
from pipeline.nightly import EXIT_DONE, EXIT_GATE
from pipeline.policies import build, language_of, read_policy
from pipeline.policy_table import describe, tell_policy
from pipeline.tools import open_key
from record.errors import ConfigError
from surrogates.custody import Custody, make_folder
from surrogates.key_log import Use
from surrogates.keys import MasterKey, custody_of, new_master


def _new(options: argparse.Namespace, _rest: list[str], console: Console) -> int:
    new_master(options.file)
    console.say(f"wrote a new master key to {options.file} (mode 600), and the folder")
    console.say(f"{custody_of(options.file)} for secrets of cohorts and the log of uses;")
    console.say("keep a copy of both offline, and renew it after each new cohort:")
    console.say("whoever has them can link every cohort, and without them no release can go on")
    return EXIT_DONE


def _derive(options: argparse.Namespace, _rest: list[str], console: Console) -> int:
    _make_custody(options)
    master = _master(options)
    custody = _custody(master)
    if options.cohort is not None:
        key = master.cohort(options.cohort, action="derive")
        found = [entry for entry in custody.entries() if entry.key_id == key.key_id]
    else:
        with custody.locked():
            found = custody.entries()
    told = {"master_key_id": master.key_id, "cohorts": [asdict(entry) for entry in found]}
    _print(told, options)
    console.say(f"master key {master.key_id}")
    for entry in found:
        kind = "a secret of its own" if entry.own_secret else "decided by the master key alone"
        state = f"destroyed at {entry.destroyed}" if entry.destroyed else kind
        console.say(f"cohort key {entry.key_id}  {_shown(entry.name)}  ({state})")
    return EXIT_DONE


def _destroy(options: argparse.Namespace, _rest: list[str], console: Console) -> int:
    _make_custody(options)
    master = _master(options)
    if sys.stdin.isatty() and not options.json:
        console.say("this cannot be undone; type the name of the cohort to go on:")
        if input() != options.cohort:
            raise ConfigError("--cohort", "another name was typed", "nothing was destroyed")
    entry = master.destroy(options.cohort, retire=options.retire)
    _print(asdict(entry), options)
    if entry.own_secret:
        console.say(f"destroyed the secret of the cohort key {entry.key_id}")
        console.say("copies of it in backups, snapshots or on worn flash memory are not reached:")
        console.say("destroy those too, and the cohort's state database; see docs/operations.md")
    else:
        console.say(f"retired the cohort key {entry.key_id}: it is refused from now on")
        console.say("it is NOT destroyed: whoever has the master key can still derive it")
    return EXIT_DONE


def _log(options: argparse.Namespace, _rest: list[str], console: Console) -> int:
    custody = _custody(_master(options))
    is_checked = options.verify or options.noted is not None
    with custody.locked():
        uses, last = custody.log.uses(), custody.log.last()
        problems = custody.log.problems(options.noted) if is_checked else []
    told = {"uses": [asdict(use) for use in uses], "last": last}
    _print(told | ({"problems": problems} if is_checked else {}), options)
    if not is_checked:
        for use in uses:
            console.say(_line(use))
    for problem in problems:
        console.error(f"key log: {problem}")
    console.say(f"{len(uses)} uses; hash of the last line: {last}")
    return EXIT_GATE if problems else EXIT_DONE


def _check(options: argparse.Namespace, _rest: list[str], console: Console) -> int:
    table, told = {}, None
    if options.policy is not None:
        table = read_policy(options.policy, Path())
        told = language_of(options.policy, Path())
    policy = build(table, options.lang or told or "fr")
    _print(describe(policy), options)
    console.say(tell_policy(policy))
    return EXIT_DONE


def _master(options: argparse.Namespace) -> MasterKey:
    custody = None if options.custody is None else options.custody.absolute()
    return open_key(options.key, Path(), custody)


def _make_custody(options: argparse.Namespace) -> None:
    """Give a key of an earlier version the folder in which its uses are written down."""
    folder = options.custody
    is_elsewhere = options.key.startswith(("env:", "command:"))
    if folder is None and is_elsewhere:
        raise ConfigError("--custody", "no folder is named", "give --custody DIR")
    if folder is None:
        folder = custody_of(Path(options.key.removeprefix("file:")))
    if folder.exists():
        return
    # Before anything is made: a key with secrets in a folder is refused without it.
    open_key(options.key, Path())
    make_folder(folder)


def _custody(master: MasterKey) -> Custody:
    if master.custody is None:
        raise ConfigError(
            "--custody",
            "the key has no folder of custody, so no use of it was written down",
            "`cryptonym keys derive` makes the folder; from then on uses are written down",
        )
    return master.custody


def _line(use: Use) -> str:
    cohort = "" if use.cohort is None else f"  {_shown(use.cohort)}"
    return f"{use.number:>6}  {use.time}  {use.action:<8}{use.key_id}  user {use.user}{cohort}"


def _shown(name: str) -> str:
    # What steers a terminal must not come out of a name.
    return "".join(char if char.isprintable() else "?" for char in name)


def _print(told: object, options: argparse.Namespace) -> None:
    if options.json:
        sys.stdout.write(json.dumps(told, sort_keys=True) + "\n")


COMMANDS: dict[str, Callable[..., int]] = {
    "keys new": _new,
    "keys derive": _derive,
    "keys destroy": _destroy,
    "keys log": _log,
    "policy check": _check,
}
"""Words of the command line -> what runs them."""
