"""Readability: the published formulas, and the counts that a well-known library gives."""

import pytest
import textstat
from textstat.backend.counts import _count_syllables

from evaluation.utility.readability import FORMULAS, TextCounts, counted, readability
from record.errors import ConfigError

TEXTS = {
    "en": "The patient was admitted with severe abdominal pain. She received intravenous "
    "antibiotics and recovered quickly. Laboratory investigations remained unremarkable today.",
    "fr": "La patiente a été hospitalisée pour une pneumonie bilatérale. Elle a reçu des "
    "antibiotiques pendant plusieurs jours. Son évolution clinique est restée favorable depuis.",
    "es": "La paciente ingresó por una neumonía bilateral complicada. Recibió antibióticos durante "
    "varios días en planta. Su evolución clínica posterior fue completamente favorable ayer.",
}


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library fetches a dictionary of English from the network; without it it hyphenates."""
    monkeypatch.setattr(_count_syllables, "get_cmudict", lambda lang: None)


ORACLES = {
    "flesch-reading-ease": textstat.flesch_reading_ease,
    "kandel-moles": textstat.flesch_reading_ease,
    "flesch-kincaid-grade": textstat.flesch_kincaid_grade,
    "smog": textstat.smog_index,
    "lix": textstat.lix,
    "fernandez-huerta": textstat.fernandez_huerta,
    "szigriszt-pazos": textstat.szigriszt_pazos,
}


@pytest.mark.parametrize("lang", TEXTS)
def test_numbers_are_those_of_textstat(lang: str) -> None:
    textstat.set_lang({"en": "en_US"}.get(lang, lang))
    found = readability(TEXTS[lang], lang)
    assert set(found) == set(FORMULAS[lang])
    for name, value in found.items():
        # It starts the formula of Szigriszt Pazos at 206.84, which is that of Fernandez Huerta.
        beside = 0.005 if name == "szigriszt-pazos" else 0.0
        assert value == pytest.approx(ORACLES[name](TEXTS[lang]) - beside, abs=1e-9), name


def test_formulas_by_hand() -> None:
    counts = TextCounts(sentences=2, words=20, syllables=35, polysyllables=5, long=6)
    by_hand = {
        "flesch-reading-ease": 206.835 - 10.15 - 84.6 * 1.75,
        "flesch-kincaid-grade": 3.9 + 11.8 * 1.75 - 15.59,
        "smog": 1.043 * 75**0.5 + 3.1291,
        "kandel-moles": 207 - 10.15 - 73.6 * 1.75,
        "lix": 10 + 30,
        "fernandez-huerta": 206.84 - 10.2 - 105,
        "szigriszt-pazos": 206.835 - 10 - 62.3 * 1.75,
    }
    found = {n: formula(counts) for each in FORMULAS.values() for n, formula in each.items()}
    assert found == pytest.approx(by_hand)


def test_numbers_and_dates_end_no_sentence() -> None:
    counts = counted("Seen on 12.03.2021 with 37.5 degrees.\n\nHeading\n\nHome (today) .", "en")
    assert (counts.sentences, counts.words) == (3, 9)


def test_without_words_there_is_no_number() -> None:
    assert readability(" --- \n", "fr") == {}
    with pytest.raises(ConfigError, match="no measure of readability"):
        readability("Guten Tag.", "de")
