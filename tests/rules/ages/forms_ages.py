"""Ages as notes of five languages write them, marked, and lengths of time that are none."""

from collections.abc import Iterator
from itertools import product

Line = tuple[str, str]

ADULTS = ("18", "34", "67", "89", "93", "101")
CHILDREN = ("3", "7", "11")
SMALL = ("2", "5", "10")

# Contexts in which any number of years is an age.
YEARS = {
    "fr": (
        "âgé de {} ans", "âgée de {} ans", "patient de {} ans", "Femme de {} ans,", "Âge : {} ans",
        "Homme, {} ans", "AGE: {}", "à l'âge de {} ans", "Mme X ({} ans)", "enfant de {} ans",
        "garçon âgé de {} ans", "sa mère ({} ans)", "un homme de {} ans sans antécédent",
        "jeune fille de {} ans", "Âge {} ans, sexe F", "Fils de {} ans", "Agé(e) de {} ans",
        "patiente diabétique de {} ans", "né le 02/06/1951 ({} ans)", "M. Petit, {} ans, retraité",
        "son frère de {} ans", "père âgé de {} ans", "M {} ans", "patient {} ans", "Age = {}",
    ),
    "en": (
        "{}-year-old man", "{} year old female", "{} years old", "{} yo male", "{} y/o F",
        "{}yo woman", "{} y.o. M", "aged {}", "age {}", "Age: {}", "at the age of {}",
        "{} years of age", "a {}-year old", "{} yr old", "{} yrs old", "Age/Sex: {}/F", "Ages {}",
        "brother, age {},", "at age {} he", "a {}-yr-old", "{}yoM with", "female aged {} years",
        "{} years male", "Age (years): {}", "a lady of {} years", "{}-year-olds", "{}y/o",
    ),
    "es": (
        "de {} años de edad", "mujer de {} años", "varón de {} años,", "Edad: {} años", "edad {}",
        "a los {} años", "paciente de {} años", "niño de {} años", "Paciente, {} años",
        "hombre de {} años sin alergias", "Edad {} años. Sexo: M", "hija de {} años", "EDAD: {}",
        "madre ({} años)", "con {} años de edad", "anciana de {} años", "Varón, {} años.",
        "mujer diabética de {} años", "nacida el 02/06/1951 ({} años)", "su hermano de {} años",
        "chica de {} años", "a la edad de {} años", "Edad (años): {}", "señora de {} años",
    ),
    "de": (
        "{} Jahre alt", "{}-jährige Patientin", "{}-jähriger Patient", "{} jährige Frau",
        "{}jähriger Mann", "Alter: {}", "Alter: {} Jahre", "im Alter von {} Jahren",
        "Patient, {} Jahre", "die {}-Jährige", "Frau, {} J.", "{} Jahre alter Patient",
        "Junge von {} Jahren", "Mann ({} Jahre)", "Patientin ({} J.)", "Mädchen, {} Jahre,",
        "eines {}-jährigen Mannes", "Kind, {} Jahre", "Alter {} Jahre", "des {}-jährigen Patienten",
    ),
    "nl": (
        "{} jaar oud", "{}-jarige vrouw", "{} jarige man", "{}-jarige patiënt", "leeftijd: {}",
        "leeftijd {} jaar", "patiënte van {} jaar", "man van {} jaar", "vrouw, {} jaar",
        "op {}-jarige leeftijd", "op de leeftijd van {} jaar", "Man, {} jr", "{}jarige dame",
        "jongen van {} jaar", "mevrouw ({} jaar)", "een {}-jarige man", "moeder ({} jaar)",
        "meisje van {} jaar", "Leeftijd: {} jaar", "zoon van {} jaar",
    ),
}  # fmt: skip

# Contexts of infants, with their unit.
INFANTS = {
    "fr": (
        "nourrisson de {} mois", "âgé de {} mois", "nouveau-né de {} jours", "bébé de {} semaines",
        "enfant de {} mois", "Âge : {} mois", "nourrisson, {} semaines,", "âgée de {} jours",
        "nourrisson de sexe féminin de {} mois", "fillette ({} mois)",
    ),
    "en": (
        "{}-month-old girl", "{} month old", "{}-week-old infant", "{} days old", "{}-day-old",
        "aged {} months", "Age: {} weeks", "infant of {} months", "{} mo old boy",
        "{} months of age",
    ),
    "es": (
        "lactante de {} meses", "recién nacido de {} días", "niña de {} meses", "Edad: {} meses",
        "bebé de {} semanas", "de {} meses de edad", "de {} días de vida",
        "lactante varón de {} meses",
        "neonato, {} días", "lactante ({} meses)",
    ),
    "de": (
        "Säugling von {} Monaten", "{} Monate alt", "{} Wochen alter Säugling", "{} Tage alt",
        "Alter: {} Monate", "{}-monatiger Säugling", "im Alter von {} Wochen",
        "Neugeborenes, {} Tage",
    ),
    "nl": (
        "baby van {} maanden", "{} maanden oud", "{} weken oud", "{} dagen oud",
        "zuigeling, {} weken",
        "leeftijd: {} maanden", "op de leeftijd van {} weken", "zuigeling van {} dagen",
    ),
}  # fmt: skip

LINES = {
    "fr": (
        "âgé de [[six|AGE]] semaines",
        "âgée de [[six|AGE]] jours",
        "âgé de [[3|AGE]] ans, [[6|AGE]] mois",
        "âgé de [[3|AGE]] mois et [[2|AGE]] semaines",
        "âgé de [[3|AGE]] mois et [[4|AGE]] jours",
        "patiente âgée : [[67|AGE]]",
        "sa [[trentaine|AGE]] passée",
        "leur [[cinquantaine|AGE]]",
        "un [[quadragénaire|AGE]]",
        "une [[quinquagénaire|AGE]]",
        "patient [[sexagénaire|AGE]]",
        "patiente [[septuagénaire|AGE]]",
        "un enfant de [[3|AGE]] ou [[4|AGE]] ans",
        "femme de [[quatre-vingt-deux|AGE]] ans", "âgé de [[soixante-sept|AGE]] ans",
        "enfant de [[trois|AGE]] ans", "patient de [[soixante et onze|AGE]] ans",
        "homme de [[quatre-vingt-dix-neuf|AGE]] ans", "âgée de [[cent deux|AGE]] ans",
        "fille de [[3|AGE]] ans et [[6|AGE]] mois", "âgés de [[3|AGE]] et [[5|AGE]] ans",
        "patient dans la [[soixantaine|AGE]]", "la [[quarantaine|AGE]], sportif",
        "patiente [[nonagénaire|AGE]]", "un [[octogénaire|AGE]]", "Laurent, [[11|AGE]] ans, tousse",
        "nourrisson de [[dix-huit|AGE]] mois", "femme de [[vingt et un|AGE]] ans",
    ),
    "en": (
        "aged [[six|AGE]] months",
        "aged [[six|AGE]] weeks",
        "aged [[six|AGE]] days",
        "aged [[six|AGE]] years",
        "[[six|AGE]] weeks old",
        "[[six|AGE]] days old",
        "[[six|AGE]]-month-old",
        "[[six|AGE]] mo old",
        "[[sixty|AGE]] yrs old",
        "male [[67|AGE]] yrs old",
        "aged [[67|AGE]] yrs",
        "aged [[3|AGE]] months and [[2|AGE]] weeks",
        "aged [[3|AGE]] months and [[4|AGE]] days",
        "I'm [[67|AGE]] and well",
        "I am [[67|AGE]]",
        "when he was [[67|AGE]]",
        "when she was [[67|AGE]]",
        "in their late [[20s|AGE]]",
        "in her late [[twenties|AGE]]",
        "in her late [[thirties|AGE]]",
        "in her late [[fifties|AGE]]",
        "in her late [[sixties|AGE]]",
        "in her late [[seventies|AGE]]",
        "in her late [[eighties|AGE]]",
        "in her late [[nineties|AGE]]",
        "[[67|AGE]]yof with pain",
        "[[67|AGE]]yom who fell",
        "[[67|AGE]] yrs male",
        "ages [[3|AGE]] and [[5|AGE]] years",
        "a [[sixty-seven|AGE]]-year-old man", "[[eighty two|AGE]] year old", "a woman in her"
        " [[60s|AGE]]", "in his mid [[forties|AGE]]", "[[ninety-four|AGE]] years old",
        "a man in his"
        " early [[70s|AGE]]", "a [[nonagenarian|AGE]]", "an [[octogenarian|AGE]] man", "turned"
        " [[67|AGE]] last", "she was [[67|AGE]] years old", "[[67|AGE]]F with chest pain",
        "[[72|AGE]]M"
        " presents", "Pt is [[67|AGE]]/M", "a [[three|AGE]]-month-old",
        "boy aged [[3|AGE]] years and [[8|AGE]] months", "[[one hundred and two|AGE]] years old",
    ),
    "es": (
        "edad: [[seis|AGE]] semanas",
        "edad: [[seis|AGE]] días",
        "edad de [[3|AGE]] meses y [[2|AGE]] semanas",
        "edad de [[3|AGE]] meses y [[4|AGE]] días",
        "cumplió [[67|AGE]] ayer",
        "tiene [[67|AGE]] de edad",
        "niños de [[3|AGE]] o [[4|AGE]] años",
        "Mujer, [[67|AGE]] a., hipertensa",
        "Varón [[67|AGE]]a, fumador",
        "mujer de [[cuarenta y cinco|AGE]] años", "varón de [[sesenta y siete|AGE]] años",
        "niña de [[3|AGE]] años y [[8|AGE]] meses", "a los [[31|AGE]] y [[37|AGE]] años",
        "niño de [[dos|AGE]] años", "paciente [[nonagenaria|AGE]]", "un [[octogenario|AGE]]",
        "lactante de [[tres|AGE]] meses", "Daniel, [[19|AGE]] meses, tose", "anciano de"
        " [[noventa y dos|AGE]] años", "paciente de [[ciento dos|AGE]] años",
    ),
    "de": (
        "Alter: [[sechs|AGE]] Monate",
        "Alter: [[sechs|AGE]] Wochen",
        "Alter: [[sechs|AGE]] Tage",
        "[[fünf|AGE]] Wochen alt",
        "[[fünf|AGE]] Tage alt",
        "Säugling von [[3|AGE]] Monaten und [[2|AGE]] Wochen",
        "Säugling von [[3|AGE]] Monaten und [[4|AGE]] Tagen",
        "[[sechs|AGE]]monatiger Säugling",
        "Frau, [[67|AGE]] J., kommt",
        "Mann ([[67|AGE]] J) war",
        "Kinder von [[3|AGE]] und [[5|AGE]] Jahren",
        "[[siebenundsechzig|AGE]] Jahre alt", "[[dreiundachtzig|AGE]]jährige Frau",
        "Kind, [[drei|AGE]] Jahre alt",
        "[[fünf|AGE]] Monate alt", "Mädchen von [[3|AGE]] Jahren und [[8|AGE]] Monaten",
        "[[sechzig|AGE]]-jähriger Mann", "Patientin von [[neunzig|AGE]] Jahren",
    ),
    "nl": (
        "leeftijd: [[zes|AGE]] maanden",
        "leeftijd: [[zes|AGE]] weken",
        "leeftijd: [[zes|AGE]] dagen",
        "[[vijf|AGE]] weken oud",
        "[[vijf|AGE]] dagen oud",
        "[[1|AGE]] week oud",
        "[[1|AGE]] dag oud",
        "[[1|AGE]] maand oud",
        "[[een|AGE]] week oud",
        "baby van [[3|AGE]] maanden en [[2|AGE]] weken",
        "baby van [[3|AGE]] maanden en [[4|AGE]] dagen",
        "Man, [[67|AGE]] jr., roker",
        "[[zevenenzestig|AGE]] jaar oud", "[[drieëntachtig|AGE]]jarige vrouw",
        "meisje van [[drie|AGE]] jaar", "[[vijf|AGE]] maanden oud",
        "jongen van [[3|AGE]] jaar en [[8|AGE]] maanden", "man van [[zestig|AGE]] jaar",
    ),
}  # fmt: skip
LINES_AROUND = ("{}", "RAS. {}.", "X: {}, revu", "\n{}\n")

DURATIONS = {
    "fr": (
        "depuis {} ans", "pendant {} ans", "il y a {} ans", "suivi de {} ans", "survie à {} ans",
        "tous les {} ans", "{} ans plus tard", "{} paquets-années", "{} jours de traitement",
        "{} semaines d'aménorrhée", "à {} mois du diagnostic", "après {} ans d'évolution",
        "dans {} ans", "x {} ans", "traitement de {} jours", "J{}", "{} ans de suivi",
        "durée {} mois",
        "{} mois", "{} ans auparavant", "dans les {} mois", "durant {} jours", "sous {} jours",
        "opéré il y a {} mois", "contrôle à {} mois", "toutes les {} semaines", "{} mg", "{} %",
        "en {} semaines", "Tabac, {} mois,", "arrêt de {} jours", "patients de plus de {} ans",
        "recul de {} ans", "bilan dans {} jours", "une cinquantaine de patients", "{} fois par an",
        "enceinte de {} semaines", "marié depuis {} ans", "évoluant depuis {} mois",
        "{} cigarettes/j",
        "AIT il y a {} ans", "reçoit {} jours d'antibiotiques", "sevré depuis {} ans", "grade {}",
    ),
    "en": (
        "for {} years", "over the past {} years", "{} years ago", "every {} years", "{} days later",
        "since {} years", "followed for {} months", "{} weeks of pain", "within {} days",
        "in {} weeks",
        "x {} years", "after {} months", "{}-year history", "a {}-year survival", "{}-day course",
        "{} pack-years", "{}-week follow-up", "smoked for {} years", "last {} days", "stage {}",
        "the first {} months", "about {} years ago", "{} months prior", "{} mg daily", "page {}",
        "{} weeks pregnant", "gestation of {} weeks", "{} days post-op", "per {} days", "q{} days",
        "{} years before", "married {} years", "worked there {} years", "up to {} weeks",
        "{} times",
        "{}F catheter", "sheath {}F", "for the next {} days", "lasting {} days", "dose {}",
        "image {}",
        "usage {}", "message {}", "storage {} days", "package {}", "average {}", "dosage {} mg",
    ),
    "es": (
        "hace {} años", "desde hace {} años", "durante {} años", "{} años después", "tras {} meses",
        "los últimos {} años", "duración de {} años", "cada {} años", "{} meses", "en {} semanas",
        "seguimiento de {} meses", "{} días de ingreso", "lleva {} años",
        "a los {} meses de la cirugía",
        "hace unos {} días", "fuma desde hace {} años", "{} semanas de gestación", "por {} días",
        "de {} años de evolución", "{} años antes", "con {} meses de evolución",
        "supervivencia a {} años",
        "a los {} días del alta", "primeros {} meses", "x {} días", "{} mg", "{} cigarrillos",
        "grado {}",
        "próximos {} días", "más de {} días", "{} días atrás", "ciclo de {} días",
        "dolor de {} días",
        "tratamiento de {} semanas", "mayores de {} años", "cuadro de {} días",
        "ingreso de {} días",
        "embarazo de {} semanas", "{} paquetes/año", "fiebre de {} días", "control en {} meses",
    ),
    "de": (
        "seit {} Jahren", "vor {} Jahren", "für {} Tage", "nach {} Monaten", "{} Tage lang",
        "in {} Wochen", "über {} Jahre", "alle {} Jahre", "{} Jahre später", "{} Jahre zuvor",
        "{} pack years", "{}-tägige Therapie", "{} Wochen nach der OP", "innerhalb von {} Tagen",
        "während {} Wochen", "{} Monate postoperativ", "in den letzten {} Jahren", "Dauer: {} Tage",
        "{}-jährige Anamnese", "nach {}-jähriger Therapie", "{} Zigaretten", "{} mg", "Stadium {}",
        "Verlauf über {} Monate", "bis zu {} Tage", "Schwangerschaft in der {}. Woche",
        "alter Infarkt {}",
        "Kontrolle in {} Monaten", "{} SSW", "circa {} Tage", "{} mal täglich", "bei {} Patienten",
    ),
    "nl": (
        "sinds {} jaar", "{} jaar geleden", "gedurende {} dagen", "na {} maanden", "over {} weken",
        "elke {} jaar", "{} jaar later", "{} jaar eerder", "al {} jaar", "de laatste {} jaar",
        "{} pakjaren", "{} weken na de operatie", "binnen {} dagen", "{} dagen lang",
        "duur: {} dagen",
        "follow-up van {} jaar", "{}-jarige overleving", "in {} weken", "voor {} dagen", "{} mg",
        "{} sigaretten", "stadium {}", "controle over {} maanden", "tot {} dagen", "om de {} weken",
        "zwangerschap van {} weken", "{} weken zwanger", "ongeveer {} dagen", "{} maal daags",
        "afgelopen {} maanden", "bij {} patiënten", "kuur van {} dagen",
    ),
}  # fmt: skip
LENGTHS = ("3", "5", "10", "15", "20")
NUMBERS = (
    "edad 12kg", "age 12/24", "age 12 / 24", "edad 50%", "age 12:30", "Age 3.5.2",
    "la trentaine de lits",
    "la quarantaine d'examens", "I am 100%", "I'm 5.5 better", "turned 12/24", "turned 90 degrees",
 "edad: 43 mmHg",
    "L4-L5", "TA 12/8", "T2N0M0", "v1.2.3", "12.5 mg", "C50.9", "E11.9", "page 3/12", "08:30",
    "HbA1c 7.2 %", "EVA 3/10", "BRCA1", "2012;366:1795", "Glasgow 15", "1/160", "120/80 mmHg",
    "0612345678", "12/03/2024", "38.5", "Gleason 7", "FEVG 55", "SpO2 98", "4 x 250", "LOINC 718-7",
)  # fmt: skip
AROUND = ("{}", "- {}\n", "On: {}; ok", "({}),")


def found() -> Iterator[Line]:
    """Yield (language, marked line) of ages: years, infants, words, decades of life."""
    for lang, contexts in YEARS.items():
        for words, number in product(contexts, (*ADULTS, *CHILDREN)):
            yield lang, words.format(f"[[{number}|AGE]]")
        for words, number in product(INFANTS[lang], SMALL):
            yield lang, words.format(f"[[{number}|AGE]]")
        for line, words in product(LINES[lang], LINES_AROUND):
            yield lang, words.format(line)


def nothing() -> Iterator[Line]:
    """Yield (language, line) of what is no age."""
    for lang, contexts in DURATIONS.items():
        for words, length, around in product(contexts, LENGTHS, AROUND):
            yield lang, around.format(words.format(length))
        for number, around in product(NUMBERS, AROUND):
            yield lang, around.format(number)
