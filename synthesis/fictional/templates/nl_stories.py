"""Dutch clinical stories: what brings a patient to hospital and what is found and done there."""

from synthesis.fictional.templates.grammar import Story

_SENT = "Preparaat naar de pathologie onder {exam}."

STORIES = (
    Story(
        "colon",
        (38, 104),
        "surgery",
        {
            "reason": (
                "Coloncarcinoom {side:links/rechts} na rectaal bloedverlies.",
                "Behandeling van een colontumor, stadium [cT3N1|cT3N0|cT2N0].",
            ),
            "account": (
                "{civil} {last}, {age}, heeft sinds {month:8} rectaal bloedverlies en is {n:3-9} kg "
                "afgevallen.",
                "Coloscopie op {past:90} door {doctor}: exofytische tumor op {n:18-60} cm.",
                "FIT op {past:160} positief; bij een neef werd aan Lynchsyndroom gedacht.",
            ),
            "exam": ("Abdomen soepel, weerstand in de {side:linker/rechter} onderbuik.",),
            "labs": ("CEA {d:2.1-38.0} µg/l, albumine {n:29-41} g/l.",),
            "treatment": ("ferrofumaraat 200 mg 1dd1", "macrogol 1 sachet per dag"),
            "imaging": (
                "CT: wandverdikking van het colon over {n:3-7} cm, {n:1-4} regionale klieren.",
                "Geen levermetastasen op CT van {past:60}.",
            ),
            "impression": ("Colontumor zonder afstandsmetastasen.",),
            "operation": (
                "Open introductie volgens Hasson bij de navel, geen peritonitis carcinomatosa.",
                "Centraal onderbinden van de mesenteriale vaten, vlak van Toldt ontwikkeld.",
                "Gestapelde anastomose end-to-end, luchtlektest negatief.",
                "Preparaat verwijderd via een Pfannenstielincisie van {n:5-8} cm.",
                _SENT,
            ),
            "after_operation": ("Helder vloeibaar op dag 1, ERAS-protocol",),
            "macroscopy": (
                "Colectomie van {n:16-34} cm met een ulcererende tumor van {n:25-68} mm.",
            ),
            "microscopy": (
                "Matig gedifferentieerd adenocarcinoom tot in het pericolische vet.",
                "{n:0-3} van {n:14-29} lymfeklieren positief.",
            ),
            "diagnosis": ("Adenocarcinoom van het colon, [pT3 N1a|pT3 N0|pT2 N0], R0, pMMR.",),
            "course": ("Darmfunctie op gang op {step}, Clavien-Dindo graad 1.",),
            "outcome": ("Wordt besproken in het gastro-intestinale MDO.",),
            "question": ("Adjuvante chemotherapie?",),
            "decision": (
                "CAPOX, eerste kuur {next:30}",
                "Port-a-cath op {next:20}, serienummer {device}",
            ),
            "opinion": ("Controlecoloscopie in {nextmonth:12}.",),
        },
    ),
    Story(
        "breast",
        (30, 102),
        "oncology",
        {
            "reason": (
                "Invasief carcinoom van de {side:linker/rechter} mamma, laterale bovenkwadrant.",
                "Afwijking bij bevolkingsonderzoek borstkanker, BI-RADS 5.",
            ),
            "account": (
                "{civil} {last}, {age}, bezocht {gp} op {past:70} wegens een palpabele knobbel.",
                "Mammografie van {past:60} in {othercity}: spiculaire massa van {n:9-27} mm.",
                "Dikkenaaldbiopt op {past:45} door {doctor}.",
                "Menopauze in {year:15}, geen hormonale therapie, zus behandeld op {kinage} jaar.",
            ),
            "exam": ("Vaste nodus van {n:10-30} mm, geen ziekte van Paget van de tepel.",),
            "labs": ("CA 15-3 {n:12-48} kU/l.",),
            "treatment": ("letrozol 2,5 mg 1dd1",),
            "imaging": (
                "Massa lateraal boven van {n:9-29} mm, okselklier met cortex {n:3-7} mm.",
                "Botscan zonder verdachte stapeling.",
            ),
            "impression": ("BI-RADS 5, vandaag gebiopteerd.",),
            "operation": (
                "Lokalisatiegeleide lumpectomie via periareolaire incisie.",
                "Schildwachtklier met isotoop (Geiger {n:120-980} tellen) en blauwe kleurstof.",
                "Preparaat gemarkeerd: kort craniaal, lang lateraal.",
                _SENT,
            ),
            "macroscopy": ("Georiënteerde lumpectomie van {n:38-74} g met stervormige nodus.",),
            "microscopy": (
                "Invasief carcinoom NST, Bloom-Richardson graad 2.",
                "ER {n:70-100}%, PR {n:20-90}%, HER2 1+.",
            ),
            "diagnosis": ("Invasief mammacarcinoom pT1c N0(sn), ER+ PR+ HER2-, Ki-67 {n:8-30}%.",),
            "course": ("Seroom in de oksel gepuncteerd op {step}, {n:40-150} ml.",),
            "outcome": ("Bestraling in {otherhospital} vanaf {next:40} gepland.",),
            "question": ("Alleen bestraling of eerst chemotherapie?",),
            "decision": (
                "Bestraling 50 Gy, daarna endocriene therapie",
                "Klinische genetica bij {doctor}",
            ),
            "opinion": ("Volgend mammogram in {nextmonth:12}.",),
        },
        genders="F",
    ),
    Story(
        "lymphoma",
        (18, 70),
        "oncology",
        {
            "reason": (
                "Zwelling in de hals en nachtzweten, verdenking lymfoom.",
                "Stadiëring van een Hodgkinlymfoom.",
            ),
            "account": (
                "Sinds {month:9} heeft {civil} {last} nachtzweten, jeuk en {n:4-11} kg gewichtsverlies.",
                "{gp} voelde op {past:80} een supraclaviculaire klier.",
                "PET van {past:30}: stapeling boven het diafragma, Deauville 5.",
                "Beroep: {job}[, werkgever: {employer}|]; werkt niet sinds {past:50}.",
            ),
            "exam": ("Supraclaviculaire klier van {n:2-4} cm, geen splenomegalie.",),
            "labs": ("BSE {n:38-92} mm/u, LDH {n:240-610} U/l, EBV- en hiv-serologie ingezet.",),
            "treatment": ("aciclovir 400 mg 2dd1", "cotrimoxazol driemaal per week"),
            "imaging": (
                "Massa in het voorste mediastinum van {n:48-110} mm onder de angulus van Louis.",
                "Geen ziekte onder het diafragma, milt {n:9-12} cm.",
            ),
            "impression": ("Nodale ziekte, Ann Arbor stadium II.",),
            "operation": (
                "Cervicale incisie van {n:3-6} cm, klier van {n:15-34} mm in toto verwijderd.",
                "De nervus accessorius werd gezien en gespaard.",
                _SENT,
            ),
            "macroscopy": ("Lymfeklier van {n:15-38} mm, nodulair wit snijvlak.",),
            "microscopy": (
                "Verstoorde architectuur, Reed-Sternbergcellen CD30+ CD15+.",
                "Banden van sclerose, veel eosinofielen.",
            ),
            "diagnosis": ("Klassiek Hodgkinlymfoom, nodulair scleroserend.",),
            "course": ("Eerste kuur ABVD op {step}, goed verdragen.",),
            "outcome": ("Volgende kuur op de dagbehandeling op {next:16}.",),
            "question": ("Aantal kuren, plaats van bestraling?",),
            "decision": (
                "ABVD 4 kuren, PET rond {next:60}",
                "Fertiliteitsconsult in {otherhospital}",
            ),
            "opinion": ("De controle-PET staat op {next:60}.",),
        },
    ),
    Story(
        "fall",
        (64, 106),
        "geriatrics",
        {
            "reason": (
                "Val thuis met heupfractuur {side:links/rechts}.",
                "Val bij bekende ziekte van Parkinson.",
            ),
            "account": (
                "{civil} {last}, {age}, werd op {recent:6} door {kin} op de grond gevonden.",
                "Ziekte van Parkinson sinds {year:12}, controle bij {doctor}, Hoehn en Yahr stadium 3.",
                "Naar schatting {n:1-9} uur op de grond, geen bewustzijnsverlies.",
                "Op {past:500} werd aan Lewy body dementie gedacht.",
            ),
            "exam": (
                "Been verkort en in exorotatie, perifere pulsaties aanwezig.",
                "Tandradfenomeen beide polsen, MMSE volgens Folstein {n:17-29}/30.",
            ),
            "labs": ("CK {n:180-2400} U/l, vitamine D {n:18-75} nmol/l.",),
            "treatment": ("Madopar 125 mg 4dd1", "calcium met vitamine D 1dd1"),
            "imaging": (
                "Gedisloceerde collumfractuur, Garden IV.",
                "CT-hersenen: small vessel disease, geen bloeding.",
            ),
            "impression": ("Gedisloceerde collumfractuur, geen ander letsel.",),
            "operation": (
                "Posterolaterale benadering volgens Moore, kapsulotomie, kop van {n:44-52} mm verwijderd.",
                "Gecementeerde kophalsprothese, steel serienummer {device}, stabiel bij proefrepositie.",
                "Exorotatoren gehecht, stand gecontroleerd met doorlichting.",
                _SENT,
            ),
            "after_operation": ("Volledig belasten op geleide van pijn, luxatiebeperkingen",),
            "macroscopy": ("Femurkop van {n:44-52} mm, versmald kraakbeen.",),
            "microscopy": ("Ijle botbalkjes, geen tumor.",),
            "diagnosis": ("Femurkop met osteoporotische veranderingen.",),
            "course": (
                "Twee packed cells op {step} bij Hb {d:4.2-5.0} mmol/l.",
                "Delier op {step}, hersteld na behandeling van urineretentie.",
            ),
            "outcome": ("Overplaatsing naar {otherhospital} voor revalidatie op {discharge}.",),
            "opinion": ("Levodopa ongewijzigd; geen Charcotgewricht bij onderzoek.",),
        },
    ),
    Story(
        "heart",
        (48, 107),
        "cardiology",
        {
            "reason": (
                "Acuut hartfalen bij snel atriumfibrilleren.",
                "Syncope met bradycardie, AV-blok.",
            ),
            "account": (
                "{civil} {last} heeft sinds {recent:15} dyspneu NYHA III en oedeem.",
                "{n:3-9} kg aangekomen sinds {month:3}, slaapt op twee kussens.",
                "Laatste echocardiogram {past:400} door {doctor}: ejectiefractie {n:32-55}%.",
                "{kin_caps} meldt dat sinds {month:4} tabletten zijn vergeten.",
            ),
            "exam": ("Basale crepitaties, verhoogde CVD, oedeem tot de knieën.",),
            "labs": (
                "NT-proBNP {n:480-3400} ng/l, troponine {n:12-48} ng/l, magnesium {d:0.7-1.1} mmol/l.",
            ),
            "treatment": ("apixaban 5 mg 2dd1", "bisoprolol 5 mg 1dd1"),
            "imaging": (
                "Cardiomegalie, beiderzijds pleuravocht, Kerley B-lijnen.",
                "Echo: EF {n:30-52}% volgens Simpson, linkeratrium {n:36-58} ml/m2.",
            ),
            "impression": ("Cardiaal longoedeem.",),
            "operation": (
                "Implantatie van een tweekamerpacemaker, generator serienummer {device}.",
                "Toegang via de linker vena subclavia, RV-draad op het septum, drempel {d:0.4-0.9} V.",
                "Atriumdraad ingeschroefd, sensing {d:1.8-3.9} mV.",
            ),
            "after_operation": ("X-thorax en pacemakercontrole op {next:3}",),
            "course": (
                "Intraveneuze diuretica tot {step}, {n:3-8} kg kwijt.",
                "Cardioversie op {step} na TEE, sindsdien sinusritme.",
            ),
            "outcome": ("Ontslaggewicht {weight} kg, dagelijks wegen, zoutbeperking.",),
            "opinion": ("CHA2DS2-VASc {n:2-6}, antistolling voortzetten.",),
        },
    ),
    Story(
        "lung",
        (42, 103),
        "pneumology",
        {
            "reason": (
                "Exacerbatie COPD met pneumonie van de rechter onderkwab.",
                "Nodus in de linker bovenkwab bij een roker.",
            ),
            "account": (
                "Productieve hoest sinds {recent:12}, koorts tot {d:38.1-39.5} °C.",
                "Amoxicilline van {gp} op {recent:8} hielp niet.",
                "FEV1 {n:34-68}% op {past:300}, GOLD {n:2-3}.",
                "Voormalig beroep: {job}, mogelijk asbestblootstelling tot {year:25}.",
            ),
            "exam": ("Diffuus piepen, crepitaties rechts basaal, teken van Hoover.",),
            "labs": ("pO2 {d:6.9-9.8} kPa, legionella-antigeen negatief, influenza-PCR negatief.",),
            "treatment": ("tiotropium 2 puffs per dag", "salbutamol zo nodig"),
            "imaging": (
                "Consolidatie rechter onderkwab, centrilobulair emfyseem.",
                "Spiculaire nodus van {n:8-24} mm, vergelijk {past:600}.",
            ),
            "impression": ("Pneumonie; controle-CT van de nodus in {nextmonth:3}.",),
            "course": (
                "Vernevelen en steroïden tot {step}, zuurstofvrij op {step}.",
                "Bronchoscopie op {step} door {doctor}: geen endobronchiale afwijking.",
            ),
            "macroscopy": ("Drie bronchusbiopten van 1 tot {n:2-4} mm.",),
            "microscopy": ("Ontstoken bronchusslijmvlies zonder carcinoma in situ.",),
            "diagnosis": ("Chronische bronchitis, geen maligniteit in dit materiaal.",),
            "outcome": ("Zuurstof thuis 2 l/min, leverancier in {othercity} ({other_phone}).",),
            "question": ("Nodus vervolgen of biopteren?",),
            "decision": (
                "PET-CT op {next:20}, diffusiecapaciteit",
                "Stoppen met roken, pleister 21 mg",
            ),
            "opinion": ("Pneumokokkenvaccinatie nodig; revalidatie in {otherhospital}.",),
        },
    ),
    Story(
        "crohn",
        (18, 80),
        "gastroenterology",
        {
            "reason": (
                "Opvlamming van een ileocolische ziekte van Crohn.",
                "Subileus bij bekende ileumstenose.",
            ),
            "account": (
                "Ziekte van Crohn, diagnose in {month:120} door {doctor}, Montreal L3B2.",
                "Sinds {recent:14} {n:5-12} ontlastingen per dag en pijn rechtsonder in de buik.",
                "Infliximab sinds {month:30}, laatste infuus {recent:60} in {otherhospital}.",
            ),
            "exam": ("Weerstand rechtsonder, Harvey-Bradshaw {n:4-14}.",),
            "labs": ("Calprotectine {n:240-1800} µg/g, albumine {n:27-40} g/l, B12 normaal.",),
            "treatment": ("azathioprine 150 mg 1dd1", "budesonide 9 mg 1dd1"),
            "imaging": (
                "MR-enterografie: terminale ileum verdikt over {n:8-28} cm, kamteken.",
                "Geen abces, mogelijk entero-enterische fistel.",
            ),
            "impression": ("Actieve stenoserende ileïtis zonder abces.",),
            "operation": (
                "Ileocoecaalresectie via mediane laparotomie, side-to-side anastomose.",
                "Resterende darm vanaf het ligament van Treitz {n:180-320} cm.",
                _SENT,
            ),
            "macroscopy": ("Ileocoecaalresectie van {n:14-32} cm met serpigineuze ulcera.",),
            "microscopy": ("Transmurale ontsteking, granulomen, vergrote plaques van Peyer.",),
            "diagnosis": ("Actieve ziekte van Crohn, snijvlakken licht ontstoken.",),
            "course": ("Intraveneuze steroïden van {step} tot {step}, ontlasting genormaliseerd.",),
            "outcome": ("Volgende infuus met biological op {next:40}.",),
            "opinion": ("Infliximabspiegel en calprotectine voor {next:60}.",),
        },
    ),
    Story(
        "child",
        (0, 17),
        "paediatrics",
        {
            "reason": (
                "[Matige|Ernstige] astma-aanval met koorts.",
                "Koorts en pijn rechtsonder in de buik, mogelijk appendicitis.",
            ),
            "account": (
                "{first}, {age}, hoest sinds {recent:5}; T {d:38.2-39.8} °C sinds gisteren.",
                "Gezien door {gp} op {recent:3}, thuis {n:4-10} puffs salbutamol.",
                "{kin_caps} meldt slecht slapen en weinig eetlust.",
            ),
            "exam": ("Beiderzijds piepen, subcostale intrekkingen, PRAM {n:2-7}.",),
            "labs": ("Leukocyten {d:8.1-19.4}, CRP {n:4-96} mg/l, RSV negatief.",),
            "imaging": (
                "Hyperinflatie, geen infiltraat.",
                "Echo: appendix van {n:5-11} mm, echogeen vet.",
            ),
            "impression": ("Geen pneumothorax; appendix grenswaarde.",),
            "operation": (
                "Laparoscopische appendectomie, flegmoneuze appendix, endoloop.",
                "Holte van Douglas gespoeld, geen Meckeldivertikel.",
                _SENT,
            ),
            "macroscopy": ("Appendix van {n:45-82} mm, gestuwde serosa.",),
            "microscopy": ("Transmurale granulocyten, geen tumor.",),
            "diagnosis": ("Acute appendicitis.",),
            "course": ("Zuurstofvrij op {step}, salbutamol iedere 4 u.",),
            "outcome": ("Schriftelijk astma-actieplan aan de ouders, school ingelicht.",),
            "opinion": ("Fluticason 50 mcg 2dd1, techniek met voorzetkamer geoefend.",),
            "transmissions": (
                "{step}: knuffelbeer gevonden, {kin} slaapt op de kamer, {kinphone}.",
            ),
        },
    ),
)
