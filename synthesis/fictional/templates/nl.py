"""Dutch notes: letterheads, identity blocks, sentences for any patient, lists, traps."""

from synthesis.fictional.templates.grammar import LetterLanguage, NoteKind, Section
from synthesis.fictional.templates.nl_stories import STORIES

_SIGN_OFF = (
    "{author}\nAfdeling {specialty}\nAGB-code: {rpps}",
    "Elektronisch ondertekend door {author} op {today} om {time} uur.\nKopie: {gp}",
    "{author_caps}\nSecretariaat: {site_phone} / Fax: {site_fax}\n{author_email}",
    "w.g. {signature}\n\n{site} - {site_address}\nPagina 1/2",
    "Gedicteerd door {author} op {today} - gebruikersnaam: {username} - IP {ip} - versie 2.1.3",
)
_LETTER_END = (
    "[Met vriendelijke groet|Met collegiale groet|Hoogachtend],\n\n{author}\n[AGB-code {rpps}|"
    "{author_email}|Tel. {site_phone}]",
    "Ik vertrouw erop u hiermee voldoende te hebben ingelicht.\n\n{author_caps}\nCc: {gp}, {doctor}",
    "Bij vragen zijn wij bereikbaar op {site_phone}.\n\n{author} / {doctor}\nGedicteerd op {today}, "
    "gebruikersnaam: {username}",
)

KINDS = {
    "discharge": NoteKind(
        titles=(
            "Ontslagbrief",
            "ONTSLAGBRIEF",
            "Verslag van de opname vanaf {admission}",
        ),
        heads=(
            "{letterhead}{title}\n\n{identity}\n\nOpnamedatum: {admission}\nOntslagdatum: {discharge}\n"
            "Behandelaar: {author}\nHuisarts: {gp}{gp_city}",
            "{letterhead}{city_of_site}, {today}\n\n{title}\n{identity}\n\nGeachte collega,\nBovengenoemde "
            "{patiënt|patiënte}, {civil} {last}, {age}, was opgenomen [op onze afdeling|op {ward}] "
            "{stay}.",
            "{title}\n{identity}\nVerwezen door: {gp} ({gp_phone})\nArts-assistent: {third}\nDatum: "
            "{discharge}",
        ),
        sections=(
            Section("Reden van opname", "reason", 0.5),
            Section("Voorgeschiedenis", "history", 1.3, "list"),
            Section("Sociale anamnese", "social", 0.8),
            Section("Thuismedicatie", "treatment", 0.9, "list", 0.8),
            Section("Anamnese", "account", 1.2),
            Section("Lichamelijk onderzoek", "exam", 1.2),
            Section("Laboratorium", "labs", 1.0, "prose", 0.9),
            Section("Beeldvorming", "imaging", 0.9, "prose", 0.8),
            Section("Beloop", "course", 1.6),
            Section("Ontslag en nazorg", "outcome", 1.0),
        ),
        tails=_SIGN_OFF + _LETTER_END[:1],
    ),
    "operation": NoteKind(
        titles=("Operatieverslag", "OPERATIEVERSLAG"),
        heads=(
            "{letterhead}{title}\n\n{identity}\n\nOperatiedatum: {day}\nOperateur: {author}\nAssistent: "
            "{third}\nAnesthesioloog: {doctor}\nVerpleegkundige: {nurse}",
            "{title} - {site}\n{identity}\nIngreep op {day}, operateur {author}, anesthesie {doctor}, op "
            "kamer om {time} uur",
        ),
        sections=(
            Section("Indicatie", "reason", 0.6),
            Section("Relevante voorgeschiedenis", "history", 0.6, "list", 0.5),
            Section("Anesthesie en ligging", "anaesthesia", 0.8),
            Section("Procedure", "operation", 2.4),
            Section("Postoperatief beleid", "after_operation", 1.2, "list"),
        ),
        tails=_SIGN_OFF,
        specialty="surgery",
    ),
    "pathology": NoteKind(
        titles=("Pathologieverslag", "Verslag pathologie, onderzoek {exam}"),
        heads=(
            "{letterhead}{title}\n{identity}\n\nMateriaal {exam}, ontvangen op {day} van {doctor}, {site}."
            "\nVerslagdatum: {today}",
            "{title}\nOnderzoeksnr.: {exam}\n{identity}\nAanvrager: {doctor}\nAfname: {day} - Verslag: "
            "{today}",
        ),
        sections=(
            Section("Klinische gegevens", "reason", 0.7),
            Section("Macroscopie", "macroscopy", 1.2),
            Section("Microscopie", "microscopy", 1.8),
            Section("Aanvullende kleuringen", "stains", 0.9, "list", 0.8),
            Section("Conclusie", "diagnosis", 0.9),
        ),
        tails=(
            *_SIGN_OFF,
            "{author} - {doctor}\nCoupes herzien op {today}. Blok bewaard onder {exam}",
        ),
        specialty="pathology",
    ),
    "imaging": NoteKind(
        titles=("Radiologieverslag", "Verslag CT", "CT-verslag van {day}"),
        heads=(
            "{letterhead}{title}\n\n{identity}\nOnderzoek {exam} verricht op {day} om {time} uur\n"
            "Aanvrager: {doctor}\nRadioloog: {author}",
            "{title}\n{civil} {patient}, geb. {birth}\nPatiëntnr. {ipp}\nVerwijzer: {doctor}, {ward}\nDatum "
            "onderzoek: {day}",
        ),
        sections=(
            Section("Vraagstelling", "reason", 0.7),
            Section("Techniek", "technique", 0.9),
            Section("Bevindingen", "imaging", 2.2, "lines"),
            Section("Conclusie", "impression", 0.9),
        ),
        tails=_SIGN_OFF,
        specialty="radiology",
    ),
    "emergency": NoteKind(
        titles=("SEH-verslag", "VERSLAG SPOEDEISENDE HULP"),
        heads=(
            "{letterhead}{title}\n{identity}\nAankomst {day} om {time} uur per [ambulance|eigen vervoer|"
            "traumahelikopter]\nTriage: {nurse} - Arts: {author}\nContactpersoon: {kin}, tel. {kinphone}",
            "{title} - {site}\n{identity}\n{civil} {last} meldt zich op {weekday} om {time} uur, begeleid "
            "door {kin} ({kinphone}).",
        ),
        sections=(
            Section("Reden van komst", "reason", 0.6),
            Section("Voorgeschiedenis", "history", 1.0, "list"),
            Section("Medicatie", "treatment", 0.8, "list", 0.7),
            Section("Anamnese", "account", 1.1),
            Section("Onderzoek", "exam", 1.3),
            Section("Laboratorium", "labs", 1.1),
            Section("Beeldvorming", "imaging", 0.8, "prose", 0.6),
            Section("Beleid", "conduct", 1.0, "list"),
        ),
        tails=_SIGN_OFF,
        specialty="emergency",
    ),
    "nursing": NoteKind(
        titles=("Verpleegkundig verslag", "Verpleegkundige overdracht"),
        heads=(
            "{title} - {ward}\n{LAST}, {first} - {birth} - Kamer [12|14|203|307|411] bed [1|2]\nPatiëntnr. "
            "{ipp} / opname {visit}\nContactpersoon: {kin} {kinphone}",
            "{title}\n{identity}\nLocatie: {ward} - Opname {admission}\nVerpleegkundige: {nurse}",
        ),
        sections=(
            Section("Vitale functies", "vitals", 1.0),
            Section("Context", "reason", 0.5, "prose", 0.7),
            Section("Zelfredzaamheid en omgeving", "social", 0.8, "prose", 0.7),
            Section("Rapportage", "transmissions", 3.0, "lines"),
            Section("Huidige medicatie", "treatment", 0.6, "list", 0.6),
        ),
        tails=(
            "Verpleegkundige: {nurse} - {today} {time}",
            "Overgedragen aan {nurse} op {today}. {doctor} op de hoogte.",
            "Verpleegkundige: {nurse}, nachtdienst\nTelefoon afdeling {site_phone}",
        ),
        specialty="nursing",
    ),
    "consultation": NoteKind(
        titles=("Poliklinische brief", "Polikliniekbezoek van {today}", "Brief aan de huisarts"),
        heads=(
            "{letterhead}{city_of_site}, {today}\n\n{gp}\n{gp_address}\n\nBetreft: {civil} {patient}, geb. "
            "{birth}\n{street}, {zip} {city}\n\nGeachte collega,\n\nVandaag zag ik {uw patiënt|uw "
            "patiënte} {civil} {last}, {age}, op het spreekuur.",
            "{letterhead}{title}\n{identity}\n\nGeachte collega,\n\nDank voor de verwijzing van {civil} "
            "{last}, {age}, {die|die} ik op {today} [zag|onderzocht].",
            "{title}\n{author_caps}\n{gp}\n\nBeste collega,\nIk zag {civil} {first} {last} (geb. {birth}, "
            "patiëntnr. {ipp}), die [met {kin}|alleen] voor controle kwam.",
        ),
        sections=(
            Section("", "reason", 0.6),
            Section("Voorgeschiedenis", "history", 0.9, "list", 0.6),
            Section("", "account", 0.9, "prose", 0.6),
            Section("Tussentijdse anamnese", "followup", 1.0),
            Section("Sociaal", "social", 0.7, "prose", 0.6),
            Section("Onderzoek", "exam", 1.2),
            Section("Uitslagen", "labs", 0.9, "prose", 0.8),
            Section("", "imaging", 0.7, "prose", 0.5),
            Section("Conclusie en beleid", "opinion", 1.3),
        ),
        tails=_LETTER_END,
    ),
    "board": NoteKind(
        titles=("Verslag MDO", "Multidisciplinair overleg", "Oncologiebespreking van {today}"),
        heads=(
            "{letterhead}{title}\nDatum: {today}\nVoorzitter: {author}\nAanwezig: {doctor}, {doctor}, "
            "{doctor}, {third_initial}\n\n{identity}\nHuisarts: {gp}",
            "{title} - {site}\nIngebracht door {doctor}\n{identity}\nDeelnemers: {author}, {doctor}, "
            "{doctor}/{third_initial}",
        ),
        sections=(
            Section("Voorgeschiedenis", "history", 1.0, "list"),
            Section("Samenvatting", "account", 1.4),
            Section("Beeldvorming", "imaging", 1.0),
            Section("Pathologie", "diagnosis", 0.7),
            Section("Conditie", "exam", 0.7, "prose", 0.8),
            Section("Vraag", "question", 0.4),
            Section("Advies", "decision", 1.3, "list"),
        ),
        tails=(
            "Advies van {today}, geaccordeerd door {author}. {doctor} licht de {patiënt|patiënte} in.",
            *_SIGN_OFF[1:],
        ),
        specialty="oncology",
    ),
}

# What lengthens a note: earlier records where nothing happens on the ward, else the ward's diary.
_EARLIER = (Section("Eerdere gegevens", "previous", 1.0, "lines"),)
_DIARY = (
    Section("Controlelijst", "vitals", 1.0, "lines"),
    Section("Aanvulling", "course", 2.0),
    Section("Verpleegkundig dossier", "transmissions", 1.5, "lines"),
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
        "{site_caps}\n{site_address}\nTelefoon: {site_phone}  Fax: {site_fax}\n\n",
        "{site}\nAfdeling {specialty}\nAfdelingshoofd: {chief}\nSecretariaat {site_phone}\n{url}\n\n",
        "", "",
        "{site}\n{site_address}\n{chief} - {doctor} - {doctor}\n{site_url_mail}\n\n",
    ),
    "identity": (
        "Patiënt: {LAST}, {first}\nGeb.datum: {birth}[   Geboorteplaats: {birthplace}|]\nPatiëntnr.: "
        "{ipp}   Opnamenr.: {visit}\nAdres: {street}\n{zip} {city}",
        "Achternaam: {last}   Voornaam: {given}\nGeboortedatum: {birth}   Leeftijd: {age}   Geslacht: {M|V}\n"
        "Patiëntnummer: {ipp} - Opnamenummer: {visit}\nBSN: {ssn}\nTelefoon: {phone}",
        "{civil} {patient}{maiden}, geb. {birth}\nPatiëntnr. {ipp} / opname {visit}",
        "{LAST}, {first} | {M|V} | {birth} | {ipp} | {visit}",
        "NAAM: {last}, {given}{maiden}\nGEB.: {birth}   BSN: {ssn}\nWoonadres: {street}, {zip} {city}[, "
        "{country}|]\nTel.: {phone}[ - {email}|]\nPolisnr.: {insurance}   Patiëntnr.: {ipp}",
    ),
    "stay": ("{range}", "{range}", "op {admission}", "van {admission} tot {discharge}"),
    "drug": (
        "amlodipine 5 mg 1dd1", "metoprolol 25 mg 2dd1", "lisinopril 10 mg 1dd1",
        "atorvastatine 40 mg voor de nacht", "pantoprazol 40 mg 1dd1", "furosemide 40 mg 1dd1",
        "levothyroxine 75 mcg 1dd1", "paracetamol 500 mg zo nodig", "tramadol 50 mg zo nodig",
        "acetylsalicylzuur 80 mg 1dd1", "metformine 850 mg 2dd1", "nadroparine 2850 IE 1dd1 s.c.",
        "sertraline 50 mg 1dd1", "temazepam 10 mg, 1/2 tablet voor de nacht",
        "diclofenac 50 mg bij koorts", "macrogol 1 sachet per dag",
    ),
    "specialty.surgery": ("Chirurgie",),
    "specialty.oncology": ("Oncologie",),
    "specialty.geriatrics": ("Geriatrie",),
    "specialty.cardiology": ("Cardiologie",),
    "specialty.pneumology": ("Longziekten",),
    "specialty.gastroenterology": ("Maag-, darm- en leverziekten",),
    "specialty.paediatrics": ("Kindergeneeskunde",),
    "specialty.radiology": ("Radiologie",),
    "specialty.pathology": ("Pathologie",),
    "specialty.emergency": ("Spoedeisende Hulp",),
    "specialty.nursing": ("Verpleging",),
    "specialty.gp": ("Huisartsgeneeskunde",),
    "title.M": ("dr.", "Dr.", "drs.", "prof. dr."),
    "title.F": ("dr.", "Dr.", "drs.", "prof. dr."),
    "title.nursing.M": ("dhr.", "verpleegkundige"),
    "title.nursing.F": ("mw.", "verpleegkundige"),
    "civil.M": ("dhr.", "Dhr.", "de heer"),
    "civil.F": ("mw.", "Mw.", "mevrouw"),
    "civil.child": ("{patiëntje|patiëntje}",),
    "kin.wife": ("echtgenote",),
    "kin.husband": ("echtgenoot",),
    "kin.daughter": ("dochter",),
    "kin.son": ("zoon",),
    "kin.sister": ("zus",),
    "kin.brother": ("broer",),
    "kin.mother": ("moeder",),
    "kin.father": ("vader",),
    "maiden": (", geb. ", " (meisjesnaam "),
    "range": ("van /tot ",),
    "on": ("op ",),
    "in": (" in ",),
    "age": ("{} jaar", "{} jaar oud"),
    "aged": ("{}-jarige", "{}-jarige", "{}-jarige"),
    "months": ("{} maanden oud",),
    "job": (
        "timmerman/timmervrouw", "boekhouder/boekhoudster", "leraar/lerares", "veehouder/veehoudster",
        "buschauffeur", "verpleegkundige", "metselaar/naaister", "bankmedewerker", "secretaris/"
        "secretaresse", "elektricien", "kok/kokkin", "civiel ingenieur", "conciërge", "postbode",
        "bibliothecaris/bibliothecaresse", "lasser", "kassamedewerker", "magazijnmedewerker",
        "vrachtwagenchauffeur",
    ),
}  # fmt: skip

POOLS = {
    "history": (
        "Hypertensie sinds {year:20}, [goed|matig] ingesteld.",
        "Appendectomie in {year:45}[ in {othercity}| in {otherhospital}|].",
        "Ziekte van Graves, radioactief jodium in {month:200}.",
        "Contractuur van Dupuytren, rechterhand in {year:15} geopereerd door {doctor}.",
        "Diabetes mellitus type 2 sinds {month:150}, HbA1c {n:44-68} mmol/mol.",
        "Sinds lang fenomeen van Raynaud, mild.", "Hyperlipidemie, statine sinds {year:12}.",
        "Collesfractuur links op {past:4000}, gips.",
        "Allergie: [penicilline (urticaria in {year:30})|geen bekend|jodium, niet bevestigd].",
        "Vader overleden aan hartinfarct op {kinage} jaar, moeder ziekte van Parkinson.",
        "Ex-roker, gestopt in {year:18}, {n:10-45} packyears.",
        "Gordelroos in {month:90}, roze litteken.",
        "Laparoscopische cholecystectomie op {past:3500} ({otherhospital}).",
        "Opgenomen {range:900} in {otherhospital} wegens pyelonefritis.",
        "Griepvaccinatie op {past:300} door {gp}.",
        "Contacteczeem door Parijs groen, hormoonzalf zo nodig.",
        "Syndroom van Gilbert, bilirubine meestal {n:24-48} µmol/l.",
        "Mogelijk syndroom van Sjögren, Schirmertest positief.",
    ),
    "history_young": (
        "Appendectomie in {year:10}[ in {othercity}| in {otherhospital}|].",
        "Allergie: [penicilline (urticaria in {year:9})|geen bekend|jodium, niet bevestigd].",
        "Opgenomen {range:900} in {otherhospital} wegens pyelonefritis.",
        "Fenomeen van Raynaud, mild.", "Astma op de kinderleeftijd, aanvalsvrij sinds {year:8}.",
        "Contacteczeem door Parijs groen, hormoonzalf zo nodig.",
        "Syndroom van Gilbert, bilirubine meestal {n:24-48} µmol/l.",
        "Polsfractuur op {past:3000}, gips.",
    ),
    "treatment_young": ("paracetamol 500 mg zo nodig", "{drug} (sinds {month:40})"),
    "history_child": (
        "A terme geboren te {birthplace}, geboortegewicht {n:2700-3900} g, Apgar 9/10.",
        "Bronchiolitis op {past:900}, niet opgenomen.",
        "Vaccinaties volgens rijksprogramma, laatste op {past:300}.",
        "Recidiverende otitis, trommelvliesbuisjes op {past:500} door {doctor}.",
        "Constitutioneel eczeem, geen voedselallergie bekend.",
        "Broertje onder controle wegens Henoch-Schönlein.",
        "Zesde ziekte op de leeftijd van {n:8-14} maanden zonder convulsie.",
    ),
    "social": (
        "Woont [alleen|met {kin}] in {city}, [tweede verdieping zonder lift|gelijkvloers].",
        "Beroep: {job}[, werkgever: {employer}|].",
        "{kin_caps} is bereikbaar op {kinphone}.", "ADL zelfstandig, Barthel 20/20.",
        "Roken: [nooit|vroeger]. Alcohol: [af en toe|een glas bij het eten|geen].",
        "Adres {street}, {zip} {city}[, geverifieerd|].",
        "Geboren te {birthplace}, woont in {region} sinds {year:25}.",
        "Werkt graag in de tuin (snoeit de rozen) en kaart.",
        "Logeerde onlangs bij {kin} in {othercity}.", "Verblijf in het buitenland in {month:20}.",
        "Maatschappelijk werk betrokken: mevrouw {third_last}, telefoon {site_phone}.",
        "Uitkering wordt gestort op rekening {account}.",
    ),
    "social_old": (
        "Woont [alleen|met {kin}] in {city}, [tweede verdieping zonder lift|gelijkvloers].",
        "Gepensioneerd, beroep: {job}.", "Gepensioneerd, beroep: {job}, laatste werkgever: {employer}.",
        "{kin_caps} is bereikbaar op {kinphone}.", "Hulp bij boodschappen, Barthel 15/20.",
        "Roken: [nooit|vroeger]. Alcohol: [af en toe|een glas bij het eten|geen].",
        "Adres {street}, {zip} {city}[, geverifieerd|].",
        "Geboren te {birthplace}, woont in {region} sinds {year:25}.",
        "Thuiszorg tweemaal daags, maaltijdservice.", "Werkt graag in de tuin (snoeit de rozen).",
        "Maatschappelijk werk betrokken: mevrouw {third_last}, telefoon {site_phone}.",
    ),
    "social_child": (
        "Gaat naar school in {city}, woont bij de ouders en een broertje.",
        "Komt met {kin}, mobiel {kinphone}.", "Adres {street}, {zip} {city}, een kat, geen rokers.",
        "Gastouder: mevrouw {third_last}.", "Huisarts {gp}, groeiboekje ingezien.",
    ),
    "treatment": (
        "{drug}", "{drug}", "{drug}", "{drug} (sinds {month:40})", "{drug}",
        "{drug} (gestart op {recent:200} door {gp})",
    ),
    "treatment_child": (
        "paracetamol 15 mg/kg iedere 6 u bij koorts", "salbutamol 2 puffs zo nodig",
        "vitamine D {n:400-800} IE per dag", "amoxicilline 80 mg/kg/dag tot {next:8}",
    ),
    "exam": (
        "RR {n:108-162}/{n:58-92} mmHg, pols {n:58-112}/min, saturatie {n:91-99}% zonder zuurstof, T {d:36.2-38.8} °C.",
        "Gewicht {weight} kg, lengte {height} cm, BMI {bmi}.",
        "Cor: regulair, geen souffles, teken van Homans negatief.",
        "Pulmones: symmetrisch ademgeruis, [geen bijgeluiden|basaal enkele crepitaties].",
        "Abdomen soepel, teken van Murphy negatief, McBurney [niet drukpijnlijk|drukpijnlijk].",
        "EMV 15, geen focale uitval, Babinski afwezig, Romberg negatief.",
        "Geen lymfadenopathie, geen klier van Virchow.", "Huid [rozig|bleek], geen purpura, turgor normaal.",
        "Pijn NRS {n:1-8}/10, Karnofsky [70|80|90|100]%, ECOG 1.",
        "Ontbrekende elementen 14 15 26 36 37 46, partiële prothese.",
        "Proef van Lasègue beiderzijds negatief, reflexen symmetrisch.",
    ),
    "exam_child": (
        "Gewicht {weight} kg, T {d:36.4-39.6} °C, pols {n:88-140}/min, AH {n:20-36}/min, saturatie {n:91-99}%.",
        "Speelt in de wachtkamer, rozig, goed gehydreerd.",
        "Trommelvliezen [gaaf|rood], geen nekstijfheid, Brudzinski negatief.",
        "Abdomen soepel, geen hernia, normale peristaltiek.", "Groeicurve stabiel op de 50e percentiel.",
    ),
    "labs": (
        "Hb {d:5.8-9.6} mmol/l, leukocyten {d:4.1-14.9}, trombocyten {n:150-410}.",
        "Controle Hb 12,03 g/dl (norm 12-16), MCV {n:82-98} fl.",
        "CRP {n:2-148} mg/l, procalcitonine {d:0.1-3.9} µg/l.",
        "Kreatinine {n:52-140} µmol/l, klaring volgens Cockcroft-Gault {n:38-105} ml/min.",
        "Na {n:132-144}, K {d:3.2-5.1}, Cl {n:96-108} mmol/l.",
        "ASAT {n:14-62}, ALAT {n:12-71}, AF {n:48-160} U/l.",
        "Glucosedagcurve: 105 - 112 - 98 - 120 mg/dl.", "INR {d:1.0-2.8}, von Willebrandfactor normaal.",
        "Lab van {recent:20}: ferritine {n:18-480} µg/l, TSH {d:0.5-4.2} mU/l.",
        "Bloedkweken van {recent:6} om {time} uur, na 48 u geen groei.",
        "Urinesediment {recent:9}: leukocyten 10-20/gv, kweek [negatief|E. coli 10^5].",
        "Bloedgas: pH 7,41, pCO2 {d:4.6-6.4} kPa, lactaat {d:0.8-2.9} mmol/l.",
    ),
    "labs_child": (
        "Sneltest streptokokken en influenza negatief op {recent:3}.", "Glucose {d:4.1-6.6} mmol/l.",
        "Urinesediment {recent:4}: geen leukocyten, geen nitriet.",
    ),
    "followup": (
        "Sinds het bezoek van {past:200} stabiel, slaapt goed.",
        "{kin_caps} helpt met de medicijnen en meldt geen val.",
        "Op {past:90} gezien door {doctor}, beleid ongewijzigd.",
        "Eetlust matig, gewicht {weight} kg, geen nieuwe klachten.",
        "Fysiotherapie tweemaal per week in {city} sinds {month:6}.",
    ),
    "course": (
        "Op {step} [koortsvrij|goede pijnstilling|dieet uitgebreid], mobiliseert met hulp.",
        "{doctor} in consult op {step}: [geen complicatie|beleid voortzetten].",
        "Fysiotherapie vanaf {step}, bij ontslag met rollator.",
        "Lab op {step}: CRP {n:4-60} mg/l, kreatinine {n:52-130} µmol/l.",
        "Familiegesprek op {step} met {kin} ({kinphone}).",
        "Op {step} kortdurend [pijn|misselijkheid|verwardheid], spontaan hersteld.",
        "Tromboseprofylaxe met nadroparine tot {step}.", "Geen decubitus, Bradenschaal {n:15-22}.",
        "Overgenomen van {ward} op {step} op verzoek van {doctor}.",
        "Consult diëtist: vezelarm dieet, klein ontbijt goed verdragen.",
        "Val zonder letsel op {step} rond {time} uur, gemeld.",
    ),
    "outcome": (
        "Ontslag op {discharge} naar huis, {street}, {city}, [per ambulance|met {kin}].",
        "Controle bij {doctor} op {next:60} om {time} uur.",
        "Labcontrole in de week van {next:14}.",
        "Niet werken tot {next:30}, daarna overleg met {gp}.",
        "Bij koorts of pijn bellen met {site_phone} (24 uur).", "Verdere zorg door {gp}{gp_city}, kopie gestuurd.",
        "Afspraakbrief naar {email} of bel {phone}.",
        "Thuiszorg in {othercity} ingelicht, {other_phone}.",
        "Revalidatie in {otherhospital} vanaf {next:12} akkoord.",
        "Machtiging aangevraagd, polisnummer {insurance}.",
    ),
    "outcome_child": (
        "Ontslag op {discharge} naar huis met {kin}, {street}, {city}.",
        "Controle bij {doctor} op {next:40} om {time} uur.", "Bij koorts bellen met {site_phone} (24 uur).",
        "Niet naar school tot {next:7}.", "Ouders bereikbaar op {phone}, brief naar {email}.",
    ),
    "anaesthesia": (
        "Algehele anesthesie, intubatie [vlot|lastig], Mallampati {n:1-3}, ASA {n:1-3}.",
        "Rugligging, armen langs het lichaam, drukpunten gepolsterd.",
        "Cefazoline 2 g [om {time} uur|30 minuten voor incisie].",
        "Time-out verricht: identiteit, zijde, allergieën.",
        "Echogeleid blok door {doctor}, ropivacaïne 0,375%.",
        "Foleykatheter 16 Ch, Trendelenburg 15 graden.",
    ),
    "operation": (
        "Kocherklemmen op de vaatstelen, Metzenbaumschaar.",
        "Goede hemostase, bloedverlies {n:50-450} ml.", "Redondrain achtergelaten.",
        "Telling compleet (20/20).", "Sluiten in lagen, Vicryl 3-0, agraves in de huid.",
        "Duur {n:45-190} minuten, van kamer om {time} uur.",
    ),
    "after_operation": (
        "Uitslaapkamer, Aldretescore 10/10", "Mobiliseren op dag 1, fysiotherapie",
        "Agraves verwijderen op {next:16}", "Nadroparine 1dd1 tot {next:30}",
        "Paracetamol en koelen, tramadol zo nodig", "Controle bij {surgeon} op {next:45}",
        "{kin_caps} gebeld na de ingreep ({kinphone})", "PA-uitslag via {site_phone}",
    ),
    "macroscopy": (
        "In formaline ontvangen, geïnkt, geheel ingesloten.",
        "Cassettes A1 tot A{n:3-9} en B1 tot B{n:2-6}.",
        "Fragment van {n:4-28} x {n:3-19} x {n:2-9} mm, roze-bruin.",
        "Potje met etiket {LAST}, {first}, komt overeen met de aanvraag.",
    ),
    "microscopy": (
        "Geen lymfangio-invasie of perineurale groei.", "Hematoxyline-eosine, 3 niveaus.",
        "Omgevend weefsel met geringe lymfoplasmacellulaire ontsteking.",
        "Mitoses {n:1-14} per 10 HPF.", "Snijvlakken vrij, kleinste marge {n:2-18} mm.",
    ),
    "stains": (
        "Giemsa: geen Helicobacter", "Ki-67: {n:5-80}%", "Berlijns blauw: negatief", "PAS: positief",
        "Congorood: negatief", "Ziehl-Neelsen: geen zuurvaste staven", "Gram: geen micro-organismen",
        "Vriescoupe van {day}, doorgebeld aan {doctor} om {time} uur",
    ),
    "diagnosis": (
        "Overig materiaal zonder maligniteit.",
        "Revisie door {doctor} ({otherhospital}) volgt, verwacht {next:20}.",
        "Vergeleken met {exam:old} van {past:900}.",
    ),
    "technique": (
        "Spiraal-CT na {n:70-120} ml Iomeron 350.",
        "Multiplanaire reconstructies, weke delen en bot.",
        "DLP {n:210-880} mGy.cm; vergelijking {past:800}.", "Geen contrastreactie.",
        "T1, T2 en diffusie op 1,5 T, softwareversie 4.2.1.",
    ),
    "imaging": (
        "Geen pleura- of pericardvocht.", "Geen verdachte botlaesie.",
        "Eenvoudige niercyste van {n:8-35} mm, Bosniak 1.", "Atherosclerose, aorta normaal kaliber.",
        "Onveranderd ten opzichte van {past:700}.", "Schildkliernodus van {n:5-18} mm, TI-RADS 3.",
        "Kleine hernia van Spieghel.", "Gladde lever, slanke ductus van Wirsung.",
    ),
    "impression": (
        "Klinische correlatie gewenst.", "Controle geadviseerd in {nextmonth:9}.",
        "Doorgebeld aan {doctor} op {day} om {time} uur.",
    ),
    "conduct": (
        "Opname op {ward}, hoofdbehandelaar {doctor}", "Paracetamol 1 g, herbeoordeling om {time} uur",
        "Infuus, lab afgenomen", "Overleg met {doctor} om {time} uur", "{kin_caps} gebeld op {kinphone}",
        "Monitor, controles per uur, EWS {n:1-7}", "Brief aan {gp}, controle op {next:5}",
    ),
    "vitals": (
        "{step} {time}: RR {n:102-160}/{n:58-90}, pols {n:58-104}, T {d:36.2-38.7}, sat {n:92-99}%.",
        "{step} {time}: diurese {n:400-1900} ml, NRS {n:0-7}/10, glucose {d:4.4-12.1}.",
        "Gewicht op {step}: {weight} kg.", "Braden {n:14-22}, Morse {n:15-65}, MNA 24/30.",
    ),
    "vitals_child": (
        "{step} {time}: pols {n:88-132}, T {d:36.4-39.4}, sat {n:92-99}%, AH {n:20-34}.",
        "Gewicht op {step}: {weight} kg. FLACC {n:0-6}/10.",
    ),
    "transmissions": (
        "{step} {time}: [rustig|goed geslapen|onrustige nacht], [ontbeten|maaltijd geweigerd]. Verpleegkundige: {nurse}",
        "{step}: verband verwisseld, wond rustig en droog. Verpleegkundige: {nurse}",
        "{step} {time}: {kin} gebeld, vraagt terugbellen op {kinphone} na de visite.",
        "{step}: NRS {n:2-8}/10, diclofenac gegeven om {time} uur met effect.",
        "{step}: visite {doctor}, nieuw voorschrift ({drug}).",
        "{step} {time}: insteekplaats linkeronderarm rozig, niet warm, infuus gewisseld.",
        "{step}: in de stoel, {n:20-80} m gelopen met de fysiotherapie.",
        "{step}: {doctor} sprak met de familie; {kin} vraagt maatschappelijk werk.",
        "{step} {time}: eenmaal ontlasting, Foleykatheter verwijderd.",
        "{step}: polsbandje gecontroleerd ({LAST}, {first}, {birth}), etiket {ipp}.",
    ),
    "opinion": (
        "Ik zie {hem|haar} terug op {next:120}.", "Ik adviseer {drug} voort te zetten.",
        "Volgende labcontrole rond {next:30} bij het laboratorium in {city}.",
        "Op {zijn|haar} verzoek gaat een kopie naar de bedrijfsarts (werkgever: {employer}).",
        "Bel gerust {site_phone} of schrijf naar {author_email}.",
        "Al met al geruststellend, beleid ongewijzigd.", "Afspraak bij {doctor} op {next:50}.",
        "De CT van {otherhospital} van {past:400} werd vandaag bekeken.",
    ),
    "previous": (
        "{earlier}: onderzoek {exam:old}, {otherhospital}, niets verdachts.",
        "{earlier}: gezien door {doctor}, [stabiel|onveranderd|controle voortzetten].",
        "{earlier}: SEH-bezoek wegens [pijn|duizeligheid], naar huis.",
        "{earlier}: brief van {gp}{gp_city} met verzoek om advies.",
        "{earlier}: Hb {d:6.1-9.2} mmol/l, kreatinine {n:52-120} µmol/l, laboratorium in {city}.",
        "{earlier}: opname in {otherhospital}, opgehaald door {kin}.",
    ),
    "question": ("Adjuvante therapie?", "Re-excisie of afwachten?"),
    "decision": (
        "{doctor} ziet {patiënt|patiënte} op {next:14}", "Studie besproken",
        "Voorlichtingsgesprek op {next:10} met {nurse}", "Stadiëring afronden",
        "Opnieuw bespreken op {next:90}", "Brief aan {gp}",
    ),
}  # fmt: skip

TRAPS = (
    "Ziekte van Graves", "Contractuur van Dupuytren", "fenomeen van Raynaud", "Parijs groen",
    "ziekte van Parkinson", "Babinski afwezig", "teken van Murphy", "12,03 g/dl", "Foleykatheter",
    "klein ontbijt", "Pagina 1/2", "versie 2.1.3", "Bradenschaal", "pH 7,41", "105 - 112 - 98 - 120",
    "14 15 26 36 37 46", "Kocherklemmen", "Syndroom van Gilbert", "Redondrain", "Schirmertest",
    "Ziekte van Crohn", "Hodgkinlymfoom", "Reed-Sternbergcellen", "1/2 tablet", "von Willebrandfactor",
    "Montreal L3B2",
)  # fmt: skip

LANGUAGE = LetterLanguage("nl", KINDS, POOLS, WORDS, STORIES, ANNEXES, TRAPS)
