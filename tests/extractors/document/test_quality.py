import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractors.document.quality import Quality, has_garbled_characters, judge_text, mean_confidence

SOUND = (
    "Patiente de 54 ans hospitalisée pour une douleur thoracique d'apparition brutale, irradiant "
    "au bras gauche. L'ECG retrouve un sus-décalage du segment ST en territoire inférieur. "
    "TA 130/80 mmHg, FC 80/min, SpO2 98 %. Traitement : AAS, clopidogrel, HBPM."
)
GREEK = "Ο ασθενής προσήλθε με πόνο στο στήθος και δύσπνοια από διημέρου χωρίς πυρετό " * 3


@pytest.mark.parametrize("text", [SOUND, SOUND.upper(), GREEK, "38 °C", "K+ 4,2 mmol/L"])
def test_sound_text(text: str) -> None:
    assert judge_text(text).score == 1.0


def test_initialisms_in_another_script() -> None:
    assert judge_text(GREEK * 3 + "SDRFTG LKJHGF " * 12).score == 1.0


def shifted(text: str, by: int = 7) -> str:
    """Each letter replaced by another, as by a font whose table of characters is wrong."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    return text.casefold().translate(str.maketrans(letters, letters[by:] + letters[:by]))


def test_letters_that_stand_for_others() -> None:
    assert judge_text(shifted(SOUND)).wordlike < 0.75


def test_capitals_in_the_midst_of_words() -> None:
    mixed = "".join(c.upper() if n % 2 else c.lower() for n, c in enumerate(SOUND))
    assert judge_text(mixed).wordlike < 0.5


def test_characters_that_mean_nothing() -> None:
    assert judge_text("\ufffd" * 30 + "a" * 70).readable == 0.7
    assert judge_text("(cid:12)(cid:7)").score == 0.0
    assert judge_text("  ").score == 0.0


def test_the_lowest_share_decides() -> None:
    assert Quality(1.0, 0.9, 0.4, 0.8).score == 0.4


def test_confidence_is_weighted_by_the_length_of_pages() -> None:
    assert mean_confidence([100, 300], {1: 0.8}) == pytest.approx(0.85)
    assert mean_confidence([100, 300], {}) == 1.0
    assert mean_confidence([0, 0], {0: 0.1}) == 1.0


@given(st.text(max_size=300), st.floats(0, 1), st.floats(0, 1))
def test_shares_are_shares(text: str, recognized: float, read: float) -> None:
    quality = judge_text(text, recognized=recognized, read=read)
    assert all(0 <= part <= 1 for part in quality.parts().values())
    assert quality.score <= min(quality.recognized, quality.read)


def test_a_word_for_private_use_garbles_a_page() -> None:
    word = "".join(chr(0xE000 + ord(letter)) for letter in "Marty")
    assert has_garbled_characters(f"{'Patient vu ce jour. ' * 50}{word}")
    assert not has_garbled_characters("\uf0b7 Patient vu. " * 20)
    assert not has_garbled_characters("\ue838" * 4 + "\ue839 " + "Patient vu ce jour. " * 50)
