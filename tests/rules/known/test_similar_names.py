"""Names damaged twice over: the filters lose nothing, and what is found stands for a name."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from record.document import Document
from record.patient import PatientRecord
from rules.known.known import KnownPatient
from rules.known.similar_names import deletions, fold_alike, fold_sounds, shards

PATIENT = PatientRecord("1", given_names=("Séverine",), family_names=("Kowalczik",))
LETTERS = st.text("abcde", min_size=4, max_size=9).map(str.encode)


def _found(text: str) -> list[str]:
    spans = KnownPatient(PATIENT).detect(Document("1", text, lang="fr"))
    return [text[span.start : span.end] for span in spans]


@settings(max_examples=300, deadline=None)
@given(LETTERS, LETTERS)
def test_words_with_two_letters_wrong_share_a_deletion(one: bytes, two: bytes) -> None:
    if OSA.distance(one, two) <= 2:
        assert not deletions(one, 2).isdisjoint(deletions(two, 2))


@settings(max_examples=300, deadline=None)
@given(LETTERS, LETTERS, LETTERS)
def test_a_name_with_a_letter_wrong_holds_a_shard(name: bytes, word: bytes, beside: bytes) -> None:
    if len(name) > 4 and OSA.distance(name, word) <= 1:
        text = beside + word + beside
        assert any(part in text for part, _ in shards(name))


@given(st.text("abcilmnoprty01538", max_size=12).map(str.encode))
def test_folding_twice_is_folding_once(letters: bytes) -> None:
    assert fold_alike(fold_alike(letters)) == fold_alike(letters)
    assert len(fold_sounds(letters)) <= len(letters)


@pytest.mark.parametrize(
    "written",
    [
        *("Kowlaczk", "Kovalcik", "K0walcsik", "Kowa lczk", "Kow(...)\nalczk", "Kow**al**csik"),
        *("kOwal|\n|cik", "Ко\nwalczk", "Severien", "S e v e r 1 m e"),
    ],
)
def test_a_name_damaged_twice_is_found(written: str) -> None:
    assert _found(f"Patiente {written} vue ce jour.") == [written]


@pytest.mark.parametrize("text", ["Kowalczikseen", "mmeKowalczk", "Kowalczk75ans"])
def test_what_is_glued_to_a_damaged_name_is_left(text: str) -> None:
    assert _found(f"Appel de {text} hier") in ([["Kowalczik"]], ["Kowalczik"], ["Kowalczk"])


@pytest.mark.parametrize(
    "text",
    [
        "Patiente sévère vue ce jour, sevrage en cours.",
        "Traitement : Kowalcerol, Severolac.",
        "Le canal de Wirsung est fin ; kinésithérapie, pas d'épanchement.",
    ],
)
def test_words_and_drugs_are_left(text: str) -> None:
    assert _found(text) == []
