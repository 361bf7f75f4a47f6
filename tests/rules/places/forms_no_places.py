"""What looks like places, sites and jobs and is none, by language."""

FRENCH_LOOKALIKES = """
en cours de traitement par 3 cures de chimiothérapie
au cours de l'hospitalisation, 2 cours de kinésithérapie
mise en place d'une sonde de Foley
2 passages aux urgences, 1 place disponible
par voie orale, 3 voies d'abord
la route vers la guérison est longue
leucocytes 12500 /mm3, plaquettes 250000
Na 140, 15000 Leucocytes, 45000 Plaquettes
leucocytes 12500 Hémoglobine 13,2
ferritine 10250 Bilan martial normal
CPK 15200 Troponine négative
hôpital de jour, hôpital de semaine
service de cardiologie, unité de soins intensifs
classification de Montréal L3B2
maladie de Lyme, virus Coxsackie B3, virus de Marburg
score de Glasgow 15, Vienne positif
classification de Londres, consensus de Rome IV
critères de Paris, classification de Vienne
savon de Marseille, eau de Vichy
Institut de soins, clinique : apyrétique
examen clinique Normal, chef de clinique Assistant
salle de réveil, salle 12, chambre 204, lit 3
unité de dialyse, secteur protégé, pavillon auriculaire
pavillon de l'oreille normal, aile du nez
place du corticoïde dans la prise en charge
cité plus haut, passage à la chronicité
12 place sur liste d'attente, 3 route de sortie
il parle arabe et français, langue maternelle portugaise
régime méditerranéen, grippe espagnole, rougeole allemande
lieu de naissance inconnu, adresse inconnue
boulevard des artères coronaires, chemin clinique
50000 UI/j de vitamine D, 10000 UI de Fragmine
60000 copies/mL, 75000 plaquettes
BP 12/8, BP 120, CS 5
né à terme, née à 38 SA, vit à domicile
habite seul, vit en couple, réside en EHPAD
hôpital, clinique, CHU et EHPAD
suivi à la consultation de Pneumologie
Ancien fumeur, ancien infarctus, retraité depuis 2001
Il est fatigué. Elle est apyrétique.
avenue thérapeutique, allée et venue, quai de transfert
Cours évolutif : favorable. Place de l'IRM : discutée
Passage en AC/FA le matin, Route thérapeutique
angle de Paris, ligne de Shenton, plan de Francfort
point de Mac Burney, signe de Babinski, test de Londres
ischémie du territoire de l'artère de Toulouse
poche de Köln, bactérie de Dakar, coma de Liège
TA 14000 Pa, débit 95000 mL
SA 38, S.A. 35, 35 SA + 4 j
SARS-CoV-2, SAS nocturne, AG normale
Unité Coronaire, Secteur Protégé, Service de Cardiologie
Fosse de Mérida, canal de Hunter, cul-de-sac de Douglas
embolie du tronc de la Place, Voie Veineuse Centrale
"""
ENGLISH_LOOKALIKES = """
breast density 2 C. Lattice pattern
5 way bypass, 2 drive restrictions, one lane
the hospital course was uneventful, in hospital
Clinic Note, Hospital Course, Medical Center
ward round at 9, on the ward, unit 4
court date pending, drive for 2 hours, park outside
place of birth unknown, street drugs, street clothes
Lyme disease, Coxsackie virus, Marburg virus, Ebola River strain
contact dermatitis to a Paris green pigment
Glasgow Coma Scale 15, Vienna criteria, Rome IV criteria
Ann Arbor stage IV, Montreal classification, London protocol
Boston bowel preparation scale 9, Boston brace
WBC 12500 Hemoglobin 13.2, platelets 250000
CK 15200 Troponin negative, ferritin 10250 Iron low
75000 Units of heparin, 10000 Units daily
BP 120/80, P.O. intake good, box of tissues
St. wound healing, Dr. notified, Ct. abdomen
CT Head 12345, MRI Spine 54321
MA in the room, IN and OUT recorded, OR at 9, ME normal
Patient OK, PA notified, MD aware, CO 5 L/min, HI negative
2 Drive shafts, 3 Way stopcock, 4 Point restraint
1 Square pad, 10 Circle time, 3 Court cases
12 Lead ECG, 2 Dimensional echo, 4 Chamber View
6 Minute Walk Test, 4 Quadrant Fields, 1 Large Pass
3 Level Fall, 24 Hour Rest, 2 Week Trace
Spanish speaking, French nails, German measles, Asian flu
English speaking, Mexican food, African American woman
born at term, born in 1950, lives alone, lives in an apartment
retired in 2001, former smoker, previously well
she is a poor historian, he is an alcoholic
works as tolerated, return to work, works well
seen in Cardiology, transferred to Stage 4B, in May
Emergency Department, Intensive Care Unit, Operating Room
Nursing Home, Primary Care Clinic, Outpatient Clinic
Cardiology Clinic, Pain Clinic, Wound Clinic, Anticoagulation Clinic
Diabetes Clinic, General Hospital Ward, Surgical Ward
Intensive Care Unit, Stroke Unit, Burn Unit, Dialysis Unit
Colles fracture, Boston scientific stent, Hartford stent
Denver shunt, Oxford knee, Chicago classification
Roadmap, Lane line, Terrace, Main street
Texas catheter, Ohio table, Kentucky score
Georgia on exam cooperative, Virginia well appearing
Bristol stool chart 4, Edinburgh scale 12, Leeds score
Norwalk virus, Hong Kong flu, West Nile virus
company of her husband, employed at present
Zip 12 lead, city life, country food
Region: abdomen, Department: none, State: stable
SL nitroglycerin, Inc. spirometry, AG 12, Ltd. mobility
up to 5 St elevation leads, 3 Mm ST depression
Address goals of care, address pain, addressed today
county hospital, community clinic, local pharmacy
unit: 12 mg, ward: none, floor: wet
"""
SPANISH_LOOKALIKES = """
por vía oral 500 mg, vía venosa periférica
curso clínico favorable, camino de la curación
plaza pendiente en rehabilitación, paseo diario
hospital de día, hospital de referencia, en el hospital
servicio de cardiología, unidad de cuidados intensivos
leucocitos 12500 Hemoglobina 13,2, plaquetas 250000
ferritina 10250 Hierro bajo, CPK 15200 Troponina negativa
enfermedad de Lyme, virus Coxsackie, virus de Marburg
Glasgow 15, criterios de Roma, clasificación de Montreal
clasificación de Viena, criterios de Milán
gripe española, tortilla francesa, dieta mediterránea
nacido a término, vive sola, vive en pareja
vive en residencia, reside en domicilio
c. pulmonar, c/ dolor, c/ 8 horas
av. derecha, pl. aneurisma, r. cutánea
3 pasajes por mesa, 2 ronda de ciclos
ronda de antibióticos, travesía difícil
barrio marginal, carrera de velocidad, carrera 5 km
apartado 3 del informe, apartado de antecedentes
Centro de Salud, Centro Médico, Clínica Dental
exploración clínica Normal, historia clínica Previa
ensayo clínico Fase II, clínica Compatible
sala de espera, sala 3, planta 4, unidad 2
pabellón auricular, unidad funcional, planta baja
50000 UI de vitamina D, 10000 UI de heparina
60000 copias/mL, 75000 plaquetas
TA 120/80, CP normal, C.P. sin lesiones
habla árabe y español, lengua materna rumana
es fumador, es hipertenso, era diabética
antigua fractura, antiguo infarto
trabaja mucho, trabaja poco, de profesión no consta
profesión: no consta, ocupación: ninguna
dirección del flujo, domicilio: no consta
Plaza de la cirugía, Camino Clínico, Vía Aérea permeable
Vía Venosa Central 2, Vía Aérea 3, Vía Oral 2
Unidad Coronaria, Servicio de Cardiología, Sala Blanca
Consulta de Dolor, Sección de Digestivo
S.L. sublingual, S.A. normal, S.C. cada 12 h
Ronda Nocturna, Calle media, Acceso Vascular 2
punto de Mérida, signo de Murphy, canal de Guyon
agua de Carabaña, escala de Boston 9, jabón de Marsella
Acceso Venoso Periférico 20, Canal Anal 3
Polígono de Willis, poligono de Willis 2
Cuesta arriba se fatiga, Vial 2, Vial Perdido
Residencia de mayores, residencia habitual
hospital comarcal, Hospital de Día, el Hospital
Instituto de Salud, fundación privada
país de origen desconocido, provincia: no consta
"""
GERMAN_LOOKALIKES = """
Bülau 28 Ch. Nahtmaterial Vicryl 3-0
Robinson 20 Ch. Stein 14 mm
Am Montag 3 Tabletten, Am Abend 2 Stück
Im Verlauf 3 Tage Fieber, Im Labor 12500 Leukozyten
Zur Kontrolle 2 Wochen später, Zum Ausschluss 1 CT
An der Haut 3 Läsionen, In der Lunge 2 Rundherde
Unter der Therapie 5 kg Gewichtsverlust
Leukozyten 12500 Hämoglobin 13,2, Thrombozyten 250000
CK 15200 Troponin negativ, Ferritin 10250 Eisen niedrig
Notaufnahme, Station 3, Abteilung für Kardiologie
Klinik für Innere Medizin, im Krankenhaus, Klinikum
Krankenhaus der Maximalversorgung, Station für Chirurgie
Lyme-Borreliose, Marburg-Virus, Coxsackie-Virus
Glasgow 15, Rom-IV-Kriterien, Montreal-Klassifikation
Wien-Kriterien, Berliner Blau, Frankfurter Horizontale
Wiener Klassifikation, Hamburger Schema
Harnweg 2, Gallenweg 3, Atemweg 1, Infektweg 2
Reha-Weg 3, Stuhlgang 2, Rückweg 1 Stunde
Sie spricht Türkisch, deutsche Staatsangehörigkeit
geboren in der 38. Woche, lebt in Partnerschaft
wohnt in eigener Wohnung, lebt allein
arbeitet als Selbstständige, von Beruf nicht bekannt
Beruf: keiner, Wohnort: unbekannt
50000 IE Vitamin D, 10000 IE Heparin
Spanische Grippe, Deutsche Masern, Schweizer Käse
Straße überqueren möglich, Weg zur Toilette selbstständig
Platz nehmen, Ring 3 entfernt, Allee der Bäume
am 12. Mai 2020, Am 3. Tag, Am Nachmittag 2
Praxis geschlossen, Pflegeheim, Seniorenheim
Zugang 18 Gauge, Zugang 3, Ausgang 2
AG normal, SA Block, GmbH
Befund 4711 Normal, Fall 1010 Kontrolle
Ductus 3 mm, Schnitt 12, Im Bereich L 4
"""
DUTCH_LOOKALIKES = """
leukocyten 12500 Hemoglobine 8,2, trombocyten 250000
CK 15200 Troponine negatief, ferritine 10250 IJzer laag
Spoedeisende Hulp, afdeling 3, afdeling Cardiologie
in het ziekenhuis, Ziekenhuis, polikliniek Cardiologie
ziekte van Lyme, Marburg-virus, Coxsackie-virus
Glasgow 15, Rome IV-criteria, classificatie van Montreal
luchtweg 2, galweg 3, urineweg 1, Luchtweg 2 vrij
Op dag 3 koorts, Op de afdeling 2 keer
Spaanse griep, Duitse herder, mazelen
spreekt Turks, Nederlandse nationaliteit
geboren in 1950, woont in een flat, woont alleen
woont in bij dochter, woont zelfstandig
werkt als tolerantie toeneemt, werkt niet
beroep: geen, woonplaats: onbekend
50000 IE vitamine D, 10000 IE heparine
weg naar herstel, plein in de buurt, laan met bomen
Markt bezocht, Haven bereikt, Steenweg
verpleeghuis, verzorgingshuis, huisartsenpraktijk
waarde 1012 mg, 3511 mL, 2595 E
1000 mg Paracetamol, 1500 Kcal, 2000 Calorieën
1200 ML vocht, 1500 ME toegediend
Unit 3, zaal 4, kamer 12, bed 2
BV normaal, N.V. onbekend, B.V. test
Gracht rond de wond 2, Kade 3
AZ test negatief, UMC, AZ
op 12 mei 2020, de 3e dag, sinds maandag
"""

NEGATIVES = {
    "fr": [(FRENCH_LOOKALIKES, "{}.\nConclusion : {}, à surveiller.\nNote du 3 mai :\\n{}\\nfin")],
    "en": [(ENGLISH_LOOKALIKES, "{}.\nAssessment: {}, to be followed.\nNote of May 3:\\n{}\\nend")],
    "es": [(SPANISH_LOOKALIKES, "{}.\nConclusión: {}, a valorar.\nNota del 3 de mayo:\\n{}\\nfin")],
    "de": [(GERMAN_LOOKALIKES, "{}.\nBeurteilung: {}, zu prüfen.\nVom 3. Mai:\\n{}\\nEnde")],
    "nl": [(DUTCH_LOOKALIKES, "{}.\nConclusie: {}, vervolgen.\nVan 3 mei:\\n{}\\neinde")],
}
