"""Numbers and codes in notes that name nobody: measures, codes of diseases, papers, machines."""

from collections.abc import Iterator
from itertools import product

# One between bars; each is put into the sentences of its language.
NOBODY: dict[str, str] = {
    "": """
        500 mg x 3|2 x 1000 mg|0,5 mg/kg|1 g x 3/j|75 mg|5000 UI|12 500 UI/ml|40 mg/0,4 ml
        120/80|130/85 140/90|FC 72|37,2 °C|98 %|SpO2 96%|EVA 3/10|Glasgow 15|GCS 15 (4-5-6)
        HbA1c 7,2 %|CRP 125 mg/l|créatinine 89 µmol/l|Na 138 K 4,2 Cl 101|pH 7.35 pCO2 42
        leucocytes 12 500/mm3|plaquettes 250 000|Hb 12,3|TSH 2.35 mUI/L|PSA 4,5 ng/ml|INR 2,5
        BNP 1250 pg/mL|NT-proBNP 12500 ng/L|CK 12000 UI/l|D-dimères 1250|ferritine 12345 µg/l
        120000000 copies/ml|1 200 000 UI|10^5 UFC/ml|1.5 x 10^9/L|250 G/L|3 500 000/mm3
        C34.1|I10|E11.9|K35.80|F32.2|M54.5|S72.00|Z51.11|C50.9|ICD-10 J18.9|CIM-10 I25.1
        5A11|2C25.Z|ICD-11 BA41.Z|8B20|LOINC 2160-0|LOINC: 718-7|LOINC 14749-6|CAS 50-78-2
        SNOMED CT 195967001|SNOMED CT: 22298006|SNOMED: 44054006|SCTID 386661006|UMLS C0027051
        ATC C09AA05|ATC: N02BE01|J01CR02|DZQM006|CCAM YYYY600|EBQH002|CPT 99213|CPT: 93306-26
        CPT 70553|HCPCS J1885|OPS 5-470.11|OPS 8-980.10|RxNorm 197361|MedDRA 10028596|OMIM 143890
        pT2N0M0|T1cN0M0|ypT3N1a|pT1bN0(sn)|T4N2M1|Gleason 7 (3+4)|ECOG 1|ASA 2|NYHA III|BI-RADS 4
        BRCA1|HLA-B27|HLA-DQ2|TP53|KRAS G12C|EGFR L858R|BRAF V600E|JAK2 V617F|CD20|HER2 3+|Ki67 25%
        c.68_69delAG|rs80357906|p.Val600Glu|c.1521_1523delCTT|NM_007294.4|chr17:43044295
        NM_000546.6:c.743G>A|chr7:140453136|NC_000017.11|t(9;22)(q34;q11)|46,XX|ENSG00000012048
        version 10.2.3.4|v2.1.0|v4.12.1|ISO 13485|ISO 9001:2015|HL7 2.5.1|DICOM 3.0|Windows 10
        doi:10.1056/NEJMoa2034577|DOI 10.1016/S0140-6736(20)30183-5|PMID: 34567890|PMID 12345678
        PMC7654321|ISBN 978-2-294-71234-5|ISBN 9782294712345|ISSN 0028-4793|NCT04280705
        N Engl J Med 2020;383:2603-2615|Lancet 2019;394:1467-80|JAMA. 2018;320(12):1234-1245
        EudraCT 2015-001234-56|arXiv:2004.12345|ISRCTN12345678|PROSPERO CRD42020123456
        Siemens Magnetom 3T|Optima CT660|SOMATOM Definition AS 64|GE LOGIQ E9|Philips iE33
        Aquilion ONE 320|Artis Zee|Epiq 7|Da Vinci Xi|Cobas 8000|MAGNETOM Vida 3T|Dell 7490
        Cobas e801|VIDAS 3|Architect i2000|LIAISON XL|Toshiba 1.5 T|Revolution CT 256
        CHADS2-VASc 3|RECOVERY|ISCHEMIA-2|KEYNOTE-189|PARADIGM-HF|COMET-2|CheckMate 227|RE-LY
        EMPA-REG|CLEOPATRA 2015|MONALEESA-7|DAPA-CKD|NSABP B-31|ECOG 2197|SWOG 8814|RTOG 9802
        L4-L5|D10-D11|C5-C6|T12-L1|L5-S1|dent 36|17-18 26-27|VT 450 FR 16 PEP 5 FiO2 40
        25 mm/s 10 mm/mV|QTc 450 ms|PR 160 QRS 90|FiO2 0.4 PEEP 8|VT 6 ml/kg|PaO2/FiO2 250
        12/03/2024|2024-03-12|12.03.24|03/2024|14h30|14:30|23h59|2024|1998-2003|08:15-09:45
        01 42 16 00 07|0142160007|06.12.34.56.78|+33 1 42 16 00 07|75012 Paris|28041 Madrid
        +34 912 345 678|(555) 123-4567|555-123-4567|1-800-555-0199|0345 123 4567
        3 mois|12 ans|page 12/45|12 rue X|10 20 30 40 50 60|7.40 40 90 24|45 x 30 x 12 mm
        4111 1111 1111 1112|000-12-3456|666-45-6789|2 2 2 2 2 2 2 2 2 2 2 2|1.234.567
        AB-123-CI1|FR76 3000 6000 0112 3456 7890 188|1 000 000|10.0.0.12|1024x768
        12,5 x 10,3 cm|1500 kcal|2000-2500 ml|1/2500|1:10000|45,XO|G2P1|3/6|2-0 Vicryl|18G|14 Fr
        Vicryl 3/0|Charr. 16|XIENCE 3.0 x 28 mm|6F|5/0|26-28 mm|30 x 10^6|88,5|1990 kcal/j
        """,
    "fr": """
        visite 3|examen 12|séjour de 12345|patient 12 ans|page 1234|lot de 12|dossier 12|case 12
        dossier du 12/03/2024|examen du 12|carte 12|IPP à vie 20 mg|IPP 40 mg|IPP 2x/j|patient de 72
        IPP 20 mg/j depuis 2019|sous IPP depuis 2015|IPP double dose|IPP 40 mg x 2|IPP 1/j
        patient hospitalisé en 2019|séjour de 2018 à 2020|consultation 2023|admission le 12/03
        demande 2|le dossier 2019|visite M12|visite à 6 mois|passage à 14h30|séjour 12 jours
        Tour 3 étage 12|salle 203|poste 12345|bip 4567|DECT 71234|tél 0142160007
        n° 12|n° 3 sur 5|côte n° 7|dent n° 36|sonde 18|sonde Ch 16|sonde JJ 7|plaque 4 trous
        plaques 4 x 5 cm|prothèse totale 2018|stent 3,5 x 18|stent 2015|pacemaker 2016|lot 12
        implant 4,5 x 12|plaquettes 125000|compte 4500 GB|compte cellulaire 12500|compte de 12000
        insert 10 mm|cupule 52|tige taille 12|valve n° 23|boîtier 3|assurance 2|contrat 12 mois
        assuré depuis 2004|mutuelle depuis 2012|carte vitale 2|badge 2|permis B 1998|CB 2 fois
        AM 14h|col 7 cm|col. 12|cip 34009|CIP13 3400930000120|code CIP 3400935955838|UCD 9261110
        id 5|réf. 3|référence 12 à 45 mg/l|INS 2|INS Paris 2019|Tabac 20 PA|RIB demandé le 12/03
        NDA en 2021|NIR : 830 nm|NIP 12|login demandé|tapé par Marie|frappe 24|validé par CD20
        signé par le Dr Petit 2|session 3|utilisateur 2|utilisateur : Marie|saisi le 12/03/2024
        bon état|bon 2 fois|lame 15|bloc 2|bloc opératoire 3|biopsie 12 carottes|biopsies 2019
        prélèvement 2|prélèvement du 12/03/2024|échantillon 2|visite n° 3|séance n° 12
        consultation n° 2|examen n° 1|cycle n° 3|cure n° 12|ligne 3|patient n° 12 sur 45
        série 4|en série 2019|2 séries de 12|sn 2|UDI 3 cpr|naf 12|CMU 2019|adhérent depuis 2001
        ordre 2|police 12|police Arial 12|véhicule 2019|immatriculé en 2019|voiture 2015
        créatinine 123456|IRM 3T|protocole 2016-45|essai 2019|matricule|SIRET|RPPS non communiqué
        """,
    "en": """
        case 12 of 15|visit 3|visit 2024|exam 12|order 2|order set 1234|stay 12 days|file 3|lot 12
        patient 72 yo|patient seen 2019|admitted 03/12/2024|encounter 3|encounter 2019
        encounter on 03/12/2024|account 3|on account of 12000|MRN pending|id 5|ID 2019|ref 12
        Policy 2012|policy since 2012|group 3|group A 1234 patients|Group 2 (n=1250)|medicare 2019
        medicare age 65|member 3|plan 2024|claim 3|license renewed 2018|plate 4 hole|plate 12 mm
        stent 3.5 x 18|stent 2015|port 2016|pacemaker 2012|stem 12|stem size 4|lead 2|hardware 2010
        device 2019|implant 4.5 x 12|generator change 2014|prosthesis 2009|valve 23 mm|model 1234
        serial troponins 12 34 56|serial 3|serial exams 2|s/n 28041|batch 12|lot of 20|udi 12
        dea 3|npi 2|fin 12|csn 3|acc 12|chart 3|chart reviewed 2019|unit 12|unit 3 West 1204
        pager 12345|ext. 45678|extension 4567|apt 1204|Tower 3|floor 12
        sample 3|specimen 2|specimen 12 of 15|lab 12/03/2024|labs 2019|report 3|report 2018
        slide 12|Rx 500 mg|rx 12 tablets|path 2019|request 3|referral 2019|subject 12|study 2019
        study 1234 patients|subject 12 of 40|card 12|passport|SSN|SSN declined|social history 2019
        SS 12|ni 3|nhs 2019|NHS 111|NHS Trust 2018|hsc 2019|chi square 12.45|urn 12|pid 2019
        signed by Dr. Gray|typed by Mary|login|user: none|entered by nurse 2|created by 2019
        Grade 2|Stage IIIA|G2P1001|G3P2012|T-score -2.5|dose 12345 units|zip 90210|Boston 02115
        vaccine 2021|lot number 12 of 15|Figure 12|Table 1234|p<0.0001|n = 12345|OR 1.25 (1.10-1.42)
        HR 0.75, 95% CI 0.65-0.87|JAMA 2018|BP 120/80 HR 72 RR 16|WBC 12500|platelets 250000
        account 12,500 cells|insurance 2019|certificate 2010|reference range 12-45|reference 3
        routing 3|authorization 2019|screening 2019|badge 3|record 3|records 2010|exam # 2
        order # 3|specimen # 12|visit # 2|Case # 3|MRN not available 03/12/2024|patient # 12
        """,
    "es": """
        paciente 72 años|paciente 2019|historia 2019|historia de 20 años|episodio 3|episodio 2019
        episodio de 2018|ingreso 2019|ingreso en 2018|ingreso 12/03/2024|visita 3|consulta 2023
        muestra 2|muestra 12|estudio 3|estudio 2019|informe 2|informe 2018|biopsia 12|biopsia 2019
        petición 3|registro 2019|solicitud 2|prueba 12|cita 2024|orden 3|urgencias 2019
        planta 3|busca 45678|extensión 4567|tel 912345678|tlf. 612345678
        col 7 cm|col. 12|colegiado|CIP 2019|DNI|DNI no aportado|NIF|HC 12|h.c. 2019|sip 3|tsi 12
        póliza 2019|seguro 2012|lote 12|lote de 20|serie 3|serie 2019|s/n 28041|marcapasos 2016
        marcapasos en 2014|prótesis 2009|prótesis 12 mm|stent 3,5 x 18|stent 2015|válvula 23 mm
        implante 4,5 x 12|generador 2014|cuenta 4500 leucocitos|cuenta 12500|tarjeta 2|tarjeta 2019
        matrícula de honor 2019|vehículo 2019|usuario 2|usuario desde 2019|tecleado 2|registrado 3
        firmado por Marta|pasaporte|referencia 12-45 mg/dl|ref 3|id 5|versión 3|nº 12|nº 3 de 5
        consulta nº 2|visita nº 3|ciclo nº 4|sesión nº 12|muestra nº 3|paciente nº 12 de 45
        plaquetas 250000|leucocitos 12500|creatinina 1,25 mg/dl|glucosa 125|5000 UI|12.500 UI
        tabaco 20 paq/año|2 comp c/8h|500 mg/8h|1 g/12 h|1-0-1|2-1-2|15.000 plaquetas/mm3
        nass|nuss|cédula|certificado 2010|expediente 3|ficha 12|código 12|código postal 28041
        C.P. 28041|CP: 28041|Calle Mayor 12345|Km 1234|bastidor|electrodo 2|dispositivo 2019
        código nacional 654321|C.N. 712345|CN 652347.5|asistencia 2|beneficiario|naf 12
        """,
    "de": """
        Patient 72 Jahre|Patient 2019|Fall 12|Fall 3 von 15|Fallzahl 1234|Aufnahme 2019|Befund 3
        Aufnahme 12.03.2024|Befund vom 12.03.2024|Probe 3|Labor 12.03.2024|Auftrag 2|Journal 2019
        Station 3|Tel. 45678|Durchwahl 4567|80331 München|10117 Berlin
        Lot 12|Charge 3|Serie 2019|Schrittmacher 2016|Prothese 2009|Sonde 18|Port 2016|Stent 2015
        Konto 3|Konto seit 2012|Versicherung 2019|Kasse 2019|Police 2012|Mitglied seit 2004
        Kennzeichen 3|Benutzer 2|erfasst von Maria|Ausweis|Reisepass|Führerschein 1998|Nr. 12
        Nr. 3 von 5|Fall Nr. 3|Befund Nr. 2|Patient Nr. 12|Zahn 36|LANR|PID 2019|MRT 3T|IK 12
        OP 2018|2-0-1|1-0-1-0|500 mg 1-0-1|Hb 12,3 g/dl|Leukozyten 12.500/µl|Thrombozyten 250.000
        Kreatinin 1,25 mg/dl|S3-Leitlinie 2021|PZN 01234567|PZN: 04356248|ICD-10-GM I10.90
        EBM 03220|GOÄ 5378|DRG F62B|OPS 5-820.00|RR 120/80|HF 72|Grad 2|Studie 2019|Ziffer 1234
        Sehr geehrte Kollegin, 2|Seite 12 von 15|Studien 2015|Steuer 2019|SV 3|AHV|Arzt 2|BIG 3
        Kreditkarte|Betriebsstätte 3|Einsendung 2019|Eingang 12.03.2024|Behandlung 2018
        """,
    "nl": """
        patiënt 72 jaar|patiënt 2019|opname 2019|opname 12-03-2024|dossier 2019|bezoek 3|onderzoek 2
        onderzoek 12-03-2024|monster 3|lab 12-03-2024|afdeling 3|tel. 45678
        sein 4567|1012 AB Amsterdam|lot 12|batch 3|serie 2019|pacemaker 2016|prothese 2009
        implantaat 2014|stent 2015|rekening 3|verzekering 2019|polis 2012|kenteken|gebruiker 2
        ingevoerd door Maria|paspoort|rijbewijs 1998|nr. 12|nr. 3 van 5|patiënt nr. 12|BSN
        bsn onbekend|BIG 3|AGB|UZOVI|element 36|MRI 3T|1-0-1|500 mg 2dd1|3dd 500 mg|Hb 7,5 mmol/l
        leukocyten 12,5|trombocyten 250|kreatinine 89|RR 120/80|pols 72|graad 2|studie 2019
        BMI 25,3|VAS 3|pagina 12 van 15|ZI-nummer 12345678|versie 3.2|richtlijn 2021|eGFR 67
        creatinine 123 umol/l|episode 2018|order 2|casus 3|verrichting 2|apparaat 2019|referentie 3
        referentiewaarden 12-45|identiteit|personeel 12|zorgtraject 2019|AGB 3|lid sinds 2004
        """,
}

SENTENCES: dict[str, tuple[str, ...]] = {
    "fr": ("{}", "Bilan : {} ce jour", "({})", "- {}\n", "noté {}, RAS", "Biologie\n{}\nConclusion",
           "Examen : {}", "Dossier patient : {}"),
    "en": ("{}", "Work-up: {} today", "({})", "- {}\n", "noted {}, unchanged", "Results\n{}\nPlan",
           "Exam: {}", "Device: {}"),
    "es": ("{}", "Analítica: {} hoy", "({})", "- {}\n", "se anota {}, sin cambios", "AP\n{}\nPlan",
           "Estudio: {}", "Historia: {}"),
    "de": ("{}", "Labor: {} heute", "({})", "- {}\n", "notiert {}, unverändert", "Bild\n{}\nPlan",
           "Befund: {}", "Patient: {}"),
    "nl": ("{}", "Uitslag: {} vandaag", "({})", "- {}\n", "genoteerd {}, idem",
           "Beeld\n{}\nPlan", "Onderzoek: {}", "Monster: {}"),
}  # fmt: skip


def nobody() -> Iterator[tuple[str, str]]:
    """Yield (language, line) in which no number names anybody; what is written alike, in all."""
    for lang, sentences in SENTENCES.items():
        for item, sentence in product(_items(NOBODY[""]) + _items(NOBODY[lang]), sentences):
            yield lang, sentence.format(item)


def _items(table: str) -> list[str]:
    return [item.strip() for line in table.strip().splitlines() for item in line.split("|")]
