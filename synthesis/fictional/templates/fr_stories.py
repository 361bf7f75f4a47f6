"""French clinical stories: what brings a patient to hospital and what is found and done there."""

from synthesis.fictional.templates.grammar import Story

STORIES = (
    Story(
        "colon",
        (38, 104),
        "surgery",
        {
            "reason": (
                "Adénocarcinome du côlon {side:gauche/droit} découvert sur rectorragies.",
                "Prise en charge d'une tumeur colique classée [cT3N1|cT3N0|cT2N0].",
            ),
            "account": (
                "{civil} {last}, {age}, présente depuis {month:8} des rectorragies et un amaigrissement "
                "de {n:3-9} kg.",
                "Coloscopie du {past:90} par {doctor} : lésion bourgeonnante à {n:18-60} cm de la marge.",
                "Pas d'antécédent familial en dehors d'un syndrome de Lynch évoqué chez un cousin.",
                "Le test immunologique fait le {past:160} était positif ({n:40-190} µg/g).",
            ),
            "exam": (
                "Abdomen souple, masse de la fosse iliaque {side:gauche/droite} mal limitée.",
            ),
            "labs": ("ACE {d:2.1-38.0} µg/L, albumine {n:29-41} g/L.",),
            "treatment": ("Tardyferon 80 mg, matin et soir", "Movicol 1 sachet le matin"),
            "imaging": (
                "Scanner : épaississement pariétal colique de {n:3-7} cm, {n:1-4} adénopathies "
                "locorégionales.",
                "Pas de lésion hépatique secondaire sur le scanner du {past:60}.",
            ),
            "impression": ("Tumeur colique sans localisation secondaire visible.",),
            "operation": (
                "Cœlioscopie en open selon Hasson au niveau de l'ombilic, pas de carcinose.",
                "Ligature première de l'artère mésentérique, décollement du fascia de Toldt.",
                "Anastomose mécanique termino-terminale selon Knight-Griffen, test à l'air négatif.",
                "Extraction par incision de Pfannenstiel de {n:5-8} cm, jupe de protection.",
                "Pièce adressée en anatomie pathologique sous le n° {exam}.",
            ),
            "after_operation": ("Reprise alimentaire à J1 selon le protocole de réhabilitation",),
            "macroscopy": (
                "Pièce de colectomie de {n:16-34} cm, tumeur ulcéro-bourgeonnante de {n:25-68} mm.",
            ),
            "microscopy": (
                "Adénocarcinome lieberkühnien moyennement différencié infiltrant la sous-séreuse.",
                "{n:0-3} ganglion(s) envahi(s) sur {n:14-29} examinés.",
            ),
            "diagnosis": (
                "Adénocarcinome colique [pT3N1a|pT3N0|pT2N0], marges saines, statut MSS.",
            ),
            "course": ("Suites opératoires simples, classées Clavien 1, gaz le {step}.",),
            "outcome": ("Dossier à présenter en RCP digestive avec les résultats.",),
            "question": ("Indication d'une chimiothérapie adjuvante ?",),
            "decision": (
                "Chimiothérapie par FOLFOX pendant 6 mois, premier cycle le {next:30}",
                "Pose d'une chambre implantable le {next:20}, matériel n° {device}",
            ),
            "opinion": ("Coloscopie de contrôle à prévoir en {nextmonth:12}.",),
        },
    ),
    Story(
        "breast",
        (30, 102),
        "oncology",
        {
            "reason": (
                "Carcinome infiltrant du sein {side:gauche/droit}, quadrant supéro-externe.",
                "Nodule mammaire ACR5 de dépistage.",
            ),
            "account": (
                "{civil} {last}, {age}, a consulté {gp} le {past:70} pour un nodule du sein palpé "
                "à la toilette.",
                "Mammographie du {past:60} à {othercity} : opacité spiculée de {n:9-27} mm, ACR 5.",
                "Microbiopsie faite le {past:45} par {doctor}.",
                "Ménopause en {year:15}, pas de traitement hormonal, sœur traitée à {kinage}.",
            ),
            "exam": ("Nodule ferme de {n:10-30} mm, sans maladie de Paget du mamelon.",),
            "labs": ("CA 15-3 à {n:12-48} kUI/L.",),
            "treatment": ("létrozole 2,5 mg le matin",),
            "imaging": (
                "Masse du quadrant supéro-externe de {n:9-29} mm, ganglion axillaire cortical "
                "de {n:3-7} mm.",
                "Scintigraphie osseuse sans foyer suspect.",
            ),
            "impression": ("Lésion classée BI-RADS 5, biopsie faite ce jour.",),
            "operation": (
                "Tumorectomie sur repérage, incision périaréolaire, remodelage glandulaire.",
                "Ganglion sentinelle repéré à l'isotope (Geiger {n:120-980} coups) et au bleu.",
                "Orientation de la pièce par fils : court supérieur, long latéral.",
                "Pièce adressée en anatomie pathologique sous le n° {exam}.",
            ),
            "macroscopy": ("Tumorectomie de {n:38-74} g orientée, nodule étoilé de {n:9-28} mm.",),
            "microscopy": (
                "Carcinome infiltrant de type non spécifique, grade II d'Elston et Ellis.",
                "Récepteurs aux œstrogènes {n:70-100} %, progestérone {n:20-90} %, HER2 score 1+.",
            ),
            "diagnosis": ("Carcinome infiltrant pT1c N0 (sn), RE+ RP+ HER2-, Ki-67 {n:8-30} %.",),
            "course": ("Lymphocèle axillaire ponctionnée le {step}, {n:40-150} mL.",),
            "outcome": ("Radiothérapie à programmer à {otherhospital} à partir du {next:40}.",),
            "question": ("Radiothérapie seule ou chimiothérapie première ?",),
            "decision": (
                "Radiothérapie 50 Gy sur le sein, puis hormonothérapie 5 ans",
                "Avis oncogénétique auprès de {doctor}",
            ),
            "opinion": ("La mammographie de contrôle est prévue en {nextmonth:12}.",),
        },
        genders="F",
    ),
    Story(
        "lymphoma",
        (18, 70),
        "oncology",
        {
            "reason": (
                "Suspicion de lymphome devant une adénopathie cervicale et une sueur nocturne.",
                "Bilan initial d'une maladie de Hodgkin.",
            ),
            "account": (
                "Depuis {month:9}, {civil} {last} a des sueurs nocturnes, un prurit et a perdu {n:4-11} kg.",
                "Adénopathie sus-claviculaire remarquée par {gp} le {past:80}.",
                "TEP du {past:30} : fixations sus-diaphragmatiques, Deauville 5.",
                "{Il|Elle} est {job}[ chez {employer}|] et ne travaille plus depuis le {past:50}.",
            ),
            "exam": (
                "Ganglion sus-claviculaire de {n:2-4} cm, pas de splénomégalie, ECOG {n:0-2}.",
            ),
            "labs": ("VS {n:38-92} mm, LDH {n:240-610} UI/L, sérologies EBV et VIH faites.",),
            "treatment": ("aciclovir 200 mg, 3 fois par jour", "Bactrim forte, 1 jour sur 2"),
            "imaging": (
                "Masse médiastinale antérieure de {n:48-110} mm, sous l'angle de Louis.",
                "Pas d'atteinte sous-diaphragmatique, rate homogène de {n:9-12} cm.",
            ),
            "impression": ("Atteinte ganglionnaire de stade II selon Ann Arbor.",),
            "operation": (
                "Cervicotomie de {n:3-6} cm, exérèse d'un ganglion de {n:15-34} mm monobloc.",
                "Le nerf spinal est vu et respecté.",
                "Pièce adressée en anatomie pathologique sous le n° {exam}.",
            ),
            "macroscopy": ("Ganglion de {n:15-38} mm, tranche blanchâtre et nodulaire.",),
            "microscopy": (
                "Architecture effacée ; cellules de Reed-Sternberg CD30+, CD15+ sur fond réactionnel.",
                "Bandes de sclérose, éosinophiles nombreux.",
            ),
            "diagnosis": ("Lymphome de Hodgkin classique, scléronodulaire.",),
            "course": ("Première cure d'ABVD débutée le {step}, bien tolérée.",),
            "outcome": ("Cure suivante en hôpital de jour le {next:16}.",),
            "question": ("Nombre de cures et place de la radiothérapie ?",),
            "decision": (
                "ABVD, 4 cycles, TEP de contrôle après 2 cycles vers le {next:60}",
                "Préservation de la fertilité organisée avec {otherhospital}",
            ),
            "opinion": ("La TEP de réévaluation est prévue le {next:60}.",),
        },
    ),
    Story(
        "fall",
        (64, 106),
        "geriatrics",
        {
            "reason": (
                "Chute au domicile avec fracture de l'extrémité supérieure du fémur {side:gauche/droit}.",
                "Chute mécanique chez {un patient parkinsonien|une patiente parkinsonienne}.",
            ),
            "account": (
                "{civil} {last}, {age}, a été retrouvé{|e} au sol le {recent:6} par {kin}.",
                "Maladie de Parkinson suivie par {doctor} depuis {year:12}, stade 3 de Hoehn et Yahr.",
                "Temps passé au sol estimé à {n:1-9} heures, pas de perte de connaissance.",
                "Une démence à corps de Lewy a été évoquée lors de la consultation du {past:500}.",
            ),
            "exam": (
                "Membre inférieur raccourci, en rotation externe, pouls pédieux perçus.",
                "Roue dentée aux deux poignets, MMSE de Folstein à {n:17-29}/30.",
            ),
            "labs": ("CPK {n:180-2400} UI/L, vitamine D {n:12-60} nmol/L.",),
            "treatment": (
                "Modopar 125 mg à 8 h, 12 h, 16 h et 20 h",
                "Calcidose vitamine D le matin",
            ),
            "imaging": (
                "Fracture cervicale vraie du fémur, Garden IV.",
                "Scanner cérébral : leucopathie, pas de saignement, hippocampes Scheltens 2.",
            ),
            "impression": ("Fracture du col fémoral déplacée, sans autre lésion.",),
            "operation": (
                "Voie postéro-externe de Moore, capsulotomie, extraction de la tête ({n:44-52} mm).",
                "Prothèse intermédiaire cimentée, tige n° {device}, essais stables.",
                "Contrôle scopique satisfaisant, réinsertion des pelvi-trochantériens.",
                "Pièce adressée en anatomie pathologique sous le n° {exam}.",
            ),
            "after_operation": ("Appui complet autorisé, éviter flexion et rotation interne",),
            "macroscopy": ("Tête fémorale de {n:44-52} mm, cartilage aminci.",),
            "microscopy": ("Os trabéculaire raréfié, sans prolifération tumorale.",),
            "diagnosis": ("Remaniements ostéoporotiques de la tête fémorale.",),
            "course": (
                "Transfusion de 2 culots le {step} pour une hémoglobine à {d:7.1-8.2} g/dL.",
                "Syndrome confusionnel hyperactif le {step}, résolutif après traitement d'un globe.",
            ),
            "outcome": ("Transfert en soins de suite à {otherhospital} le {discharge}.",),
            "opinion": ("Je maintiens la lévodopa ; articulation de Charcot exclue à l'examen.",),
        },
    ),
    Story(
        "heart",
        (48, 107),
        "cardiology",
        {
            "reason": (
                "Décompensation cardiaque globale sur fibrillation atriale rapide.",
                "Malaise avec bradycardie, bloc auriculo-ventriculaire.",
            ),
            "account": (
                "{civil} {last} décrit depuis le {recent:15} une dyspnée NYHA III et des œdèmes.",
                "Prise de {n:3-9} kg depuis {month:3}, écarts de régime, orthopnée à 2 oreillers.",
                "Dernière échographie le {past:400} par {doctor} : FEVG {n:32-55} %.",
                "{kin_caps} signale une mauvaise observance des traitements depuis {month:4}.",
            ),
            "exam": (
                "Crépitants aux bases, turgescence jugulaire, reflux hépatojugulaire, OMI jusqu'aux "
                "genoux.",
            ),
            "labs": (
                "NT-proBNP {n:1800-9400} ng/L, troponine {n:12-48} ng/L, potassium {d:3.2-5.2}.",
            ),
            "treatment": ("Eliquis 5 mg matin et soir", "bisoprolol 2,5 mg le matin"),
            "imaging": (
                "Cardiomégalie, épanchements pleuraux bilatéraux, lignes B de Kerley.",
                "ETT : FEVG {n:30-52} % en Simpson, oreillette gauche {n:36-58} mL/m².",
            ),
            "impression": ("Aspect d'œdème pulmonaire d'origine cardiaque.",),
            "operation": (
                "Implantation d'un stimulateur double chambre, boîtier n° {device}.",
                "Ponction de la veine sous-clavière gauche, sonde VD au septum, seuil {d:0.4-0.9} V.",
                "Sonde auriculaire vissée, écoute {d:1.8-3.9} mV, bonne position en scopie.",
            ),
            "after_operation": ("Radiographie de thorax et contrôle du boîtier le {next:3}",),
            "course": (
                "Diurétique intraveineux jusqu'au {step}, perte de {n:3-8} kg.",
                "Cardioversion le {step} après ETO, retour en rythme sinusal.",
            ),
            "outcome": ("Poids de sortie {weight} kg, pesée quotidienne, régime peu salé.",),
            "opinion": ("Score CHA2DS2-VASc à {n:2-6}, je poursuis l'anticoagulation.",),
        },
    ),
    Story(
        "lung",
        (42, 103),
        "pneumology",
        {
            "reason": (
                "Exacerbation de BPCO avec pneumopathie du lobe inférieur droit.",
                "Nodule pulmonaire du lobe supérieur gauche chez {un fumeur|une fumeuse}.",
            ),
            "account": (
                "Toux et expectoration verdâtre depuis le {recent:12}, fièvre à {d:38.1-39.6} °C.",
                "Amoxicilline prescrite par {gp} le {recent:8}, sans amélioration.",
                "VEMS à {n:34-68} % lors de l'EFR du {past:300}, GOLD {n:2-3}.",
                "{Ancien|Ancienne} {job}, exposition possible à l'amiante jusqu'en {year:25}.",
            ),
            "exam": (
                "Sibilants diffus, foyer de crépitants à droite, tirage modéré, signe de Hoover.",
            ),
            "labs": ("PaO2 {n:52-74} mmHg, antigénurie légionelle négative, PCR grippe négative.",),
            "treatment": ("Spiriva Respimat 2 bouffées le matin", "Ventoline à la demande"),
            "imaging": (
                "Opacité alvéolaire du lobe inférieur droit, emphysème centrolobulaire.",
                "Nodule spiculé de {n:8-24} mm, à comparer au scanner du {past:600}.",
            ),
            "impression": ("Foyer infectieux ; nodule à recontrôler en {nextmonth:3}.",),
            "course": (
                "Aérosols et corticoïdes jusqu'au {step}, sevrage en oxygène le {step}.",
                "Fibroscopie du {step} par {doctor} : pas de lésion endobronchique.",
            ),
            "macroscopy": ("Trois fragments bronchiques de 1 à {n:2-4} mm.",),
            "microscopy": ("Muqueuse bronchique inflammatoire, sans carcinome in situ.",),
            "diagnosis": ("Bronchite chronique sans lésion maligne sur ce prélèvement.",),
            "outcome": ("Oxygène à domicile 2 L/min, prestataire de {othercity} ({other_phone}).",),
            "question": ("Surveillance ou biopsie du nodule ?",),
            "decision": (
                "TEP-scanner le {next:20}, EFR avec DLCO",
                "Sevrage tabagique, patch 21 mg",
            ),
            "opinion": ("Vaccin antipneumococcique à faire ; réhabilitation à {otherhospital}.",),
        },
    ),
    Story(
        "crohn",
        (18, 80),
        "gastroenterology",
        {
            "reason": (
                "Poussée d'une maladie de Crohn iléo-colique.",
                "Syndrome sub-occlusif sur sténose iléale connue.",
            ),
            "account": (
                "Maladie de Crohn diagnostiquée en {month:120} par {doctor}, phénotype L3B2 de Montréal.",
                "Depuis le {recent:14}, {n:5-12} selles par jour, douleurs de la fosse iliaque droite.",
                "Infliximab débuté en {month:30}, dernière perfusion le {recent:60} à {otherhospital}.",
            ),
            "exam": ("Empâtement de la fosse iliaque droite, Harvey-Bradshaw à {n:4-14}.",),
            "labs": ("Calprotectine {n:240-1800} µg/g, albumine {n:27-40} g/L, B12 normale.",),
            "treatment": ("azathioprine 150 mg le soir", "budésonide 9 mg le matin"),
            "imaging": (
                "Entéro-IRM : épaississement de la dernière anse sur {n:8-28} cm, signe du peigne.",
                "Pas de collection, fistule entéro-entérique possible.",
            ),
            "impression": ("Iléite active sténosante, sans abcès.",),
            "operation": (
                "Résection iléo-cæcale par laparotomie médiane, anastomose latéro-latérale.",
                "Exploration du grêle en totalité selon Treitz, {n:180-320} cm restants.",
                "Pièce adressée en anatomie pathologique sous le n° {exam}.",
            ),
            "macroscopy": (
                "Pièce iléo-cæcale de {n:14-32} cm, ulcérations en carte de géographie.",
            ),
            "microscopy": (
                "Inflammation transmurale, granulomes épithélioïdes, plaques de Peyer.",
            ),
            "diagnosis": ("Aspect de maladie de Crohn en poussée, marges peu inflammatoires.",),
            "course": ("Corticoïdes intraveineux du {step} au {step}, transit normalisé.",),
            "outcome": ("Prochaine perfusion de biothérapie le {next:40} en hôpital de jour.",),
            "opinion": ("Dosage de l'infliximab et calprotectine avant la visite du {next:60}.",),
        },
    ),
    Story(
        "child",
        (0, 17),
        "paediatrics",
        {
            "reason": (
                "Crise d'asthme [modérée|sévère] fébrile.",
                "Douleur de la fosse iliaque droite fébrile, suspicion d'appendicite.",
            ),
            "account": (
                "{first}, {age}, tousse depuis le {recent:5} ; fièvre à {d:38.2-39.8} °C depuis hier.",
                "Vu{|e} par {gp} le {recent:3}, {n:4-10} bouffées de salbutamol à domicile.",
                "{kin_caps} rapporte une gêne nocturne et un refus de manger.",
            ),
            "exam": ("Sibilants bilatéraux, tirage sous-costal, score de Wood-Downes à {n:2-7}.",),
            "labs": ("Leucocytes {d:8.1-19.4} G/L, CRP {n:4-96} mg/L, VRS négatif.",),
            "imaging": (
                "Distension thoracique, pas de foyer systématisé.",
                "Échographie : appendice de {n:5-11} mm, graisse hyperéchogène.",
            ),
            "impression": ("Pas de pneumothorax ; appendice à la limite de la normale.",),
            "operation": (
                "Appendicectomie cœlioscopique, appendice phlegmoneux, endoloop.",
                "Lavage du cul-de-sac de Douglas, pas de diverticule de Meckel.",
                "Pièce adressée en anatomie pathologique sous le n° {exam}.",
            ),
            "macroscopy": ("Appendice de {n:45-82} mm, séreuse congestive.",),
            "microscopy": ("Infiltrat à polynucléaires de toute la paroi, pas de tumeur.",),
            "diagnosis": ("Appendicite aiguë phlegmoneuse.",),
            "course": ("Oxygène sevré le {step}, espacement des aérosols à 4 h.",),
            "outcome": ("Plan d'action écrit remis aux parents, école avertie.",),
            "opinion": ("Flixotide 50 µg matin et soir, technique revue avec la chambre.",),
            "transmissions": ("{step} : doudou retrouvé, {kin} dort sur place, {kinphone}.",),
        },
    ),
)
