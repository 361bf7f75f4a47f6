#!/usr/bin/env python3
"""Rebuild the German and Dutch lists of names that surrogates are drawn from.

    python scripts/lexicon_germanic.py

No register of these countries is at hand under a licence that lets it be copied: names are those
of Faker, classes of frequency come from how Faker ranks Swiss and Belgian given names and, for
family names, from the lists below. Runs of the same Faker write the same bytes. A changed list
changes the surrogates of every patient.
"""

import hashlib
import sys
from collections import Counter, OrderedDict
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

import lexicon_shared  # noqa: E402
from lexicon_names import faker_locales, listed  # noqa: E402
from lexicon_surrogates import ARABIC, FAKER, FAKER_OF, fakers, is_name, merged  # noqa: E402

from record.folding import fold  # noqa: E402

LOCALES = {"de": ("de_DE", "de_AT", "de_CH"), "nl": ("nl_NL", "nl_BE")}
ORIGINS = {"de": ("tr", "ar", "pl"), "nl": ("tr", "ar")}
# So many names of an origin at most, in each list.
FOREIGN = 110
# Given names that only stand for names of no list: one in so many of the rarer ones.
RESERVED = {"de": 4, "nl": 3}
RANKED = {"de": "de_CH", "nl": "nl_BE"}
# The first names of a ranking are frequent, the next ones less so.
FIRST, SECOND = 120, 400
# The most frequent family names, from general knowledge.
FREQUENT = {
    "de": "Müller Schmidt Schneider Fischer Weber Meyer Wagner Becker Schulz Hoffmann Schäfer Koch"
    " Bauer Richter Klein Wolf Schröder Neumann Schwarz Zimmermann Braun Krüger Hofmann Hartmann"
    " Lange Schmitt Werner Schmitz Krause Meier Lehmann Schmid Schulze Maier Köhler Herrmann König"
    " Walter Mayer Huber Kaiser Fuchs Peters Lang Scholz Möller Weiß Jung Hahn Schubert Vogel"
    " Friedrich Keller Günther Frank Berger Winkler Roth Beck Lorenz Baumann Franke Albrecht"
    " Schuster Simon Ludwig Böhm Winter Kraus Martin Schumacher Krämer Vogt Stein Jäger Otto Sommer"
    " Groß Seidel Heinrich Brandt Haas Schreiber Graf Schulte Dietrich Ziegler Kuhn Kühn Pohl Engel"
    " Horn Busch Bergmann Thomas Voigt Sauer Arnold Wolff Pfeiffer Lindner Hübner Kramer Franz"
    " Ernst Nagel Beyer Seifert Haase Jansen Riedel Böttcher Kern Ullrich Förster Schilling Bruns"
    " Marx",
    "nl": "Jansen Bakker Visser Smit Meijer Mulder Bos Vos Peters Hendriks Dekker Brouwer Koning"
    " Maas Verhoeven Koster Prins Huisman Peeters Kuijpers Schouten Willems Hoekstra Koopman Kok"
    " Jacobs Vermeulen Scholten Wal Hermans Timmermans Groen Gerritsen Molenaar Martens Bosch Blom"
    " Driessen Post Verbeek Kramer Hofman Postma Kuiper Wolters Mol Sanders Smits Wiersma Verhagen"
    " Veenstra Bosman Willemsen Bosma Aarts Janssen Janssens Maes Claes Wouters Goossens Dijkstra"
    " Vink Snijders Groot Kuipers Veldhuis Hoogland Zijlstra Schipper Nijhuis Boer Vries Jong Berg"
    " Dijk Leeuwen Haan Graaf Wit Heuvel Linden Beek Horst Veen Meer Velde Broek Dam Vliet Loon"
    " Verhoef Pietersen Evers Lammers Boersma Dijkman Kroon Hendriksen Kooistra Jonker Hartman"
    " Gerrits Verschuren Adriaens Mertens Coppens Michiels Pauwels Lemmens Thijssen Roos Schreurs"
    " Nooteboom Faber Feenstra Tuinstra Terpstra Zwart Bouman Vonk Versteeg Ruiter Rutten Lubbers"
    " Rademaker Oosterhuis Nieuwenhuis Oostra Zuidema Eikelboom Ottens Ypma Albers Apeldoorn",
}
# Dutch names that follow a particle: `de Vries`, `van den Berg`.
PARTED = frozenset(
    "boer vries jong berg dijk leeuwen haan graaf wit heuvel linden beek horst veen meer velde"
    " broek dam vliet loon groot koning bruin ridder lange rooij lange wal hoek heide brink laan"
    " bosch meulen veld laar doorn rijn kamp ende ven zande burg steen hout waal gelder wijk rijk"
    " oord eijk beuken eerden es essen hal ham hees houten kooij laarhoven lier looij maat maren"
    " mierlo nes noort oever oorschot pelt poel polder putten ree rest roij rossum schaik sluis"
    " straten tol tongeren tuin ulden veghel vorst vught wall werf wetering zanten zeeland".split()
)
# Written for this project, as Faker has few.
MORE_GIVEN = {
    ("nl", "m"): "Aart Adriaan Albertus Alwin Anton Arend Arie Arjan Arjen Arno Arnoud Barend Bart"
    " Bastiaan Bernard Bert Berend Bob Bouke Bram Cees Chiel Christiaan Coen Cor Cornelis Daan Derk"
    " Dick Diederik Dirk Douwe Eelco Egbert Erik Evert Ferdinand Floris Folkert Frans Frits Gerard"
    " Gerben Gerrit Gert Gijs Govert Guus Harm Harmen Harry Hendrik Henk Henri Herman Hessel Hidde"
    " Hielke Hubert Huib Ivo Jaap Jacco Jacob Jarno Jasper Jelle Jeroen Jochem Joep Johan Johannes"
    " Joost Jorrit Jurgen Jurriaan Kees Klaas Koen Koos Laurens Leendert Lennart Lieuwe Lodewijk"
    " Louw Luuk Maarten Marinus Marius Marnix Martijn Matthijs Mees Meindert Melle Menno Merijn"
    " Michiel Nanne Niek Niels Olaf Onno Otto Peer Pepijn Pier Pieter Piet Pim Reinder Reinier"
    " Remco Rens Richard Rik Rinse Rob Roderik Roel Roelof Roland Ronald Ruben Rutger Ruud Sander"
    " Siebe Siem Sietse Sjaak Sjoerd Stef Steven Stijn Sybren Teun Teunis Thijs Tiemen Tjeerd Tjerk"
    " Twan Vincent Wessel Wiebe Wietse Wijnand Willem Wim Wouter Wytze Ype",
    ("nl", "f"): "Aafke Aaltje Adriana Afke Agnes Akke Aleida Alida Aletta Anja Anke Ankie Anneke"
    " Annelies Annemarie Annemiek Annet Annette Antje Antonia Astrid Baukje Beatrix Berber Bertha"
    " Betty Bregje Brechtje Carla Carolien Catharina Christien Claartje Coby Corrie Dieuwertje"
    " Dieuwke Doortje Dorien Eefje Elke Ellen Els Elsje Emmy Engelina Esmee Eveline Femke Fenna"
    " Fenne Fieke Fleur Floortje Francien Froukje Geertje Geertruida Geke Gerda Gerdien Gerrie"
    " Gerritje Gesina Gonnie Greet Grietje Guusje Hanneke Hanna Harmke Heleen Hendrika Hendrikje"
    " Hennie Hermien Hetty Hilda Hilde Hilletje Ida Ilse Ineke Inge Ingrid Irma Jacoba Jacqueline"
    " Janneke Jannie Jantje Jeltje Jenneke Jet Jetske Jettie Johanna Jolanda Joke Jopie Josefien"
    " Judith Karin Katinka Klaartje Klazina Leentje Lies Liesbeth Liesje Lieke Loes Lonneke Lotte"
    " Maaike Maartje Machteld Margreet Margriet Maria Marieke Marij Marijke Marjan Marjolein"
    " Marleen Martine Mechteld Mieke Mien Mieneke Minke Mirjam Myrthe Neeltje Nelleke Nelly Nienke"
    " Noortje Pauline Petra Petronella Pietje Quirine Renske Riek Riet Rina Roelie Rosalie Saskia"
    " Sietske Silke Sjoukje Stien Suze Tamara Teuntje Thea Tineke Tjitske Toos Trijntje Truus"
    " Trudy Wiepke Wies Wil Wilhelmina Willemijn Willy Wilma Wietske Yvonne Ytsje",
}


def family(locale: str) -> dict[str, str]:
    """Map each family name to its stratum: a class of frequency, and an origin where one is told.

    The last word of a Dutch name with particles is a name of the origin `v`.
    """
    frequent = FREQUENT[locale].split()
    own: dict[str, str] = {fold(name): name for name in frequent}
    for _, provider in faker_locales(LOCALES[locale]):
        for whole in listed(provider, "last_names"):
            *particles, name = whole.replace("'", " ").split()
            if is_name(name) and name[0].isupper() and (not particles or locale == "nl"):
                own.setdefault(fold(name), name)
    strata = {}
    for folded in own:
        first = "1" if folded in map(fold, frequent) else "2"
        strata[folded] = "2v" if folded in _parted(locale) else first
    for origin in ORIGINS[locale]:
        for name in _few(fakers(FAKER_OF[origin], "last_names")):
            strata.setdefault(fold(name), f"3{origin}")
            own.setdefault(fold(name), name)
    return {own[folded]: code for folded, code in merged(strata).items()}


def _parted(locale: str) -> set[str]:
    """Return the last words of names with particles."""
    if locale != "nl":
        return set()
    found = set(PARTED)
    for _, provider in faker_locales(LOCALES[locale]):
        for whole in listed(provider, "last_names"):
            first, *rest = whole.replace("'", " ").split()
            if rest and first[0].islower():
                found.add(fold(rest[-1]))
    return found


def given(locale: str) -> dict[str, str]:
    """Map each given name to gender and stratum; `r` marks the reserve."""
    counts: dict[str, Counter[str]] = {}
    spelt: dict[str, str] = {}
    for sex, names in _given_names(locale):
        for name in names:
            counts.setdefault(fold(name), Counter())[sex] += 1
            spelt.setdefault(fold(name), name)
    foreign = _foreign_given(locale, spelt)
    found: dict[str, str] = {}
    for gender in "mf":
        members = [name for name, each in counts.items() if _gender(each) == gender]
        ranked = _ranks(locale)
        strata = {}
        for name in members:
            rank = ranked.get(name, SECOND)
            strata[name] = f"{1 + (rank >= FIRST) + (rank >= SECOND)}{foreign.get(name, '')}"
        rare = sorted((n for n in members if strata[n] == "3"), key=_digest)
        reserve = set(rare[: len(rare) // RESERVED[locale]])
        codes = merged({name: code for name, code in strata.items() if name not in reserve})
        found |= {spelt[name]: f"{gender}{code}" for name, code in codes.items()}
        found |= {spelt[name]: f"{gender}r" for name in reserve}
    return found


def _given_names(locale: str) -> Iterable[tuple[str, list[str]]]:
    for sex, table in (("m", "first_names_male"), ("f", "first_names_female")):
        for each in LOCALES[locale]:
            yield sex, [name for name in fakers((each,), table) if name[0].isupper()]
        yield sex, MORE_GIVEN.get((locale, sex), "").split()
        for origin in ORIGINS[locale]:
            names = fakers(FAKER_OF[origin], table) if origin != "ar" else []
            yield sex, _few(names + (ARABIC[sex].split() if origin == "ar" else []))


def _few(names: Iterable[str]) -> list[str]:
    return sorted(set(names), key=lambda name: _digest(fold(name)))[:FOREIGN]


def _foreign_given(locale: str, spelt: dict[str, str]) -> dict[str, str]:
    """Return the origin of the names that no list of the language itself has."""
    tables = ("first_names_male", "first_names_female")
    own = {fold(n) for table in tables for n in fakers(LOCALES[locale], table)}
    own |= {fold(n) for sex in "mf" for n in MORE_GIVEN.get((locale, sex), "").split()}
    arabic = {fold(name) for sex in "mf" for name in ARABIC[sex].split()}
    found: dict[str, str] = {}
    for origin in ORIGINS[locale]:
        names = {fold(n) for table in tables for n in fakers(FAKER_OF[origin], table)}
        names |= arabic if origin == "ar" else set()
        for name in names - own:
            if name in spelt:
                found.setdefault(name, origin)
    return found


def _gender(counts: Counter[str]) -> str:
    """Return `m` or `f`, whichever lists have a name more often as; names of both are too few."""
    return "m" if counts["m"] > counts["f"] else "f"


def _ranks(locale: str) -> dict[str, int]:
    """Return the places of folded names in the ranking of each gender, the better one first."""
    ranks: dict[str, int] = {}
    ((_, provider),) = faker_locales((RANKED[locale],))
    for table in ("first_names_male", "first_names_female"):
        names = getattr(provider, table)
        if isinstance(names, OrderedDict):
            names = sorted(names, key=lambda name: -names[name])
        for place, name in enumerate(names):
            ranks[fold(name)] = min(place, ranks.get(fold(name), place))
    return ranks


def _digest(name: str) -> bytes:
    return hashlib.sha256(name.encode()).digest()


def write(kind: str, locale: str, codes: dict[str, str]) -> None:
    """Write a list, sorted by folded name; the code of a given name begins with its gender."""
    used = ", ".join((*LOCALES[locale], *(e for o in ORIGINS[locale] for e in FAKER_OF[o])))
    gender = "gender (m, f), " if kind == "given" else ""
    parted = "; v: names after a particle" if kind == "family" and locale == "nl" else ""
    head = [
        f"{kind.capitalize()} names (name;drawn;known). drawn: {gender}class of frequency"
        f" (1 frequent, 2, 3 rare, 0 any, r reserve), origin where told{parted}.",
        f"Source: Faker {FAKER} (MIT licence, copyright 2012 Daniele Faraglia): {used}.",
        "Built by scripts/lexicon_germanic.py; the classes of family names, Arabic and some Dutch"
        " given names were written for this project.",
    ]
    lexicon_shared.write(kind, locale, head, sorted(codes.items(), key=lambda e: fold(e[0])))


def main() -> None:
    """Rebuild the lists of names of both languages."""
    assert version("faker") == FAKER, f"the lists are those of Faker {FAKER}"
    for locale in LOCALES:
        write("family", locale, family(locale))
        write("given", locale, given(locale))


if __name__ == "__main__":
    main()
