"""Masks and first digits: the same for many, and nothing of the value beside them."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from record.document import Document
from record.errors import ConfigError, Unsafe
from record.label import Label
from record.policy import Action, Policy
from record.span import Span
from surrogates.keys.keys import CohortKey
from surrogates.patient import gazetteer
from surrogates.rewrite import GENERALIZERS, MAKERS, Rewriter


def written(cohort: CohortKey, policy: Policy, text: str, label: str) -> str:
    document = Document("n1", f"<{text}>", "42", "fr")
    return Rewriter(cohort, policy).rewrite(document, (Span(1, 1 + len(text), label),), None).text


def masked() -> Policy:
    return Policy(actions=dict.fromkeys(map(str, Label), Action.MASK))


@pytest.mark.parametrize("label", list(Label))
@given(text=st.text(min_size=1, max_size=12).filter(lambda t: any(map(str.isalnum, t))))
def test_a_mask_tells_the_label_alone(cohort: CohortKey, label: Label, text: str) -> None:
    made = written(cohort, masked(), text, label)[1:-1]
    assert made.strip().replace("\n", "").strip() == f"[{label}]"


def test_offsets_of_masks_hold(
    cohort: CohortKey, marked: Callable[..., tuple[Document, tuple[Span, ...]]]
) -> None:
    document, spans = marked("M. [Jean|FIRST_NAME] [DUPONT|LAST_NAME], 74 ans, né le [3/2/50|DATE]")
    release = Rewriter(cohort, masked()).rewrite(document, spans, None)
    assert release.text == "M. [FIRST_NAME] [LAST_NAME], 74 ans, né le [DATE]"
    assert [release.text[span.start : span.end] for span in release.spans] == [
        *("[FIRST_NAME]", "[LAST_NAME]", "[DATE]")
    ]


@pytest.mark.parametrize(
    ("text", "digits", "zeroed", "made"),
    [
        ("75012", 3, (), "750**"),
        ("75012", 2, (), "75***"),
        ("02138-1234", 3, (), "021**"),
        ("F-75012", 3, (), "750**"),
        ("05901", 3, ("059",), "000**"),
        ("05901", 3, ("036",), "059**"),
        ("75012 Paris", 2, (), "75***"),
        ("1234 AB", 3, (), "[ZIP]"),
        ("SW1A 1AA", 3, (), "[ZIP]"),
        ("7501", 3, (), "[ZIP]"),
        ("750123", 3, (), "[ZIP]"),
    ],
)
def test_postal_codes_keep_their_first_digits(
    cohort: CohortKey, text: str, digits: int, zeroed: tuple[str, ...], made: str
) -> None:
    actions = Policy().actions | {"ZIP": Action.GENERALIZE}
    policy = Policy(actions=actions, zip_digits=digits, zeroed_zips=zeroed)
    assert written(cohort, policy, text, "ZIP") == f"<{made}>"


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("02139", "021**"),
        ("05901", "000**"),
        ("83101", "831**"),
        ("36930", "000**"),
        ("00000", "000**"),
    ],
)
def test_postal_codes_of_few_people_become_zeros(cohort: CohortKey, text: str, made: str) -> None:
    actions = Policy().actions | {"ZIP": Action.GENERALIZE}
    assert written(cohort, Policy(actions=actions, zip_table="census-2010"), text, "ZIP") == (
        f"<{made}>"
    )


def test_the_table_of_people_is_that_of_the_census() -> None:
    people = gazetteer.people()
    # 308,745,538 in the states and 3,725,789 in Puerto Rico; some live outside of the areas.
    assert 0 < 308_745_538 + 3_725_789 - sum(people.values()) < 30_000
    few = {digits for digits, number in people.items() if number <= 20_000}
    assert few == set(
        "036 059 102 202 203 204 205 369 556 692 753 772 821 823 878 879 884 893".split()
    )
    with pytest.raises(ConfigError, match="3 digits"):
        Policy(zip_table="census-2010", zip_digits=2)


def test_what_can_be_generalized_is_and_nothing_else(cohort: CohortKey) -> None:
    for label in Label:
        actions = Policy().actions | {label.value: Action.GENERALIZE}
        if label in GENERALIZERS:
            Policy(actions=actions)
        else:
            with pytest.raises(ConfigError) as raised:
                Policy(actions=actions)
            assert raised.value.key == f"policy.actions.{label}"
    assert set(GENERALIZERS) <= set(MAKERS)


def test_a_mask_is_no_way_in_for_unknown_labels(cohort: CohortKey) -> None:
    with pytest.raises(Unsafe):
        written(cohort, masked(), "x", "SHOE_SIZE")
