"""French notes by kind: titles, heads, sections and tails."""

from synthesis.fictional.templates.grammar import (
    Kind,
    Section,
)

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
    "discharge": Kind(
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
    "operation": Kind(
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
    "pathology": Kind(
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
    "imaging": Kind(
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
    "emergency": Kind(
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
    "nursing": Kind(
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
    "consultation": Kind(
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
    "board": Kind(
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
