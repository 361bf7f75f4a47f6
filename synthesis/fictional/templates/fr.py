"""French notes: letterheads, identity blocks, sentences for any patient, lists, traps."""

from synthesis.fictional.templates.fr_stories import STORIES
from synthesis.fictional.templates.grammar import LetterLanguage, NoteKind, Section

_SIGN_OFF = (
    "{author}\nService : {specialty}\nRPPS : {rpps}",
    "Compte rendu validé électroniquement par {author} le {today} à {time}.\nCopie : {gp}",
    "{author_caps}\nSecrétariat : {site_phone}\n{author_email}",
    "Dr {signature}\n\n{site} - {site_address}\nPage 1/2",
    "Signé : {author}, le {today}\nFrappe : {username} - version 2.1.3",
)
_LETTER_END = (
    "[Bien confraternellement|Avec mes salutations confraternelles|Bien cordialement],\n\n{author}"
    "\n[RPPS {rpps}|{author_email}|Tél. : {site_phone}]",
    "Je vous prie de croire, [cher confrère|chère consœur], à l'assurance de mes sentiments les "
    "meilleurs.\n\n{author_caps}\nCopie à : {gp}, {doctor}",
    "Restant à votre disposition au {site_phone}.\n\n{author} / {doctor}\nDicté le {today}, "
    "tapé par {username}",
)

KINDS = {
    "discharge": NoteKind(
        titles=(
            "Compte rendu d'hospitalisation",
            "Lettre de liaison à la sortie",
            "Compte rendu d'hospitalisation du {admission} au {discharge}",
        ),
        heads=(
            "{letterhead}{title}\n\n{identity}\n\nHospitalisé{|e} du {admission} au {discharge} "
            "([service|unité] : {specialty}). Médecin référent : {author}. "
            "Médecin traitant : {gp}{gp_city}.",
            "{letterhead}{city_of_site}, le {today}\n\n{title}\n{identity}\n\nCher confrère,\n"
            "Votre patient{|e}, {civil} {patient}, {age}, a séjourné dans "
            "[notre unité|{ward}] {stay}.",
            "{title}\n{identity}\nEntrée : {admission}   Sortie : {discharge}\nAdressé{|e} par : "
            "{gp} ({gp_phone})\nInterne : {third}",
        ),
        sections=(
            Section("Motif d'hospitalisation", "reason", 0.5),
            Section("Antécédents", "history", 1.3, "list"),
            Section("Mode de vie", "social", 0.8),
            Section("Traitement à l'entrée", "treatment", 0.9, "list", 0.8),
            Section("Histoire de la maladie", "account", 1.2),
            Section("Examen clinique à l'entrée", "exam", 1.2),
            Section("Biologie", "labs", 1.0, "prose", 0.9),
            Section("Imagerie", "imaging", 0.9, "prose", 0.8),
            Section("Évolution dans le service", "course", 1.6),
            Section("Conclusion et devenir", "outcome", 1.0),
        ),
        tails=_SIGN_OFF + _LETTER_END[:1],
    ),
    "operation": NoteKind(
        titles=("Compte rendu opératoire", "COMPTE-RENDU OPÉRATOIRE", "Protocole opératoire"),
        heads=(
            "{letterhead}{title}\n\n{identity}\n\nDate d'intervention : {day}\nOpérateur : {author}\n"
            "Aide opératoire : {third}\nAnesthésiste : {doctor}\nIBODE : {nurse}",
            "{title} - {site}\n{identity}\nIntervention du {day} - Chirurgien : {author} - "
            "Anesthésie : {doctor} - Entrée en salle : {time}",
        ),
        sections=(
            Section("Indication", "reason", 0.6),
            Section("Antécédents notables", "history", 0.6, "list", 0.5),
            Section("Anesthésie et installation", "anaesthesia", 0.8),
            Section("Intervention", "operation", 2.4),
            Section("Suites prévues", "after_operation", 1.2, "list"),
        ),
        tails=_SIGN_OFF,
        specialty="surgery",
    ),
    "pathology": NoteKind(
        titles=("Compte rendu d'anatomie pathologique", "Examen anatomopathologique n° {exam}"),
        heads=(
            "{letterhead}{title}\n{identity}\n\nPrélèvement n° {exam} reçu le {day}, adressé par "
            "{doctor}, {site}.\nCompte rendu du {today}",
            "{title}\nN° d'examen : {exam}\n{identity}\nPrescripteur : {doctor}\nDate de prélèvement"
            " : {day} - Date de réception : {today}",
        ),
        sections=(
            Section("Renseignements cliniques", "reason", 0.7),
            Section("Macroscopie", "macroscopy", 1.2),
            Section("Microscopie", "microscopy", 1.8),
            Section("Techniques complémentaires", "stains", 0.9, "list", 0.8),
            Section("Conclusion", "diagnosis", 0.9),
        ),
        tails=(
            *_SIGN_OFF,
            "{author} - {doctor}\nDiagnostic relu le {today}. Bloc conservé n° {exam}",
        ),
        specialty="pathology",
    ),
    "imaging": NoteKind(
        titles=("Compte rendu d'imagerie", "Compte rendu de scanner", "Imagerie du {day}"),
        heads=(
            "{letterhead}{title}\n\n{identity}\nExamen n° {exam} réalisé le {day} à {time}\n"
            "Demandé par : {doctor}\nRadiologue : {author}",
            "{title}\n{civil} {patient}, {neele} {birth}\nIPP {ipp}\nMédecin demandeur : {doctor}, "
            "{ward}\nDate de l'examen : {day}",
        ),
        sections=(
            Section("Indication", "reason", 0.7),
            Section("Technique", "technique", 0.9),
            Section("Résultats", "imaging", 2.2, "lines"),
            Section("Conclusion", "impression", 0.9),
        ),
        tails=_SIGN_OFF,
        specialty="radiology",
    ),
    "emergency": NoteKind(
        titles=("Compte rendu de passage aux urgences", "Service d'accueil des urgences"),
        heads=(
            "{letterhead}{title}\n{identity}\nArrivée le {day} à {time} - Mode : [ambulance|VSL|"
            "moyens personnels|SMUR]\nIAO : {nurse} - Médecin : {author}\nPersonne à prévenir : {kin}, "
            "tél. {kinphone}",
            "{title} - {site}\n{identity}\n{civil} {last} se présente aux urgences le {weekday} à "
            "{time}, accompagné{|e} de {kin} ({kinphone}).",
        ),
        sections=(
            Section("Motif de recours", "reason", 0.6),
            Section("Antécédents", "history", 1.0, "list"),
            Section("Traitement habituel", "treatment", 0.8, "list", 0.7),
            Section("Histoire de la maladie", "account", 1.1),
            Section("Examen à l'arrivée", "exam", 1.3),
            Section("Bilan", "labs", 1.1),
            Section("Imagerie", "imaging", 0.8, "prose", 0.6),
            Section("Conduite à tenir", "conduct", 1.0, "list"),
        ),
        tails=_SIGN_OFF,
        specialty="emergency",
    ),
    "nursing": NoteKind(
        titles=("Transmissions infirmières", "Fiche de liaison infirmière"),
        heads=(
            "{title} - {ward}\n{civil} {LAST} {first} - {birth} - Chambre [12|14|203|307|411] "
            "[porte|fenêtre]\nIPP {ipp} / séjour {visit}\nPersonne de confiance : {kin} {kinphone}",
            "{title}\n{identity}\nService : {ward} - Entrée le {admission}\nIDE : {nurse}",
        ),
        sections=(
            Section("Constantes", "vitals", 1.0),
            Section("Contexte", "reason", 0.5, "prose", 0.7),
            Section("Autonomie et entourage", "social", 0.8, "prose", 0.7),
            Section("Transmissions", "transmissions", 3.0, "lines"),
            Section("Traitement en cours", "treatment", 0.6, "list", 0.6),
        ),
        tails=(
            "IDE {nurse} - {today} {time}",
            "Relève faite à {nurse} le {today}. {doctor} au courant.",
            "{nurse}, IDE de nuit\nPoste {site_phone}",
        ),
        specialty="nursing",
    ),
    "consultation": NoteKind(
        titles=(
            "Courrier de consultation",
            "Consultation du {today}",
            "Lettre au médecin traitant",
        ),
        heads=(
            "{letterhead}{city_of_site}, le {today}\n\n{gp}\n{gp_address}\n\nConcerne : {civil} "
            "{patient}, {neele} {birth}\n{street}, {zip} {city}\n\nCher confrère,\n\nJ'ai revu en "
            "consultation ce jour [votre patient{|e}|{civil} {last}], {age}.",
            "{letterhead}{title}\n{identity}\n\nChère consœur, cher confrère,\n\nMerci de m'avoir "
            "adressé {civil} {last}, {age}, que j'ai [vu{|e}|reçu{|e}|examiné{|e}] le {today}.",
            "{title}\n{author_caps}\n{gp}\n\nMon cher ami,\nJe vois ce jour {civil} {first} {last} "
            "(DDN {birth}, IPP {ipp}), [accompagné{|e} de {kin}|venu{|e} seul{|e}].",
        ),
        sections=(
            Section("", "reason", 0.6),
            Section("Antécédents", "history", 0.9, "list", 0.6),
            Section("", "account", 0.9, "prose", 0.6),
            Section("Évolution", "followup", 1.0),
            Section("Sur le plan social", "social", 0.7, "prose", 0.6),
            Section("Examen", "exam", 1.2),
            Section("Examens complémentaires", "labs", 0.9, "prose", 0.8),
            Section("", "imaging", 0.7, "prose", 0.5),
            Section("Au total", "opinion", 1.3),
        ),
        tails=_LETTER_END,
    ),
    "board": NoteKind(
        titles=("Réunion de concertation pluridisciplinaire", "Fiche RCP", "RCP du {today}"),
        heads=(
            "{letterhead}{title}\nDate : {today}\nCoordonnateur : {author}\nPrésents : {doctor}, "
            "{doctor}, {doctor}, {third_initial}\n\n{identity}\nMédecin traitant : {gp}",
            "{title} - {site}\nDossier présenté par {doctor}\n{identity}\nQuorum atteint : {author}, "
            "{doctor}, {doctor} / {third_initial}",
        ),
        sections=(
            Section("Antécédents", "history", 1.0, "list"),
            Section("Résumé", "account", 1.4),
            Section("Imagerie", "imaging", 1.0),
            Section("Anatomie pathologique", "diagnosis", 0.7),
            Section("État général", "exam", 0.7, "prose", 0.8),
            Section("Question posée", "question", 0.4),
            Section("Proposition", "decision", 1.3, "list"),
        ),
        tails=(
            "Avis rendu le {today}, validé par {author}. {Le patient|La patiente} sera informé{|e} par {doctor}.",
            *_SIGN_OFF[1:],
        ),
        specialty="oncology",
    ),
}

# What lengthens a note: earlier records where nothing happens on the ward, else the ward's diary.
_EARLIER = (Section("Examens et séjours antérieurs", "previous", 1.0, "lines"),)
_DIARY = (
    Section("Surveillance", "vitals", 1.0, "lines"),
    Section("Suivi", "course", 2.0),
    Section("Relevé infirmier", "transmissions", 1.5, "lines"),
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
        "{site_caps}\n{site_address}\nTél. : {site_phone} - Fax : {site_fax}\n\n",
        "{site}\nService : {specialty}\nChef de service : {chief}\nSecrétariat {site_phone}\n"
        "{url}\n\n",
        "",
        "",
        "{site}\n{site_address}\n{chief} - {doctor} - {doctor}\n{site_url_mail}\n\n",
    ),
    "identity": (
        "Patient : {LAST} {first}\n{Né|Née} le {birth}[ à {birthplace}|]\nIPP : {ipp}   N° de "
        "séjour : {visit}\nAdresse : {street}\n{zip} {city_caps}",
        "Nom : {last}   Prénom : {given}\nNom de naissance : {birthname}\nDate de naissance : "
        "{birth} ({age})   Sexe : {M|F}\nN° IPP : {ipp} - NDA : {visit}\nN° de sécurité sociale : "
        "{ssn}\nTél. : {phone}",
        "{civil} {patient}[{maiden}|], {neele} {birth}\nIPP {ipp} / NDA {visit}",
        "{LAST} {first} | {M|F} | {birth} | {ipp} | {visit}",
        "IDENTITÉ : {civil} {last} {given}{maiden}\nDDN : {birth}   Lieu de naissance : {birthplace}"
        "\nDomicile : {street} - {zip} {city}[ ({region})|]\nTéléphone : {phone}[ - {email}|]\n"
        "NIR : {ssn}   Mutuelle n° {insurance}\nIPP : {ipp}",
    ),
    "neele": ("{né le|née le}",),
    "stay": ("{range}", "{range}", "depuis le {admission}", "du {admission} au {discharge}"),
    "drug": (
        "amlodipine 5 mg le matin", "bisoprolol 2,5 mg, 1 cp le matin", "ramipril 5 mg le soir",
        "atorvastatine 20 mg au coucher", "pantoprazole 20 mg, 1 cp à jeun", "furosémide 40 mg, 1-0-0",
        "lévothyroxine 75 µg à jeun", "paracétamol 1 g, 3 fois par jour", "tramadol 50 mg si douleur",
        "Kardégic 75 mg, 1 sachet à midi", "metformine 850 mg, 1-0-1", "Lovenox 4000 UI, 1 injection/j",
        "sertraline 50 mg le matin", "zopiclone 7,5 mg, 1/2 comprimé au coucher",
        "Doliprane 1 g si fièvre", "macrogol 1 sachet/j",
    ),
    "specialty.surgery": ("chirurgie digestive", "chirurgie générale"),
    "specialty.oncology": ("oncologie médicale", "hématologie"),
    "specialty.geriatrics": ("médecine gériatrique", "orthopédie"),
    "specialty.cardiology": ("cardiologie",),
    "specialty.pneumology": ("pneumologie",),
    "specialty.gastroenterology": ("hépato-gastro-entérologie",),
    "specialty.paediatrics": ("pédiatrie",),
    "specialty.radiology": ("radiologie", "imagerie médicale"),
    "specialty.pathology": ("anatomie et cytologie pathologiques",),
    "specialty.emergency": ("médecine d'urgence",),
    "specialty.nursing": ("soins infirmiers",),
    "specialty.gp": ("médecine générale",),
    "title.M": ("Dr", "Dr", "Docteur", "Pr"),
    "title.F": ("Dr", "Dr", "Docteur", "Pr"),
    "title.gp.M": ("Dr",),
    "title.gp.F": ("Dr",),
    "title.nursing.M": ("M.",),
    "title.nursing.F": ("Mme",),
    "civil.M": ("M.", "M.", "Monsieur", "Mr"),
    "civil.F": ("Mme", "Mme", "Madame", "MME"),
    "civil.child": ("l'enfant",),
    "kin.wife": ("son épouse", "sa femme"),
    "kin.husband": ("son mari", "son époux"),
    "kin.daughter": ("sa fille",),
    "kin.son": ("son fils",),
    "kin.sister": ("sa sœur",),
    "kin.brother": ("son frère",),
    "kin.mother": ("sa mère",),
    "kin.father": ("son père",),
    "maiden": (", {né|née} ", " {né|née} ", " ({né|née} "),
    "range": ("du /au ",),
    "on": ("le ",),
    "in": (" à ",),
    "age": ("{} ans",),
    "months": ("{} mois",),
    "job": (
        "menuisier/menuisière", "comptable", "enseignant/enseignante", "agriculteur/agricultrice",
        "chauffeur de bus/conductrice de bus", "infirmier/infirmière", "maçon/couturière",
        "cadre bancaire", "secrétaire", "électricien/électricienne", "cuisinier/cuisinière",
        "ingénieur/ingénieure", "agent d'entretien/agente d'entretien", "facteur/factrice",
        "bibliothécaire", "soudeur/aide-soignante", "notaire", "vendeur/vendeuse",
    ),
    "other_reader": ("au médecin coordonnateur", "au médecin du travail de {employer}"),
}  # fmt: skip

POOLS = {
    "history": (
        "Hypertension artérielle connue depuis {year:20}, [équilibrée|mal équilibrée] sous traitement.",
        "Appendicectomie en {year:45} [à {othercity}|à {otherhospital}|].",
        "Maladie de Basedow traitée par iode radioactif en {month:200}.",
        "Maladie de Dupuytren opérée à droite en {year:15} par {doctor}.",
        "Diabète de type 2 diagnostiqué en {month:150}, HbA1c à {d:6.1-8.4} %.",
        "Phénomène de Raynaud ancien, sans retentissement.",
        "Dyslipidémie sous statine depuis {year:12}.",
        "Fracture de Pouteau-Colles gauche le {past:4000}, traitée orthopédiquement.",
        "Allergie : [pénicilline (urticaire en {year:30})|aucune connue|iode, non documentée].",
        "Père décédé d'un infarctus à {kinage}, mère atteinte d'une maladie de Parkinson.",
        "Tabagisme sevré en {year:18}, {n:10-45} paquets-années.",
        "Zona thoracique en {month:90}, rosé puis cicatriciel.",
        "Cholécystectomie sous cœlioscopie le {past:3500} ({otherhospital}).",
        "Hospitalisé{|e} {range:900} à {otherhospital} pour pyélonéphrite.",
        "Vaccination antigrippale faite le {past:300} chez {gp}.",
        "Eczéma de contact au savon de Marseille, dermocorticoïde au besoin.",
        "Maladie de Gilbert, bilirubine libre habituellement à {n:22-38} µmol/L.",
        "Syndrome de Gougerot-Sjögren suspecté, test de Schirmer positif.",
    ),
    "history_young": (
        "Appendicectomie en {year:10}[ à {othercity}| à {otherhospital}|].",
        "Allergie : [pénicilline (urticaire en {year:9})|aucune connue|iode, non documentée].",
        "Hospitalisé{|e} {range:900} à {otherhospital} pour pyélonéphrite.",
        "Phénomène de Raynaud, sans retentissement.", "Asthme dans l'enfance, sans crise depuis {year:8}.",
        "Eczéma de contact au savon de Marseille, dermocorticoïde au besoin.",
        "Maladie de Gilbert, bilirubine libre habituellement à {n:22-38} µmol/L.",
        "Fracture du poignet le {past:3000}, traitée orthopédiquement.",
    ),
    "treatment_young": ("paracétamol 1 g si douleur", "{drug} (depuis {month:40})"),
    "history_child": (
        "Né{|e} à terme à {birthplace}, poids de naissance {n:2700-3900} g, Apgar 10/10.",
        "Bronchiolite le {past:900}, non hospitalisée.",
        "Vaccinations à jour selon le carnet, dernier rappel le {past:300}.",
        "Otites à répétition, aérateurs transtympaniques posés le {past:500} par {doctor}.",
        "Eczéma atopique, pas d'allergie alimentaire connue.",
        "Frère suivi pour un purpura de Schönlein-Henoch.",
        "Roséole à l'âge de {n:8-14} mois, sans convulsion.",
    ),
    "social": (
        "Vit [seul{|e}|en couple|avec {kin}] à {city}, [dans un appartement au 2e étage|dans une "
        "petite maison de plain-pied].",
        "Profession : {job}[ chez {employer}|].",
        "{kin_caps} est joignable au {kinphone}.",
        "Autonome pour les gestes de la vie quotidienne, ADL 6/6, IADL 3/4.",
        "Tabac : [non|sevré]. Alcool : [occasionnel|un verre par repas|"
        "non].",
        "Habite au {street}, {zip} {city}[ ; code du portail connu du service|].",
        "Originaire de {birthplace}, vit en {region} depuis {year:25}.",
        "Séjour récent à {othercity} chez {kin}.",
        "Demande d'aide sociale déposée, RIB transmis : {account}.",
        "Voyage récent à l'étranger signalé en {month:20}.",
        "Dossier social ouvert par Mme {third_last}, assistante sociale ({site_phone}).",
    ),
    "social_old": (
        "Vit [seul{|e}|en couple|avec {kin}] à {city}, [dans un appartement au 2e étage|dans une "
        "petite maison de plain-pied].",
        "{Retraité|Retraitée}, {ancien|ancienne} {job}.",
        "{kin_caps} est joignable au {kinphone}.",
        "Autonome pour les gestes de la vie quotidienne, ADL 6/6, IADL 3/4.",
        "Tabac : [non|sevré]. Alcool : [occasionnel|un verre par repas|"
        "non].",
        "Habite au {street}, {zip} {city}[ ; code du portail connu du service|].",
        "Passage d'une infirmière matin et soir, portage des repas, aide-ménagère.",
        "Originaire de {birthplace}, vit en {region} depuis {year:25}.",
        "Loisirs : jardinage (taille ses rosiers), belote le mercredi.",
        "Séjour récent à {othercity} chez {kin}.",
        "Demande d'aide sociale déposée, RIB transmis : {account}.",
        "Voyage récent à l'étranger signalé en {month:20}.",
        "Dossier social ouvert par Mme {third_last}, assistante sociale ({site_phone}).",
    ),
    "social_child": (
        "Scolarisé{|e} à {city}, vit avec ses parents et un petit frère.",
        "Accompagné{|e} de {kin}, joignable au {kinphone}.",
        "Habite au {street}, {zip} {city}, 1 chat, pas de tabagisme passif.",
        "Mode de garde : assistante maternelle, Mme {third_last}.",
        "Suivi par {gp}, carnet de santé présenté.",
    ),
    "treatment": (
        "{drug}", "{drug}", "{drug}", "{drug} (depuis {month:40})",
        "{drug} (introduit le {recent:200} par {gp})", "{drug}",
    ),
    "treatment_child": (
        "paracétamol 15 mg/kg toutes les 6 h si fièvre", "Ventoline 2 bouffées si gêne",
        "vitamine D, {n:800-1200} UI/j", "amoxicilline 80 mg/kg/j jusqu'au {next:8}",
    ),
    "exam": (
        "TA {n:11-16}/{n:6-9}, FC {n:58-112}/min, SpO2 {n:91-99} % en air ambiant, T° {d:36.4-38.9} °C.",
        "Poids {weight} kg, taille {height} cm, IMC {bmi}.",
        "Auscultation cardiaque régulière, pas de souffle, pas de signe de Homans.",
        "Murmure vésiculaire symétrique, [sans bruit surajouté|quelques crépitants des bases].",
        "Abdomen souple, dépressible, signe de Murphy négatif, signe de McBurney [absent|douteux].",
        "Glasgow 15, pas de déficit, signe de Babinski absent, Romberg négatif.",
        "Aires ganglionnaires libres, pas de ganglion de Troisier.",
        "Téguments [rosés|pâles], pas de purpura, pli cutané [absent|discret].",
        "EVA {n:1-8}/10, Karnofsky [70|80|90|100] %, OMS 1.",
        "État dentaire : absence des 14 15 24 25 36 46, prothèse amovible.",
        "Manœuvre de Lasègue négative des deux côtés, réflexes présents.",
    ),
    "exam_child": (
        "Poids {weight} kg, T° {d:36.6-39.4} °C, FC {n:88-140}/min, FR {n:20-36}/min, SpO2 {n:91-99} %.",
        "Bon contact, tonique, joue dans la salle d'attente, teint rose.",
        "Tympans [rosés|congestifs], gorge propre, pas de raideur, Brudzinski négatif.",
        "Abdomen souple, orifices herniaires libres, transit présent.",
        "Courbe staturo-pondérale régulière, périmètre crânien à + 1 DS.",
    ),
    "labs": (
        "Hémoglobine {d:9.1-15.4} g/dL, leucocytes {d:4.1-14.9} G/L, plaquettes {n:150-410} G/L.",
        "Hb contrôlée à 12.03 g/dL (N : 12-16), VGM {n:82-98} fL.",
        "CRP {n:2-148} mg/L, procalcitonine {d:0.1-3.9} µg/L.",
        "Créatinine {n:52-138} µmol/L, clairance selon Cockcroft {n:38-105} mL/min.",
        "Ionogramme : Na {n:132-144}, K {d:3.2-5.1}, Cl {n:96-108} mmol/L.",
        "Bilan hépatique : ASAT {n:14-62}, ALAT {n:12-71}, GGT {n:18-160} UI/L.",
        "Glycémies capillaires : 1.05 - 1.12 - 0.98 - 1.20 g/L.",
        "TP {n:72-100} %, INR {d:1.0-2.8}, facteur de Willebrand normal.",
        "Bilan du {recent:20} : ferritine {n:18-480} µg/L, TSH {d:0.5-4.2} mUI/L.",
        "Hémocultures prélevées le {recent:6} à {time}, stériles à 48 h.",
        "ECBU du {recent:9} : leucocytes 10^4/mL, culture [stérile|à Escherichia coli 10^5].",
        "Gazométrie : pH 7.41, PaCO2 {n:35-48} mmHg, lactates {d:0.8-2.9} mmol/L.",
    ),
    "labs_child": (
        "Glycémie capillaire {d:0.7-1.2} g/L, bandelette urinaire négative.",
        "Test rapide grippe et streptocoque négatif le {recent:3}.",
        "ECBU du {recent:4} : leucocytes absents, culture stérile.",
    ),
    "followup": (
        "Depuis la consultation du {past:200}, l'état est stable et le sommeil correct.",
        "{kin_caps} aide à la prise des médicaments et ne signale pas de chute.",
        "{Il|Elle} a été vu{|e} le {past:90} par {doctor}, sans modification du traitement.",
        "L'appétit est conservé, poids à {weight} kg, pas de nouvelle plainte.",
        "Kinésithérapie deux fois par semaine à {city} depuis {month:6}.",
    ),
    "course": (
        "Le {step}, [apyrexie|douleur contrôlée|bonne tolérance], reprise de l'alimentation.",
        "Avis de {doctor} demandé le {step} : [pas d'argument pour une complication|poursuite du "
        "traitement|contrôle biologique à 48 h].",
        "À partir du {step}, lever au fauteuil puis marche avec le kinésithérapeute.",
        "Contrôle biologique du {step} : CRP {n:4-60} mg/L, créatinine {n:55-120} µmol/L.",
        "Entretien avec {kin} le {step}, au courant de la situation ({kinphone}).",
        "Le {step}, épisode de [douleur|nausées|confusion] d'évolution favorable.",
        "Thromboprophylaxie par Lovenox 4000 UI jusqu'au {step}.",
        "Pas d'escarre, score de Braden à {n:15-22}, Norton à {n:14-19}.",
        "Transfert depuis {ward} le {step}, à la demande de {doctor}.",
        "Évaluation par la diététicienne : régime pauvre en fibres, petit déjeuner bien pris.",
        "Le bilan martial reste à contrôler en externe vers le {next:20}.",
        "Chute sans gravité dans la chambre le {step} vers {time}, déclarée.",
    ),
    "outcome": (
        "Retour à domicile le {discharge}, {street} à {city}, [en ambulance|avec {kin}].",
        "Consultation de contrôle avec {doctor} le {next:60} à {time}.",
        "Ordonnance remise ; prochaine prise de sang la semaine du {next:14}.",
        "Arrêt de travail jusqu'au {next:30}, à prolonger par {gp} si besoin.",
        "En cas de fièvre ou de douleur, appeler le {site_phone} (24 h/24).",
        "Poursuite du suivi par {gp}{gp_city}, à qui nous adressons copie.",
        "Convocation envoyée à {email}, à défaut par téléphone au {phone}.",
        "Infirmière à domicile prévenue : cabinet de {othercity}, {other_phone}.",
        "Dossier transmis à {otherhospital} pour rééducation, entrée prévue le {next:12}.",
        "Prise en charge à 100 % demandée ; n° d'assuré {ssn}.",
    ),
    "outcome_child": (
        "Retour à domicile le {discharge} avec {kin}, {street} à {city}.",
        "Consultation de contrôle avec {doctor} le {next:40} à {time}.",
        "En cas de fièvre ou de gêne, appeler le {site_phone} (24 h/24).",
        "Certificat d'éviction scolaire jusqu'au {next:7}.",
        "Suivi par {gp}{gp_city}, à qui nous adressons copie.",
        "Parents joints au {phone}, compte rendu envoyé à {email}.",
    ),
    "anaesthesia": (
        "Pose de champs, badigeon à la Bétadine.",
        "Anesthésie générale, intubation [facile|difficile, Cormack 3], ASA {n:1-3}.",
        "Décubitus dorsal, bras le long du corps, appuis protégés.",
        "Antibioprophylaxie par céfazoline 2 g à l'induction ([{time}|30 minutes avant incision]).",
        "Check-list HAS vérifiée : identité, côté, allergies.",
        "Bloc échoguidé par {doctor}, ropivacaïne 0,375 %.",
        "Sonde de Foley n° 16, position de Trendelenburg 15°.",
    ),
    "operation": (
        "Pinces de Kocher et de Kelly sur les pédicules, ciseaux de Metzenbaum.",
        "Hémostase soigneuse, saignement estimé à {n:50-450} mL, pas de transfusion.",
        "Compte des compresses exact (20/20).", "Drain de Redon en aspiration douce.",
        "Fermeture plan par plan, points séparés au fil 3/0, agrafes à la peau.",
        "Durée opératoire : {n:45-190} minutes. Fin à {time}.",
    ),
    "after_operation": (
        "Surveillance en salle de réveil, score d'Aldrete 10/10", "Lever à J1, kinésithérapie",
        "Ablation des agrafes le {next:16} par l'infirmière à domicile",
        "Lovenox 4000 UI par jour jusqu'au {next:30}",
        "Antalgiques palier 2, poche de glace", "Revoir {surgeon} en consultation le {next:45}",
        "Appel de {kin} à l'issue de l'intervention ({kinphone})",
        "Résultat d'anatomie pathologique à récupérer au {site_phone}",
    ),
    "macroscopy": (
        "Pièce fixée en formol, encrée puis débitée en totalité.",
        "Blocs A1 à A{n:3-9}, B1 à B{n:2-6} ; inclusion en paraffine.",
        "Fragment de {n:4-28} x {n:3-19} x {n:2-9} mm, de couleur rose pâle à beige.",
        "Flacon étiqueté {LAST} {first}, conforme à la demande.",
    ),
    "microscopy": (
        "Pas d'embole vasculaire, pas d'engainement périnerveux identifié.",
        "Coloration par hématoxyline-éosine-safran, 3 niveaux de coupe.",
        "Le tissu adjacent est le siège d'un infiltrat lymphoplasmocytaire discret.",
        "L'activité mitotique est estimée à {n:1-14} mitoses pour 10 champs.",
        "Limites en tissu sain, marge minimale de {n:2-18} mm.",
    ),
    "stains": (
        "Giemsa : absence d'Helicobacter", "Ki-67 : {n:5-80} %", "Perls : négatif", "PAS : positif",
        "Rouge Congo : négatif", "Ziehl-Neelsen : absence de BAAR", "Gram : pas de germe",
        "Examen extemporané du {day}, réponse téléphonée à {doctor} à {time}",
    ),
    "diagnosis": (
        "Pas d'argument pour une malignité sur les autres prélèvements.",
        "Une relecture par {doctor} ({otherhospital}) est en cours, résultat vers le {next:20}.",
        "Code ADICAP transmis, comparaison avec l'examen n° {exam:old} du {past:900}.",
    ),
    "technique": (
        "Acquisition hélicoïdale après injection de {n:70-120} mL d'Iomeron 350.",
        "Reconstructions multiplanaires, fenêtres parenchymateuse et osseuse.",
        "PDL : {n:210-880} mGy.cm ; comparaison à l'examen du {past:800}.",
        "Pas d'incident lors de l'injection, créatinine à {n:55-110} µmol/L.",
        "Séquences T1, T2 et diffusion, appareil 1.5 T, logiciel version 4.2.1.",
    ),
    "imaging": (
        "Pas d'épanchement pleural ni péricardique.", "Pas d'anomalie osseuse suspecte.",
        "Kyste rénal simple de {n:8-35} mm, Bosniak 1.", "Aorte de calibre normal, athérome calcifié.",
        "Comparativement au {past:700}, pas d'élément nouveau.",
        "Nodule thyroïdien de {n:5-18} mm, EU-TIRADS 3.", "Hernie de Spiegel non compliquée.",
        "Canal de Wirsung fin, foie de contours réguliers.",
    ),
    "impression": (
        "À corréler à la clinique.", "Contrôle proposé en {nextmonth:9}.",
        "Résultat communiqué par téléphone à {doctor} le {day} à {time}.",
    ),
    "conduct": (
        "Hospitalisation en {ward} sous la responsabilité de {doctor}",
        "Antalgie par paracétamol 1 g puis réévaluation à {time}", "Voie veineuse, bilan prélevé",
        "Avis téléphonique de {doctor} à {time}", "Appel passé à {kin}, au {kinphone}",
        "Scope, surveillance horaire, score NEWS à {n:1-7}",
        "Courrier remis pour {gp}, à revoir le {next:5}",
    ),
    "vitals": (
        "{step} {time} : TA {n:10-16}/{n:6-9}, pouls {n:58-104}, T° {d:36.2-38.6}, SpO2 {n:92-99} %.",
        "{step} {time} : diurèse {n:400-1900} mL, EVA {n:0-7}/10, glycémie {d:0.8-2.3} g/L.",
        "Poids du {step} : {weight} kg.", "Braden {n:14-22}, Norton {n:12-19}, MNA 24/30.",
    ),
    "vitals_child": (
        "{step} {time} : pouls {n:88-132}, T° {d:36.4-39.1}, SpO2 {n:92-99} %, FR {n:20-34}/min.",
        "Poids du {step} : {weight} kg. Échelle EVENDOL {n:0-6}/15.",
    ),
    "transmissions": (
        "{step} {time} : [Patient{|e} calme|A bien dormi|Nuit agitée], [petit déjeuner pris|refuse "
        "le plateau]. IDE {nurse}",
        "{step} : pansement refait, cicatrice propre, pas d'écoulement. {nurse}",
        "{step} {time} : {kin} a appelé, rappeler au {kinphone} après la visite.",
        "{step} : douleur à {n:2-8}/10, Doliprane 1 g donné à {time}, soulagé{|e}.",
        "{step} : vu{|e} par {doctor}, prescription modifiée ({drug}).",
        "{step} {time} : perfusion changée, VVP avant-bras gauche, rougeur rose pâle sans chaleur.",
        "{step} : levé{|e} au fauteuil, marche dans le couloir avec le kiné, {n:20-80} m.",
        "{step} : famille reçue par {doctor} ; {kin} souhaite un contact avec l'assistante sociale.",
        "{step} {time} : selles 1 fois, urines claires, sonde de Foley retirée.",
        "{step} : bracelet vérifié ({LAST} {first}, {birth}), étiquette {ipp}.",
    ),
    "opinion": (
        "Je {le|la} reverrai le {next:120}.", "Je propose de poursuivre {drug}.",
        "Prochain bilan sanguin à faire vers le {next:30} au laboratoire ({city}).",
        "{civil} {last} m'a autorisé à adresser copie {other_reader}.",
        "Consigne de rappeler le secrétariat au {site_phone} ou par mail ({author_email}).",
        "L'ensemble est rassurant et je ne modifie pas le traitement.",
        "Un rendez-vous auprès de {doctor} est pris pour le {next:50}.",
        "Le scanner fait à {otherhospital} le {past:400} a été relu ce jour.",
    ),
    "previous": (
        "{earlier} : examen n° {exam:old}, {otherhospital}, pas de lésion suspecte.",
        "{earlier} : consultation de {doctor}, [état stable|traitement inchangé|surveillance].",
        "{earlier} : passage aux urgences pour [douleur|malaise], retour au domicile.",
        "{earlier} : courrier de {gp}{gp_city}, demande d'avis.",
        "{earlier} : Hb {d:10.2-14.8} g/dL, créatinine {n:55-110} µmol/L, laboratoire ({city}).",
        "{earlier} : séjour à {otherhospital}, sortie avec {kin}.",
    ),
    "question": ("Traitement complémentaire ?", "Reprise chirurgicale ou surveillance ?"),
    "decision": (
        "Patient{|e} à revoir par {doctor} le {next:14}", "Inclusion dans un essai discutée",
        "Consultation d'annonce le {next:10} avec {nurse}, IDE", "Bilan préthérapeutique complet",
        "Nouvelle présentation du dossier le {next:90}", "Courrier adressé à {gp}",
    ),
}  # fmt: skip

TRAPS = (
    "Maladie de Basedow", "Maladie de Dupuytren", "Phénomène de Raynaud", "savon de Marseille",
    "maladie de Parkinson", "signe de Babinski", "signe de Murphy", "12.03 g/dL", "rose pâle",
    "Sonde de Foley", "petit déjeuner", "Page 1/2", "version 2.1.3", "score de Braden", "pH 7.41",
    "1.05 - 1.12 - 0.98 - 1.20", "L3B2 de Montréal", "14 15 24 25 36 46", "pinces de Kocher", "Maladie de Gilbert",
    "Drain de Redon", "test de Schirmer", "maladie de Crohn", "corps de Lewy", "maladie de Hodgkin",
    "Reed-Sternberg", "articulation de Charcot", "angle de Louis", "1/2 comprimé", "facteur de Willebrand",
)  # fmt: skip

LANGUAGE = LetterLanguage("fr", KINDS, POOLS, WORDS, STORIES, ANNEXES, TRAPS)
