"""The small parts of the fiction: templates, planted text, noise, check digits, calendars."""

import re
from datetime import date
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from record.document import Document
from synthesis.fictional.hospital import TypingHabits, add_typing_errors
from synthesis.fictional.notes.planted_text import DraftText, TextPiece, annotate
from synthesis.fictional.notes.slots import SLOTS
from synthesis.fictional.people import identifiers
from synthesis.fictional.people.date_formats import age
from synthesis.fictional.templates.grammar import (
    Choice,
    GrammaticalAgreement,
    TemplateSlot,
    parse,
    plain_words,
)
from synthesis.fictional.templates.languages import LANGUAGES

LANGS = ("fr", "en", "es", "de", "nl")


@pytest.mark.parametrize("lang", LANGS)
def test_every_slot_of_the_templates_can_be_filled(lang: str) -> None:
    language = LANGUAGES[lang]
    tables = [language.pools, language.words, *(story.texts for story in language.stories)]
    templates = [t for table in tables for sentences in table.values() for t in sentences]
    for kind in language.kinds.values():
        templates += [*kind.titles, *kind.heads, *kind.tails]

    def slots(nodes: tuple[str | TemplateSlot | GrammaticalAgreement | Choice, ...]) -> set[str]:
        names = {node.name for node in nodes if isinstance(node, TemplateSlot)}
        inner = [option for node in nodes if isinstance(node, Choice) for option in node.options]
        return names.union(*(slots(option) for option in inner)) if inner else names

    wanted = set().union(*(slots(parse(template)) for template in templates)) - {""}
    assert wanted <= set(SLOTS) | set(language.words)


@pytest.mark.parametrize("broken", ["[a|b", "a]", "[[a]|"])
def test_unbalanced_templates_are_refused(broken: str) -> None:
    with pytest.raises(ValueError):
        parse(broken)


def test_a_template_knows_its_own_words() -> None:
    assert plain_words("Vu{|e} [par|chez] {doctor} à l'Hôpital") == {
        "vu", "e", "par", "chez", "a", "l", "hopital",
    }  # fmt: skip


values = st.text(alphabet="abcÉ7-", min_size=1, max_size=6)


@given(st.lists(st.tuples(st.text(max_size=8), values), max_size=8), st.integers())
def test_planted_values_are_where_the_spans_say(pairs: list[tuple[str, str]], seed: int) -> None:
    draft = DraftText()
    for text, value in pairs:
        draft.write(text)
        draft.plant(value, "LAST_NAME")
    habits = TypingHabits(typos=0.5, glue=0.5, double_blanks=0.5, width=12)
    for pieces in (
        draft.pieces,
        add_typing_errors(draft.pieces, Random(seed), habits, frozenset()),
    ):
        result = annotate(Document("1", ""), pieces)
        text = result.document.text
        assert [text[s.start : s.end] for s in result.spans] == [value for _, value in pairs]


@pytest.mark.parametrize("value", ["", " a", "a\n"])
def test_padded_values_cannot_be_planted(value: str) -> None:
    with pytest.raises(ValueError):
        DraftText().plant(value, "CITY")


def test_a_seam_shows_where_words_are_glued() -> None:
    pieces = [
        TextPiece("Dr "),
        TextPiece("DUPONT", "LAST_NAME"),
        TextPiece(" le "),
        TextPiece("12/03", "DATE"),
    ]
    glued = add_typing_errors(pieces, Random(1), TypingHabits(glue=1.0), frozenset())
    assert "".join(piece.text for piece in glued) == "Dr DUPONTle12/03"


def test_a_typo_never_spells_a_name_of_the_patient() -> None:
    pieces = [TextPiece("un martinn, un martinn, un martinn")]
    habits = TypingHabits(typos=1.0)
    for seed in range(200):
        text = "".join(
            p.text for p in add_typing_errors(pieces, Random(seed), habits, frozenset({"martin"}))
        )
        assert not re.search(r"\bmartin\b", text)


@given(st.integers())
def test_check_digits(seed: int) -> None:
    rng = Random(seed)
    nir = identifiers.nir(rng, gender="F", birth=date(1950, 2, 3), zip_code="20200")
    assert nir.startswith("250022B")
    assert (int(nir[:13].replace("2B", "18")) + int(nir[13:])) % 97 == 0
    dni = identifiers.dni(rng)
    number = int(dni[:-1].translate(str.maketrans("XYZ", "012")))
    assert "TRWAGMYFPDXBNJZSQVHLCKE"[number % 23] == dni[-1]
    iban = identifiers.iban(rng, "fr").replace(" ", "")
    assert int("".join(str(int(char, 36)) for char in iban[4:] + iban[:4])) % 97 == 1
    assert re.fullmatch(r"(?!000|666|9)\d{3}-(?!00)\d\d-(?!0000)\d{4}", identifiers.ssn(rng))


def test_age_counts_birthdays() -> None:
    born = date(1950, 2, 3)
    assert (age(born, date(2020, 2, 2)), age(born, date(2020, 2, 3))) == (69, 70)
