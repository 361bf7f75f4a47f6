import re
from bisect import bisect_left
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from record.folding import fold
from rules.matching import lexicon as lexicon_module
from rules.matching.lexicon import (
    WideList,
    given_rank,
    lexicon,
    lexicons,
    longest_place,
    place_countries,
    place_rank,
    surname_countries,
    surname_rank,
    term_kind,
    wide_list,
    word_rank,
)
from rules.matching.normalization import plain

LISTS = files("rules") / "lexicons"
FILES = {file.name: file for folder in LISTS.iterdir() for file in folder.iterdir()}
NAMES = sorted(FILES)
WIDE = {
    "wide_family": (400_000, r"[1-4]\t[a-z]{2}( [a-z]{2})*"),
    "wide_given": (150_000, r"[1-4]\t[a-z]{2}:[mfx]( [a-z]{2}:[mfx])*"),
    "wide_places": (130_000, r"[1-4]\t[a-z]{2}( [a-z]{2})*"),
    "wide_words": (350_000, r"(de|en|es|fr|nl):[1-4]( (en|es|fr|nl):[1-4])*"),
    "wide_terms": (80_000, r"d|t|dt"),
}
"""How many entries a wide list has at least, and what it tells of each."""

LICENCES = (
    *("MIT licence", "CC BY 4.0", "CC0 1.0", "Licence Ouverte 2.0", "public domain"),
    *("BSD 3-Clause licence", "Unicode License v3", "courtesy of the US National Library"),
    "Written for this project",
)


@cache
def head_and_lines(name: str) -> tuple[str, list[str]]:
    lines = FILES[name].read_text("utf-8").splitlines()
    head = [line for line in lines if line.startswith("#")]
    return "\n".join(head), lines[len(head) :]


@pytest.mark.parametrize("name", NAMES)
def test_lists_say_where_they_come_from(name: str) -> None:
    text = FILES[name].read_text("utf-8")
    head = "\n".join(line for line in text.splitlines() if line.startswith("#"))
    sources = re.findall(r"Source: (.+?)(?=Source:|$)", head, flags=re.MULTILINE)
    assert sources or "Written for this project" in head
    assert all(any(licence in source for licence in LICENCES) for source in sources), sources


@pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith("wide_")])
def test_short_lists_are_folded(name: str) -> None:
    entries = lexicon(name.removesuffix(".txt"))
    assert entries
    assert all(entry == fold(plain(entry)).strip() for entry in entries)


@pytest.mark.parametrize("name", ["given", "family", "countries"])
@pytest.mark.parametrize("language", ["de", "nl"])
def test_german_and_dutch_have_lists(name: str, language: str) -> None:
    assert len(lexicon(f"{name}_{language}")) > 200


@pytest.mark.parametrize("name", WIDE)
def test_wide_lists_are_sorted_folded_without_doubles_and_as_long_as_they_say(name: str) -> None:
    least, told = WIDE[name]
    head, lines = head_and_lines(f"{name}.txt")
    entries = [line.partition("\t")[0] for line in lines]
    assert len(lines) >= least
    assert f"Entries: {len(lines)}." in head
    assert all(line < after for line, after in pairwise(lines))
    assert len(set(entries)) == len(entries)
    form = re.compile(rf"[a-z][a-z' ]*[a-z]\t({told})")
    assert not [line for line in lines if not form.fullmatch(line) or "  " in line]


@pytest.mark.parametrize("name", WIDE)
def test_wide_lists_find_what_they_hold_and_nothing_else(name: str) -> None:
    _, lines = head_and_lines(f"{name}.txt")
    known = wide_list(name).known
    for line in [lines[0], *lines[:: len(lines) // 400], lines[-1]]:
        entry, _, told = line.partition("\t")
        assert known(entry) == told
        assert known(entry + "q#") == known("#" + entry) == ""
    for line in lines[:: len(lines) // 400]:
        shorter = line.partition("\t")[0][:-1]
        at = bisect_left(lines, f"{shorter}\t")
        assert bool(known(shorter)) == lines[at].startswith(f"{shorter}\t")


@pytest.mark.parametrize("absent", ["", " ", "\t", "\n", "#", "zzzzzzz", "'", "日本", "a\tb"])
@pytest.mark.parametrize("name", WIDE)
def test_wide_lists_lack_what_is_no_entry(name: str, absent: str) -> None:
    assert wide_list(name).known(absent) == ""


@given(st.dictionaries(st.from_regex(r"[a-c]{1,4}( [a-c]{1,3})?", fullmatch=True), st.just("1")))
def test_any_sorted_list_is_searched_right(known: dict[str, str]) -> None:
    text = "# head\n# more\n" + "".join(sorted(f"{entry}\t1\n" for entry in known))
    small = WideList(text.encode())
    entries = sorted(known)
    for probe in [*entries, "a", "ab", "cccc", "b a", "abca", "ca c"]:
        assert small.known(probe) == known.get(probe, "")
        at = bisect_left(entries, probe + " ")
        goes_on = at < len(entries) and entries[at].startswith(probe + " ")
        assert small.goes_on(probe) == goes_on


def test_a_wide_list_shows_none_of_its_entries_and_remembers_no_text() -> None:
    assert repr(WideList(b"# head\nmartin\t1\n")) == "WideList(16 bytes)"


@pytest.mark.parametrize(
    ("name", "rank"),
    [
        *(("martin", 1), ("dupont", 1), ("petit", 1), ("smith", 1), ("garcia", 1), ("nguyen", 1)),
        *(("peeters", 1), ("kowalski", 1), ("yilmaz", 1), ("diallo", 1), ("traore", 2)),
        *(("da silva", 1), ("benali", 2), ("ouedraogo", 3), ("lefebvre", 1), ("schmidt", 1)),
        *(("lebœuf", 2), ("le-goff", 1), ("o'brien", 1), ("de la cruz", 1), ("mac donald", 1)),
        ("xqzvw", 0),
    ],
)
def test_family_names_have_their_rank(name: str, rank: int) -> None:
    assert surname_rank(name) == rank


def test_family_names_have_their_countries() -> None:
    assert {"fr", "us", "es"} <= set(surname_countries("martin"))
    assert surname_countries("xqzvw") == ()


def test_given_names_have_a_rank() -> None:
    names = "jean marie andrea dominique mohamed fatou mehmet agnieszka marie-claude".split()
    assert all(given_rank(name) > 0 for name in [*names, "jose maria"])
    assert given_rank("xqzvw") == 0


@pytest.mark.parametrize(
    ("name", "country", "rank"),
    [
        *(("paris", "fr", 1), ("le havre", "fr", 1), ("saint-germain-en-laye", "fr", 2)),
        *(("st germain en laye", "fr", 2), ("l'haÿ-les-roses", "fr", 2), ("y", "fr", 0)),
        *(("saint-remy-en-bouzemont-saint-genest-et-isson", "fr", 4), ("ornans", "fr", 3)),
        *(("namur", "be", 1), ("anvers", "be", 1), ("ixelles", "be", 2), ("elsene", "be", 4)),
        *(("geneve", "ch", 1), ("yverdon les bains", "ch", 2), ("esch sur alzette", "lu", 2)),
        *(("sevilla", "es", 1), ("agurain", "es", 4), ("castellon", "es", 1)),
        *(("koln", "de", 1), ("garmisch partenkirchen", "de", 2), ("linz", "at", 1)),
        *(("'s hertogenbosch", "nl", 1), ("leeds", "gb", 1), ("dublin", "ie", 1)),
        *(("springfield", "us", 1), ("trois rivieres", "ca", 1), ("guadalajara", "mx", 1)),
        *(("rosario", "ar", 1), ("bogota", "co", 1), ("valparaiso", "cl", 1), ("lima", "pe", 1)),
        *(("casablanca", "ma", 1), ("oran", "dz", 1), ("sfax", "tn", 1), ("londres", "gb", 1)),
    ],
)
def test_towns_have_their_rank_and_country(name: str, country: str, rank: int) -> None:
    folded = fold(name)
    assert place_rank(folded) == rank
    assert (country in place_countries(folded)) == bool(rank)


def test_all_french_communes_are_known() -> None:
    _, lines = head_and_lines("wide_places.txt")
    french = [line for line in lines if "fr" in line.partition("\t")[2].split()]
    # 34,969 communes and 2,576 former ones have some 35,000 names.
    assert len(french) > 35_000


@pytest.mark.parametrize(
    ("words", "count"),
    [
        ("saint germain en laye le", 4),
        ("st denis le", 2),
        ("paris le", 1),
        ("le havre", 2),
        ("la chaux de fonds et", 4),
        ("saint xqzvw", 0),
        ("xqzvw", 0),
        ("", 0),
    ],
)
def test_the_longest_name_of_a_town_is_found(words: str, count: int) -> None:
    assert longest_place(words.split()) == count


@pytest.mark.parametrize(
    ("word", "language", "rank"),
    [
        *(("petit", "fr", 1), ("petit", "en", 3), ("petit", "de", 0), ("petit", "", 1)),
        *(("white", "en", 1), ("rosa", "es", 2), ("huis", "nl", 1), ("koch", "de", 3)),
        *(("martin", "", 0), ("schmidt", "", 0), ("xqzvw", "", 0)),
    ],
)
def test_everyday_words_have_a_rank_by_language(word: str, language: str, rank: int) -> None:
    assert word_rank(word, language) == rank


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        *(("amlodipine", "d"), ("amoxicilline", "d"), ("amoxicilina", "d"), ("furosemid", "d")),
        *(("ibuprofeno", "d"), ("doliprane", "d"), ("cholecystitis", "t"), ("dupont", "")),
    ],
)
def test_terms_have_a_kind(word: str, kind: str) -> None:
    assert term_kind(word) == kind


def test_brands_are_drugs_and_nothing_else() -> None:
    brands = lexicon("drug_brands")
    assert len(brands) > 3_000
    assert {"nolotil", "tazobac", "octenisept", "cimzia"} <= brands
    assert {term_kind(brand) for brand in brands} == {"d"}
    for brand in brands:
        assert not (given_rank(brand) or 0 < surname_rank(brand) < 4 or place_rank(brand)), brand
        assert not word_rank(brand), brand


@pytest.mark.parametrize(
    "ask", [surname_rank, given_rank, place_rank, word_rank, term_kind, surname_countries]
)
def test_nothing_is_known_of_what_is_no_word(ask: Callable[[str], object]) -> None:
    for odd in ("", "-", "'", "\n", "日本語", "a" * 10_000, "saint " * 1_000):
        assert not ask(odd)


def test_hospitals_go_by_their_names() -> None:
    hospitals = lexicon("hospitals")
    assert len(hospitals) > 1_500
    assert {"lariboisiere", "la paz", "vall d'hebron", "addenbrooke's", "erasme"} <= hospitals


def test_wide_lists_are_read_once() -> None:
    assert lexicon_module.wide_list("wide_terms") is wide_list("wide_terms")


def test_a_list_that_is_not_there_is_an_error() -> None:
    with pytest.raises(FileNotFoundError):
        lexicon("nowhere")
    with pytest.raises(FileNotFoundError):
        wide_list("nowhere")


def test_lists_join() -> None:
    assert lexicons("species", "cities") == lexicon("species") | lexicon("cities")
    assert {"helene", "jose", "emily"} <= lexicons("given_fr", "given_en", "given_es")


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("aspirine", "given_fr"),
        ("service", "family_fr"),
        ("patient", "given_en"),
        ("hospital", "family_es"),
        ("patient", "given_de"),
        ("arts", "family_nl"),
    ],
)
def test_words_of_the_ward_are_no_names(word: str, name: str) -> None:
    assert word not in lexicon(name)
