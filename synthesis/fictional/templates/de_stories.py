"""German clinical stories: what brings a patient to hospital and what is found and done there."""

from synthesis.fictional.templates.grammar import Story

_SENT = "Präparat zur Histologie unter {exam}."

STORIES = (
    Story(
        "colon",
        (38, 104),
        "surgery",
        {
            "reason": (
                "{side:Links/Rechts}seitiges Kolonkarzinom nach Blutabgang aus dem Darm.",
                "Therapie eines Kolontumors, Stadium [cT3N1|cT3N0|cT2N0].",
            ),
            "account": (
                "{civil} {last}, {age}, bemerkt seit {month:8} Blut im Stuhl und einen Gewichtsverlust "
                "von {n:3-9} kg.",
                "Koloskopie am {past:90} durch {doctor}: exophytischer Tumor bei {n:18-60} cm.",
                "iFOBT am {past:160} positiv; bei einem Cousin wurde an ein Lynch-Syndrom gedacht.",
            ),
            "exam": ("Abdomen weich, Resistenz im {side:linken/rechten} Unterbauch.",),
            "labs": ("CEA {d:2.1-38.0} ng/ml, Albumin {d:2.9-4.1} g/dl.",),
            "treatment": ("Eisensulfat 100 mg 1-0-0", "Macrogol 1 Beutel täglich"),
            "imaging": (
                "CT: Wandverdickung des Kolons über {n:3-7} cm, {n:1-4} regionale Lymphknoten.",
                "Keine Lebermetastasen im CT vom {past:60}.",
            ),
            "impression": ("Kolontumor ohne Fernmetastasen.",),
            "operation": (
                "Zugang nach Hasson am Nabel, keine Peritonealkarzinose.",
                "Zentrale Ligatur der Mesenterialgefäße, Präparation entlang der Toldt-Linie.",
                "Stapleranastomose End-zu-End, Dichtigkeitsprobe negativ.",
                "Bergung über einen Pfannenstiel-Schnitt von {n:5-8} cm.",
                _SENT,
            ),
            "after_operation": ("Tee am 1. Tag, Fast-Track-Schema",),
            "macroscopy": (
                "Kolonresektat von {n:16-34} cm mit ulzeriertem Tumor von {n:25-68} mm.",
            ),
            "microscopy": (
                "Mäßig differenziertes Adenokarzinom bis in das perikolische Fettgewebe.",
                "{n:0-3} von {n:14-29} Lymphknoten befallen.",
            ),
            "diagnosis": ("Adenokarzinom des Kolons, [pT3 N1a|pT3 N0|pT2 N0], R0, pMMR.",),
            "course": ("Darmtätigkeit am {step}, Clavien-Dindo Grad 1.",),
            "outcome": ("Vorstellung im viszeralonkologischen Tumorboard geplant.",),
            "question": ("Adjuvante Chemotherapie?",),
            "decision": (
                "FOLFOX über 6 Monate, erster Zyklus {next:30}",
                "Portimplantation am {next:20}, Seriennummer {device}",
            ),
            "opinion": ("Kontrollkoloskopie im {nextmonth:12}.",),
        },
    ),
    Story(
        "breast",
        (30, 102),
        "oncology",
        {
            "reason": (
                "Invasives Karzinom der {side:linken/rechten} Brust, oberer äußerer Quadrant.",
                "Auffälliger Screening-Befund der Brust, BI-RADS 5.",
            ),
            "account": (
                "{civil} {last}, {age}, suchte am {past:70} {gp} wegen eines tastbaren Knotens auf.",
                "Mammographie am {past:60} in {othercity}: spikulierter Herd von {n:9-27} mm.",
                "Stanzbiopsie am {past:45} durch {doctor}.",
                "Menopause im Jahr {year:15}, keine Hormontherapie, Schwester mit {kinage} Jahren erkrankt.",
            ),
            "exam": ("Derber Knoten von {n:10-30} mm, kein Morbus Paget der Mamille.",),
            "labs": ("CA 15-3 {n:12-48} U/ml.",),
            "treatment": ("Letrozol 2,5 mg 1-0-0",),
            "imaging": (
                "Herd außen oben von {n:9-29} mm, axillärer Lymphknoten mit Kortex {n:3-7} mm.",
                "Skelettszintigraphie ohne suspekte Anreicherung.",
            ),
            "impression": ("BI-RADS 5, heute biopsiert.",),
            "operation": (
                "Drahtmarkierte Tumorexzision über periareolären Zugang.",
                "Wächterlymphknoten mit Isotop (Geiger {n:120-980} Impulse) und Blaufärbung.",
                "Präparat markiert: kurz kranial, lang lateral.",
                _SENT,
            ),
            "macroscopy": ("Orientiertes Segmentresektat von {n:38-74} g mit sternförmigem Herd.",),
            "microscopy": (
                "Invasives Karzinom NST, Grading nach Elston und Ellis G2.",
                "ER {n:70-100} %, PR {n:20-90} %, HER2 1+.",
            ),
            "diagnosis": ("Invasives Mammakarzinom pT1c N0(sn), ER+ PR+ HER2-, Ki-67 {n:8-30} %.",),
            "course": ("Axilläres Serom am {step} punktiert, {n:40-150} ml.",),
            "outcome": ("Bestrahlung im {otherhospital} ab {next:40} geplant.",),
            "question": ("Alleinige Bestrahlung oder zuerst Chemotherapie?",),
            "decision": (
                "Bestrahlung 50 Gy, dann endokrine Therapie",
                "Genetische Beratung bei {doctor}",
            ),
            "opinion": ("Nächste Mammographie im {nextmonth:12}.",),
        },
        genders="F",
    ),
    Story(
        "lymphoma",
        (18, 70),
        "oncology",
        {
            "reason": (
                "Halsschwellung und Nachtschweiß, Lymphomverdacht.",
                "Staging bei Hodgkin-Lymphom.",
            ),
            "account": (
                "Seit {month:9} hat {civil} {last} Nachtschweiß, Juckreiz und {n:4-11} kg verloren.",
                "{gp} tastete am {past:80} einen supraklavikulären Lymphknoten.",
                "PET vom {past:30}: Anreicherung oberhalb des Zwerchfells, Deauville 5.",
                "Beruf: {job}[, Arbeitgeber: {employer}|]; arbeitsunfähig seit {past:50}.",
            ),
            "exam": ("Supraklavikulärer Lymphknoten von {n:2-4} cm, keine Splenomegalie.",),
            "labs": (
                "BSG {n:38-92} mm/h, LDH {n:240-610} U/l, EBV- und HIV-Serologie abgenommen.",
            ),
            "treatment": ("Aciclovir 400 mg 1-0-1", "Cotrimoxazol dreimal pro Woche"),
            "imaging": (
                "Vorderer Mediastinaltumor von {n:48-110} mm, Angulus Ludovici vorgewölbt.",
                "Kein Befall unterhalb des Zwerchfells, Milz {n:9-12} cm.",
            ),
            "impression": ("Nodaler Befall, Ann-Arbor-Stadium II.",),
            "operation": (
                "Zervikaler Schnitt von {n:3-6} cm, Lymphknoten von {n:15-34} mm in toto entfernt.",
                "Der Nervus accessorius wurde dargestellt und geschont.",
                _SENT,
            ),
            "macroscopy": ("Lymphknoten von {n:15-38} mm, knotige weiße Schnittfläche.",),
            "microscopy": (
                "Aufgehobene Architektur, Reed-Sternberg-Zellen CD30+ CD15+.",
                "Sklerosebänder, zahlreiche Eosinophile.",
            ),
            "diagnosis": ("Klassisches Hodgkin-Lymphom, nodulär-sklerosierend.",),
            "course": ("Erster Zyklus ABVD am {step}, gut vertragen.",),
            "outcome": ("Nächster Zyklus in der Tagesklinik am {next:16}.",),
            "question": ("Anzahl der Zyklen, Stellenwert der Bestrahlung?",),
            "decision": (
                "ABVD über 4 Zyklen, PET um den {next:60}",
                "Fertilitätsberatung im {otherhospital}",
            ),
            "opinion": ("Das Kontroll-PET ist für den {next:60} gebucht.",),
        },
    ),
    Story(
        "fall",
        (64, 106),
        "geriatrics",
        {
            "reason": (
                "Sturz zu Hause mit Schenkelhalsfraktur {side:links/rechts}.",
                "Stolpersturz bei bekanntem Morbus Parkinson.",
            ),
            "account": (
                "{civil} {last}, {age}, wurde am {recent:6} von {kin} am Boden liegend aufgefunden.",
                "Morbus Parkinson seit {year:12}, Betreuung durch {doctor}, Hoehn und Yahr Stadium 3.",
                "Geschätzt {n:1-9} Stunden am Boden, keine Bewusstlosigkeit.",
                "Bei der Vorstellung am {past:500} wurde an eine Lewy-Körper-Demenz gedacht.",
            ),
            "exam": (
                "Bein verkürzt und außenrotiert, periphere Pulse tastbar.",
                "Zahnradphänomen beider Handgelenke, MMST nach Folstein {n:17-29}/30.",
            ),
            "labs": ("CK {n:180-2400} U/l, Vitamin D {n:8-30} ng/ml.",),
            "treatment": ("Madopar 125 mg 1-1-1-1", "Calcium mit Vitamin D 1-0-0"),
            "imaging": (
                "Dislozierte Schenkelhalsfraktur, Garden IV.",
                "CCT: Mikroangiopathie, keine Blutung.",
            ),
            "impression": ("Dislozierte Schenkelhalsfraktur, keine weitere Verletzung.",),
            "operation": (
                "Zugang nach Watson-Jones, Kapsulotomie, Kopf von {n:44-52} mm entfernt.",
                "Zementierte Duokopfprothese, Schaft Seriennummer {device}, stabile Probereposition.",
                "Außenrotatoren refixiert, Kontrolle unter Bildwandler.",
                _SENT,
            ),
            "after_operation": ("Vollbelastung nach Maßgabe der Beschwerden, Luxationsprophylaxe",),
            "macroscopy": ("Femurkopf von {n:44-52} mm, Knorpel verschmälert.",),
            "microscopy": ("Rarefizierte Spongiosa, kein Tumor.",),
            "diagnosis": ("Femurkopf mit osteoporotischem Umbau.",),
            "course": (
                "Zwei Erythrozytenkonzentrate am {step} bei Hb {d:7.0-7.9} g/dl.",
                "Delir am {step}, rückläufig nach Therapie eines Harnverhalts.",
            ),
            "outcome": ("Verlegung zur Rehabilitation in das {otherhospital} am {discharge}.",),
            "opinion": ("Levodopa unverändert; kein Charcot-Gelenk im Befund.",),
        },
    ),
    Story(
        "heart",
        (48, 107),
        "cardiology",
        {
            "reason": (
                "Akut dekompensierte Herzinsuffizienz bei tachykardem Vorhofflimmern.",
                "Synkope mit Bradykardie, AV-Block.",
            ),
            "account": (
                "{civil} {last} hat seit {recent:15} Dyspnoe NYHA III und Beinödeme.",
                "Gewichtszunahme von {n:3-9} kg seit {month:3}, schläft mit zwei Kissen.",
                "Letzte Echokardiographie {past:400} durch {doctor}: EF {n:32-55} %.",
                "{kin_caps} berichtet, dass seit {month:4} Tabletten vergessen wurden.",
            ),
            "exam": ("Basale Rasselgeräusche, gestaute Halsvenen, Ödeme bis zum Knie.",),
            "labs": (
                "NT-proBNP {n:480-3400} pg/ml, Troponin {n:12-48} ng/l, Magnesium {d:0.7-1.1} mmol/l.",
            ),
            "treatment": ("Apixaban 5 mg 1-0-1", "Bisoprolol 5 mg 1-0-0"),
            "imaging": (
                "Kardiomegalie, beidseitige Ergüsse, Kerley-B-Linien.",
                "Echo: EF {n:30-52} % nach Simpson, linker Vorhof {n:36-58} ml/m2.",
            ),
            "impression": ("Kardiales Lungenödem.",),
            "operation": (
                "Implantation eines Zweikammerschrittmachers, Seriennummer {device}.",
                "Zugang über die linke Vena subclavia, RV-Elektrode septal, Reizschwelle {d:0.4-0.9} V.",
                "Vorhofelektrode geschraubt, Sensing {d:1.8-3.9} mV.",
            ),
            "after_operation": ("Röntgen-Thorax und Aggregatabfrage am {next:3}",),
            "course": (
                "Diuretika intravenös bis {step}, {n:3-8} kg ausgeschwemmt.",
                "Kardioversion am {step} nach TEE, seither Sinusrhythmus.",
            ),
            "outcome": ("Entlassungsgewicht {weight} kg, täglich wiegen, salzarme Kost.",),
            "opinion": ("CHA2DS2-VASc {n:2-6}, Antikoagulation fortführen.",),
        },
    ),
    Story(
        "lung",
        (42, 103),
        "pneumology",
        {
            "reason": (
                "Exazerbierte COPD mit Unterlappenpneumonie rechts.",
                "Rundherd im linken Oberlappen bei Nikotinabusus.",
            ),
            "account": (
                "Produktiver Husten seit {recent:12}, Fieber bis {d:38.1-39.5} °C.",
                "Amoxicillin durch {gp} am {recent:8} ohne Besserung.",
                "FEV1 {n:34-68} % am {past:300}, GOLD {n:2-3}.",
                "Früherer Beruf: {job}, mögliche Asbestexposition bis {year:25}.",
            ),
            "exam": ("Giemen beidseits, basale Rasselgeräusche rechts, Hoover-Zeichen.",),
            "labs": ("PaO2 {n:52-74} mmHg, Legionellen-Antigen negativ, Influenza-PCR negativ.",),
            "treatment": ("Tiotropium 2 Hübe täglich", "Salbutamol bei Bedarf"),
            "imaging": (
                "Infiltrat im rechten Unterlappen, zentrilobuläres Emphysem.",
                "Spikulierter Rundherd von {n:8-24} mm, vergleiche {past:600}.",
            ),
            "impression": ("Pneumonie; CT-Kontrolle des Rundherds im {nextmonth:3}.",),
            "course": (
                "Inhalation und Steroide bis {step}, sauerstofffrei ab {step}.",
                "Bronchoskopie am {step} durch {doctor}: keine endobronchiale Läsion.",
            ),
            "macroscopy": ("Drei Bronchuspartikel von 1 bis {n:2-4} mm.",),
            "microscopy": ("Entzündete Bronchialschleimhaut ohne Carcinoma in situ.",),
            "diagnosis": ("Chronische Bronchitis, keine Malignität im Material.",),
            "outcome": ("Heimsauerstoff 2 l/min, Lieferant in {othercity} ({other_phone}).",),
            "question": ("Rundherd beobachten oder biopsieren?",),
            "decision": (
                "PET-CT am {next:20}, Diffusionskapazität",
                "Nikotinentwöhnung, Pflaster 21 mg",
            ),
            "opinion": ("Pneumokokkenimpfung fällig; Rehabilitation im {otherhospital}.",),
        },
    ),
    Story(
        "crohn",
        (18, 80),
        "gastroenterology",
        {
            "reason": (
                "Schub eines ileokolischen Morbus Crohn.",
                "Subileus bei bekannter Ileumstenose.",
            ),
            "account": (
                "Morbus Crohn, Diagnose im {month:120} durch {doctor}, Montreal L3B2.",
                "Seit {recent:14} {n:5-12} Stühle täglich und Schmerzen im rechten Unterbauch.",
                "Infliximab seit {month:30}, letzte Infusion {recent:60} im {otherhospital}.",
            ),
            "exam": ("Walze im rechten Unterbauch, Harvey-Bradshaw {n:4-14}.",),
            "labs": ("Calprotectin {n:240-1800} µg/g, Albumin {d:2.7-4.0} g/dl, B12 normal.",),
            "treatment": ("Azathioprin 150 mg 1-0-0", "Budesonid 9 mg 1-0-0"),
            "imaging": (
                "MR-Enterographie: terminales Ileum über {n:8-28} cm verdickt, Kammzeichen.",
                "Kein Abszess, fragliche enteroenterische Fistel.",
            ),
            "impression": ("Aktive stenosierende Ileitis ohne Abszess.",),
            "operation": (
                "Ileozökalresektion über Medianlaparotomie, Anastomose Seit-zu-Seit.",
                "Restdarm ab dem Treitz-Band {n:180-320} cm.",
                _SENT,
            ),
            "macroscopy": ("Ileozökalresektat von {n:14-32} cm mit Schneckenspuren-Ulzera.",),
            "microscopy": ("Transmurale Entzündung, Granulome, Peyer-Plaques vergrößert.",),
            "diagnosis": ("Aktiver Morbus Crohn, Ränder gering entzündet.",),
            "course": ("Steroide intravenös vom {step} bis {step}, Stuhl normalisiert.",),
            "outcome": ("Nächste Biologikainfusion am {next:40}.",),
            "opinion": ("Infliximabspiegel und Calprotectin vor dem {next:60}.",),
        },
    ),
    Story(
        "child",
        (0, 17),
        "paediatrics",
        {
            "reason": (
                "[Mittelschwerer|Schwerer] Asthmaanfall mit Fieber.",
                "Fieber und Schmerzen im rechten Unterbauch, Verdacht auf Appendizitis.",
            ),
            "account": (
                "{first}, {age}, hustet seit {recent:5}; T {d:38.2-39.8} °C seit gestern.",
                "Vorstellung bei {gp} am {recent:3}, zu Hause {n:4-10} Hübe Salbutamol.",
                "{kin_caps} berichtet über schlechten Schlaf und wenig Appetit.",
            ),
            "exam": ("Giemen beidseits, subkostale Einziehungen, PRAM {n:2-7}.",),
            "labs": ("Leukozyten {d:8.1-19.4} /nl, CRP {n:4-96} mg/l, RSV negativ.",),
            "imaging": (
                "Überblähung, kein Infiltrat.",
                "Sonographie: Appendix von {n:5-11} mm, echoreiches Fett.",
            ),
            "impression": ("Kein Pneumothorax; Appendix grenzwertig.",),
            "operation": (
                "Laparoskopische Appendektomie, phlegmonöse Appendix, Endoloop.",
                "Douglas-Raum gespült, kein Meckel-Divertikel.",
                _SENT,
            ),
            "macroscopy": ("Appendix von {n:45-82} mm, injizierte Serosa.",),
            "microscopy": ("Transmurale Granulozyten, kein Tumor.",),
            "diagnosis": ("Akute Appendizitis.",),
            "course": ("Sauerstofffrei am {step}, Salbutamol alle 4 h.",),
            "outcome": ("Schriftlicher Asthmaplan für die Eltern, Schule informiert.",),
            "opinion": ("Fluticason 50 µg 1-0-1, Spacer-Technik geübt.",),
            "transmissions": ("{step}: Teddybär gefunden, {kin} schläft im Zimmer, {kinphone}.",),
        },
    ),
)
