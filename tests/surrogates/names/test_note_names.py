"""Names of whole files: one surrogate for each person, none for two, whatever the order."""

import itertools
import re
from collections.abc import Callable
from dataclasses import replace as derive
from datetime import datetime
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from pipeline.config.policies import build_policy
from pipeline.config.policy_description import explain_label
from record.document import Document
from record.errors import ConfigError
from record.folding import fold
from record.label import Label
from record.patient import PatientRecord, PersonName
from record.policy import Policy
from record.release import Release
from record.span import Span
from surrogates.keys.keys import MasterKey
from surrogates.patient import name_lists
from surrogates.rewrite import Rewriter

MASTER = MasterKey(bytes(range(32)))
RECORD = PatientRecord(
    person_id="42",
    given_names=("Jeanne",),
    family_names=("DUPONT-MARTIN",),
    birth_names=("Zwertvaegher",),
    gender="F",
    emails=("jeanne.dupont@example.org",),
    relatives=(PersonName(("Paul",), ("DUPONT-MARTIN",)), PersonName(("Chloé",), ("Bernard",))),
)
# Each person of a file under a name, and the whole names that notes write.
PEOPLE = {
    "patient": ("Jeanne", "Dupont-Martin"),
    "husband": ("Paul", "Dupont-Martin"),
    "daughter": ("Chloé", "Bernard"),
    "doctor": ("Anne", "Gauthier"),
    "other doctor": ("Ahmed", "Benali"),
    "nurse": ("Qwendoline", "Krzyzowska"),
    "neighbour": ("Maria", "Ferreira"),
}


BOTH = pytest.mark.parametrize("names", ["mixed", "same-stratum"])


def _rewriter(**policy: object) -> Rewriter:
    return Rewriter(MASTER.cohort("file"), Policy(**policy))  # type: ignore[arg-type]


def _parts(release: Release) -> list[str]:
    return [release.text[span.start : span.end] for span in release.spans]


def _note(number: int, rng: Random) -> tuple[Document, tuple[Span, ...], list[str]]:
    """A note that names some of the people in some of their forms; who each span names."""
    text, spans, who = "", [], []
    for person in rng.choices(list(PEOPLE), k=12):
        given, family = PEOPLE[person]
        family = rng.choice((family, family.upper(), fold(family)))
        words = [(given, "FIRST_NAME"), (family, "LAST_NAME")]
        if rng.random() < 0.3:
            words.reverse()
        for value, label in words if rng.random() < 0.7 else words[-1:]:
            text += rng.choice((" ", "  "))
            spans.append(Span(len(text), len(text) + len(value), label))
            who.append(person)
            text += value
        text += rng.choice((" est vu.", ";", "\nTexte libre", " : rien."))
    return Document(f"n{number}", text, "42", "fr", datetime(2024, 5, 20)), tuple(spans), who


@BOTH
def test_one_surrogate_a_person_in_200_notes_on_any_worker_in_any_order(names: str) -> None:
    rng = Random(5)
    notes = [_note(number, rng) for number in range(200)]
    orders = [list(range(200)), rng.sample(range(200), 200)]
    released: list[dict[int, tuple[str, list[str]]]] = []
    for order in orders:
        workers = [_rewriter(names=names) for _ in range(4)]
        made = {}
        for place in order:
            document, spans, _ = notes[place]
            release = workers[rng.randrange(4)].rewrite(document, spans, RECORD)
            made[place] = release.text, _parts(release)
        released.append(made)
    assert released[0] == released[1]
    families = 1 if names == "mixed" else 2
    _check_names(notes, [released[0][place][1] for place in range(200)], families)


def _check_names(
    notes: list[tuple[Document, tuple[Span, ...], list[str]]],
    released: list[list[str]],
    of_the_record: int,
) -> None:
    """Check that whoever shares no name shares no surrogate, as many in the record aside."""
    found: dict[tuple[str, str], set[str]] = {}
    for (_, spans, who), parts in zip(notes, released, strict=True):
        for span, person, part in zip(spans, who, parts, strict=True):
            found.setdefault((person, span.label), set()).add(fold(part))
    assert {len(names) for names in found.values()} == {1}
    whole = {
        person: (*found[person, "FIRST_NAME"], *found[person, "LAST_NAME"]) for person in PEOPLE
    }
    assert len(set(whole.values())) == len(PEOPLE)
    families = {
        name for (_, label), names in found.items() if label == "LAST_NAME" for name in names
    }
    # The couple shares a name, as it did before; mixed, so does the daughter.
    assert len(families) == len(PEOPLE) - 3 + of_the_record
    assert whole["patient"][1] == whole["husband"][1]
    for person, names in whole.items():
        for original, surrogate in zip(PEOPLE[person], names, strict=True):
            assert fold(original) != surrogate


@BOTH
@given(st.permutations(list(range(6))), st.integers(0, 50))
@settings(max_examples=15)
def test_text_outside_the_names_stays(names: str, order: list[int], seed: int) -> None:
    rewriter = _rewriter(names=names)
    for number in order:
        document, spans, _ = _note(number, Random(seed))
        release = rewriter.rewrite(document, spans, RECORD)
        end = after = 0
        for old, new in zip(spans, release.spans, strict=True):
            assert document.text[end : old.start] == release.text[after : new.start]
            assert document.text[old.start : old.end] != release.text[new.start : new.end]
            end, after = old.end, new.end
        assert document.text[end:] == release.text[after:]


@pytest.mark.parametrize("wrong", ["DUPOND", "Dupon", "duppont", "Dupotn", "Dupiont"])
def test_a_misspelling_of_the_patient_is_one_of_the_surrogate(
    marked: Callable[..., tuple[Document, tuple[Span, ...]]], wrong: str
) -> None:
    document, spans = marked(f"Mme [Dupont|LAST_NAME] puis [{wrong}|LAST_NAME]")
    right, misspelt = _parts(_rewriter(names="same-stratum").rewrite(document, spans, RECORD))
    assert OSA.distance(fold(right), fold(misspelt)) == 1
    assert len(misspelt) - len(right) == len(wrong) - len("Dupont")
    assert misspelt.isupper() == wrong.isupper()
    alone, span = marked(f"[{wrong}|LAST_NAME]")
    assert _parts(_rewriter(names="same-stratum").rewrite(alone, span, RECORD)) == [misspelt]


def test_a_misspelling_within_a_note(
    marked: Callable[..., tuple[Document, tuple[Span, ...]]],
) -> None:
    document, spans = marked("Dr [Gauthier|LAST_NAME]; Dr [Gauhtier|LAST_NAME]")
    right, wrong = _parts(_rewriter(names="same-stratum").rewrite(document, spans, None))
    assert OSA.distance(fold(right), fold(wrong)) == 1
    assert sorted(fold(right)) == sorted(fold(wrong))


@pytest.mark.parametrize("wrong", ["DUPOND", "Dupon", "duppont", "Dupotn", "Dupiont"])
def test_mixed_names_are_spelt_right(
    marked: Callable[..., tuple[Document, tuple[Span, ...]]], wrong: str
) -> None:
    document, spans = marked(f"Mme [Dupont|LAST_NAME] puis [{wrong}|LAST_NAME]")
    right, misspelt = _parts(_rewriter().rewrite(document, spans, RECORD))
    assert fold(right) == fold(misspelt)
    assert misspelt.isupper() == wrong.isupper()
    document, spans = marked("Dr [Gauthier|LAST_NAME]; Dr [Gauhtier|LAST_NAME]")
    right, misspelt = _parts(_rewriter().rewrite(document, spans, None))
    assert right == misspelt


def test_initials_follow_the_person_they_stand_for(
    marked: Callable[..., tuple[Document, tuple[Span, ...]]],
) -> None:
    document, spans = marked(
        "Dr [Jacques|FIRST_NAME] [Roux|LAST_NAME]; Mme [Jeanne|FIRST_NAME] [Dupont|LAST_NAME]."
        " Vus : [J.|FIRST_NAME] [Roux|LAST_NAME] et [J.|FIRST_NAME] [DUPONT|LAST_NAME]"
        " ([JDM|NAME]), [j.roux@chu.fr|EMAIL], [jdupont7|USERNAME]"
    )
    made = _parts(_rewriter().rewrite(document, spans, RECORD))
    jacques, roux, jeanne, dupont, first, _, second, _, letters, mail, account = made
    assert first == f"{fold(jacques)[0].upper()}."
    assert second == f"{fold(jeanne)[0].upper()}."
    assert letters[:2] == (fold(jeanne)[0] + fold(dupont)[0]).upper()
    assert mail.startswith(f"{fold(jacques)[0]}.{fold(roux)}@")
    assert re.fullmatch(f"{fold(jeanne)[0]}{fold(dupont)}\\d", account)


def test_an_initial_of_a_stranger_is_not_taken_for_the_patient(
    marked: Callable[..., tuple[Document, tuple[Span, ...]]],
) -> None:
    """`J. Roux` is not Jeanne: its initial is drawn by itself."""
    document, spans = marked("Dr [J.|FIRST_NAME] [Roux|LAST_NAME]")
    alone = _parts(_rewriter().rewrite(document, spans, RECORD))[0]
    assert alone == _parts(_rewriter().rewrite(document, spans, None))[0] != "J."


def test_a_long_account_name_that_is_cut_off(
    marked: Callable[..., tuple[Document, tuple[Span, ...]]],
) -> None:
    record = derive(RECORD, family_names=("Grandpierre",))
    document, spans = marked("[Grandpierre|LAST_NAME] [jgrandpi|USERNAME]")
    family, account = _parts(_rewriter().rewrite(document, spans, record))
    assert account[1:] == fold(family)[:7]


def test_two_names_of_no_list_do_not_meet_in_a_note(
    marked: Callable[..., tuple[Document, tuple[Span, ...]]],
) -> None:
    """200 given names of no list in one note; alone, some of them would share a surrogate."""
    names = [f"Zz{a}{b}q" for a in "abcdefghijklmnopqrst" for b in "abcdefghij"]
    document, spans = marked("; ".join(f"[{name}|FIRST_NAME]" for name in names))
    made = _parts(_rewriter().rewrite(document, spans, None))
    assert len(set(made)) == len(names)


def test_a_woman_of_no_list_gets_a_womans_name(
    marked: Callable[..., tuple[Document, tuple[Span, ...]]],
) -> None:
    genders = name_lists.given("fr").genders
    for title, gender in (("Mme", "F"), ("M.", "M")):
        document, spans = marked(f"{title} [Xzyla|FIRST_NAME] [Roux|LAST_NAME]")
        made = _parts(_rewriter().rewrite(document, spans, None))[0]
        assert genders[fold(made)] == gender


# Third parties that do not keep their surrogates -------------------------------------------------

MANY = "Dr [Roux|LAST_NAME], Mme [Dupont|LAST_NAME]; " * 60


def test_third_parties_keep_their_surrogates_with_the_chance_asked(
    marked: Callable[..., tuple[Document, tuple[Span, ...]]],
) -> None:
    document, spans = marked(MANY)
    made = _parts(_rewriter(repeat_third_parties=0.7).rewrite(document, spans, RECORD))
    doctors, patient = made[::2], made[1::2]
    assert len(set(patient)) == 1
    kept = sum(one == other for one, other in itertools.pairwise(doctors))
    # 59 chances of 0.7: outside 25..57 with a probability below 1e-5.
    assert 25 <= kept <= 57
    assert all(fold(name)[0] != "r" for name in doctors)
    again = _rewriter(repeat_third_parties=0.7).rewrite(document, spans, RECORD)
    assert _parts(again) == made


def test_at_the_ends_all_or_none_is_kept(
    marked: Callable[..., tuple[Document, tuple[Span, ...]]],
) -> None:
    document, spans = marked(MANY)
    lasting = _parts(_rewriter().rewrite(document, spans, RECORD))
    assert lasting == _parts(_rewriter(repeat_third_parties=1.0).rewrite(document, spans, RECORD))
    none = _parts(_rewriter(repeat_third_parties=0.0).rewrite(document, spans, RECORD))
    assert none[1] == lasting[1]
    assert len(set(none[::2])) > 45
    other = derive(document, note_id="n2")
    assert _parts(_rewriter(repeat_third_parties=0.0).rewrite(other, spans, RECORD)) != none


def test_given_and_family_name_of_a_mention_change_together(
    marked: Callable[..., tuple[Document, tuple[Span, ...]]],
) -> None:
    document, spans = marked("Dr [Anne|FIRST_NAME] [Roux|LAST_NAME]; " * 30)
    made = _parts(_rewriter(repeat_third_parties=0.5).rewrite(document, spans, None))
    pairs = list(zip(made[::2], made[1::2], strict=True))
    for one, other in itertools.pairwise(pairs):
        assert (one[0] == other[0]) == (one[1] == other[1])


def test_only_a_chance_is_a_chance() -> None:
    for wrong in (-0.1, 1.5):
        with pytest.raises(ConfigError, match="repeat_third_parties"):
            Policy(repeat_third_parties=wrong)
    assert Policy(repeat_third_parties=0.9).policy_id != Policy().policy_id


def test_the_chance_is_a_key_of_a_policy_and_is_shown() -> None:
    policy = build_policy({"repeat_third_parties": 0.9}, "fr")
    assert policy.repeat_third_parties == 0.9
    assert "probability 0.9" in explain_label(policy, Label.LAST_NAME)
    assert "chance" not in explain_label(Policy(), Label.LAST_NAME)
    for wrong in (2, "often"):
        with pytest.raises(ConfigError, match="repeat_third_parties"):
            build_policy({"repeat_third_parties": wrong}, "fr")
