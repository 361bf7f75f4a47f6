import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractors.plain.encoding_detection import measure_spelling

EVERYTHING = 1_000


@pytest.mark.parametrize(
    "text",
    [
        *("Hélène, âgée, née à Évry", "l’été, l'hôpital, aujourd’hui, O’Neil", "cœur, œdème"),
        *("« Ça va ? »", "¿Alergias? ¡No!", "“sore” – fine…", "37,2 °C, n° 5, Nº 7, m², 5 µg"),
        *("Übelkeit, Straße", "João Simões", "± 2", "½ cp", "25 €", "┌──┐\n│ a │\n└──┘"),
    ],
)
def test_what_people_write_is_not_odd(text: str) -> None:
    assert measure_spelling(text, EVERYTHING).oddity == 0


@pytest.mark.parametrize(
    "text",
    [
        *("h“pital", "opr‚", "38 øC", "opŽrŽ", "nÚe", "BÚatrice", "LAMBERT·", "l’ÞtÞ"),
        *("Garc’a", "œltima", "àrdenes", "hab¡a", "N║", "T░", "níSS", "itís", "¡ngel"),
    ],
)
def test_what_another_code_page_makes_of_it_is_odd(text: str) -> None:
    assert max(measure_spelling(text, EVERYTHING).oddities) >= 3


def test_of_two_readings_the_one_with_words_is_less_rare() -> None:
    assert (
        measure_spelling("hôpital", EVERYTHING).rarity
        < measure_spelling("hèpital", EVERYTHING).rarity
    )


@given(st.text(max_size=60), st.integers(0, 10))
def test_every_character_beyond_ascii_is_judged_up_to_the_limit(text: str, most: int) -> None:
    beyond = sum(not char.isascii() for char in text)
    assert len(measure_spelling(text, most).oddities) == min(beyond, most)
    assert all(0 <= value <= 8 for value in measure_spelling(text, most).oddities)
