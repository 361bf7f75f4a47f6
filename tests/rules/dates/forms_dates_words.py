"""Words that make dates of what follows them, or measures of it, one line for each."""

from collections.abc import Iterator

from tests.rules.dates.forms_dates_each import WEEKDAYS

Line = tuple[str, str]

# What goes before a day and a month in digits.
BEFORE_DAY = {
    "fr": "le du au des les depuis date datée rdv DDN naissance visite consultation rencontre",
    "en": "on until till since dated dates DOB D.O.B born birth birthdate birthday",
    "es": "el del al día días fecha nac nacimiento",
    "de": "am vom Datum geb geboren Geburtsdatum Geburtstag seit bis ab dem",
    "nl": "op sinds d.d dd geboortedatum",
}
# A dose or a number may follow these as well.
NOT_BEFORE_SIX = frozenset("des les depuis al since until till seit bis ab op dem sinds".split())
# What goes before scores as well as days, of which the second number has two digits.
BEFORE_LABS = (
    "from labs urinalysis CBC culture cultures drawn expected received performed admitted"
    " discharged seen pending"
)
# What goes before a month alone.
BEFORE_MONTH = {
    "fr": (
        "août",
        "en depuis fin début mi courant jusqu'en dernier pour ce",
    ),
    "en": ("October", "in since until till early late mid during"),
    "es": ("agosto", "en desde hasta finales principios mediados"),
    "de": ("Oktober", "im seit Anfang Mitte Ende bis"),
    "nl": ("oktober", "in sinds begin eind medio tot vanaf"),
}
# What goes before a year.
BEFORE_YEAR = {
    "fr": "en depuis durant année années avant après fin début mi entre vers courant datant"
    " dès né née d'ici ici de à du",
    "en": "in since during year before after until till early late mid between circa from"
    " dated by to of",
    "es": "en desde año años hasta hacia finales principios mediados durante después antes del al",
    "de": "im Jahr Jahre seit Anfang Mitte Ende bis zwischen vor nach ca ab ED von",
    "nl": "in sinds begin eind medio tot tussen voor na vanaf rond jaar van",
}
# What goes before a share or a score.
MEASURES = {
    "fr": "TA PA PAS BP TAS TAD tension artérielle pression EVA score Glasgow GCS Apgar acuité"
    " vision visuelle OD OG grade stade ECOG OMS page ratio numéro n° Silverman souffle motricité"
    " force fraction p n no AV",
    "en": "BP pain level murmur strength reflex reflexes step bed room grade stage page ratio"
    " pg pages vs P.A T.A OS",
    "es": "TA pág hoja grado estadio soplo fuerza escala cama tercio",
    "de": "RR NRS VAS Seite Grad Stadium Kraftgrad Visus NYHA CCS Blutdruck Bett Zimmer",
    "nl": "pagina blz graad kracht MRC kamer zaal",
}
# What is counted or measured: a number before it is no year.
UNITS = {
    "fr": "mm cm m ml mg g kg l UI kPa Pa mmHg mmol fois cal mcg µg Hz ans mois semaines jours"
    " heures minutes patients cas copies pas personnes mètres pieds",
    "en": "IU units x times rpm bpm cc kcal years months weeks days hours cases cells people"
    " steps meters dollars mL/min g/dL kg/m2 U",
    "es": "veces años meses semanas días horas pacientes casos personas metros",
    "de": "IE mal Jahre Jahren Monate Wochen Tage Stunden Uhr Patienten Fälle Schritte Euro",
    "nl": "keer jaar maanden weken dagen uren uur patiënten gevallen stappen",
}
IN = {"fr": "en", "en": "in", "es": "en", "de": "seit", "nl": "sinds"}
# A street or a hospital may be named after a day.
PLACES = {
    "fr": (
        "du 8 mai",
        "rue avenue av boulevard bd quai place allée impasse square cours pont hôpital",
    ),
    "es": ("12 de octubre", "calle avenida avda plaza pza hospital colonia barrio edificio"),
    "de": ("17. Juni", "Straße Strasse Platz"),
    "nl": ("4 mei", "plein laan straat"),
}
# Numbers of programs and amounts of insulin look like dates with a year of two digits.
BEFORE_VERSION = "v vers version release logiciel IP firmware versie rev"
AFTER_DOSES = "UI IE IU U E unit units mg ml"
OF_BIRTH = frozenset(
    "DDN naissance DOB D.O.B born birth birthdate birthday nac nacimiento geb geboren"
    " Geburtsdatum Geburtstag geboortedatum né née".split()
)


def words() -> Iterator[Line]:
    """Yield (language, marked line), one for each word that may go before a date or a number."""
    for lang, before in BEFORE_DAY.items():
        for word in before.split():
            label = "BIRTH_DATE" if word in OF_BIRTH else "DATE"
            yield lang, f"X {word} [[13/9|{label}]], ok"
            if word not in NOT_BEFORE_SIX:
                yield lang, f"X {word} [[120324|{label}]], ok"
        for day in WEEKDAYS[lang].split():
            yield lang, f"X [[{day} 13/9|DATE]], ok"
    for word in BEFORE_LABS.split():
        yield "en", f"X {word} [[3/29|DATE]], ok"
    for lang, (month, before) in BEFORE_MONTH.items():
        for word in before.split():
            yield lang, f"X {word} [[{month}|DATE]], ok"
    for lang, before in BEFORE_YEAR.items():
        for word in before.split():
            label = "BIRTH_DATE" if word in OF_BIRTH else "DATE"
            yield lang, f"X {word} [[2014|{label}]], ok"


def no_dates() -> Iterator[Line]:
    """Yield (language, line) of measures, one for each word that makes them."""
    for lang, before in MEASURES.items():
        yield from ((lang, f"X {word} 02/08, ok") for word in before.split())
    for lang, (day, places) in PLACES.items():
        yield from ((lang, f"X {word} {day}, ok") for word in places.split())
    for word in BEFORE_VERSION.split():
        yield "fr", f"X {word} 12.03.24, ok"
    for word in AFTER_DOSES.split():
        yield "fr", f"X 10/12/20 {word}, ok"
    for lang, after in UNITS.items():
        yield from ((lang, f"X {IN[lang]} 2000 {word}, ok") for word in after.split())
