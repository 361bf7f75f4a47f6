"""Completions and the manual page know every option (scripts/shell_files.py writes them)."""

import argparse
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from scripts.shell_files import PLACE, list_parsers, make_parser

BASH, ZSH, MANUAL = (PLACE / name for name in ("cryptonym.bash", "_cryptonym", "cryptonym.1"))


@pytest.fixture(scope="module")
def options() -> set[str]:
    """Every long option of every command that its help shows."""
    actions = (action for each in list_parsers(make_parser()) for action in each._actions)
    shown = (action for action in actions if action.help != argparse.SUPPRESS)
    names = {name for action in shown for name in action.option_strings if name[:2] == "--"}
    return names - {"--help"}


@pytest.mark.parametrize("path", [BASH, ZSH, MANUAL], ids=lambda path: path.name)
def test_a_file_has_the_options_of_the_program(path: Path, options: set[str]) -> None:
    # Without the escapes and the fonts of a manual page.
    text = re.sub(r"\\f[BIR]", "", path.read_text(encoding="utf-8").replace("\\-", "-"))
    assert len(options) > 50
    found = set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*[a-z0-9]", text))
    assert sorted(options - found) == []
    if path == BASH:
        assert sorted(found - options - {"--help"}) == []


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_a_shell_takes_its_file(shell: str) -> None:
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    subprocess.run([shell, "-n", BASH if shell == "bash" else ZSH], check=True)


@pytest.mark.skipif(not shutil.which("bash"), reason="bash is not installed")
def test_bash_completes_commands_and_options() -> None:
    for words, expected in (("cryptonym sy", "synthesize"), ("cryptonym run --re", "--rebase")):
        parts = words.split()
        script = (
            f"source {BASH}; COMP_WORDS=({words}); COMP_CWORD={len(parts) - 1}; "
            "$(complete -p cryptonym | sed 's/.*-F \\([^ ]*\\).*/\\1/'); echo ${COMPREPLY[@]}"
        )
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
        assert expected in done.stdout.split()
