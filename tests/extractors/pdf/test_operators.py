import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractors.pdf.text_layer import OperatorKind, find_operator_kinds

OPERATORS = {
    OperatorKind.PAINTS: "f F f* B B* b b* sh Do EI".split(),
    OperatorKind.PICTURES: "Do BI scn SCN".split(),
    OperatorKind.INTRICATE: "W W* scn SCN sh BI EI Do gs".split(),
}
OTHERS = "q Q cm re n S s w m l c h rg RG g G k K BT ET Tf Tj TJ Td Tm T* Tr Tc d i M".split()
ANY = sorted({name for names in OPERATORS.values() for name in names}) + OTHERS
BLANKS = (" ", "\n", "\r\n", "\t", "\f", "\0")
OPERANDS = ("12", "-3.5", ".7", "/F1", "/Do1", "[3 2]", "(Dr)", "<41>", "")

words = st.tuples(st.sampled_from(OPERANDS), st.sampled_from(ANY), st.sampled_from(BLANKS))


def written(parts: list[tuple[str, str, str]], *, tight: bool) -> bytes:
    """A content stream; `tight` leaves out the blanks that need not be there."""
    text = ""
    for operand, operator, blank in parts:
        part = "" if tight and operand[-1:] in ("]", ")", ">") else blank
        if tight and operand[:1] in ("/", "[", "(", "<"):
            text = text.rstrip("".join(BLANKS))
        text += operand + part + operator + blank
    return text.encode()


@given(st.lists(words, min_size=1, max_size=8), st.booleans())
def test_no_operator_is_missed(parts: list[tuple[str, str, str]], tight: bool) -> None:
    found = find_operator_kinds(written(parts, tight=tight))
    for kind, names in OPERATORS.items():
        assert kind in found or not any(operator in names for _, operator, _ in parts)


@given(st.lists(words, max_size=8))
def test_what_is_found_is_a_word_of_the_stream(parts: list[tuple[str, str, str]]) -> None:
    content = written(parts, tight=False)
    there = set(re.split(r"[\s\0\[\]()<>/]+", content.decode()))
    for kind in find_operator_kinds(content):
        assert there & set(OPERATORS[kind])


@pytest.mark.parametrize("content", [b"", b"BT /F1 12 Tf (x) Tj ET", b"0 0 10 10 re S", b"/Do1 W1"])
def test_harmless_content(content: bytes) -> None:
    assert find_operator_kinds(content) == ()


def test_an_operator_behind_its_number() -> None:
    assert OperatorKind.PAINTS in find_operator_kinds(b"0 0 10 10 re 0f")
