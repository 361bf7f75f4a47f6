"""What notes call the numbers of persons, stays, professionals, contracts, accounts and devices.

Regular expressions over folded text, without the word for a number itself, which stands after
them (`MARK`) or before them (`MARK_BEFORE`).
"""

from record.label import Label

MARK = (
    r"n\.?[°o]\.?s?|nrn?s?|s?nummers?|numbers?|num|numeros?|nbr|ids?|code|codigo"
    r"|ref(?:erence|erencia)?|kennung|identifi\w{2,17}"
)
MARK_BEFORE = (
    r"n\.?[°o]\.?s?|num(?:ber)?|numeros?|ids?|code|codigo|ref(?:erence|erencia)?"
    r"|identifi\w{2,17}"
)

# These say by themselves what follows.
NAMES: dict[Label, str] = {
    Label.PATIENT_ID: (
        r"i\.?p\.?p|ip|nip|mrns?|m\.r\.n|nhc|h\.?c|nuhsa|uhid|e?mpi|piz"
        r"|medical record|med\.? rec|identifiant unique"
    ),
    Label.VISIT_ID: r"nda|n\.d\.a|iep|csn",
    Label.PROVIDER_ID: (
        r"rpps|adeli|npi|upin|inami|riziv|lanr|bsnr|efn|cias|colegiad[oa]s?|cedula profesional"
        r"|matricula medica|agb"
    ),
    Label.INSURANCE_ID: (
        r"nass|nuss|cipa|cip(?! ?13)(?: autonomico| sns)?|hicn?|mbi|ohip|phn|uzovi|tsi"
        r"|medicare|medicaid|tarjeta sanitaria"
    ),
    Label.SSN: (
        r"n\.?i\.?r|n\.?s\.?s|ssn|securite sociale|secu|assurance maladie|social security"
        r"|soc\.? sec|national insurance|itin|d\.?n\.?i|n\.?i\.?e|n\.?i\.?f|bsn"
        r"|burgerservice|sofi|insz|niss|rrn|rijksregister|registre national|numero national"
        r"|national id|sozialversicherungs|rentenversicherungs|rvnr|steuer-?id(?:nr)?|idnr"
        r"|ahv|ins(?:-nir)?|rut|cedula de (?:identidad|ciudadania)"
        r"|documento (?:nacional )?de identidad|codice fiscale"
    ),
    Label.ACCOUNT: r"iban|rib|ccc",
    Label.DEVICE_ID: r"serial|lot[es]?s?|udi(?:-di)?|imei|batch|chargen|ch\.-b",
    Label.ID: r"passe?ports?|pasaporte|reisepass|paspoort|finess|siret|siren|orcid|cni",
}

# These do so before a colon; elsewhere the number has to be long or to be called one.
TITLES: dict[Label, str] = {
    Label.PATIENT_ID: (
        r"pid|urn|nhs|hsc|h&c|identifiant|expediente|patient file|utente|patientenakte"
        r"|krankenakte"
        r"|(?:n\.?[°o]\.?|numero) ?(?:(?:de |d')?identifica(?:tion|cion)|id)"
    ),
    Label.VISIT_ID: (
        r"encounters?|accessions?|fin|requisition|prevision|episodios?|peticion(?:es)?|sejours?"
        r"|venues?|dossiers? administratif|accessie|e-nr|t-nummer"
    ),
    Label.PROVIDER_ID: r"dea|gmc|licen[sc]e|lic|nmc pin|cnp|big(?:-registratie)?|col",
    Label.INSURANCE_ID: (
        r"adherente?|contrat|policy|member|subscriber|poliza|asegurad[oa]|sip|tis|naf|cite|kv"
        r"|versicherten|polis|seguridad social"
    ),
    Label.SSN: r"assuree?(?: social)?|s\.?s|sv|ni(?!r)",
    Label.ACCOUNT: (
        r"account|acct|comptes?(?: bancaire)?|cuenta(?: bancaria| corriente)?|konto|har"
        r"|(?:bank)?rekening|carte bancaire|kreditkarten?|tarjeta de (?:credito|debito)"
        r"|(?:credit)?card"
    ),
    Label.DEVICE_ID: r"s/?n|serien?|charge",
    Label.ID: (
        r"permis(?: de conduire)?|driver'?s? licen[sc]e|driving licen[sc]e|carte d'identite"
        r"|(?:carte|titre) de sejour|permiso de (?:conducir|residencia)|carnet de conducir"
        r"|id card|identi(?:ty|teits) ?(?:card|kaart|bewijs)|(?:personal)?ausweis|fuhrerschein"
        r"|rijbewijs|matricule|badge|aktenzeichen|id-kaart|subject"
    ),
}

# Words of every day, also headings: a code has to follow, or a number that is called one.
NOUNS: dict[Label, str] = {
    Label.PATIENT_ID: (
        r"pat(?:ient(?:e|in|en)?)?(?:'?s|id)?|pacientes?|dossiers? (?:patient|medical)"
        r"|historia(?: clinica)?"
    ),
    Label.VISIT_ID: (
        r"dossiers?|visit[ea]?s?|passages?|exam(?:en)?s?|demandes?|episodes?|prelevements?"
        r"|hospitalisations?|admissions?|echantillons?|orders?|cases?|stays?|requests?"
        r"|specimens?|samples?|muestras?|estudios?|biops(?:ies?|ias?|y)|ingresos?|opname"
        r"|fall|falle|aufnahme|auftrags?|proben?|befunde?|journal|histologie|bezoeks?"
        r"|onderzoek(?:s|en)?|monster|aanvraag|verrichtings?|casus"
    ),
    Label.INSURANCE_ID: r"mutuelles?|assurance|insurance",
    Label.DEVICE_ID: r"device|implant|dispositif",
}

# Names something only where it is called a number right before or after.
THINGS: dict[Label, str] = {
    Label.PATIENT_ID: (
        r"hosp(?:ital)?|unit|chart|file|record|person|emr|mr(?!n)|ur|pt|permanent|krankenblatt|archiv|ficha"
        r"|ha(?: clinica)?|ident|expte|ziekenhuis|identificatie"
    ),
    Label.VISIT_ID: (
        r"labo?(?:ratoire|or)?|reports?|comptes?[ -]rendus?|cr(?!d)|blocs?|lames?|slides?|bons?"
        r"|commande|consulta(?:tions?)?|intervention|enregistrement|anapath|referral|booking"
        r"|appointment|prescription|ordonnance|proceso|rx|path(?:ology)?|surgical|adm|acc|informes?|cita|registro"
        r"|solicitud|pruebas?|admision|orden|urgencias?|asistencia|accesion|untersuchungs?"
        r"|einsenden?|eingangs?|vorgangs?|besuchs?|aufenthalts?|aufn|histo|behandlungsfall|praparat"
    ),
    Label.PROVIDER_ID: (
        r"provider|prescriber|prescripteur|ordre|arzt|betriebsstatten|zsr"
        r"|colegiacion|coleg"
    ),
    Label.INSURANCE_ID: (
        r"group|beneficia(?:ry|rio)|plan|claim|authorization|health card|insured"
        r"|police|teletransmission|prise en charge|ame|amc|cmu|complementaire sante"
        r"|afiliacion(?: s\.?s)?|mutualista|seguro medico|aseguradora|vers|kranken(?:versicherten"
        r"|versicherungs|kassen?)|versicherungs?|kassen?|mitglieds?|egk|(?:zorg)?verzekering(?:s)?"
        r"|verzekerden?|zorgpas|lid|relatie|klant|insurance card"
    ),
    Label.SSN: r"immatriculation|steuer",
    Label.ACCOUNT: r"routing|tarjeta",
    Label.DEVICE_ID: (
        r"boitier|tige|prothese|generateur|stimulateur|pacemaker|pm|pac|defibrillateur|sonde"
        r"|materiel|cupule|cotyle|insert|plaque|stents?|valve|chambre implantable|generador"
        r"|marcapasos|implante|protesis|vastago|reservorio|dispositivo|valvula|dai|electrodo"
        r"|cotilo|stem|port|generator|prosthesis|hardware|icd|lead|pump|gerate|implantat"
        r"|schrittmacher|implantaat|apparaat"
    ),
    Label.ID: (
        r"inclusion|randomi[sz]ation|screening|participant|employee|study|studien?"
        r"|certificate|certificat|participante|aleatorizacion|certificado|pass|probanden"
        r"|personal|personeels|donation|poche|don"
    ),
}

# Says no more than that something has a number: any other word tells better what it is.
ANYTHING: dict[Label, str] = {Label.ID: r"id|identifica(?:tion|cion)|referen(?:ce|cia|tie)|ref"}
