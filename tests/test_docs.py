"""The documents say what the code does: their examples load, their links lead somewhere."""

import re
import tomllib
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

from pipeline.config.settings import Settings, load
from record.label import Label

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
SMALLEST = '[source]\nurl = "sqlite:///a.db"\n[output]\nurl = "sqlite:///b.db"\n'


def blocks(page: Path, language: str) -> list[str]:
    """The code blocks of a page in one language."""
    text = page.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def setting_names(shape: type, prefix: str = "") -> list[str]:
    """Every key of the configuration, tables joined by dots."""
    names = []
    hints: dict[str, Any] = get_type_hints(shape)
    for field in fields(shape):
        inner = [
            kind for kind in (hints[field.name], *get_args(hints[field.name])) if is_dataclass(kind)
        ]
        if inner and isinstance(inner[0], type):
            names += setting_names(inner[0], f"{prefix}{field.name}.")
        else:
            names.append(prefix + field.name)
    return names


EXAMPLES = [
    pytest.param(block, id=f"{page.name}-{number}")
    for page in PAGES
    for number, block in enumerate(blocks(page, "toml"))
]


@pytest.mark.parametrize("block", EXAMPLES)
def test_every_configuration_shown_is_accepted(block: str, tmp_path: Path) -> None:
    config = tmp_path / "nightly.toml"
    whole = block if {"source", "output"} <= set(tomllib.loads(block)) else block + SMALLEST
    config.write_text(whole, encoding="utf-8")
    assert load(config).base == tmp_path


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 3


@pytest.mark.parametrize("name", [name for name in setting_names(Settings) if name != "base"])
def test_operations_names_every_key(name: str) -> None:
    text = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    last = name.removeprefix("source.identity.")
    assert f"`{name}`" in text or f"`{last}`" in text


@pytest.mark.parametrize("label", list(Label))
def test_policy_names_every_label(label: Label) -> None:
    assert f"`{label}`" in (ROOT / "docs" / "policy.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if not target.startswith("https://"):
            file, _, anchor = target.partition("#")
            found = (page.parent / file) if file else page
            assert found.exists(), target
            assert not anchor or anchor in anchors(found), target


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in headings}
