"""What an element's own style says of its text: shown or hidden, broken into lines, in signs."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from extractors.plain.symbol_fonts import is_symbol_font

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_LENGTH = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+))(px|pt|pc|cm|mm|in|q|rem|em|ex|ch|vw|vh|%)?")
_FONT_SIZE = re.compile(
    r"(?:^|\s)((?:\d+\.?\d*|\.\d+)(?:px|pt|pc|cm|mm|in|rem|em|ex|%)|0)(?=[/\s])"
)
_RELATIVE = frozenset(("em", "ex", "ch", "%"))
_OFF_SCREEN = -900.0

_INLINE = frozenset("inline inline-block inline-flex inline-grid contents ruby".split())


class Look(NamedTuple):
    """How text is shown; an element hands it on to those within it."""

    kept: bool = False
    """White space is shown as it stands."""
    visible: bool = True
    sized: bool = True
    """Its letters have a size above zero."""
    font: str = ""
    """The font's name, where its letters stand for signs."""


class Style(NamedTuple):
    """What the style of an element sets; `display` is empty where it says nothing."""

    gone: bool
    display: str
    look: Look
    tight: bool = False
    """No space above and below."""


def read(attributes: Mapping[str, str | None], look: Look) -> Style:
    """Read the attributes of an element whose parent looks like `look`."""
    if "face" in attributes:
        look = look._replace(font=_signs(attributes["face"] or ""))
    text = attributes.get("style")
    if not text:
        return Style("hidden" in attributes, "", look)
    rules = _rules(text)
    display = rules.get("display", "")
    gone = display == "none" or ("hidden" in attributes and not display)
    return Style(
        gone=gone or _is_gone(rules),
        display="inline" if display in _INLINE else display,
        look=_look(rules, look),
        tight=any(_is_zero(rules.get(name, "")) for name in ("margin", "margin-bottom")),
    )


def _rules(text: str) -> dict[str, str]:
    rules = {}
    for rule in _COMMENT.sub("", text).lower().split(";"):
        name, _, value = rule.partition(":")
        rules[name.strip()] = value.partition("!")[0].strip()
    return rules


def _is_gone(rules: Mapping[str, str]) -> bool:
    if _is_zero(rules.get("opacity", "")) or rules.get("content-visibility") == "hidden":
        return True
    sides = ("height", "max-height", "width", "max-width")
    if rules.get("overflow", "").startswith("hidden") and any(
        _is_zero(rules.get(side, "")) for side in sides
    ):
        return True
    return any(
        _number(rules.get(side, "")) <= _OFF_SCREEN for side in ("left", "top", "text-indent")
    )


def _look(rules: Mapping[str, str], look: Look) -> Look:
    if "visibility" in rules:
        look = look._replace(visible=rules["visibility"] not in ("hidden", "collapse"))
    space = rules.get("white-space", "")
    if space:
        look = look._replace(kept=space.startswith(("pre", "break-spaces")))
    short = rules.get("font", "")
    size = _FONT_SIZE.search(short)
    look = _resized(look, rules.get("font-size", size[1] if size else ""))
    family = rules.get("font-family", short.rpartition(" ")[2] if size else "")
    return look._replace(font=_signs(family)) if family else look


def _resized(look: Look, size: str) -> Look:
    if not size:
        return look
    match = _LENGTH.fullmatch(size)
    if match is None:  # a keyword; smaller and larger are those of the parent
        return look if size in ("inherit", "smaller", "larger") else look._replace(sized=True)
    if float(match[1]) == 0:
        return look._replace(sized=False)
    return look if match[2] in _RELATIVE else look._replace(sized=True)


def _signs(family: str) -> str:
    name = family.partition(",")[0].strip(" '\"")
    return name if is_symbol_font(name) else ""


def _number(value: str) -> float:
    match = _LENGTH.match(value)
    return float(match[1]) if match else 0.0


def _is_zero(value: str) -> bool:
    match = _LENGTH.match(value)
    return match is not None and float(match[1]) == 0
