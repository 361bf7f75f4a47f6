from collections.abc import Iterator

import pytest

from synthesis.fictional.hospital import Part, make_hospital, select_templates
from synthesis.fictional.templates.grammar import LetterLanguage
from synthesis.fictional.templates.languages import LANGUAGES

EVERY = tuple(LANGUAGES.values())


def lists(language: LetterLanguage) -> Iterator[tuple[str, tuple[str, ...]]]:
    for name in ("letterhead", "identity"):
        yield name, language.words[name]
    yield from language.pools.items()
    for kind, table in language.kinds.items():
        yield from ((f"{kind} {of}", getattr(table, of)) for of in ("titles", "heads", "tails"))
    for story in language.stories:
        yield from ((f"{story.name} {pool}", texts) for pool, texts in story.texts.items())


@pytest.mark.parametrize("language", EVERY, ids=LANGUAGES)
def test_the_parts_share_no_template_and_lose_none(language: LetterLanguage) -> None:
    parts = [dict(lists(select_templates(language, part))) for part in ("training", "held-out")]
    single = 0
    for name, templates in lists(language):
        training, held_out = (set(part[name]) - {""} for part in parts)
        assert training | held_out == set(templates) - {""}
        assert training
        assert held_out
        if len(set(templates) - {""}) < 2:
            single += 1
        else:
            assert not training & held_out
            assert len(held_out) <= max(1, round(0.2 * len(templates)))
    assert single < 0.15 * sum(len(templates) for _, templates in lists(language))


@pytest.mark.parametrize("language", EVERY, ids=LANGUAGES)
def test_all_is_all_and_lists_of_words_stay_whole(language: LetterLanguage) -> None:
    assert select_templates(language, "all") is language
    words = select_templates(language, "training").words
    changed = {name for name, listed in language.words.items() if words[name] != listed}
    assert changed == {"letterhead", "identity"}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_notes_of_one_part_say_nothing_of_the_other(lang: str) -> None:
    def lines(part: Part) -> set[str]:
        hospital = make_hospital(
            12, seed=3, lang=lang, notes_per_patient=3, pdf_share=0, scan_share=0, templates=part
        )
        texts = [note.annotated.document.text for note in hospital.notes()]
        # Titles and sentences without a slot are the same in every note that has them.
        return {line for text in texts for line in text.splitlines() if len(line) > 40}

    assert lines("training") != lines("held-out")
    assert len(lines("training") & lines("held-out")) < 0.02 * len(lines("held-out"))
