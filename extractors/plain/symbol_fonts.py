"""Mapping of the glyphs of symbol fonts (Symbol, Wingdings) to the characters they look like."""


def _parse_table(signs: str) -> dict[int, str]:
    return {int(entry[:2], 16): entry[2:] for entry in signs.split()}


# Adobe's Symbol font, by code (its encoding in PostScript Language Reference, appendix E).
_SYMBOL_LETTERS = dict(
    zip(
        b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
        "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖαβχδεφγηιϕκλμνοπθρστυϖωξψζ",
        strict=True,
    )
)
_SYMBOL_SIGNS = _parse_table(
    "22∀ 24∃ 27∋ 2A∗ 2D− 40≅ 5C∴ 5E⊥ 7E∼ A0€ A1ϒ A2′ A3≤ A4⁄ A5∞ A6ƒ A7♣ A8♦ A9♥ AA♠ AB↔ AC← "
    "AD↑ AE→ AF↓ B0° B1± B2″ B3≥ B4× B5∝ B6∂ B7• B8÷ B9≠ BA≡ BB≈ BC… C6∅ C7∩ C8∪ CE∈ CF∉ D0∠ "
    "D1∇ D2® D3© D4™ D5∏ D6√ D7⋅ D8¬ DB⇔ DC⇐ DD⇑ DE⇒ DF⇓ E2® E3© E4™ E5∑ F2∫"
)
# Wingdings: symbols of forms and lists.
_WINGDINGS = _parse_table(
    "28☎ 29✆ 2A✉ 4A☺ 4C☹ 6C● 6E■ 6F☐ 70☐ 71☐ 72☐ 75◆ 76❖ 9F• A1○ A7▪ A8☐ D8➢ DF← E0→ E1↑ E2↓ "
    "E8➔ F0⇨ FB✗ FC✓ FD☒ FE☑"
)
_FONTS = {
    "symbol": {**_SYMBOL_LETTERS, **_SYMBOL_SIGNS},
    "wingdings": _WINGDINGS,
    "wingdings 2": _parse_table("50✓ 51☒ 52☑ 53☒ 54☒ a3☐"),
}
_ORNAMENT = "•"
_UNKNOWN = "\ufffd"

_PRIVATE = range(0xF000, 0xF100)


def is_symbol_font(font: str) -> bool:
    """Return whether a font has symbols in the place of letters."""
    return _normalize_name(font) in _FONTS or _normalize_name(font).startswith(
        ("wingdings", "webdings")
    )


def symbol(font: str, code: int) -> str:
    """Return the character that a glyph of a font looks like.

    Unknown glyphs of an ornament font become a bullet; private use codes of an unknown font become
    U+FFFD.
    """
    if code not in _PRIVATE and not is_symbol_font(font):
        return chr(code) if code < 0x110000 else _UNKNOWN
    low = code - _PRIVATE.start if code in _PRIVATE else code
    if low == ord(" "):
        return " "
    if not is_symbol_font(font):
        return _UNKNOWN
    signs = _FONTS.get(_normalize_name(font), {})
    if low in signs:
        return signs[low]
    if _normalize_name(font) == "symbol":
        return chr(low) if low < 0x80 else _UNKNOWN
    return _ORNAMENT


def _normalize_name(font: str) -> str:
    return font.strip().lower()
