"""German notes: letterheads, identity blocks, sentences for any patient, lists, traps."""

from synthesis.fictional.templates.de_stories import STORIES
from synthesis.fictional.templates.grammar import LetterLanguage, NoteKind, Section

_SIGN_OFF = (
    "{author}\nAbteilung für {specialty}\nLANR: {rpps}",
    "Elektronisch signiert von {author} am {today} um {time} Uhr.\nKopie an: {gp}",
    "{author_caps}\nSekretariat: {site_phone} / Fax: {site_fax}\n{author_email}",
    "gez. {signature}\n\n{site} - {site_address}\nSeite 1/2",
    "Diktiert von {author} am {today}, geschrieben von {username} an {ip} - Version 2.1.3",
)
_LETTER_END = (
    "[Mit freundlichen Grüßen|Mit freundlichen kollegialen Grüßen|Mit besten Grüßen]\n\n{author}\n"
    "[LANR {rpps}|{author_email}|Tel. {site_phone}]",
    "Für Rückfragen stehen wir gern zur Verfügung.\n\n{author_caps}\nNachrichtlich an {gp}, {doctor}",
    "Bei Fragen erreichen Sie uns unter {site_phone}.\n\n{author} / {doctor}\nDiktiert am {today}, "
    "geschrieben von {username}",
)

KINDS = {
    "discharge": NoteKind(
        titles=(
            "Entlassungsbrief",
            "ARZTBRIEF",
            "Entlassbericht zum Aufenthalt ab {admission}",
        ),
        heads=(
            "{letterhead}{title}\n\n{identity}\n\nAufnahme: {admission}\nEntlassung: {discharge}\n"
            "Stationsarzt: {author}\nHausarzt: {gp}{gp_city}",
            "{letterhead}{city_of_site}, den {today}\n\n{title}\n{identity}\n\nSehr geehrte Kollegin, "
            "sehr geehrter Kollege,\nwir berichten über {Herrn|Frau} {last}, {age}, {der|die} sich "
            "{stay} in [unserer stationären Behandlung|{ward}] befand.",
            "{title}\n{identity}\nEinweisung durch: {gp} ({gp_phone})\nAssistenz: {third}\nDatum: "
            "{discharge}",
        ),
        sections=(
            Section("Aufnahmegrund", "reason", 0.5),
            Section("Vorerkrankungen", "history", 1.3, "list"),
            Section("Sozialanamnese", "social", 0.8),
            Section("Medikation bei Aufnahme", "treatment", 0.9, "list", 0.8),
            Section("Anamnese", "account", 1.2),
            Section("Körperlicher Untersuchungsbefund", "exam", 1.2),
            Section("Labor", "labs", 1.0, "prose", 0.9),
            Section("Bildgebung", "imaging", 0.9, "prose", 0.8),
            Section("Verlauf", "course", 1.6),
            Section("Procedere", "outcome", 1.0),
        ),
        tails=_SIGN_OFF + _LETTER_END[:1],
    ),
    "operation": NoteKind(
        titles=("Operationsbericht", "OP-BERICHT"),
        heads=(
            "{letterhead}{title}\n\n{identity}\n\nOP-Datum: {day}\nOperateur: {author}\n"
            "Assistenz: {third}\nAnästhesie: {doctor}\nPflegekraft: {nurse}",
            "{title} - {site}\n{identity}\nEingriff am {day}, Operateur {author}, Anästhesie {doctor}, "
            "Saaleintritt {time} Uhr",
        ),
        sections=(
            Section("Indikation", "reason", 0.6),
            Section("Relevante Vorgeschichte", "history", 0.6, "list", 0.5),
            Section("Anästhesie und Lagerung", "anaesthesia", 0.8),
            Section("Vorgehen", "operation", 2.4),
            Section("Postoperative Anordnungen", "after_operation", 1.2, "list"),
        ),
        tails=_SIGN_OFF,
        specialty="surgery",
    ),
    "pathology": NoteKind(
        titles=("Pathologischer Befund", "Histologischer Befundbericht, Eingangsnr. {exam}"),
        heads=(
            "{letterhead}{title}\n{identity}\n\nMaterial {exam}, eingegangen am {day}, Einsender "
            "{doctor}, {site}.\nBefunddatum: {today}",
            "{title}\nEingangsnr.: {exam}\n{identity}\nEinsender: {doctor}\nEntnahme: {day} - Befund: "
            "{today}",
        ),
        sections=(
            Section("Klinische Angaben", "reason", 0.7),
            Section("Makroskopie", "macroscopy", 1.2),
            Section("Mikroskopie", "microscopy", 1.8),
            Section("Zusatzuntersuchungen", "stains", 0.9, "list", 0.8),
            Section("Beurteilung", "diagnosis", 0.9),
        ),
        tails=(
            *_SIGN_OFF,
            "{author} - {doctor}\nSchnitte durchgesehen am {today}. Block unter {exam}",
        ),
        specialty="pathology",
    ),
    "imaging": NoteKind(
        titles=("Radiologischer Befund", "Befundbericht CT", "CT-Befund vom {day}"),
        heads=(
            "{letterhead}{title}\n\n{identity}\nUntersuchung {exam} vom {day}, {time} Uhr\nAnfordernder "
            "Arzt: {doctor}\nRadiologe: {author}",
            "{title}\n{civil} {patient}, geb. {birth}\nPat.-Nr. {ipp}\nZuweisung: {doctor}, {ward}\n"
            "Untersuchungsdatum: {day}",
        ),
        sections=(
            Section("Fragestellung", "reason", 0.7),
            Section("Technik", "technique", 0.9),
            Section("Befund", "imaging", 2.2, "lines"),
            Section("Beurteilung", "impression", 0.9),
        ),
        tails=_SIGN_OFF,
        specialty="radiology",
    ),
    "emergency": NoteKind(
        titles=("Notaufnahmebericht", "BERICHT DER ZENTRALEN NOTAUFNAHME"),
        heads=(
            "{letterhead}{title}\n{identity}\nEintreffen {day}, {time} Uhr, mit [Rettungswagen|eigenem "
            "PKW|Notarzt]\nTriage: {nurse} - Arzt: {author}\nKontaktperson: {kin}, Tel. {kinphone}",
            "{title} - {site}\n{identity}\n{civil} {last} stellt sich am {weekday} um {time} Uhr vor, "
            "begleitet von {kin} ({kinphone}).",
        ),
        sections=(
            Section("Vorstellungsgrund", "reason", 0.6),
            Section("Vorerkrankungen", "history", 1.0, "list"),
            Section("Medikation", "treatment", 0.8, "list", 0.7),
            Section("Anamnese", "account", 1.1),
            Section("Befund", "exam", 1.3),
            Section("Labor", "labs", 1.1),
            Section("Bildgebung", "imaging", 0.8, "prose", 0.6),
            Section("Weiteres Vorgehen", "conduct", 1.0, "list"),
        ),
        tails=_SIGN_OFF,
        specialty="emergency",
    ),
    "nursing": NoteKind(
        titles=("Pflegebericht", "Pflegeübergabe"),
        heads=(
            "{title} - {ward}\n{LAST}, {first} - {birth} - Zimmer [12|14|203|307|411] Bett [1|2]\n"
            "Pat.-Nr. {ipp} / Fall {visit}\nAngehörige: {kin} {kinphone}",
            "{title}\n{identity}\nBereich: {ward} - Aufnahme {admission}\nPflegekraft: {nurse}",
        ),
        sections=(
            Section("Vitalzeichen", "vitals", 1.0),
            Section("Anlass", "reason", 0.5, "prose", 0.7),
            Section("Selbstständigkeit und Umfeld", "social", 0.8, "prose", 0.7),
            Section("Verlauf", "transmissions", 3.0, "lines"),
            Section("Aktuelle Medikation", "treatment", 0.6, "list", 0.6),
        ),
        tails=(
            "Pflegekraft: {nurse} - {today} {time}",
            "Übergabe an {nurse} am {today}. {doctor} informiert.",
            "Pflegekraft: {nurse}, Nachtdienst\nStationstelefon: {site_phone}",
        ),
        specialty="nursing",
    ),
    "consultation": NoteKind(
        titles=("Ambulanzbrief", "Ambulante Vorstellung vom {today}", "Brief an den Hausarzt"),
        heads=(
            "{letterhead}{city_of_site}, den {today}\n\n{gp}\n{gp_address}\n\nBetr.: {civil} {patient}, "
            "geb. {birth}\nwohnhaft {street}, {zip} {city}\n\nSehr geehrte Kollegin, sehr geehrter "
            "Kollege,\n\nheute stellte sich {Ihr Patient|Ihre Patientin} {civil} {last}, {age}, in "
            "unserer Sprechstunde vor.",
            "{letterhead}{title}\n{identity}\n\nSehr geehrte Kollegin, sehr geehrter Kollege,\n\nvielen "
            "Dank für die Überweisung von {Herrn|Frau} {last}, {age}, {den|die} wir am {today} "
            "[sahen|untersuchten].",
            "{title}\n{author_caps}\n{gp}\n\nLieber Kollege,\nich sah {Herrn|Frau} {first} {last} (geb. "
            "{birth}, Pat.-Nr. {ipp}), {der|die} [mit {kin}|allein] zur Kontrolle kam.",
        ),
        sections=(
            Section("", "reason", 0.6),
            Section("Vorgeschichte", "history", 0.9, "list", 0.6),
            Section("", "account", 0.9, "prose", 0.6),
            Section("Zwischenanamnese", "followup", 1.0),
            Section("Soziales", "social", 0.7, "prose", 0.6),
            Section("Untersuchung", "exam", 1.2),
            Section("Befunde", "labs", 0.9, "prose", 0.8),
            Section("", "imaging", 0.7, "prose", 0.5),
            Section("Beurteilung und Procedere", "opinion", 1.3),
        ),
        tails=_LETTER_END,
    ),
    "board": NoteKind(
        titles=("Tumorkonferenz", "Interdisziplinäres Tumorboard", "Tumorboard vom {today}"),
        heads=(
            "{letterhead}{title}\nDatum: {today}\nLeitung: {author}\nAnwesend: {doctor}, {doctor}, "
            "{doctor}, {third_initial}\n\n{identity}\nHausarzt: {gp}",
            "{title} - {site}\nVorgestellt von {doctor}\n{identity}\nTeilnehmer: {author}, {doctor}, "
            "{doctor}/{third_initial}",
        ),
        sections=(
            Section("Vorerkrankungen", "history", 1.0, "list"),
            Section("Zusammenfassung", "account", 1.4),
            Section("Bildgebung", "imaging", 1.0),
            Section("Histologie", "diagnosis", 0.7),
            Section("Allgemeinzustand", "exam", 0.7, "prose", 0.8),
            Section("Fragestellung", "question", 0.4),
            Section("Empfehlung", "decision", 1.3, "list"),
        ),
        tails=(
            "Empfehlung vom {today}, bestätigt durch {author}. {doctor} informiert {den Patienten|die "
            "Patientin}.",
            *_SIGN_OFF[1:],
        ),
        specialty="oncology",
    ),
}

# What lengthens a note: earlier records where nothing happens on the ward, else the ward's diary.
_EARLIER = (Section("Frühere Befunde", "previous", 1.0, "lines"),)
_DIARY = (
    Section("Kurve", "vitals", 1.0, "lines"),
    Section("Nachtrag", "course", 2.0),
    Section("Pflegedokumentation", "transmissions", 1.5, "lines"),
)
ANNEXES = {
    "discharge": _DIARY,
    "nursing": _DIARY,
    "operation": _EARLIER,
    "pathology": _EARLIER,
    "imaging": _EARLIER,
    "emergency": _EARLIER,
    "consultation": _EARLIER,
    "board": _EARLIER,
}


WORDS = {
    "letterhead": (
        "{site_caps}\n{site_address}\nTelefon: {site_phone}  Fax: {site_fax}\n\n",
        "{site}\nAbteilung für {specialty}\nChefarzt: {chief}\nSekretariat: Tel. {site_phone}\n{url}\n\n",
        "", "",
        "{site}\n{site_address}\n{chief} - {doctor} - {doctor}\n{site_url_mail}\n\n",
    ),
    "identity": (
        "Patient: {LAST}, {first}\ngeb. {birth}[   Geburtsort: {birthplace}|]\nPat.-Nr.: {ipp}   "
        "Fallnr.: {visit}\nAnschrift: {street}\n{zip} {city}",
        "Name: {last}   Vorname: {given}\nGeburtsdatum: {birth}   Alter: {age}   Geschlecht: {männlich|"
        "weiblich}\nPatientennummer: {ipp} - Fallnummer: {visit}\nRV-Nr.: {ssn}\nTelefon: {phone}",
        "{civil} {patient}{maiden}, geb. {birth}\nPat.-Nr. {ipp} / Fall {visit}",
        "{LAST}, {first} | {m|w} | {birth} | {ipp} | {visit}",
        "NAME: {last}, {given}{maiden}\nGEB.: {birth}   RV-Nr.: {ssn}\nWohnort: {street}, {zip} {city}"
        "[, {country}|]\nTel.: {phone}[ - {email}|]\nVers.-Nr.: {insurance}   Pat.-Nr.: {ipp}",
    ),
    "stay": ("{range}", "{range}", "am {admission}", "vom {admission} bis {discharge}"),
    "drug": (
        "Amlodipin 5 mg 1-0-0", "Metoprolol 47,5 mg 1-0-1", "Ramipril 5 mg 1-0-0",
        "Atorvastatin 40 mg 0-0-1", "Pantoprazol 40 mg 1-0-0", "Torasemid 10 mg 1-0-0",
        "L-Thyroxin 75 µg 1-0-0", "Paracetamol 500 mg bei Bedarf", "Tilidin 50 mg bei Bedarf",
        "ASS 100 mg 0-1-0", "Metformin 850 mg 1-0-1", "Enoxaparin 40 mg s.c. 0-0-1",
        "Sertralin 50 mg 1-0-0", "Zopiclon 7,5 mg, 1/2 Tablette zur Nacht", "Novalgin 500 mg bei Fieber",
        "Movicol 1 Beutel täglich",
    ),
    "specialty.surgery": ("Chirurgie",),
    "specialty.oncology": ("Onkologie",),
    "specialty.geriatrics": ("Geriatrie",),
    "specialty.cardiology": ("Kardiologie",),
    "specialty.pneumology": ("Pneumologie",),
    "specialty.gastroenterology": ("Gastroenterologie",),
    "specialty.paediatrics": ("Kinderheilkunde",),
    "specialty.radiology": ("Radiologie",),
    "specialty.pathology": ("Pathologie",),
    "specialty.emergency": ("Notfallmedizin",),
    "specialty.nursing": ("Pflege",),
    "specialty.gp": ("Allgemeinmedizin",),
    "title.M": ("Dr.", "Dr. med.", "Dr. med.", "Prof. Dr."),
    "title.F": ("Dr.", "Dr. med.", "Dr. med.", "Prof. Dr."),
    "title.nursing.M": ("Pfleger", "Herr"),
    "title.nursing.F": ("Schwester", "Frau"),
    "civil.M": ("Herr", "Herr", "Hr."),
    "civil.F": ("Frau", "Frau", "Fr."),
    "civil.child": ("{Der kleine|Die kleine}", "{Der Junge|Das Mädchen}"),
    "kin.wife": ("Ehefrau",),
    "kin.husband": ("Ehemann",),
    "kin.daughter": ("Tochter",),
    "kin.son": ("Sohn",),
    "kin.sister": ("Schwester",),
    "kin.brother": ("Bruder",),
    "kin.mother": ("Mutter",),
    "kin.father": ("Vater",),
    "maiden": (", geb. ", " (geborene "),
    "range": ("vom /bis ",),
    "on": ("am ",),
    "in": (" in ",),
    "age": ("{} Jahre", "{} Jahre alt"),
    "aged": ("{}-jährig", "{}-jährig", "{} Jahre alt"),
    "months": ("{} Monate alt",),
    "job": (
        "Tischler/Tischlerin", "Buchhalter/Buchhalterin", "Lehrer/Lehrerin", "Landwirt/Landwirtin",
        "Busfahrer/Busfahrerin", "Krankenpfleger/Krankenschwester", "Maurer/Schneiderin",
        "Bankkaufmann/Bankkauffrau", "Sekretär/Sekretärin", "Elektriker/Elektrikerin",
        "Koch/Köchin", "Bauingenieur/Bauingenieurin", "Hausmeister/Reinigungskraft",
        "Briefträger/Briefträgerin", "Bibliothekar/Bibliothekarin", "Schweißer/Schweißerin",
        "Kassierer/Kassiererin", "Lagerarbeiter/Lagerarbeiterin", "Kraftfahrer/Kraftfahrerin",
    ),
}  # fmt: skip

POOLS = {
    "history": (
        "Arterielle Hypertonie seit {year:20}, [gut|mäßig] eingestellt.",
        "Appendektomie im Jahr {year:45}[ in {othercity}| im {otherhospital}|].",
        "Morbus Basedow, Radiojodtherapie im {month:200}.",
        "Dupuytren-Kontraktur, rechte Hand im Jahr {year:15} operiert durch {doctor}.",
        "Diabetes mellitus Typ 2 seit {month:150}, HbA1c {d:6.1-8.4} %.",
        "Seit Langem Raynaud-Syndrom, leicht.", "Hyperlipidämie, Statin seit {year:12}.",
        "Colles-Fraktur links am {past:4000}, Gips.",
        "Allergien: [Penicillin (Urtikaria im Jahr {year:30})|keine bekannt|Jod, nicht gesichert].",
        "Vater mit {kinage} Jahren am Herzinfarkt verstorben, Mutter mit Morbus Parkinson.",
        "Ex-Raucher, Nikotinstopp im Jahr {year:18}, {n:10-45} Packungsjahre.",
        "Herpes zoster im {month:90}, rosa Narbe.",
        "Laparoskopische Cholezystektomie am {past:3500} ({otherhospital}).",
        "Stationär {range:900} im {otherhospital} wegen Pyelonephritis.",
        "Grippeimpfung am {past:300} durch {gp}.",
        "Kontaktekzem auf Berliner Blau, Kortisonsalbe bei Bedarf.",
        "Morbus Gilbert-Meulengracht, Bilirubin meist {d:1.6-2.9} mg/dl.",
        "Verdacht auf Sjögren-Syndrom, Schirmer-Test positiv.",
    ),
    "history_young": (
        "Appendektomie im Jahr {year:10}[ in {othercity}| im {otherhospital}|].",
        "Allergien: [Penicillin (Urtikaria im Jahr {year:9})|keine bekannt|Jod, nicht gesichert].",
        "Stationär {range:900} im {otherhospital} wegen Pyelonephritis.",
        "Raynaud-Syndrom, leicht.", "Asthma in der Kindheit, anfallsfrei seit {year:8}.",
        "Kontaktekzem auf Berliner Blau, Kortisonsalbe bei Bedarf.",
        "Morbus Gilbert-Meulengracht, Bilirubin meist {d:1.6-2.9} mg/dl.",
        "Handgelenksfraktur am {past:3000}, Gips.",
    ),
    "treatment_young": ("Paracetamol 500 mg bei Bedarf", "{drug} (seit {month:40})"),
    "history_child": (
        "Termingeboren in {birthplace}, Geburtsgewicht {n:2700-3900} g, Apgar 9/10.",
        "Bronchiolitis am {past:900}, ambulant behandelt.",
        "Impfungen vollständig, letzte Auffrischung am {past:300}.",
        "Rezidivierende Otitis, Paukenröhrchen am {past:500} durch {doctor}.",
        "Atopische Dermatitis, keine Nahrungsmittelallergie bekannt.",
        "Ein Geschwisterkind mit Purpura Schönlein-Henoch in Betreuung.",
        "Dreitagefieber mit {n:8-14} Monaten ohne Krampfanfall.",
    ),
    "social": (
        "Lebt [allein|mit {kin}] in {city}, [zweiter Stock ohne Aufzug|ebenerdig].",
        "Beruf: {job}[, Arbeitgeber: {employer}|].",
        "{kin_caps} ist erreichbar unter {kinphone}.", "Im Alltag selbstständig, Barthel-Index 100.",
        "Nikotin: [nie|früher]. Alkohol: [gelegentlich|ein Glas zum Abendessen|keiner].",
        "Wohnhaft {street}, {zip} {city}[, mit {dem Patienten|der Patientin} abgeglichen|].",
        "Geboren in {birthplace}, lebt in {region} seit {year:25}.",
        "Arbeitet gern im Garten (schneidet die Rosen) und spielt Karten.",
        "War zuletzt bei {kin} in {othercity}.", "Auslandsreise im {month:20}.",
        "Akte beim Sozialdienst durch Frau {third_last} angelegt ({site_phone}).",
        "Überweisung des Krankengeldes auf das Konto {account}.",
    ),
    "social_old": (
        "Lebt [allein|mit {kin}] in {city}, [zweiter Stock ohne Aufzug|ebenerdig].",
        "Rente, früherer Beruf: {job}.", "Rente, Beruf: {job}, letzter Arbeitgeber: {employer}.",
        "{kin_caps} ist erreichbar unter {kinphone}.", "Hilfe beim Einkauf, Barthel-Index 75, Pflegegrad 2.",
        "Nikotin: [nie|früher]. Alkohol: [gelegentlich|ein Glas zum Abendessen|keiner].",
        "Wohnhaft {street}, {zip} {city}[, mit {dem Patienten|der Patientin} abgeglichen|].",
        "Geboren in {birthplace}, lebt in {region} seit {year:25}.",
        "Ambulanter Pflegedienst zweimal täglich, Mahlzeiten auf Rädern.",
        "Arbeitet gern im Garten (schneidet die Rosen).",
        "Akte beim Sozialdienst durch Frau {third_last} angelegt ({site_phone}).",
    ),
    "social_child": (
        "Besucht die Schule in {city}, lebt mit den Eltern und einem Geschwisterkind.",
        "Kommt mit {kin}, mobil {kinphone}.", "Wohnhaft {street}, {zip} {city}, eine Katze, keine Raucher.",
        "Tagesmutter Frau {third_last}.", "Betreut durch {gp}, Impfpass gesehen.",
    ),
    "treatment": (
        "{drug}", "{drug}", "{drug}", "{drug} (seit {month:40})", "{drug}",
        "{drug} (begonnen am {recent:200} durch {gp})",
    ),
    "treatment_child": (
        "Paracetamol 15 mg/kg alle 6 h bei Fieber", "Salbutamol 2 Hübe bei Bedarf",
        "Vitamin D {n:400-800} IE täglich", "Amoxicillin 80 mg/kg/Tag bis {next:8}",
    ),
    "exam": (
        "RR {n:108-162}/{n:58-92} mmHg, HF {n:58-112}/min, SpO2 {n:91-99} % bei Raumluft, T {d:36.2-38.8} °C.",
        "Gewicht {weight} kg, Größe {height} cm, BMI {bmi}.",
        "Herztöne rein und rhythmisch, keine Geräusche, Homans-Zeichen negativ.",
        "Vesikuläres Atemgeräusch beidseits, [keine Nebengeräusche|basal einzelne Rasselgeräusche].",
        "Abdomen weich, Murphy-Zeichen negativ, McBurney-Punkt [nicht druckschmerzhaft|druckschmerzhaft].",
        "GCS 15, kein fokales Defizit, Babinski negativ, Romberg unauffällig.",
        "Keine tastbaren Lymphknoten, keine Virchow-Drüse.", "Haut [rosig|blass], keine Purpura, Turgor normal.",
        "Schmerz NRS {n:1-8}/10, Karnofsky [70|80|90|100] %, ECOG 1.",
        "Zähne 14 15 26 36 37 46 fehlend, Teilprothese.",
        "Lasègue beidseits negativ, Reflexe seitengleich.",
    ),
    "exam_child": (
        "Gewicht {weight} kg, T {d:36.4-39.6} °C, HF {n:88-140}/min, AF {n:20-36}/min, SpO2 {n:91-99} %.",
        "Spielt im Wartezimmer, rosig, gut hydriert.",
        "Trommelfelle [spiegelnd|gerötet], kein Meningismus, Brudzinski negativ.",
        "Abdomen weich, keine Hernie, Darmgeräusche vorhanden.", "Perzentilen stabil auf der 50. Linie.",
    ),
    "labs": (
        "Hämoglobin {d:9.1-15.4} g/dl, Leukozyten {d:4.1-14.9} /nl, Thrombozyten {n:150-410} /nl.",
        "Hb-Kontrolle 12,03 g/dl (Norm 12-16), MCV {n:82-98} fl.",
        "CRP {n:2-148} mg/l, Procalcitonin {d:0.1-3.9} ng/ml.",
        "Kreatinin {d:0.6-1.6} mg/dl, Clearance nach Cockcroft-Gault {n:38-105} ml/min.",
        "Na {n:132-144}, K {d:3.2-5.1}, Cl {n:96-108} mmol/l.",
        "GOT {n:14-62}, GPT {n:12-71}, AP {n:48-160} U/l.",
        "Blutzucker-Tagesprofil: 105 - 112 - 98 - 120 mg/dl.", "INR {d:1.0-2.8}, von-Willebrand-Faktor normal.",
        "Labor vom {recent:20}: Ferritin {n:18-480} ng/ml, TSH {d:0.5-4.2} mU/l.",
        "Blutkulturen vom {recent:6}, {time} Uhr, nach 48 h ohne Wachstum.",
        "Urinstatus vom {recent:9}: Leukozyten 10-20/Gesichtsfeld, Kultur [negativ|E. coli 10^5].",
        "BGA: pH 7,41, pCO2 {n:35-48} mmHg, Laktat {d:0.8-2.9} mmol/l.",
    ),
    "labs_child": (
        "Streptokokken- und Influenza-Schnelltest negativ am {recent:3}.", "Glukose {n:72-118} mg/dl.",
        "Urinstatus vom {recent:4}: keine Leukozyten, kein Nitrit.",
    ),
    "followup": (
        "Seit der Vorstellung am {past:200} stabil, Schlaf gut.",
        "{kin_caps} hilft bei den Tabletten und berichtet keinen Sturz.",
        "Am {past:90} Vorstellung bei {doctor}, keine Änderung der Therapie.",
        "Appetit mäßig, Gewicht {weight} kg, keine neuen Beschwerden.",
        "Physiotherapie zweimal pro Woche in {city} seit {month:6}.",
    ),
    "course": (
        "Am {step} [fieberfrei|schmerzarm|Kostaufbau begonnen], Mobilisation mit Hilfe.",
        "Konsil durch {doctor} am {step}: [keine Komplikation|Therapie fortführen].",
        "Physiotherapie ab {step}, bei Entlassung am Rollator mobil.",
        "Labor vom {step}: CRP {n:4-60} mg/l, Kreatinin {d:0.6-1.5} mg/dl.",
        "Angehörigengespräch am {step} mit {kin} ({kinphone}).",
        "Am {step} kurzzeitig [Schmerzen|Übelkeit|Verwirrtheit], spontan rückläufig.",
        "Thromboseprophylaxe mit Enoxaparin bis {step}.", "Kein Dekubitus, Braden-Skala {n:15-22}.",
        "Übernahme aus {ward} am {step} auf Wunsch von {doctor}.",
        "Ernährungsberatung: ballaststoffarme Kost, kleines Frühstück gut vertragen.",
        "Unbeobachteter Sturz ohne Verletzung am {step} gegen {time} Uhr, gemeldet.",
    ),
    "outcome": (
        "Entlassung am {discharge} nach Hause, {street}, {city}, [mit Krankentransport|mit {kin}].",
        "Wiedervorstellung bei {doctor} am {next:60} um {time} Uhr.",
        "Laborkontrolle in der Woche vom {next:14}.",
        "Arbeitsunfähig bis {next:30}, Verlängerung durch {gp}.",
        "Bei Fieber oder Schmerzen Tel. {site_phone} (rund um die Uhr).", "Weiterbehandlung durch {gp}{gp_city}, Kopie an die Praxis.",
        "Termin per E-Mail an {email} oder telefonisch unter {phone}.",
        "Pflegedienst in {othercity} informiert, {other_phone}.",
        "Anschlussheilbehandlung ab {next:12} im {otherhospital} bewilligt.",
        "Kostenübernahme beantragt, Versichertennummer {insurance}.",
    ),
    "outcome_child": (
        "Entlassung am {discharge} nach Hause mit {kin}, {street}, {city}.",
        "Kontrolle bei {doctor} am {next:40} um {time} Uhr.", "Bei Fieber Tel. {site_phone} (rund um die Uhr).",
        "Schulbefreiung bis {next:7}.", "Eltern erreichbar unter {phone}, Brief an {email}.",
    ),
    "anaesthesia": (
        "Intubationsnarkose, Intubation [problemlos|erschwert], Mallampati {n:1-3}, ASA {n:1-3}.",
        "Rückenlagerung, Arme angelagert, Druckstellen gepolstert.",
        "Cefazolin 2 g [um {time} Uhr|30 Minuten vor Schnitt].",
        "Team-Time-out: Identität, Seite, Allergien geprüft.",
        "Ultraschallgesteuerter Block durch {doctor}, Ropivacain 0,375 %.",
        "Foley-Katheter 16 Ch, Trendelenburg-Lagerung 15 Grad.",
    ),
    "operation": (
        "Overholt- und Kocher-Klemmen an den Gefäßstielen, Metzenbaum-Schere.",
        "Gute Blutstillung, Blutverlust {n:50-450} ml.", "Einlage einer Redon-Drainage.",
        "Zählkontrolle vollständig (20/20).", "Schichtweiser Wundverschluss, Vicryl 3-0, Hautklammern.",
        "Schnitt-Naht-Zeit {n:45-190} Minuten, Saalaustritt {time} Uhr.",
    ),
    "after_operation": (
        "Aufwachraum, Aldrete-Score 10/10", "Mobilisation am 1. Tag, Physiotherapie",
        "Klammern entfernen am {next:16}", "Enoxaparin 40 mg täglich bis {next:30}",
        "Paracetamol und Kühlung, Tilidin bei Bedarf", "Kontrolle bei {surgeon} am {next:45}",
        "{kin_caps} nach dem Eingriff angerufen ({kinphone})", "Histologie unter {site_phone}",
    ),
    "macroscopy": (
        "In Formalin übersandt, tuschemarkiert, vollständig eingebettet.",
        "Kapseln A1 bis A{n:3-9} und B1 bis B{n:2-6}.",
        "Gewebestück {n:4-28} x {n:3-19} x {n:2-9} mm, rosa-braun.",
        "Gefäß beschriftet {LAST}, {first}, stimmt mit dem Schein überein.",
    ),
    "microscopy": (
        "Keine Lymphgefäß- oder Perineuralscheideninvasion.", "Hämatoxylin-Eosin, 3 Schnittstufen.",
        "Umgebung mit geringer lymphoplasmazellulärer Entzündung.",
        "Mitoserate {n:1-14} pro 10 HPF.", "Ränder frei, Mindestabstand {n:2-18} mm.",
    ),
    "stains": (
        "Giemsa: kein Helicobacter", "Ki-67: {n:5-80} %", "Berliner Blau: negativ", "PAS: positiv",
        "Kongorot: negativ", "Ziehl-Neelsen: keine säurefesten Stäbchen", "Gram: keine Keime",
        "Schnellschnitt vom {day}, an {doctor} durchgegeben um {time} Uhr",
    ),
    "diagnosis": (
        "Übriges Material ohne Malignität.",
        "Zweitmeinung durch {doctor} ({otherhospital}) steht aus, erwartet {next:20}.",
        "Verglichen mit {exam:old} vom {past:900}.",
    ),
    "technique": (
        "Spiral-CT nach {n:70-120} ml Imeron 350.",
        "Multiplanare Rekonstruktionen, Weichteil- und Knochenfenster.",
        "DLP {n:210-880} mGy*cm; Voraufnahme {past:800}.", "Keine Kontrastmittelreaktion.",
        "T1, T2 und Diffusion bei 1,5 T, Software-Version 4.2.1.",
    ),
    "imaging": (
        "Kein Pleura- oder Perikarderguss.", "Keine suspekte Knochenläsion.",
        "Einfache Nierenzyste von {n:8-35} mm, Bosniak 1.", "Aortensklerose ohne Aneurysma.",
        "Unverändert gegenüber {past:700}.", "Schilddrüsenknoten von {n:5-18} mm, TI-RADS 3.",
        "Kleine Spieghel-Hernie.", "Glatte Leber, schlanker Ductus Wirsungianus.",
    ),
    "impression": (
        "Klinische Korrelation empfohlen.", "Verlaufskontrolle empfohlen im {nextmonth:9}.",
        "Befund telefonisch an {doctor} am {day} um {time} Uhr.",
    ),
    "conduct": (
        "Aufnahme in {ward}, Betreuung {doctor}", "Paracetamol 1 g, Kontrolle um {time} Uhr",
        "Venöser Zugang, Labor abgenommen", "Rücksprache mit {doctor} um {time} Uhr", "{kin_caps} angerufen unter {kinphone}",
        "Monitoring, Vitalzeichen stündlich, NEWS {n:1-7}", "Brief an {gp}, Kontrolle am {next:5}",
    ),
    "vitals": (
        "{step} {time}: RR {n:102-160}/{n:58-90}, HF {n:58-104}, T {d:36.2-38.7}, SpO2 {n:92-99} %.",
        "{step} {time}: Urin {n:400-1900} ml, NRS {n:0-7}/10, BZ {n:80-220}.",
        "Gewicht am {step}: {weight} kg.", "Braden {n:14-22}, Morse {n:15-65}, MNA 24/30.",
    ),
    "vitals_child": (
        "{step} {time}: HF {n:88-132}, T {d:36.4-39.4}, SpO2 {n:92-99} %, AF {n:20-34}.",
        "Gewicht am {step}: {weight} kg. KUSS {n:0-6}/10.",
    ),
    "transmissions": (
        "{step} {time}: [ruht|gut geschlafen|unruhige Nacht], [gefrühstückt|Mahlzeit abgelehnt]. Pflegekraft: {nurse}",
        "{step}: Verbandwechsel, Wunde reizlos und trocken. Pflegekraft: {nurse}",
        "{step} {time}: Anruf von {kin}, bittet um Rückruf unter {kinphone} nach der Visite.",
        "{step}: NRS {n:2-8}/10, Novalgin um {time} gegeben, Besserung.",
        "{step}: Visite {doctor}, neue Anordnung ({drug}).",
        "{step} {time}: Einstichstelle linker Unterarm rosig, nicht überwärmt, Zugang gewechselt.",
        "{step}: im Sessel, {n:20-80} m mit der Physiotherapie gegangen.",
        "{step}: {doctor} sprach mit den Angehörigen; {kin} wünscht den Sozialdienst.",
        "{step} {time}: einmal abgeführt, Foley-Katheter entfernt.",
        "{step}: Armband geprüft ({LAST}, {first}, {birth}), Etikett {ipp}.",
    ),
    "opinion": (
        "Wir bitten um Wiedervorstellung am {next:120}.", "Ich empfehle, {drug} fortzuführen.",
        "Nächste Laborkontrolle um den {next:30} im Labor in {city}.",
        "Auf {seinen|ihren} Wunsch geht eine Kopie an den Betriebsarzt (Arbeitgeber: {employer}).",
        "Rückfragen unter {site_phone} oder an {author_email}.",
        "Insgesamt erfreulich, keine Änderung der Therapie.", "Termin bei {doctor} am {next:50}.",
        "Das CT aus dem {otherhospital} vom {past:400} wurde heute durchgesehen.",
    ),
    "previous": (
        "{earlier}: Untersuchung {exam:old}, {otherhospital}, kein suspekter Befund.",
        "{earlier}: Vorstellung bei {doctor}, [stabil|unverändert|weitere Kontrollen].",
        "{earlier}: Notaufnahme wegen [Schmerzen|Schwindel], nach Hause entlassen.",
        "{earlier}: Brief von {gp}{gp_city} mit Bitte um Rat.",
        "{earlier}: Hb {d:10.2-14.8} g/dl, Kreatinin {d:0.6-1.4} mg/dl, Labor in {city}.",
        "{earlier}: Aufenthalt im {otherhospital}, Abholung durch {kin}.",
    ),
    "question": ("Adjuvante Therapie?", "Nachresektion oder Beobachtung?"),
    "decision": (
        "Vorstellung bei {doctor} am {next:14}", "Studie besprochen",
        "Schulungstermin am {next:10} mit {nurse}", "Staging vervollständigen",
        "Wiedervorstellung im Board am {next:90}", "Brief an {gp}",
    ),
}  # fmt: skip

TRAPS = (
    "Morbus Basedow", "Dupuytren-Kontraktur", "Raynaud-Syndrom", "Berliner Blau", "Morbus Parkinson",
    "Babinski negativ", "Murphy-Zeichen", "12,03 g/dl", "Foley-Katheter", "kleines Frühstück",
    "Seite 1/2", "Version 2.1.3", "Braden-Skala", "pH 7,41", "105 - 112 - 98 - 120",
    "14 15 26 36 37 46", "Kocher-Klemmen", "Gilbert-Meulengracht", "Redon-Drainage", "Schirmer-Test",
    "Morbus Crohn", "Hodgkin-Lymphom", "Reed-Sternberg-Zellen", "1/2 Tablette",
    "von-Willebrand-Faktor", "Montreal L3B2",
)  # fmt: skip

LANGUAGE = LetterLanguage("de", KINDS, POOLS, WORDS, STORIES, ANNEXES, TRAPS)
