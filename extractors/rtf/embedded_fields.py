"""What an RTF file shows without writing it as text: form fields, computed fields, pictures."""

import re
from dataclasses import dataclass, field

from extractors.plain.symbol_fonts import symbol

# Fields that are drawn from their code, since they have no result.
_FIELD = re.compile(r"(?is)\s*(symbol|macrobutton|gotobutton|eq)\s+(\S+)\s*(.*)")
_SYMBOL_FONT = re.compile(r"(?i)\\f\s*\"?([^\"\\]+)")
_BOXES = ("☐", "☒")
_UNSET = 25  # \ffres of a form field that shows its default
_CHECKBOX = 1
_LIST = 2

# A picture that covers half a page is a scan: 250 square centimetres, in square twips.
_SCAN_AREA = 250 * 567**2


@dataclass(slots=True)
class Form:
    """A field of a form: a box to tick, or a list to choose from."""

    kind: int = 0
    result: int = _UNSET
    default: int = 0
    entries: list[str] = field(default_factory=list, repr=False)

    def shown(self) -> str:
        """Return what stands in it; nothing for a field of text, which has a result."""
        chosen = self.default if self.result == _UNSET else self.result
        if self.kind == _CHECKBOX:
            return _BOXES[chosen == 1]
        if self.kind == _LIST and 0 <= chosen < len(self.entries):
            return self.entries[chosen]
        return ""


@dataclass(slots=True)
class Picture:
    """A picture: width and height in twips, how far they are stretched in percent."""

    seen: bool = False
    behind: bool = False
    width: int = 0
    height: int = 0
    stretched: int = 100
    raised: int = 100

    @property
    def is_scan(self) -> bool:
        """Return whether it covers half a page, and no text lies over it."""
        area = self.width * self.height * self.stretched * self.raised / 10_000
        return not self.behind and area > _SCAN_AREA


def drawn(code: str) -> str:
    """Return what a field shows that is drawn from its code; nothing for other fields."""
    match = _FIELD.match(code)
    if match is None:
        return ""
    kind, first, rest = match[1].lower(), match[2], match[3].strip()
    if kind == "eq":
        return f"{first} {rest}".strip()
    if kind != "symbol":
        return rest
    try:
        number = int(first, 0)
    except ValueError:
        return first
    font = _SYMBOL_FONT.search(rest)
    return symbol(font[1].strip() if font else "", number) if 0x20 <= number < 0x110000 else ""
