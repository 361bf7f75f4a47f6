"""The words that stand around ages, and those around lengths of time that are none."""

# Between these and a number stand no more than a few words such as `de`, `is`, `environ`.
AGE_WORDS = frozenset(
    (
        "age ages agee agees agé(e) age(e) agee(e) aged edad edades alter leeftijd lft terme"
        " leeftijdscategorie"
    ).split()
)
AGE_FILLERS = frozenset(
    (
        " de del d of is est es was about environ actuelle actual du patient paciente en anos ans"
        " years el la le l at von van ist in jahren jahre circa ca sex sexe sexo gestacional etwa"
        " ongeveer approx approximately unos (anos) (years) (ans) (jahre) (jaar)"
    ).split()
) | {""}  # fmt: skip

PERSONS = frozenset(
    (
        # French
        "patient patiente patients patientes homme hommes femme femmes garcon garcons fille filles"
        " fillette fillettes enfant enfants nourrisson nourrissons nouveau-ne nouveau-nee bebe dame"
        " monsieur madame mr mme mlle m frere soeur pere mere fils mari epoux epouse cousin cousine"
        " oncle tante adolescent adolescente sujet jumeaux jumelles conjoint conjointe compagnon"
        # English
        " male female man woman boy girl gentleman lady infant child newborn baby son daughter"
        " brother sister father mother wife husband toddler teenager pt mrs ms"
        # Spanish
        " varon varones mujer mujeres hombre hombres nino nina ninos ninas paciente pacientes"
        " lactante gestante primipara nacido nacida senor senora hijo hija hijos hijas hermano"
        " hermana padre madre padres esposo esposa marido joven muchacho muchacha escolar anciano"
        " anciana neonato prematuro prematura chico chica adulto persona individuo abuelo abuela"
        # German
        " patientin patienten mann mannes frau junge jungen knabe madchen kind kindes saugling"
        " neugeborenes neugeborene sohn tochter bruder schwester vater mutter ehemann ehefrau herr"
        " herrn pat kinder kindern kinderen"
        # Dutch
        " patiente man vrouw jongen meisje baby zuigeling pasgeborene zoon dochter broer zus"
        " moeder vader echtgenoot echtgenote mevrouw mevr dhr heer dame peuter kleuter pte"
    ).split()
)
# They may stand between a child and its age.
SEXES = frozenset(
    "sexo sexe sex masculin masculino feminin femenino varon mujer male female".split()
)
LINKS = frozenset({"de", "d", "of", "von", "van", ""})
PREGNANT = frozenset("gestante primipara enceinte embarazada pregnant schwanger zwanger".split())

# A number of years after these says how long, how often or how late, not how old.
BEFORE_DURATION = frozenset(
    (
        # French
        "depuis pendant durant apres dans sous sur pour en tous toutes chaque duree plus moins"
        " environ suivi suivie recul survie risque pronostic evolution delai anciennete"
        " dernier derniere derniers dernieres premier premiere premiers premieres intervalle"
        " periode contrat bilan controle arret sevre sevree scanner irm paquets y tabac"
        # English
        " for over since within after every per past last next previous first during almost nearly"
        " ago up least than history total another lasting every another"
        # Spanish
        " hace hacia lleva llevaba llevan desde durante tras cada hasta ultimos ultimas primeros"
        " primeras proximos proximas despues seguimiento supervivencia duracion mas menos mayor"
        " mayores menor menores paquetes unos por x pa pack"
        # German
        " seit vor fur nach uber alle innerhalb wahrend letzten ersten nachsten etwa dauer verlauf"
        " bis mindestens insgesamt ca circa jede unter"
        # Dutch
        " sinds gedurende na over elke al afgelopen laatste eerste komende binnen ruim ongeveer"
        " duur tot voor om iedere"
    ).split()
)
DURATION_FILLERS = frozenset(
    (
        "casi presque bijna fast knapp a de d des les the los las of un lo que unos environ"
        " more than den der die"
        " approximately about"
    ).split()
)
# What goes on after a length of time; of two words where the first says too little.
AFTER_DURATION = frozenset(
    (
        "auparavant avant apres durant d'evolution d'anciennete d'intervalle consecutif d'existence"
        " d'experience ago later earlier prior of post postop before after history follow antes"
        " despues atras previos consecutivos tras lang spater zuvor vor nach geleden eerder na voor"
        " daarna plus/tard plus/tot de/suivi de/recul de/tabac de/traitement de/tabagisme"
        " de/grossesse de/mariage de/vie/commune mas/tarde de/evolucion de/seguimiento de/duracion"
        " de/antiguedad de/tratamiento de/historia de/estancia de/matrimonio de/tiempo de/la de/su"
        " de/haber de/experiencia de/ingreso de/diagnostico de/alta del/diagnostico del/ingreso"
        " del/alta del/inicio del/tratamiento del/trasplante et/plus y/mas and/older and/over"
        " or/older und/alter en/ouder"
    ).split()
)
OF_AGE = frozenset("de/edad d'age de/vida de/vie of/age leeftijd".split())
NOT_OF_AGE = frozenset({"gestacional", "en"})
# Between a person's years and nothing else.
GROWN = frozenset({"male", "female", "man", "woman", "old"})
# A comma, a name and a number of years: what may follow.
THEN = frozenset("a con with presente consulte mit met".split())
BIRTH_WORDS = frozenset(
    "ne nee naissance nacido nacida nacimiento nac born birth dob ddn geb geboren".split()
)
LIMITS = frozenset({"<", ">", "≥", "≤", "entre", "between", "zwischen", "tussen"})
JOINS = frozenset("y et and und o ou or e en a to bis".split())
AT_AGE = frozenset("a desde hasta hacia sobre entre y".split())
BROUGHT = frozenset("with who presents presenting hx h/o w/ c/o admitted s/p pmh known".split())
COUNTED = frozenset("mg ml kg cm mm mmhg g days weeks months minutes hours times degrees".split())
# What lasts some years, after a German or Dutch adjective: `5-jährige Anamnese`.
LASTING = tuple(
    (
        "anamnes verlauf therap behand nachbeob uberleb overlev follow pause raucher abstinen"
        " karenz interval beobacht erfahrung ervaring einnahme historie beloop gebruik krankh"
        " leiden dauer duur bestehen medikat"
    ).split()
)
