"""Ways in which notes write the numbers of persons, stays, professionals, contracts and devices.

Every list is written from how hospitals write, not from the tables of the rules.
"""

from collections.abc import Iterator
from itertools import product

from tests.rules.identifiers.forms_shaped_identifiers import AROUND, PLATES, SHAPED, lines

LANGUAGES = ("fr", "en", "es", "de", "nl")

# What stands before a number and names it; `_` is the number, `/` a line break.
NAMED: dict[str, dict[str, str]] = {
    "fr": {
        "PATIENT_ID": """
            IPP : _|IPP _|IPP: _|IPP n° _|N° IPP : _|I.P.P. : _|IPP :/_|IPP/_|son IPP est le _
            son IPP était _
            IPP unique : _|N° patient permanent : _
            l'IPP étant le _|IPP CHU : _|IPP (Hôpital Nord) : _|IPP = _|IPP _ (provisoire)|NIP : _
            NIP/_|N° patient : _|N° de patient : _|numéro de patient _|Numéro patient : _
            patient n° _|patiente n°_|ID patient : _|Id. patient _|Identifiant patient : _
            Identifiant permanent du patient : _|identifiant du patient : _|dossier patient n° _
            dossier médical n° _|N° permanent : _|code patient : _|N° identification : _
            numéro d'identification : _|MRN : _|NIP n° _|IPP | _|IPP #_|IPP patient : _
            Identifiant : _|IPP – _|N°IPP:_|Patient (IPP _)|IPP\t_|n° de dossier médical : _
            identifiant permanent : _|numéro d'identification du patient : _
            """,
        "VISIT_ID": """
            NDA : _|NDA n° _|N.D.A. : _|N° de dossier : _|n° dossier _|dossier n° _|Dossier : _
            N° de séjour : _|n° de séjour _|numéro de séjour : _|séjour n°_|séjour n° :/_|IEP : _
            N° de venue : _|venue n° _|N° d'hospitalisation : _|hospitalisation n° _|passage n° _
            n° d'admission : _|N° de passage aux urgences : _|n° de visite : _|visite n° _
            n° d'examen : _|Examen n° _|numéro d'examen : _|N° de demande : _|demande n° _
            épisode n° _|n° d'épisode : _|N° de prélèvement : _|prélèvement n° _|échantillon n° _
            n° d'échantillon : _|N° de laboratoire : _|n° labo : _|compte-rendu n° _|CR n° _
            N° de compte rendu : _|N° accession : _|Accession : _|n° d'enregistrement : _|bloc n° _
            numéro de la visite : _|numéro du séjour :/_|N° administratif de dossier : _|lame n° _
            référence anapath : _|n° anapath _|Réf. examen : _|dossier administratif n° _
            consultation n° _|n° d'intervention : _|n° de commande : _|bon n° _|biopsie n° _
            numéro de dossier _|dossier num. _|séjour numéro _|séjour : _|N° examen _|examen : n° _
            n° de bon : _|n° de bloc : _
            """,
        "PROVIDER_ID": """
            RPPS : _|RPPS _|N° RPPS : _|n°RPPS _|RPPS n° _|RPPS :/_|ADELI : _|N° ADELI _|ADELI n° _
            n° d'ordre : _|inscrit à l'Ordre sous le n° _|INAMI : _|Dr Martin (RPPS _)
            Dr Petit - RPPS _|N° INAMI _|n° de prescripteur : _|identifiant prescripteur : _
            RPPS: _|n° d'inscription à l'Ordre : _|AM RPPS : _
            """,
        "INSURANCE_ID": """
            N° adhérent : _|n° d'adhérent _|adhérent n° _|mutuelle n° _|Mutuelle : _|contrat n° _
            N° de contrat : _|numéro de contrat : _|n° de mutuelle _|police n° _|N° de police : _
            assurance n° _|n° AMC : _|N° télétransmission : _|prise en charge n° _|AME n° _
            n° de prise en charge : _|complémentaire santé n° _|N° CMU : _|n° d'assurance : _
            """,
        "SSN": """
            N° de sécurité sociale : _|n° sécu : _|NIR : _|NSS : _|N° SS _|sécurité sociale n° _
            N° d'assuré : _|assuré n° _|INS : _|Matricule INS : _|n° d'immatriculation : _|NIR/_
            numéro de sécurité sociale :/_|N.I.R. : _|assurance maladie : _|INS-NIR : _|sécu : _
            N.S.S. _|n° assuré social : _
            """,
        "DEVICE_ID": """
            n° de série : _|N° série _|numéro de série _|S/N : _|SN: _|n° de lot : _|lot n° _
            lot : _|Lot _|boîtier n° _|tige n° _|implant n° _|prothèse n° _|pacemaker n° _
            stimulateur n° _|sonde n° _|générateur n° _|Référence implant : _|matériel n° _
            cupule n° _|cotyle réf. _|stent n° _|UDI : _|N° de série du pacemaker : _|PM n° _
            défibrillateur n° _|chambre implantable n° _|vaccin lot _|dispositif n° _|plaque n° _
            numéro de lot : _|série : _|insert n° _|valve n° _|PAC n° _
            """,
        "ACCOUNT": "compte n° _|N° de compte : _|RIB : _|compte bancaire : _|carte bancaire n° _",
        "VEHICLE_ID": """
            immatriculé _|véhicule immatriculé _|plaque d'immatriculation : _|immatriculation : _
            immatriculation du véhicule _|plaque _|voiture immatriculée _|plaque : _
            """,
        "USERNAME": """
            login : _|identifiant de connexion : _|Frappe : _|utilisateur : _|tapé par _
            saisi par _|validé par _|nom d'utilisateur : _|compte utilisateur : _
            Dactylographié par _|enregistré par _|modifié par _|créé par _|session : _
            imprimé par _|signé par _
            """,
        "ID": """
            passeport n° _|N° de passeport : _|carte d'identité n° _|CNI n° _|permis n° _
            permis de conduire n° _|FINESS : _|N° FINESS _|SIRET : _|titre de séjour n° _
            carte de séjour n° _|n° d'inclusion : _|matricule : _|badge n° _|référence : _|ID : _
            n° de randomisation : _|CNI : _|SIREN _|certificat n° _|Réf : _|identification : _
            """,
    },
    "en": {
        "PATIENT_ID": """
            MRN: _|MRN _|MRN# _|MRN #_|MRN:/_|M.R.N.: _|MR#: _|MR # _|MR No. _|Med Rec #: _
            Medical Record Number: _|Medical record # _|medical record no. _|Med. Rec. No.: _
            Patient ID: _|patient ID _|Patient ID #_|Pt ID: _|Patient number: _|Patient No. _
            Patient #: _|patient #_|Patient's ID: _|Patient identifier: _|PID: _|PT# _|UHID: _
            Hospital number: _|Hospital No: _|Hosp. No. _|Hospital ID: _|Unit number: _|Unit No. _
            Chart #: _|chart number _|patient nbr _|Chart No: _|chart nbr. _|NHS No: _
            NHS number: _|HSC: _|HSC number: _|H&C number: _|EMPI: _|URN: _|UR No: _
            record number _|Record #: _|File number: _|file no. _|EMR #_|MRN is _|MRN (GH): _
            her MRN is _|MRN of the patient: _|MRN was _|Medical Record Number (MRN): _|MRN | _
            [MRN _]|MRN=_|MPI _
            ID of the patient: _|Patient file: _|Person number: _|Medical Record: _
            Hospital Number/_|patient unit number is _|NHS No./_
            """,
        "VISIT_ID": """
            Encounter: _|Encounter #: _|Encounter ID: _|Encounter No. _|encounter number _|CSN: _
            CSN # _|FIN: _|FIN _|FIN #_|Visit ID: _|Visit number: _|Visit #_|visit no. _
            Accession: _|Accession #: _|Accession number _|Accession No.: _|ACC#: _|Acc. No. _
            Admission ID: _|Admission number: _|Admission # _|Case #: _|case number _|Case No. _
            Episode number: _|Episode ID: _|Order #: _|order number _|Order ID: _|Order No. _
            Specimen #: _|Specimen ID: _|specimen no. _|Specimen number:/_|Sample ID: _|Sample #_
            Exam #: _|exam number _|Exam No. _|Lab #: _|Lab No: _|Lab number _|Lab ID: _
            Requisition #: _|request number: _|Report #: _|Report No. _|Path #: _|Pathology No: _
            Surgical number: _|Referral #: _|referral number _|Stay ID: _|stay number _|Exam _
            Appointment ID: _|Booking reference: _|Encounter:/_|Accession/_|Hospital visit #: _
            Prescription no. _|Rx #: _|slide # _|ADM# _|Encounter | _|Stay: _|Admission: _
            """,
        "PROVIDER_ID": """
            NPI: _|NPI _|NPI#: _|NPI number _|NPI:/_|DEA: _|DEA #_|DEA number: _|DEA No. _
            License #: _|Lic. # _|license number: _|License No. _|medical licence no. _|GMC: _
            GMC No. _|GMC number: _|NMC PIN: _|UPIN: _|Provider ID: _|Provider #: _|Lic #_
            provider number _|Prescriber ID: _|Dr. Smith, NPI _|State license # _|(NPI _)
            """,
        "INSURANCE_ID": """
            Policy #: _|Policy number: _|policy no. _|Policy ID _|Member ID: _|Member #: _
            member number _|Subscriber ID: _|Subscriber #: _|Group #: _|Group number: _|Group No. _
            Medicare #: _|Medicare ID _|Medicare number: _|Medicare: _|MBI: _|HICN: _
            Medicaid ID: _|Medicaid #: _|Insurance ID: _|Insurance #: _|insurance number _
            Insurance policy no. _|Health plan ID: _|Health plan beneficiary number: _
            Beneficiary ID: _|Plan ID: _|Claim #: _|claim number _|Authorization #: _
            Health card number: _|PHN: _|OHIP: _|Beneficiary number: _|Insured ID: _
            Insurance card # _|Member ID/_|Medicare No _
            """,
        "SSN": """
            SSN: _|SSN _|SSN# _|SS#: _|SS # _|Social Security Number: _|social security no. _
            Social Security #: _|Soc. Sec. No. _|SSN:/_|ITIN: _|national ID: _|SSN is _
            National Insurance number: _|NI number: _|NI No. _|NINO: _|National Insurance No: _
            """,
        "DEVICE_ID": """
            Serial number: _|serial number _|Serial No. _|Serial #: _|S/N: _|S/N _|SN: _|SN# _
            serial no: _|Lot #: _|Lot number: _|lot no. _|Lot: _|lot _|Batch #: _|Batch number _
            batch no. _|Batch: _|UDI: _|UDI-DI: _|Device ID: _|Device #: _|device number _
            pacemaker # _|generator serial _|implant # _|stem # _|ICD serial # _|port # _
            lead serial number _|Serial number:/_|Device serial number: _|implant serial no. _
            prosthesis no. _|stent # _|valve serial # _|IMEI: _|hardware # _|Serial: _
            cochlear implant # _|pump serial no. _|implant ref. _|insulin pump S/N _
            """,
        "ACCOUNT": """
            Account number: _|Account #: _|account no. _|Acct #: _|Acct. _|Acct No. _
            Card number: _|Credit card # _|HAR: _|hospital account number _|Bank account: _
            Routing number: _|debit card no. _|Account/_|credit card: _|Acct: _
            """,
        "VEHICLE_ID": """
            license plate _|License plate: _|plate number _|number plate _|Plate #: _
            licence plate no. _|car registration _|vehicle registration: _
            """,
        "USERNAME": """
            login: _|username: _|user name: _|user ID: _|User: _|logged in as _|typed by _
            transcribed by _|entered by _|signed by _|dictated by _|Electronically signed by: _
            modified by _|created by _|keyed by _|retyped by _|printed by _|edited by _
            transcriptionist: _|logged by _
            """,
        "ID": """
            passport no. _|Passport: _|Passport number: _|passport # _|driver's license # _
            Driver's license: _|driving licence no. _|driver license number _|ID card no. _
            State ID: _|Subject ID: _|Study ID: _|Subject #_|Employee ID: _|Badge #: _|ID: _
            screening number _|randomization number _|certificate number _|Reference: _|Ref: _
            Ref. no. _|reference number _|ID # _|Identity card: _|Participant ID: _|ID number _
            """,
    },
    "es": {
        "PATIENT_ID": """
            NHC: _|NHC _|N.H.C.: _|NHC nº _|Nº HC: _|HC: _|H.C. _|HC nº _|Nº de historia: _
            Nº historia clínica: _|Número de historia clínica: _|historia nº _|historia núm. _
            paciente código _|NHC:/_|N.º HC _|N.º de historia clínica: _|Historia clínica nº _
            historia clínica: _|Nº Hª: _|NHC/_|ID paciente: _|identificador del paciente: _
            Nº de paciente: _|paciente nº _|NUHSA: _|código de paciente: _|expediente nº _
            número de expediente: _|Nº expediente: _|ficha nº _|con NHC _|NHC de la paciente: _
            NHC del paciente: _|el NHC es el _|NHC (Hospital Norte): _
            su NHC es _|Id. paciente _|NHC - _|nº identificación: _|Nº Historia Clínica/_
            Número historia: _|paciente con nº _|Historia: _|Identificación del paciente: _|NHC | _
            """,
        "VISIT_ID": """
            Episodio: _|Episodio nº _|Nº episodio: _|Nº de episodio: _|número de episodio _
            Episodio/_|Nº de ingreso: _|ingreso nº _|Nº petición: _|petición nº _|Petición: _
            Nº de muestra: _|muestra nº _|Nº de estudio: _|estudio nº _|Nº de informe: _
            informe nº _|biopsia nº _|Nº de biopsia: _|Nº de visita: _|visita nº _|registro nº _
            Nº registro: _|Nº de solicitud: _|solicitud nº _|prueba nº _|Nº de admisión: _
            Nº de cita: _|Nº orden: _|orden nº _|Nº de urgencia: _|asistencia nº _|consulta nº _
            Nº de consulta: _|cita nº _|código de muestra: _|N.º de episodio: _|Episodio :/_
            Nº de accesión: _|número de la petición: _|Nº prueba _|nº de asistencia _
            """,
        "PROVIDER_ID": """
            NºCol: _|Nº Col: _|Nº Col. _|N.º Col.: _|nº colegiado: _|Nº de colegiado _|Col. nº _
            colegiado nº _|colegiada _|Colegiado: _|número de colegiado: _|num. colegiado _
            nº colegiada: _|Nº Colegiado/_|CIAS: _|CNP: _|Dr. Pérez, colegiado _|Col: _
            Dra. GómezNºCol: _|Dr. RuizNº Col: _|cédula profesional: _|matrícula médica _
            nº de col.: _|colegiación nº _|Núm. Col. _|nº coleg. _
            """,
        "INSURANCE_ID": """
            NASS: _|NASS _|NASS:/_|NUSS: _|Nº Seguridad Social: _|número de la Seguridad Social: _
            nº afiliación: _|Nº de afiliación _|CIP: _|CIPA: _|CIP _|TSI: _|SIP: _
            tarjeta sanitaria: _|Nº tarjeta sanitaria _|póliza nº _|Nº de póliza: _|Póliza: _
            asegurado nº _|Nº asegurado: _|NAF: _|mutualista nº _|nº de mutualista: _
            nº beneficiario: _|CIP autonómico: _|CITE: _|tarjeta sanitaria nº _|CIP SNS: _
            seguro médico nº _|aseguradora nº _
            """,
        "SSN": """
            DNI: _|DNI _|D.N.I.: _|NIE: _|NIF: _|DNI nº _|DNI/_|con DNI _|N.I.F. _|D.N.I. nº _
            DNI/NIE: _|documento nacional de identidad: _|documento de identidad nº _|N.I.E.: _
            Nº SS: _|Nº de la S.S.: _|RUT: _|cédula de identidad: _|cédula de ciudadanía _
            """,
        "DEVICE_ID": """
            nº de serie: _|N.º de serie _|número de serie: _|Nº serie _|S/N: _|SN: _|lote: _
            lote nº _|Nº de lote: _|Lote _|generador nº _|marcapasos nº _|implante nº _|UDI: _
            prótesis nº _|vástago nº _|reservorio nº _|stent nº _|dispositivo nº _|serie: _
            dispositivo ref. _|válvula nº _|DAI nº _|número de serie:/_|electrodo nº _|cotilo nº _
            vacuna lote _
            """,
        "ACCOUNT": """
            cuenta nº _|Nº de cuenta: _|cuenta bancaria: _|número de cuenta _|CCC: _|tarjeta nº _
            tarjeta de crédito _|tarjeta de débito nº _|cuenta corriente: _
            """,
        "VEHICLE_ID": """
            matrícula _|matrícula: _|vehículo matrícula _|con matrícula _|matrícula del vehículo: _
            """,
        "USERNAME": """
            usuario: _|nombre de usuario: _|Tecleado por _|mecanografiado por _|transcrito por _
            registrado por _|Validado por: _|firmado por _|grabado por _|modificado por _
            impreso por _|creado por _
            """,
        "ID": """
            pasaporte _|pasaporte nº _|Nº de pasaporte: _|permiso de conducir _|ID: _|Ref: _
            carnet de conducir nº _|permiso de residencia nº _|certificado nº _|referencia: _
            código de participante: _|nº de aleatorización: _|Ref.: _|identificación: _
            """,
    },
    "de": {
        "PATIENT_ID": """
            Patientennummer: _|Patienten-Nr. _|Patienten-Nr.: _|Pat.-Nr.: _|Pat.Nr. _|PatNr _
            Patienten-ID: _|Pat-ID: _|Pat.-ID _|PID: _|Patientennr. _|Patientennummer/_
            Patient Nr. _|Patientin Nr. _|Krankenblattnummer _|Patientenkennung: _|MRN: _
            Patientenidentifikation: _|Archivnummer: _|Pat.-Nummer _|Patientenakte Nr. _
            Patientennummer ist _|Pat. ID: _|Krankenakte Nr. _
            """,
        "VISIT_ID": """
            Fallnummer: _|Fall-Nr. _|Fall-Nr.: _|Fallnr.: _|Fall-ID: _|Fall Nr. _|Fallnummer/_
            Aufnahmenummer: _|Aufnahme-Nr. _|Aufnahmenr. _|Auftragsnummer: _|Auftrags-Nr.: _
            Probennummer _|Proben-Nr. _|Befundnummer: _|Befund-Nr. _|Befund Nr. _|Labornummer: _
            Labor-Nr. _|Untersuchungsnummer: _|Einsendenummer: _|Journalnummer: _|Journal-Nr. _
            Eingangsnummer _|Histologie-Nr.: _|Vorgangsnummer: _|Besuchsnummer _|Aufenthalts-ID _
            Untersuchungs-Nr. _|Behandlungsfall Nr. _|Präparat-Nr. _|Einsende-Nr.: _
            """,
        "PROVIDER_ID": """
            LANR: _|LANR _|BSNR: _|BSNR _|Arztnummer: _|Arzt-Nr.: _|Arzt-Nr. _|EFN: _
            Betriebsstättennummer: _|Betriebsstätten-Nr. _|lebenslange Arztnummer: _|ZSR-Nr. _
            LANR/_|LANR/BSNR: _|Arztnr.: _
            """,
        "INSURANCE_ID": """
            Versichertennummer: _|Versicherten-Nr.: _|Vers.-Nr. _|Versichertennr. _|KVNR: _|KVNR _
            Krankenversichertennummer: _|KV-Nummer: _|KV-Nr. _|Versicherungsnummer: _
            Versicherungs-Nr. _|Kassennummer: _|Kassen-Nr. _|Mitgliedsnummer: _|Mitglieds-Nr. _
            Versichertennummer/_|Krankenkasse Nr. _|eGK-Nr.: _|Versicherten-ID: _|Police Nr. _
            Krankenversicherungsnummer _
            """,
        "SSN": """
            Sozialversicherungsnummer: _|SV-Nummer: _|SV-Nr. _|SVNR: _|RVNR: _|Steuer-ID: _
            Rentenversicherungsnummer: _|Steueridentifikationsnummer: _|IdNr. _|Steuer-IdNr.: _
            Rentenversicherungs-Nr. _|AHV-Nr. _|AHV-Nummer: _|Sozialversicherungs-Nr.: _
            """,
        "DEVICE_ID": """
            Seriennummer: _|Serien-Nr.: _|Serien-Nr. _|Seriennr. _|S/N: _|SN: _|Lot: _|LOT-Nr. _
            Chargennummer: _|Charge: _|Ch.-B.: _|Chargen-Nr. _|Lotnummer: _|Gerätenummer: _
            Schrittmacher Nr. _|Implantat-Nr. _|Geräte-Nr. _|UDI: _|Port Nr. _|Chargen-Nr.: _
            Prothese Nr. _|Sonde Nr. _
            """,
        "ACCOUNT": "Kontonummer: _|Konto-Nr. _|Konto Nr. _|Kreditkarte Nr. _|Kreditkartennummer: _",
        "VEHICLE_ID": "Kennzeichen: _|Kennzeichen _|amtliches Kennzeichen _|Kfz-Kennzeichen: _",
        "USERNAME": """
            Benutzer: _|Benutzername: _|Login: _|erfasst von _|geschrieben von _|Benutzerkennung: _
            freigegeben von _|vidiert von _|diktiert von _
            """,
        "ID": """
            Personalausweis Nr. _|Ausweisnummer: _|Reisepass Nr. _|Passnummer: _|Aktenzeichen: _
            Führerschein Nr. _|Personalausweisnummer: _|Reisepassnummer: _|Probanden-ID: _
            Probandennummer _|Personalnummer: _|Studien-ID: _|Ausweis-Nr. _|Führerscheinnummer _
            """,
    },
    "nl": {
        "PATIENT_ID": """
            Patiëntnummer: _|patiëntnummer _|patiëntnr. _|patiëntnr: _|Pat.nr.: _|Pat. nr. _
            patiënt nr. _|Patiënt-ID: _|patiënt-ID _|PID: _|Patiëntnummer/_|ziekenhuisnummer _
            Ziekenhuisnummer: _|Patientnummer: _|patiëntnummer is _|MRN: _|patientnr. _|patnr _
            identificatienummer patiënt: _|patiëntennummer: _
            """,
        "VISIT_ID": """
            opnamenummer: _|Opnamenummer _|opnamenr. _|opname nr. _|dossiernummer: _|dossiernr. _
            dossier nr. _|bezoeknummer: _|onderzoeksnummer: _|onderzoeknr. _|monsternummer _
            labnummer: _|aanvraagnummer: _|ordernummer: _|episodenummer _|Opnamenummer/_
            verrichtingsnummer _|lab nr. _|aanvraag nr. _|accessienummer: _|casusnummer: _
            """,
        "PROVIDER_ID": """
            BIG-nummer: _|BIG-nummer _|BIG-nr. _|BIG-registratienummer: _|AGB-code: _|AGB: _
            AGB-code _|RIZIV: _|RIZIV-nummer _|BIG-registratie _|BIG nummer: _
            """,
        "INSURANCE_ID": """
            polisnummer: _|polisnr. _|Verzekeringsnummer: _|verzekerdennummer _|verzekerdenr. _
            zorgverzekering nr. _|polis nr. _|lidnummer: _|UZOVI: _|relatienummer _
            zorgverzekeringsnummer: _|klantnummer: _
            """,
        "SSN": """
            BSN: _|BSN _|burgerservicenummer: _|BSN-nummer _|BSN/_|rijksregisternummer: _|INSZ: _
            Rijksregisternr. _|bsn nr. _|BSN nummer: _|sofinummer _|INSZ-nummer _
            """,
        "DEVICE_ID": """
            serienummer: _|serienr. _|serienummer _|lotnummer: _|lotnr. _|S/N: _|SN: _|Lot: _
            batchnummer: _|pacemaker nr. _|implantaat nr. _|UDI: _|chargenummer _|prothese nr. _
            apparaatnummer: _
            """,
        "ACCOUNT": "rekeningnummer: _|rekening nr. _|bankrekening: _|creditcard nr. _",
        "VEHICLE_ID": "kenteken: _|kenteken _|auto met kenteken _|kentekennummer: _",
        "USERNAME": """
            gebruiker: _|gebruikersnaam: _|ingevoerd door _|login: _|getypt door _|gewijzigd door _
            geaccordeerd door _
            """,
        "ID": """
            paspoortnummer: _|paspoort nr. _|rijbewijsnummer: _|rijbewijs nr. _|personeelsnummer: _
            identiteitskaart nr. _|studienummer: _|identiteitsbewijs nr. _|paspoort: _
            referentie: _|ID-kaart nr. _
            """,
    },
}  # fmt: skip

# What a hospital or an office numbers its own things with.
VALUES: dict[str, tuple[str, ...]] = {
    "PATIENT_ID": (
        "8012345678", "2345678", "N20456781", "41230987/12", "123456", "80 123 456", "0012345678",
        "HN-204567", "12-34-56789", "8 0 1 2 3 4 5 6 7 8", "4567 8901", "P00412345", "0451-22817",
        "K1234567", "12.345.678", "20240012345", "000451",
    ),
    "VISIT_ID": (
        "V320360971", "1998K123450", "3216549870", "17qz34512", "87654321-9", "24H12345",
        "23B24306-2", "750123456", "24-12345", "S23-12345", "2024-004512", "B24.12345", "0045123",
        "H2024/01234", "21C25024", "20240312-0045", "A1234567", "24P95806",
    ),
    "PROVIDER_ID": (
        "10001234567", "28 28 12345", "751234567", "28-28-12345", "1234567893", "AB1234563",
        "28/2812345", "123456789", "75 1 23456 7", "MD-123456", "49012345601", "A123456",
    ),
    "INSURANCE_ID": (
        "28 12345678 40", "281234567-1", "AB123456", "4213567890", "28-12345678-90", "1EG4TE5MK73",
        "W123456789", "A123456780", "12345678", "XGP-12345-01", "0012345/001", "281234567840",
    ),
    "SSN": ("123456789", "12345678", "987-65-432", "123 456 789", "12 345 678", "1234567890"),
    "DEVICE_ID": (
        "QRX77120034", "123456", "SN-12345", "WTM026996D", "PBM160946A", "EJ6796", "FG-4493",
        "A2041D18", "20-11873-X", "W1DR014521", "ABC123", "75001234", "LT2024-118",
    ),
    "ACCOUNT": ("42135678901", "4213 5678 9012", "0049-1234-567", "20041010050500013"),
    "VEHICLE_ID": (),
    "USERNAME": ("alebrun24", "mroux7", "j.soto2", "ckline20", "nprev34", "a.b.jansen3"),
    "ID": ("12AB34567", "750100042", "C01X00T47", "19-12345", "880692310285", "X1234567"),
}  # fmt: skip


def phrases(table: str) -> list[str]:
    """Read a table of phrases: one between bars, `_` for the number, `/` for a line break."""
    parts = "|".join(line.strip() for line in table.strip().splitlines())
    # A bar that belongs to the phrase stands between blanks.
    return [
        part.replace("\0", " | ").replace("/_", "\n_") for part in
        parts.replace(" | ", "\0").split("|")
    ]  # fmt: skip


def named() -> Iterator[tuple[str, str]]:
    """Yield (language, marked line): each phrase with three values, each in its own sentence."""
    turn = 0
    for lang, labels in NAMED.items():
        for label, table in labels.items():
            values = PLATES[lang] if label == "VEHICLE_ID" else VALUES[label]
            for phrase in phrases(table):
                for _ in range(3):
                    turn += 1
                    value = values[turn % len(values)]
                    line = phrase.replace("_", f"[[{value}|{label}]]")
                    yield lang, AROUND[lang][turn % len(AROUND[lang])].format(line)


def shaped() -> Iterator[tuple[str, str]]:
    """Yield (language, marked line) for numbers of a shape of their own, in every sentence."""
    for lang in SHAPED:
        for line, around in product(lines(lang), AROUND.get(lang, AROUND["en"])):
            yield lang, around.format(line)
