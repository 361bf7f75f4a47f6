"""Fixed words of labelled pages by language: salutations, legal notices, stamps, tables."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PageWords:
    """What pages say in one language besides a letter's own wording.

    `openings` and `closings` are templates of a scribe. `numbers` and `novel_numbers` are forms of
    a page's number. `labs` are rows of test, result range, unit and reference; `drugs` are rows of
    drug, dose, when, and for how long.
    """

    hospitals: tuple[str, ...]
    service: str
    chief: str
    secretary: str
    doctor_to: tuple[str, ...]
    openings: tuple[str, ...]
    closings: tuple[str, ...]
    copies: str
    dictated: str
    roles: tuple[str, ...]
    legal: tuple[str, ...]
    imprints: tuple[str, ...]
    stamps: tuple[str, ...]
    dated_stamps: tuple[str, ...]
    numbers: tuple[str, ...]
    novel_numbers: tuple[str, ...]
    lab_head: tuple[str, ...]
    labs: tuple[str, ...]
    drug_head: tuple[str, ...]
    drugs: tuple[str, ...]
    lab_title: str
    drug_title: str


_FR = PageWords(
    hospitals=(
        "CHU de {town}", "Centre Hospitalier de {town}", "Hôpital {given} {family}",
        "Clinique {family}", "Hôpitaux universitaires de {town}", "GHT {town} - Site {family}",
        "Hôpital d'instruction {family}", "AP-HX Hôpital {family}",
    ),
    service="Service de ",
    chief="Chef de service : ",
    secretary="Secrétariat : ",
    doctor_to=("À l'attention du ", "", "", "Destinataire : "),
    openings=(
        "Cher confrère,\n\nVotre patient{|e}, {civil} {patient}, {age}, a été hospitalisé{|e} dans "
        "notre service {stay}.",
        "Chère consœur, cher confrère,\n\nMerci de m'avoir adressé {civil} {last}, {age}, que j'ai "
        "[vu{|e}|examiné{|e}] en consultation le {today}.",
        "Concerne : {civil} {patient}, {neele} {birth}\n\nMon cher ami,\n\nJe revois ce jour "
        "{civil} {last} pour son suivi.",
        "J'ai vu ce jour en consultation {civil} {patient}, {age}, demeurant à {city}.",
        "Madame, Monsieur,\n\nVeuillez trouver ci-dessous le compte rendu de l'examen réalisé le "
        "{day}.",
        "Date de l'examen : {day}\nMédecin demandeur : {doctor}",
        "Hospitalisation {stay}.",
        "",
    ),
    closings=(
        "Je vous prie de croire, cher confrère, à l'assurance de mes sentiments les meilleurs.",
        "Bien confraternellement,",
        "Restant à votre disposition, je vous adresse mes salutations confraternelles.",
        "Je reste joignable au {site_phone} pour tout renseignement complémentaire. Bien "
        "cordialement.",
        "Conclusion relue avec le patient, un exemplaire lui a été remis.",
        "",
    ),
    copies="Copie à : ",
    dictated="Dicté le {}, tapé par le secrétariat",
    roles=("Praticien hospitalier", "Chef de clinique", "Interne du service", "Médecin senior"),
    legal=(
        "Les données médicales vous concernant font l'objet d'un traitement informatisé. Vous "
        "disposez d'un droit d'accès et de rectification auprès du directeur de l'établissement.",
        "Établissement public de santé - Membre du groupement hospitalier de territoire",
        "Document couvert par le secret médical. En cas d'erreur de destinataire, merci de le "
        "détruire.",
        "Consultations sur rendez-vous du lundi au vendredi de 9 h à 17 h",
        "Ce document ne peut être reproduit, même partiellement, sans l'accord du service.",
        "Non-fumeur : cet hôpital est un lieu de santé sans tabac",
    ),
    imprints=(
        "CRH-2017-v4 - Imprimerie du CHU", "Réf. ENR/MED/0042 - indice C", "Mod. 1204 B - 06/2016",
        "Ne rien inscrire dans cette marge", "Document édité par le dossier patient informatisé",
    ),
    stamps=("COPIE", "URGENT", "CONFIDENTIEL", "DUPLICATA", "SCANNÉ", "ORIGINAL", "À CLASSER"),
    dated_stamps=("REÇU LE {}", "ARRIVÉ LE {}", "Numérisé le {}", "Courrier reçu\n{}", "VALIDÉ {}"),
    numbers=("{n}/{of}", "Page {n}/{of}", "Page {n} sur {of}", "- {n} -", "{n}", "Page {n}"),
    novel_numbers=("p. {n}", "[{n}]", "{n} | {of}", "Feuillet {n} de {of}", "Page : {n} / {of}"),
    lab_head=("Analyse", "Résultat", "Unité", "Valeurs usuelles", "Antériorité"),
    labs=(
        "Hémoglobine|8.2-16.4|g/dL|13,0 - 17,0", "Leucocytes|3.1-14.9|G/L|4,0 - 10,0",
        "Plaquettes|90-420|G/L|150 - 400", "CRP|1-180|mg/L|< 5",
        "Créatinine|48-190|µmol/L|59 - 104", "Sodium|128-147|mmol/L|136 - 145",
        "Potassium|3.0-5.6|mmol/L|3,5 - 5,1", "ASAT|12-140|UI/L|< 40", "ALAT|10-160|UI/L|< 41",
        "Gamma-GT|9-250|UI/L|< 60", "Albumine|24-46|g/L|35 - 52", "TSH|0.2-8.5|mUI/L|0,4 - 4,0",
        "Ferritine|8-600|µg/L|30 - 400", "Glycémie à jeun|3.9-14.2|mmol/L|3,9 - 5,5",
        "HbA1c|4.9-10.8|%|< 6,0", "INR|0.9-3.6||0,8 - 1,2",
    ),
    drug_head=("Médicament", "Posologie", "Horaire", "Durée", "Remarque"),
    drugs=(
        "Amlodipine 5 mg|1 comprimé|matin|30 jours", "Furosémide 40 mg|1 comprimé|matin|30 jours",
        "Paracétamol 1 g|1 comprimé|si douleur|5 jours", "Ramipril 5 mg|1 gélule|soir|3 mois",
        "Bisoprolol 2,5 mg|1 comprimé|matin|3 mois",
        "Metformine 850 mg|1 comprimé|matin et soir|3 mois",
        "Énoxaparine 4000 UI|1 injection|20 h|10 jours",
        "Pantoprazole 20 mg|1 comprimé|à jeun|1 mois",
        "Atorvastatine 20 mg|1 comprimé|coucher|6 mois",
        "Amoxicilline 1 g|1 sachet|8 h - 14 h - 20 h|7 jours",
    ),
    lab_title="Résultats biologiques",
    drug_title="Traitement de sortie",
)  # fmt: skip

_EN = PageWords(
    hospitals=(
        "{town} General Hospital", "{family} Memorial Hospital", "University of {town} Health",
        "{given} {family} Medical Center", "{town} Community Hospital", "{family} Clinic",
        "St. {given} Hospital", "Veterans Hospital {town}",
    ),
    service="Department of ",
    chief="Chief: ",
    secretary="Office: ",
    doctor_to=("Attn: ", "", "", "To: "),
    openings=(
        "Dear colleague,\n\nYour patient {civil} {patient}, {age}, was admitted to our service "
        "{stay}.",
        "Dear Doctor,\n\nThank you for referring {civil} {last}, {age}, whom I saw in clinic on "
        "{today}.",
        "RE: {civil} {patient}, DOB {birth}\n\nDear colleague,\n\nI reviewed {civil} {last} today.",
        "I saw {civil} {patient}, {age}, of {city}, in clinic today.",
        "To whom it may concern,\n\nPlease find below the report of the examination of {day}.",
        "Date of exam: {day}\nOrdering physician: {doctor}",
        "Hospital stay {stay}.",
        "",
    ),
    closings=(
        "Thank you for allowing me to share in {his|her} care.",
        "Sincerely,",
        "With kind regards,",
        "Please call {site_phone} with any question about these findings.",
        "Plan discussed with the patient, who agrees and was given a copy.",
        "",
    ),
    copies="cc: ",
    dictated="Dictated {}, typed by the office",
    roles=("Attending physician", "Consultant", "Resident", "Senior registrar"),
    legal=(
        "This information is confidential and protected by federal law. If you have received it in "
        "error, notify the sender and destroy all copies.",
        "An affiliate of the regional health system - accredited teaching hospital",
        "Not valid without signature. Do not copy or distribute without written authorization.",
        "Clinic hours: Monday to Friday, 8:00 am to 5:00 pm",
        "This is a smoke-free campus",
        "Laboratory accredited for all tests marked with an asterisk",
    ),
    imprints=(
        "Form MR-2017 Rev. 4", "Ref. ENC/MED/0042 - issue C", "Stock no. 1204-B 06/16",
        "DO NOT WRITE IN THIS MARGIN", "Printed from the electronic health record",
    ),
    stamps=("COPY", "URGENT", "CONFIDENTIAL", "DUPLICATE", "SCANNED", "ORIGINAL", "FILE COPY"),
    dated_stamps=("RECEIVED {}", "Date received: {}", "SCANNED {}", "Mail room\n{}", "REVIEWED {}"),
    numbers=("{n}/{of}", "Page {n}/{of}", "Page {n} of {of}", "- {n} -", "{n}", "Page {n}"),
    novel_numbers=("p. {n}", "[{n}]", "{n} | {of}", "Sheet {n} of {of}", "Pg: {n} / {of}"),
    lab_head=("Test", "Result", "Unit", "Reference", "Previous"),
    labs=(
        "Hemoglobin|8.2-16.4|g/dL|13.0 - 17.0", "WBC|3.1-14.9|K/uL|4.0 - 10.0",
        "Platelets|90-420|K/uL|150 - 400", "CRP|1-180|mg/L|< 5",
        "Creatinine|0.5-2.4|mg/dL|0.7 - 1.2", "Sodium|128-147|mmol/L|136 - 145",
        "Potassium|3.0-5.6|mmol/L|3.5 - 5.1", "AST|12-140|U/L|< 40", "ALT|10-160|U/L|< 41",
        "GGT|9-250|U/L|< 60", "Albumin|2.4-4.6|g/dL|3.5 - 5.2", "TSH|0.2-8.5|mIU/L|0.4 - 4.0",
        "Ferritin|8-600|ng/mL|30 - 400", "Fasting glucose|70-260|mg/dL|70 - 99",
        "HbA1c|4.9-10.8|%|< 5.7", "INR|0.9-3.6||0.8 - 1.2",
    ),
    drug_head=("Medication", "Dose", "Schedule", "Duration", "Comment"),
    drugs=(
        "Amlodipine 5 mg|1 tablet|morning|30 days", "Furosemide 40 mg|1 tablet|morning|30 days",
        "Acetaminophen 1 g|1 tablet|as needed|5 days", "Lisinopril 5 mg|1 tablet|evening|3 months",
        "Metoprolol 25 mg|1 tablet|twice daily|3 months",
        "Metformin 850 mg|1 tablet|twice daily|3 months",
        "Enoxaparin 40 mg|1 injection|8 pm|10 days",
        "Pantoprazole 20 mg|1 tablet|before breakfast|1 month",
        "Atorvastatin 20 mg|1 tablet|bedtime|6 months",
        "Amoxicillin 1 g|1 tablet|three times daily|7 days",
    ),
    lab_title="Laboratory results",
    drug_title="Discharge medications",
)  # fmt: skip

_ES = PageWords(
    hospitals=(
        "Hospital Universitario de {town}", "Hospital General de {town}", "Clínica {family}",
        "Hospital {given} {family}", "Complejo Asistencial de {town}", "Centro Médico {family}",
        "Hospital San {given}", "Fundación {family}",
    ),
    service="Servicio de ",
    chief="Jefe de servicio: ",
    secretary="Secretaría: ",
    doctor_to=("A la atención de ", "", "", "Destinatario: "),
    openings=(
        "Estimado compañero:\n\nSu paciente {civil} {patient}, de {age}, ingresó en nuestro "
        "servicio {stay}.",
        "Estimada colega:\n\nGracias por remitirnos a {civil} {last}, de {age}, a quien atendí en "
        "consulta el {today}.",
        "Asunto: {civil} {patient}, F. nac. {birth}\n\nQuerido amigo:\n\nRevisión en consulta de "
        "{civil} {last}.",
        "Acude hoy a consulta {civil} {patient}, de {age}, con domicilio en {city}.",
        "A quien corresponda:\n\nSe informa a continuación el estudio realizado el {day}.",
        "Fecha del estudio: {day}\nMédico peticionario: {doctor}",
        "Ingreso {stay}.",
        "",
    ),
    closings=(
        "Agradeciendo su confianza, quedo a su disposición para cualquier aclaración.",
        "Un cordial saludo,",
        "Atentamente,",
        "Puede contactar en el {site_phone} para cualquier consulta sobre este informe.",
        "Se explica el plan al paciente, que lo acepta y recibe una copia.",
        "",
    ),
    copies="Copia a: ",
    dictated="Dictado el {}, mecanografiado en secretaría",
    roles=("Facultativo especialista", "Médico adjunto", "Médico residente", "Jefe de sección"),
    legal=(
        "Sus datos de salud se tratan conforme al reglamento de protección de datos. Puede ejercer "
        "sus derechos de acceso y rectificación ante la dirección del centro.",
        "Centro de la red pública de utilización sanitaria - Hospital universitario acreditado",
        "Documento sujeto a secreto profesional. Si lo recibe por error, destrúyalo.",
        "Horario de consultas: de lunes a viernes, de 8 a 15 h",
        "Prohibida la reproducción parcial de este informe sin autorización del servicio.",
        "Hospital sin humo",
    ),
    imprints=(
        "Mod. HC-2017 v4", "Ref. REG/MED/0042 - edición C", "Impreso 1204-B 06/16",
        "No escribir en este margen", "Documento emitido por la historia clínica electrónica",
    ),
    stamps=("COPIA", "URGENTE", "CONFIDENCIAL", "DUPLICADO", "ESCANEADO", "ORIGINAL", "ARCHIVAR"),
    dated_stamps=("RECIBIDO {}", "ENTRADA {}", "Escaneado el {}", "Registro\n{}", "VALIDADO {}"),
    numbers=("{n}/{of}", "Página {n}/{of}", "Pág. {n} de {of}", "- {n} -", "{n}", "Página {n}"),
    novel_numbers=("p. {n}", "[{n}]", "{n} | {of}", "Hoja {n} de {of}", "Pág.: {n} / {of}"),
    lab_head=("Prueba", "Resultado", "Unidad", "Valores de referencia", "Previo"),
    labs=(
        "Hemoglobina|8.2-16.4|g/dL|13,0 - 17,0", "Leucocitos|3.1-14.9|10^9/L|4,0 - 10,0",
        "Plaquetas|90-420|10^9/L|150 - 400", "PCR|1-180|mg/L|< 5",
        "Creatinina|0.5-2.4|mg/dL|0,7 - 1,2", "Sodio|128-147|mmol/L|136 - 145",
        "Potasio|3.0-5.6|mmol/L|3,5 - 5,1", "GOT|12-140|U/L|< 40", "GPT|10-160|U/L|< 41",
        "GGT|9-250|U/L|< 60", "Albúmina|2.4-4.6|g/dL|3,5 - 5,2", "TSH|0.2-8.5|mUI/L|0,4 - 4,0",
        "Ferritina|8-600|ng/mL|30 - 400", "Glucosa basal|70-260|mg/dL|70 - 99",
        "HbA1c|4.9-10.8|%|< 5,7", "INR|0.9-3.6||0,8 - 1,2",
    ),
    drug_head=("Medicamento", "Dosis", "Pauta", "Duración", "Observaciones"),
    drugs=(
        "Amlodipino 5 mg|1 comprimido|mañana|30 días",
        "Furosemida 40 mg|1 comprimido|mañana|30 días",
        "Paracetamol 1 g|1 comprimido|si dolor|5 días", "Enalapril 5 mg|1 comprimido|noche|3 meses",
        "Bisoprolol 2,5 mg|1 comprimido|mañana|3 meses",
        "Metformina 850 mg|1 comprimido|cada 12 h|3 meses",
        "Enoxaparina 40 mg|1 inyección|20 h|10 días", "Omeprazol 20 mg|1 cápsula|en ayunas|1 mes",
        "Atorvastatina 20 mg|1 comprimido|cena|6 meses", "Amoxicilina 1 g|1 sobre|cada 8 h|7 días",
    ),
    lab_title="Resultados de laboratorio",
    drug_title="Tratamiento al alta",
)  # fmt: skip

PAGE_WORDS = {"fr": _FR, "en": _EN, "es": _ES}
