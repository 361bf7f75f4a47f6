import pytest

from extractors.plain.symbol_fonts import is_symbol_font, symbol


@pytest.mark.parametrize(
    ("font", "code", "char"),
    [
        *(("Symbol", 0xF061, "α"), ("symbol", 0x62, "β"), ("Symbol", 0xF0B0, "°")),
        *(("Symbol", 0xF031, "1"), ("Symbol", 0xF0FE, "\ufffd"), ("Symbol", 0xF020, " ")),
        *(("Wingdings", 0xF0FE, "☑"), ("Wingdings", 0xF021, "•"), ("Webdings", 0x61, "•")),
        *(("Wingdings 2", 0x52, "☑"), ("Calibri", 0xF0B7, "\ufffd"), ("", 0x2611, "☑")),
        *(("Calibri", 0x41, "A"), ("Calibri", 0x110000, "\ufffd")),
    ],
)
def test_signs(font: str, code: int, char: str) -> None:
    assert symbol(font, code) == char


def test_symbol_fonts() -> None:
    assert is_symbol_font(" Wingdings 3")
    assert not is_symbol_font("Segoe UI Symbol")
