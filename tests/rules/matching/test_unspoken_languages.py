"""Passages that no detector speaks are told, and nothing else is."""

import pytest

from rules.matching.language_identification import LANGUAGES
from rules.matching.unspoken_languages import foreign_scripts, holds_unspoken
from tests.rules.matching import language_lines
from tests.rules.matching.foreign_notes import LATIN, OTHER_SCRIPTS

FRENCH = (
    "Patient de 64 ans adressé pour douleur thoracique. Examen clinique sans particularité, "
    "abdomen souple, indolore. Traitement habituel poursuivi.\n"
)


@pytest.mark.parametrize("lang", sorted(LATIN | OTHER_SCRIPTS))
def test_a_note_in_another_language_is_told(lang: str) -> None:
    text = (LATIN | OTHER_SCRIPTS)[lang]
    assert holds_unspoken(text)
    assert holds_unspoken(text.upper())
    assert not holds_unspoken(text, frozenset((lang,)))


# One sentence of either inside French is too near to it.
@pytest.mark.parametrize("lang", sorted((LATIN | OTHER_SCRIPTS).keys() - {"it", "ca"}))
def test_a_passage_inside_a_note_of_ours_is_told(lang: str) -> None:
    passage = (LATIN | OTHER_SCRIPTS)[lang]
    assert holds_unspoken(3 * FRENCH + passage + "\n" + 3 * FRENCH)


UNSURE = (
    *language_lines.WORDLESS,
    *(
        line
        for kind in (language_lines.TERSE, language_lines.FINDINGS)
        for line in sum(kind.values(), ())
    ),
    "Pt ac tt avk, ats hta dt2 rcq, rdv 3 sem.",
    "Na 140 K 4,1 Cl 101 CRP 12 PCT 0,3 Hb 13,2 Plq 230 TP 98 INR 1,1",
    "Mehmet YILMAZ, Ayşe DEMİR, Fatma KAYA, Emine ŞAHİN, Hatice ÇELİK, Zeynep ARSLAN, Elif DOĞAN",
    "MM. Kowalski, Nowak, Wiśniewski, Wójcik, Kamiński, Lewandowski et Zieliński",
    "Dolenio 1500, Xarelto 20, Tahor 40, Inexium 20, Lyrica 75, Seresta 10, Kardegic 75, Diffu K",
    "tumeur pT2 N0 M0, récepteurs α et β négatifs, 5 µg/kg, Δ 3 %, λ = 0,2, lymphocytes T γδ",
    "Signe de Babinski, épreuve de Romberg, manœuvre de Barré, Lasègue, Kernig, Brudzinski",
    "Facies hippocratica, pes planus, hallux valgus, status post, locus minoris resistentiae",
    "Мartin, Dupont",  # a look-alike at its head
    "Martin СОРЕТ",
    "e\u0301te\u0301 ﬁn ½ ª º ™ ℓ Å Ω ℃",
)


@pytest.mark.parametrize("text", UNSURE)
def test_unsure_is_not_unspoken(text: str) -> None:
    assert not holds_unspoken(text)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_notes_of_ours_are_spoken(lang: str) -> None:
    for lines in (language_lines.PROSE, language_lines.HEADINGS, language_lines.CAPITALS):
        assert not holds_unspoken("\n".join(lines[lang]))


def test_one_word_of_another_script_is_enough() -> None:
    assert foreign_scripts("M. LI Wei (李伟), 45 ans") == {"cjk"}
    assert foreign_scripts("Anna Иванова") == {"cyrillic"}
    assert foreign_scripts("王 大 明 先 生 患 者 四") == {"cjk"}
    assert foreign_scripts("vu Ν, Ε, Υ, Μ, Α, Υ, Ε, Ρ") == {"greek"}
    assert foreign_scripts("alpha α, β, γ, δ : chaînes") == frozenset()
    assert foreign_scripts("α-bloquant, Δ, Маrtin, ℵ0") == frozenset()


def test_a_language_that_is_let_through_lets_no_other_through() -> None:
    both = OTHER_SCRIPTS["ru"] + "\n" + OTHER_SCRIPTS["ar"]
    assert holds_unspoken(both, frozenset(("ru",)))
    assert not holds_unspoken(both, frozenset(("ru", "ar")))
