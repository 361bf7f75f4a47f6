"""Lines that need one alternative each of what the rules for names read; names are marked."""

from collections.abc import Iterator

GLUED_PARTICLES = ("Mc", "Mac", "De", "Di", "La", "Le", "Van", "Von", "Fitz")
PARTICLES: dict[str, str] = {
    "fr": "de|du|des|la|le|d'|l'|de la|ben|bin|el|al",
    "es": "del|de los|de las|y|e|i|da|do|dos",
    "de": "von|vom|zu|zum|von der",
    "nl": "van|van den|van der|ter|ten|van 't|den",
    "en": "di",
}
SPECIALISTS = (
    "Cardiologue|Cardiologues|Urologiste|Cardiologist|Urólogo|Uróloga|Kardiologe|Kardiologin"
    "|Cardioloog|Psychiatre|Psychiatres|Pediatra|Psychiater|Psychiatrist|Urgentistes|Techniciens"
    "|Techniciennes|Interne (bloc)"
)
LINES: tuple[tuple[str, str], ...] = (
    ("fr", "Patient : L'Examen"),
    ("fr", "Patient : L'Évolution"),
    ("fr", "Patient : D'Accord"),
    ("fr", "Patient : Qu'Une"),
    ("fr", "Réside à Marie Dubreuil"),
    ("fr", "Signé : [[J.D.|NAME]]\nSuite"),
    ("fr", "Signé : [[J.D.|NAME]], interne"),
    ("fr", "Fait ce jour. [[Odette|FIRST_NAME]]\n"),
    ("fr", "Bilan fait. [[J|FIRST_NAME]] [[Zabrowczyk|LAST_NAME]]\n12/03 : calme"),
    ("fr", "Bilan fait. [[J|FIRST_NAME]] [[Zabrowczyk|LAST_NAME]]\nmars 12 : calme"),
    ("fr", "Bilan fait. J Zabrowczyk\nRAS"),
    ("fr", "vu avec [[Gr.|FIRST_NAME]] [[Dubois|LAST_NAME]] hier"),
    ("fr", "vu avec [[Ph.|FIRST_NAME]] [[Martin|LAST_NAME]] hier"),
    ("fr", "Dr [[P-A|FIRST_NAME]] [[Zabrowczyk|LAST_NAME]] est venu"),
    ("fr", "Dr [[P-A.|FIRST_NAME]] [[Zabrowczyk|LAST_NAME]] est venu"),
    ("fr", "Dr [[Zabrowczyk|LAST_NAME]]CHIRURGIEN"),
    ("fr", "Dr [[ZABROWCZYK|LAST_NAME]]est venu"),
    ("en", "Dr. [[Zabrowczyk-smith|LAST_NAME]] came"),
    ("en", "Professor [[Zabrowczyk|LAST_NAME]] came"),
    ("en", "Dr. ZabrowQ"),
    ("en", "found by PSW [[Emmanuel|FIRST_NAME]] sitting"),
    ("en", "Police informed: PC [[Skye|FIRST_NAME]] [[Urquhart|LAST_NAME]]."),
    ("en", "Reported by Dr [[Temitope|FIRST_NAME]] [[Balogun|LAST_NAME]] GMC pending"),
    ("de", "mit seiner Frau [[Andrea|FIRST_NAME]] hier"),
    ("de", "Ihre Frau [[Müller|LAST_NAME]]"),
    ("de", "Gesetzlicher Betreuer [[Klaus|FIRST_NAME]] [[Zabrowczyk|LAST_NAME]] kam"),
    ("de", "die Betreuerin [[Anna|FIRST_NAME]] kam"),
    ("de", "Vormund [[Katharina|FIRST_NAME]] kam"),
    ("fr", "avec le tuteur [[Hélène|FIRST_NAME]], prévenu"),
    ("fr", "avec le tuteur légal [[Hélène|FIRST_NAME]], prévenu"),
    ("fr", "avec la tutrice [[Sophie|FIRST_NAME]], prévenue"),
    ("fr", "avec la tutrice légale [[Sophie|FIRST_NAME]], prévenue"),
    ("fr", "avec le curateur [[Hélène|FIRST_NAME]], prévenu"),
    ("fr", "avec la curatrice [[Sophie|FIRST_NAME]], prévenue"),
    ("en", "legal guardian [[Sarah|FIRST_NAME]] agreed"),
    ("es", "con la tutora [[Carmen|FIRST_NAME]] presente"),
    ("es", "con el tutor legal [[Ignacio|FIRST_NAME]] presente"),
    ("nl", "mentor [[Emma|FIRST_NAME]] belde"),
    ("nl", "bewindvoerder [[Emma|FIRST_NAME]] belde"),
    ("nl", "voogd [[Emma|FIRST_NAME]] belde"),
    ("de", "Die Familie [[Schulz|LAST_NAME]] wohnt hier"),
    ("fr", "la famille [[Lefèvre|LAST_NAME]] habite ici"),
    ("es", "la familia [[García|LAST_NAME]] vive aquí"),
    ("de", "Die Familie Berichtet"),
    ("nl", "Meneer [[Zabrowczyk|LAST_NAME]] belde"),
    ("de", "Frau [[Schmerz|LAST_NAME]] und Herr [[Arzt|LAST_NAME]] kamen"),
    ("de", "Frau Oberärztin [[Klein|LAST_NAME]] und die Frau Kollegin kamen, eine Frau Mitte 50"),
    ("fr", "Mme [[Douleur|LAST_NAME]] est venue, Mme ECG normal, Madame Docteur"),
    ("en", "Mrs [[Blood|LAST_NAME]] came"),
    ("nl", "Mevrouw [[Pijn|LAST_NAME]] kwam"),
    ("de", "Herr [[Grünwald|LAST_NAME]] kam. [[Grünwalds|LAST_NAME]] Befund"),
    ("de", "Herrn [[Grünwalds|LAST_NAME]] Frau. [[Grünwald|LAST_NAME]] kam"),
    ("en", "Dr. [[Zabrow|LAST_NAME]]-WuzcikQ"),
    ("en", "her sister [[LaToya|FIRST_NAME]] called"),
    ("en", "her son [[DeShawn|FIRST_NAME]] called"),
    ("en", "her son [[DiAngelo|FIRST_NAME]] called"),
    ("en", "her son [[LeRoy|FIRST_NAME]] called"),
    ("en", "her sister [[VanEssa|FIRST_NAME]] called"),
    ("en", "Seen by [[Sarah|FIRST_NAME]] [[FitzGerald|LAST_NAME]]"),
    ("en", "her sister [[Anne-LeRoy|FIRST_NAME]] called"),
    ("en", "Name: [[VonZabrow|FIRST_NAME]] [[WUZCIKOW|LAST_NAME]]"),
    ("en", "her sister [[VonDa|FIRST_NAME]] called"),
    ("en", "Dr. [[FitzHerbert|LAST_NAME]] came"),
    ("en", "Dr. [[FitzPatrick|LAST_NAME]] came"),
    ("en", "Dr. [[Wuzci-FitzPatrick|LAST_NAME]] came"),
)


def each() -> Iterator[tuple[str, str]]:
    """Yield (language, marked line)."""
    yield from LINES
    for particle in GLUED_PARTICLES:
        yield "en", f"Dr. [[{particle}Zabrow|LAST_NAME]] came"
        yield "en", f"Dr. [[Wuzci-{particle}Zabrow|LAST_NAME]] came"
    yield "en", "Dr. [[Wuzci-ZABROW|LAST_NAME]]came"
    for lang, particles in PARTICLES.items():
        for particle in particles.split("|"):
            glue = "" if particle.endswith("'") and particle != "van 't" else " "
            yield lang, f"Dr [[Wuzcikow|FIRST_NAME]] [[{particle}{glue}Zabrowczyk|LAST_NAME]] sah"
    for word in SPECIALISTS.split("|"):
        yield "fr", f"{word} : [[Zulmirane|FIRST_NAME]] [[ZABROWCZYK|LAST_NAME]]"
