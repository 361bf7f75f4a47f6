"""People who have an age, and what makes a number of years a length of time, one line for each."""

from collections.abc import Iterator

Line = tuple[str, str]

PEOPLE = {
    "fr": (
        "{} de [[34|AGE]] ans",
        "patient patiente homme femme garçon fille fillette enfant dame frère sœur père mère fils"
        " mari épouse époux cousin cousine oncle tante adolescent adolescente sujet conjoint"
        " compagnon",
    ),
    "en": (
        "{} of [[34|AGE]] years",
        "patient male female man woman boy girl gentleman lady child son daughter brother sister"
        " father mother wife husband teenager",
    ),
    "es": (
        "{} de [[12|AGE]] años",
        "varón mujer hombre niño niña paciente gestante primípara señor señora hijo hija hermano"
        " hermana padre madre esposo esposa marido joven muchacho muchacha escolar anciano anciana"
        " chico chica adulto persona abuelo abuela",
    ),
    "de": (
        "{} von [[12|AGE]] Jahren",
        "Patient Patientin Mann Frau Junge Knabe Mädchen Kind Sohn Tochter Bruder Schwester Vater"
        " Mutter Ehemann Ehefrau",
    ),
    "nl": (
        "{} van [[12|AGE]] jaar",
        "patiënt patiënte man vrouw jongen meisje zoon dochter broer zus moeder vader echtgenoot"
        " echtgenote mevrouw heer dame",
    ),
}
BABIES = {
    "fr": ("{} de [[3|AGE]] mois", "nourrisson bébé enfant fillette garçon fille"),
    "en": ("{} of [[3|AGE]] months", "infant child newborn baby toddler boy girl"),
    "es": ("{} de [[3|AGE]] meses", "lactante niño niña neonato prematuro prematura bebé"),
    "de": ("{} von [[3|AGE]] Monaten", "Säugling Kind Junge Mädchen Neugeborenes"),
    "nl": ("{} van [[3|AGE]] maanden", "baby zuigeling peuter kleuter jongen meisje pasgeborene"),
}
# Before a number of years these say how long or how late.
LASTS = {
    "fr": (
        "34 ans",
        "depuis pendant durant après dans pour en chaque recul survie délai environ dernières",
    ),
    "en": ("34 years", "for over since within after every per past last next previous first"),
    "es": (
        "34 años",
        "hace hacía lleva llevaba desde durante tras cada hasta últimos primeros próximos unos",
    ),
    "de": ("34 Jahre", "seit vor für nach über alle innerhalb während letzten ersten etwa"),
    "nl": ("34 jaar", "sinds gedurende na over elke al afgelopen laatste eerste komende binnen"),
}


def people() -> Iterator[Line]:
    """Yield (language, marked line), one for each word for somebody of an age."""
    for table in (PEOPLE, BABIES):
        for lang, (context, words) in table.items():
            yield from ((lang, f"Un {context.format(word)}.") for word in words.split())


def lengths() -> Iterator[Line]:
    """Yield (language, line), one for each word that goes before a length of time."""
    for lang, (length, words) in LASTS.items():
        yield from ((lang, f"patient, stable {word} {length}.") for word in words.split())
