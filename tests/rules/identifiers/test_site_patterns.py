import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from record.document import Document
from record.errors import ConfigError
from rules.identifiers.identifiers import detect
from rules.identifiers.site_patterns import SiteNumbers, fault
from tests.rules.marked import mark, unmark

SITE = SiteNumbers(
    patient_shapes=(r"q[0-9]{3}-[0-9]{2}", r"[a-z]{2}[0-9]{4,6}"),
    visit_shapes=(r"st[0-9]{7}",),
    patient_words=("GAM", "Nº Clínico"),
    visit_words=("Passage urg.",),
)


@pytest.mark.parametrize(
    "line",
    [
        "vue ([[q123-45|PATIENT_ID]])", "[[AB12345|PATIENT_ID]] et [[ab123456|PATIENT_ID]]",
        "[[ST1234567|VISIT_ID]]", "GAM : [[4567|PATIENT_ID]]", "GAM n° [[12-3456|PATIENT_ID]]",
        "nº clinico [[12345|PATIENT_ID]]", "N.º CLÍNICO", "passage urg. : [[A1234|VISIT_ID]]",
        "zq123-45", "q123-456", "ab123", "ab1234567", "8012345678x", "programme GAM",
        "[[q123-45|PATIENT_ID]] | [[320360971|VISIT_ID]]", "IPP [[204567|PATIENT_ID]]",
    ],
)  # fmt: skip
def test_a_site_names_its_own_numbers(line: str) -> None:
    text, _ = unmark(line)
    assert mark(text, detect(Document("1", text), site=SITE)) == line


def test_the_shapes_of_a_site_replace_the_usual_one() -> None:
    assert [s.label for s in detect(Document("1", "vu 8012345678"))] == ["PATIENT_ID"]
    assert [s.label for s in detect(Document("1", "vu 8012345678"), site=SITE)] == ["ID"]


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        ("patient_shapes", "[0-9", "not a regular expression"),
        ("patient_shapes", "", "fewer than 4"),
        ("visit_shapes", "[0-9]{3}", "fewer than 4"),
        ("visit_shapes", "[0-9]{65}", "more than 64"),
        ("visit_shapes", "[0-9]+", "upper bound"),
        ("patient_shapes", "a[0-9]*", "upper bound"),
        ("patient_shapes", "[0-9]{4,}", "upper bound"),
        ("patient_shapes", "(?:[0-9]+)+", "upper bound"),
        ("patient_shapes", "(?:[0-9]{1,3}){4}", "inside a repetition"),
        ("patient_shapes", "(?:a?a){20}", "inside a repetition"),
        ("patient_shapes", "(?:[a-z]?[0-9]?){8}", "inside a repetition"),
        ("patient_shapes", "(?:[0-9](?:-[0-9])?){8}", "inside a repetition"),
        ("patient_shapes", "(?:ab|a){4}", "alternatives inside"),
        ("patient_shapes", "[0-9]{2,9}[0-9]{1,9}[0-9]{1,9}", "variable length"),
        ("patient_shapes", r"([0-9]{4})\1", "anchor, a reference"),
        ("patient_shapes", r"\b[0-9]{6}", "anchor, a reference"),
        ("patient_shapes", "^[0-9]{6}$", "anchor, a reference"),
        ("patient_shapes", ".{6}", "dot"),
        ("patient_shapes", "(?=x)[0-9]{6}", "extension"),
        ("patient_shapes", "(?i:x)[0-9]{6}", "extension"),
        ("patient_words", "", "no word"),
        ("visit_words", "12:", "no word"),
        ("visit_words", "x" * 41, "no word"),
    ],
)
def test_what_a_site_may_not_say(field: str, value: str, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem) as raised:
        SiteNumbers(**{field: ("[a-z]{9}", value)})
    assert raised.value.key == f"{field}[1]"


@pytest.mark.parametrize(
    "shape",
    [
        r"8(?: ?[0-9]){9}", r"[a-z]{2}[0-9]{6}", r"\d{4}-\d{4}", r"(?:19|20)[0-9]{2}/[0-9]{5}",
        r"[0-9]{6,8}(?:-[0-9]{1,2})?", r"(?:hn|gn)?[0-9]{7}", r"(?:[0-9]{2}\.){3}[0-9]{2}",
        "abcd", r"(?:p(?:-[0-9]{3})|q[0-9]{3})",
    ],
)  # fmt: skip
def test_sound_shapes(shape: str) -> None:
    assert fault(shape) == ""


PIECE = st.sampled_from(["[0-9]", "[a-z0-9]", "a", "-", " "])
TIMES = st.sampled_from(["", "?", "{2}", "{1,3}", "{4}", "{2,9}"])


@given(
    st.recursive(
        st.builds("".join, st.lists(st.builds(str.__add__, PIECE, TIMES), max_size=4)),
        lambda inner: (
            st.builds("(?:{}){}{}".format, inner, TIMES, inner)
            | st.builds("(?:{}|{})".format, inner, inner)
        ),
        max_leaves=4,
    )
)
def test_a_shape_that_passes_is_matched_without_backtracking_for_ever(shape: str) -> None:
    if fault(shape):
        return
    # A shape that backtracks without bound would not come back from these.
    for text in ("a" * 3000, "0" * 3000, "0 " * 1500, "a-" * 1500):
        assert not list(re.finditer(rf"(?:{shape})!", text))
