"""Numbers and words of clinical notes in five languages that look like dates and are none."""

from collections.abc import Iterator
from itertools import product

Line = tuple[str, str]

# Read the same in every language.
SHARED = (
    "12 03 20245", "06 12 2019 34 56",
    "12.03 g/dl", "Hb 12.03", "PSA 4.12 ng/ml", "TSH 2.10 mUI/l", "INR 2.03", "pH 7.38",
    "TA 12/8", "120/80 mmHg", "130/85", "EVA 3/10", "10/10", "0/10", "ECOG 1", "Glasgow 15/15",
    "GCS 14/15", "MMSE 28/30", "Apgar 9/10/10", "Apgar 8/9", "pT2N0M0", "pT3N1aM0", "cT1cN0M0",
    "T4N2M1", "L4-L5", "L5-S1", "C5-C6", "D11-D12", "08:30", "10h30", "10:15:32", "v1.2.3",
    "version 2.03.24", "V 10.2.23", "release 4.11.21", "10.2.3.4", "192.168.12.20", "p. 1/2",
    "Page 3/12", "1/2", "(2/2)", "1:100", "1/160", "1/2048", "ratio 3/4", "BRCA1", "BRCA2", "HER2",
    "CD20", "CD3/CD4", "ERCC1", "SEPT9", "MARCH1", "DEC1", "JUN/FOS", "SEPTIN9", "FEV1 2.10",
    "VEMS/CVF 0.70", "I10", "E11.9", "C50.9", "F32.1", "Z95.1", "M54.5", "LOINC 2160-0",
    "LOINC 718-7", "CIM-10 K35.8", "06 12 34 56 78", "01.42.16.00.07", "06-12-34-56-78",
    "555-0123", "+33 6 12 34 56 78", "020 7946 0018", "ext. 2019", "N Engl J Med 2012;366:1795",
    "366:1795-804", "0.25-0.50", "2.5/10", "12.5 mg x 3", "500 mg 1-0-1", "1-0-1-0", "1 - 0 - 1",
    "5/325 mg", "875/125 mg", "800/160", "20/25", "20/20", "ISO 15189", "SpO2 98%", "38.5", "45,3%",
    "12,03", "1.73 m2", "Gleason 3+4=7", "Gleason 7 (3+4)", "2000 ml", "1900 kcal", "2024 UI",
    "1995 mg", "2000 mg/j", "1950 g", "2010 cells", "HbA1c 7.2", "NaCl 0.9%", "G5%", "12/12",
    "NYHA 2/4", "ASA 2", "BMI 24.5", "Na 140 K 4.1 Cl 102", "1.2.840.10008.5.1", "10-12 cm",
    "3-5 mm", "3 x 4 x 5 cm", "12x03", "75015", "5/5", "4+/5", "24/24", "7/7", "Ki67 20/30%",
    "12345678", "123456", "8001234567", "16 G", "FiO2 0.21", "PaO2/FiO2 250/300", "QT 380/420",
    "HLA-B27", "B12", "T12", "S1-S2", "A1c", "PO2 88", "cos 0.12.5", "lot 4521-12A", "ORL 12.",
    "H1N1", "SARS-CoV-2", "COVID-19", "IL-6", "p53", "IgG4", "NS5A", "50/50", "1/3", "2/3", "3/4",
    "Tel 0612345678", "REF 12-3456", "1000/1200 ml", "10/20/10 UI", "4-0-6 UI", "12-10-14 UI",
    "5.12.20.3", "0.12 / 0.15", "0,10-0,12", "K 3.5-5.1", "Ca 2.20-2.60", "150-400", "12-16 g/dl",
    "08:00-20:00", "8h-12h", "S100", "NT-proBNP 2019 pg/ml", "ferritine 2014 ug/l", "2021 mmol",
    "4/12 VD", "1.12 mmol/l", "12.11 kPa", "2.10 x 10", "RR 1.02-1.24", "IC95 1.03-2.12",
)  # fmt: skip

VALUES = {
    "fr": (
        "au 1/3 moyen", "2/3 supérieur", "du 2/3 distal", "le 1/3 inf", "souffle 3/6",
        "acuité 5/10",
        "AV 8/10 OD", "n° 12345", "le patient", "M. Mars", "Mme Avril", "Mme Mai", "sept jours",
        "mars a dit oui", "10 à 12 mg/j", "12-15 ans", "marche 6 minutes", "24h/24 7j/7",
        "3 marches",
        "soit 1995 patients", "sur 2012 cas", "rue du 4 septembre", "boulevard du 8 mai", "1/2 cp",
        "du 12 au bras", "le 12 est vu", "sem 12-16", "stade 3/4", "2 à 3/10", "depuis 3 ans",
        "pendant 10 jours", "3 fois sur 10", "J12", "J1-J3", "C2J1", "score 7/12", "score à 12/30",
        "tension à 12/8", "PA 12/07", "TA : 11/06", "EVA à 6/10", "poste 2019", "lit 12",
        "ch. 12-03",
        "G2P1", "2 cp/12h", "6 cycles sur 8", "motricité 3/5", "taille 1,72", "poids 65.12 kg",
        "chapitre 3.12", "article 12.03", "à 2 mois", "12 ans", "mai difficile", "mardi vu 12 fois",
        "1 mg/2 j",
        "25 avenue", "page 12/24", "fraction 12/25", "séance 3/12", "diamètre 12.03 mm",
        "selles : 3/j", "2000 m", "en 2000 mg", "1 seul", "sept ans", "tabac 20 PA",
        "grade 3/4", "l'ordre de 1/1000", "en 2 mois", "le 2e doigt", "les 3 premiers",
        "au 5e étage",
    ),
    "en": (
        "VA RE 6/9 LE 6/5", "BCVA RE 6/36 N18, LE 6/12 N8", "UCVA LE 6/12", "acuity LE 6/12",
        "RE 6/36, LE 6/12", "VA LE 6/12", "BCVA LE 6/12",
        "vision LE 6/12",
        "may 3 times", "12 may be", "it may improve", "march in place", "3 marches", "the sun",
        "sat 98%", "sat at 94", "pain from 8/10 to 3/10", "strength 5/5", "strength 4/5", "reflex"
        " 2/4", "BP 118/76", "room 12-03", "bed 3/4", "page 2 of 12", "every 3-4 hours",
        "for 5 years",
        "4-6 weeks", "week 12/40", "1995 patients", "in 2000 patients", "12 of 24", "3 out of 10",
        "grade 2/6 murmur", "murmur 3/6", "stage 3/4", "vision 20/40", "1/2 tablet", "score 12/30",
        "PHQ-9 12/27", "GAD-7 10/21", "level 2/3", "ages 3-5", "in 12 hours", "q 4-6 h", "x 12",
        "on 2 liters", "on 12 units", "on 10/325 Norco", "T 98.6", "HR 72", "RR 16-20", "2 of 3",
        "step 2/3", "4-year plan", "second visit", "first of two", "sunday",
        "mon ami", "fall risk", "a fall at home", "spring water", "1 in 2000", "2000 steps a day",
        "a 2,010 mL", "case 19/20", "channel 12/14", "Dr. May", "Mr. March", "Ms. April", "Augusta",
        "jan", "decreased", "marching", "novel", "augmentin 875/125", "since 3 days", "at 12.5",
        "figure 3.12", "section 12.03", "Table 4-12", "Unit 3-12", "type 2 or 3", "dose 3/4",
        "to 12/14 cm", "1 to 2 cm", "12 to 14", "6/7 days", "24/7", "7/10 pain", "rated 6/10",
    ),
    "es": (
        "marcha 6 minutos", "mayonesa", "set de 12", "agota", "mar abierto", "3 veces", "2 de 3",
        "TA 12/8", "TA: 120/80", "PA 12/07", "EVA 3/10", "escala 7/10", "AV 0,8/10", "OD 5/10",
        "calle 12 de octubre", "Hospital 12 de Octubre", "Avda. 25 de mayo", "plaza 2 de mayo",
        "1995 pacientes", "2012 casos", "página 3/12", "pág. 1/2", "hoja 2/3", "tercio 1/3",
        "n.º 12345",
        "desde hace 3 años", "hace 5 días", "durante 10 días", "cada 12 horas", "cada 8-12 h",
        "10-12 mg", "1/2 comprimido", "1 comp/12 h", "fuerza 4/5", "fuerza 3/5", "grado 2/4",
        "estadio 3/4", "soplo 2/6", "cama 12-03", "hab. 312-2", "de 2 a 3", "12 a 14 semanas",
        "semana 12-13", "del 10 al 20%", "al 50%", "el 12% de", "los 3 primeros", "el 2º dedo",
        "doce horas", "dos veces", "once días", "sala 3/4", "en 2 tomas", "2 de ellos",
        "peso 65.12 kg", "talla 1,72", "score 12/30", "Barthel 60/100", "MMSE 24/30", "NIHSS 4/42",
        "sábana", "domingo", "Sr. Mayo", "María Abril", "Dr. Enero", "sin fecha", "3/7 días",
        "ext. 2012",
        "artículo 12.03", "tabla 3.12", "sede 4/5", "marzoleta", "juniors",
    ),
    "de": (
        "RR 120/80", "RR 13/8", "VAS 3/10", "NRS 4/10", "Seite 1/2", "S. 3/12", "1/2 Tbl.", "1-0-1",
        "1-0-0-1", "2x/Tag", "seit 3 Jahren", "vor 5 Tagen", "für 10 Tage", "Kraftgrad 4/5",
        "KG 3/5",
        "Stadium 3/4", "Grad 2/6", "1995 Patienten", "2012 Fälle", "Zimmer 12", "Bett 3-12",
        "Nr. 12345",
        "10-12 mg", "12,03 mg/dl", "alle 4-6 Stunden", "in 2 Wochen", "die 3. Rippe",
        "der 2. Finger",
        "im 3. Monat", "2. LWK", "am 2. Tag", "am 3. postoperativen Tag", "den 5. Zyklus",
        "1. Herzton",
        "Frau Mai", "Herr März", "Herr August", "Dr. Sommer", "Frau Winter", "Herr Herbst",
        "so 3 mal",
        "mit 2 Ampullen", "die 12 Kinder", "Do you", "fr. Blut", "10 bis 12 Uhr", "3 bis 5 Tage",
        "12.000 Leukozyten", "1.200 ml", "12.30 Uhr", "8.15 Uhr", "ca. 3.5 cm", "Tabelle 3.12",
        "Kapitel 12.03", "Abb. 4.12", "Visus 0,8/10", "NYHA II-III", "CCS 2/4", "Hb 12.03 g/dl",
        "Kalium 4.12", "ext. 2019", "Raum 12.03", "Durchwahl 2014", "zwei Mal", "acht Stunden",
        "neun Kinder", "mai", "sept", "um 12.30", "12/24 h", "ab 12 Jahren", "zu 2/3", "1/3 der",
    ),
    "nl": (
        "RR 120/80", "RR 13/8", "VAS 3/10", "NRS 4/10", "pagina 1/2", "blz. 3/12", "1/2 tablet",
        "1-0-1", "2x/dag", "sinds 3 jaar", "5 dagen geleden", "gedurende 10 dagen", "kracht 4/5",
        "MRC 3/5", "stadium 3/4", "graad 2/6", "1995 patiënten", "2012 gevallen", "kamer 12",
        "bed 3-12", "nr. 12345", "10-12 mg", "12,03 mg/l", "elke 4-6 uur", "over 2 weken",
        "de 3e rib",
        "de 2e vinger", "in de 3e maand", "op dag 3", "op 2 liter", "1e harttoon", "mevr. Mei",
        "dhr. Maart", "dhr. August", "dr. Zomer", "mevr. Winter", "10 tot 12 uur", "3 tot 5 dagen",
        "12.000 leuko's", "1.200 ml", "12.30 uur", "8.15 uur", "ca. 3.5 cm", "tabel 3.12",
        "hoofdstuk"
        " 12.03", "fig. 4.12", "visus 0,8/10", "NYHA II-III", "Hb 7.12 mmol/l", "kalium 4.12",
        "ext. 2019", "zaal 12-03", "toestel 2014", "twee keer", "acht uur", "negen kinderen",
        "do not", "zo nodig 2", "zo 3 keer", "van 2 tot 4 cm", "in 2 weken",
        "vr. 3 kinderen", "12/24 u", "vanaf 12 jaar", "1/3 van", "2/3 deel", "de 12 kinderen",
        "di 2x",
    ),
}  # fmt: skip

AROUND = {
    "fr": ("{}", "Bilan : {} ce jour", "- {}\n", "patient ({}), vu", "{} ; stable", "On note {}."),
    "en": ("{}", "Today: {} noted", "- {}\n", "patient ({}), seen", "{}; stable", "We note {}."),
    "es": ("{}", "Hoy: {} anotado", "- {}\n", "paciente ({}), visto", "{}; estable", "Se ve {}."),
    "de": (
        "{}",
        "Heute: {} notiert",
        "- {}\n",
        "Patient ({}), gesehen",
        "{}; stabil",
        "Es ist {}.",
    ),
    "nl": ("{}", "Nu: {} genoteerd", "- {}\n", "patiënt ({}), gezien", "{}; stabiel", "Er is {}."),
}


def nothing() -> Iterator[Line]:
    """Yield (language, line) of what is no date."""
    for lang, around in AROUND.items():
        for value, words in product((*SHARED, *VALUES[lang]), around):
            yield lang, words.format(value)
