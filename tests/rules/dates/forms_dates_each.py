"""Dates that need one word or one mark of the rules each, and numbers that one mark rules out."""

from collections.abc import Iterator

from locales.feasts import FEASTS as FEAST_RULES

Line = tuple[str, str]

WEEKDAYS = {
    "fr": "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "en": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
    "es": "lunes martes miércoles jueves viernes sábado domingo",
    "de": "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonnabend Sonntag",
    "nl": "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
}
SHORT_WEEKDAYS = {
    "fr": "lun mar mer jeu ven sam dim",
    "en": "Mon Tue Wed Thu Fri Sat Sun Tues Weds Thurs Thur",
    "es": "lun mar mié jue vie sáb dom",
    "de": "Mo Di Mi Do Fr Sa So",
    "nl": "ma di wo do vr za zo",
}
QUARTERS = {
    "fr": (
        "1er trimestre", "2ème trimestre", "3e trimestre", "premier semestre",
        "deuxième trimestre", "second semestre", "troisième trimestre", "quatrième trimestre",
    ),
    "en": (
        "1st quarter", "2nd quarter", "3rd quarter", "4th quarter", "first quarter",
        "second quarter", "third quarter", "fourth quarter", "Q3", "T2",
    ),
    "es": (
        "1º trimestre", "1.º trimestre", "primer semestre", "segundo trimestre", "tercer trimestre",
        "cuarto trimestre",
    ),
    "de": (
        "1. Halbjahr", "2. Quartal", "erstes Quartal", "ersten Quartal", "zweites Halbjahr",
        "zweiten Quartal", "drittes Quartal", "dritten Quartal", "viertes Quartal",
        "vierten Quartal", "erste Quartal", "zweite Quartal", "dritte Quartal", "vierte Quartal",
    ),
    "nl": ("1e kwartaal", "eerste kwartaal", "tweede kwartaal", "derde kwartaal",
           "vierde kwartaal", "1e halfjaar"),
}  # fmt: skip
FEASTS = {
    "fr": (
        "Noël 1998", "Pâques 2021", "Pentecôte 2019", "Toussaint 2020", "veille de Noël",
        "jour de Noël", "jour de l'an", "Saint-Sylvestre",
    ),
    "en": (
        "Christmas 2022", "Xmas '21", "Easter 2021", "Thanksgiving of 2020", "Halloween 2019",
        "Labor Day, 2021", "Memorial Day 2018", "New Year's Eve", "New Year's Day",
        "Christmas Eve", "Christmas Day", "Boxing Day", "Valentine's Day",
    ),
    "es": (
        "Navidad de 2022", "Nochebuena 2021", "Semana Santa 2020", "Reyes 2019", "Nochevieja",
        "Nochebuena",
    ),
    "de": (
        "Weihnachten 2022", "Ostern 2021", "Pfingsten 2020", "Silvester 2019", "Neujahr 2018",
        "Silvester", "Silvesterabend", "Heiligabend", "Heiliger Abend", "Neujahr", "Neujahrstag",
        "1. Weihnachtstag", "2. Weihnachtstag",
    ),
    "nl": (
        "Kerst 2022", "Pasen 2021", "Pinksteren 2020", "Kerstavond", "Oudejaarsavond",
        "Nieuwjaarsdag", "eerste kerstdag", "tweede kerstdag",
    ),
}  # fmt: skip
LINES = {
    "fr": (
        "du [[28|DATE]] jusqu'au [[1er février|DATE]]", "vu [[28|DATE]] au [[1er février|DATE]]",
        "vu [[28|DATE]] jusqu'au [[1er février|DATE]]", "passe de 28 à [[1er février|DATE]]",
        "du [[16|DATE]] au [[3 mars|DATE]]",
        "le [[1 er mai 2020|DATE]]", "le [[12 mars\nde 2020|DATE]]", "le [[12 mars\n1998|DATE]]",
        "[[Mars2020|DATE]] : pose d'un stent", "de [[mai|DATE]]/[[juin 2029|DATE]]",
        "[[mardi 12|DATE]] : RAS", "en [[mars de l'an 2020|DATE]]",
        # Days that share a month.
        "les [[3|DATE]] & [[5 mars|DATE]]", "les [[3|DATE]] ou [[5 mars|DATE]]",
        "les [[3|DATE]] puis [[5 mars|DATE]]", "le [[3|DATE]] et le [[5 mars|DATE]]",
        "le [[3|DATE]] puis du [[5|DATE]] au [[7 mars|DATE]]", "les [[1er|DATE]], [[3|DATE]] et"
        " [[5 mars|DATE]]", "les [[3|DATE]] et [[5|DATE]] et [[8 mars|DATE]]",
        "les [[3|DATE]] ou [[5|DATE]] ou [[8 mars|DATE]]", "du [[30|DATE]] au [[3 mars 2024|DATE]]",
        "examens des [[3|DATE]] et [[5 mars|DATE]]", "entre [[3|DATE]] et [[5 mars|DATE]]",
        "jusqu'au [[3|DATE]] ou [[5 mars|DATE]]", "séjour : [[27.02|DATE]] au"
        " [[04.03.2016|DATE]]", "séances : [[27.02|DATE]] et [[04.03.2016|DATE]]",
        # Years.
        "AVC ([[2011|DATE]] et [[2014|DATE]])", "AVC ([[1995|DATE]] et [[1998|DATE]])",
        "AVC ([[2010|DATE]] - [[2014|DATE]])", "Date de pose : [[2014|DATE]]",
        "Antécédents : - [[1987|DATE]] : fracture - [[1992|DATE]] : AVC",
        "ATCD:- [[1987|DATE]] : fracture", "ATCD IDM [[2014|DATE]]",
        "en [[1998|DATE]]/[[1999|DATE]]", "en [[2018|DATE]]/[[2019|DATE]]",
        "[[été 1998|DATE]]", "au [[1er trimestre 1998|DATE]]", "opéré en[[2014|DATE]], ok",
        "suivi depuis[[1998|DATE]]",
        # Births.
        "Ne le [[12/03/1950|BIRTH_DATE]]", "Ne : [[12/03/1950|BIRTH_DATE]]",
        "Ne en [[1950|BIRTH_DATE]]", "Ne a Paris le [[12/03/1950|BIRTH_DATE]]",
        "Ne au Mali le [[12/03/1950|BIRTH_DATE]]", "Ne aux Comores le [[12/03/1950|BIRTH_DATE]]",
        "le jour de ses 73 ans ([[14/02/2023|BIRTH_DATE]])", "son anniversaire, le"
        " [[14/02/2023|BIRTH_DATE]]", "a fêté ses 73 ans le [[14 février 2023|BIRTH_DATE]]",
        "depuis ses 18 ans, le [[14/02/2023|DATE]]", "Ne vers [[1950|BIRTH_DATE]]",
        "Ne la veille, le [[12/03/1950|BIRTH_DATE]]",
        # Beside patients.
        "MERLIN, ZOE 1 2 5 2 8 8 6 3 4 2 2 0 9 3  [[0 7 0 8 1 9 8 3|BIRTH_DATE]] 42 avenue",
        "2 84 05 88 321 025 83, [[12/05/1984|BIRTH_DATE]], assurée",
        "1 84 05 88 321 025\n[[12/05/1984|BIRTH_DATE]]\nvu le [[12/05/2020|DATE]]",
        "DUMAS, DUMAS HENRI\n[[07 . 03 . 1958|BIRTH_DATE]]\nN° FINESS",
        "DUMAS, DUMAS HENRI\n[[07/03/1958|BIRTH_DATE]]",
        "PETIT, DUMAS MARIE\n[[07/03/2001|BIRTH_DATE]]\nvue le [[12/03/2020|DATE]]",
        "Madame HEGER Sophie\n[[12/05/1978|BIRTH_DATE]]\nLe [[02/10/2019|DATE]]",
        "Monsieur HEGER Paul\n[[12/05/1978|BIRTH_DATE]]\nLe [[02/10/2019|DATE]]",
        "Mademoiselle HEGER Marie\n[[12/05/1978|BIRTH_DATE]]\nLe [[02/10/2019|DATE]]",
        "Mme HEGER Sophie\n[[12/05/1978|BIRTH_DATE]]\nLe [[02/10/2019|DATE]]",
        "Mlle HEGER Sophie\n[[12/05/1978|BIRTH_DATE]]\nLe [[02/10/2019|DATE]]",
        "Mr HEGER Paul\n[[12/05/1978|BIRTH_DATE]]\nLe [[02/10/2019|DATE]]",
        "M. HEGER Paul\n[[12/05/1978|BIRTH_DATE]]\nLe [[02/10/2019|DATE]]",
        "M. HEGER PAUL\n[[12/05/1978|BIRTH_DATE]]\nLe [[02/10/2019|DATE]]",
        "Patientes présentes : Mirella Rousset, [[23/04/1976|BIRTH_DATE]], Zoé Defoe,"
        " [[21/07/1985|BIRTH_DATE]]",
        "Patients présents : Paul Rousset, [[23/04/1976|BIRTH_DATE]]; Luc Defoe,"
        " [[21/07/1985|BIRTH_DATE]]. Groupe du [[12/03/2020|DATE]]",
        "Patient(e)s présent(e)s :\n- Luc Rousset, [[23/04/1976|BIRTH_DATE]]",
        # Dates beside patients that are none of birth.
        "Madame HEGER Sophie\n[[02/10/2019|DATE]]\nCher confrère,",
        "Madame HEGER Sophie\n[[12/05/2018|DATE]] consultation\n[[02/10/2019|DATE]] appel",
        "Madame HEGER Sophie\nvue le [[12/05/1978|DATE]]\nLe [[02/10/2019|DATE]]",
        "SCANNER THORACIQUE, ABDOMINAL\n[[12/05/2018|DATE]]\nle [[02/10/2019|DATE]]",
        "Tél. 01 44 55 66 77 poste 12 03 [[12/05/2018|DATE]], le [[02/10/2019|DATE]]",
        "1840588321025 [[12/05/2018|DATE]], vu le [[12/05/2020|DATE]]",
        "Patients présents : Luc Roux, [[05/2018|DATE]], revu le [[12/05/2020|DATE]]",
        # No dates.
        "saturation de lundi 12 % ce jour", "coût de 2000 €", "taux : 02/12 %",
        "constantes 12/08 72 98%", "constantes 12/08-72", "protocole de 2019/45", "en 20145",
        "sur la période de 2014a", "en 2000,5 ml", "du 2010/45", "de 2000 %", "titré en 2000/1",
        "dilution de 2000 / 12 ml", "protocole de 2019-45", "depuis20145 jours",
    ),
    "en": (
        "from [[28|DATE]] until [[1 February|DATE]]", "stay [[28|DATE]] to [[1 February|DATE]]",
        "stay [[28|DATE]] until [[1 February|DATE]]", "stay [[28|DATE]] till [[1 February|DATE]]",
        "stay [[28|DATE]] through [[1 February|DATE]]",
        "stay [[March 28|DATE]] - [[April 2, 2024|DATE]]", "stay [[Mar. 28|DATE]]-[[Apr. 2|DATE]]",
        "from [[16|DATE]] to [[3 March|DATE]]",
        "seen [[Monday 12 of May|DATE]]", "[[March 2nd|DATE]]: seen", "on [[March 12, '24|DATE]]",
        "[[Tuesday 12|DATE]]: stable", "in [[March\nof 2020|DATE]]",
        "in [[March\n1998|DATE]]", "the [[spring of 1998|DATE]]",
        "on the [[3rd|DATE]] & [[5th of March|DATE]]", "on the [[3rd|DATE]] or"
        " [[5th of March|DATE]]", "on [[1st|DATE]] and [[3rd of March|DATE]]",
        "on [[2nd|DATE]] and [[3rd of March|DATE]]", "on [[4th|DATE]] and [[6th of March|DATE]]",
        "on the [[1st|DATE]], [[3rd|DATE]] and [[5th of March|DATE]]",
        "on the [[2nd|DATE]], [[4th|DATE]] and [[6th of March|DATE]]",
        "on the [[3rd|DATE]], [[5th|DATE]] and [[7th of March|DATE]]",
        "on the [[4th|DATE]], [[5th|DATE]] and [[6th of March|DATE]]",
        "on [[3|DATE]] and [[5|DATE]] and [[8 March 2024|DATE]]",
        "on [[3|DATE]] & [[5|DATE]] & [[8 March 2024|DATE]]",
        "between [[3|DATE]] and [[5 March 2024|DATE]]",
        "from [[30|DATE]] to [[3 March 2024|DATE]]",
        "stay [[27-02|DATE]] to [[04-03-2016|DATE]]", "labs [[27-02|DATE]] and"
        " [[04-03-2016|DATE]]", "stay [[27-02|DATE]] - [[04-03-2016|DATE]]",
        "[[March 3|DATE]] to [[5, 2024|DATE]]", "[[March 3|DATE]] through [[5, 1998|DATE]]",
        "[[March 1|DATE]] to the [[2nd|DATE]]", "[[March 1|DATE]] to the [[3rd|DATE]]",
        "[[March 1|DATE]] to the [[4th|DATE]]", "[[March 1|DATE]] to the [[21st|DATE]]",
        "on [[March 1|DATE]], [[2nd|DATE]] and [[3rd|DATE]].",
        "on [[March 1|DATE]], [[3rd|DATE]] and [[21st|DATE]]",
        "on [[March 20|DATE]], [[21st|DATE]] and [[22nd|DATE]]; then",
        "on [[March 3|DATE]], [[4th|DATE]] and [[5th|DATE]])",
        "on [[March 1|DATE]], [[21st|DATE]], [[22nd|DATE]] and [[31st|DATE]]",
        "on [[March 3|DATE]] & [[5|DATE]]\n", "on [[March 3|DATE]], [[4|DATE]],"
        " [[5, 2024|DATE]]", "on [[March 3|DATE]] and [[5, 1998|DATE]]",
        "since[[2014|DATE]], ok", "in[[2014|DATE]], ok", "status post CABG [[2014|DATE]]",
        "stroke ([[2011|DATE]] and [[2014|DATE]])", "stroke ([[2010|DATE]] to [[2014|DATE]])",
        "Date of surgery: [[2014|DATE]]",
        "in [[2010|DATE]]-[[2014|DATE]]", "in [[1995|DATE]]-[[1998|DATE]]",
        "a cost in 2000 $", "about 1 in 2000 %", "on [[March 3|DATE]] - 10: a call",
        "[[2010|DATE]] - [[2014|DATE]]: smoker\n", "[[2010|DATE]] to [[2014|DATE]]: smoker\n",
        "[[1990|DATE]] to [[1998|DATE]]: smoker\n",
        # Quantities after a day.
        "on [[March 3|DATE]] - 10:30 call", "on [[March 3|DATE]] - 10.5 mg",
        "on [[March 3|DATE]] - 120 ml",
        "on [[March 3|DATE]] and 12.5 mg", "on [[March 3|DATE]] - 5 days later",
        "on [[March 3|DATE]] - 5% dextrose", "on [[March 3|DATE]] to 10mg",
    ),
    "es": (
        "el [[3 dbre 2023|DATE]], ok",
        "el [[1 º de mayo de 2020|DATE]]", "el [[marzo 12 del 2024|DATE]]",
        "en [[marzo\ndel 2020|DATE]]", "el [[12 de marzo\ndel 2020|DATE]]",
        "desde el [[28|DATE]] hasta el [[1 de febrero|DATE]]",
        "ingreso [[28|DATE]] hasta [[1 de febrero|DATE]]",
        "ingreso [[28|DATE]] al [[1 de febrero|DATE]]", "[[domingo 3 de mayo|DATE]] acude",
        "en [[marzo del año 2020|DATE]]",
        "de [[10|DATE]] a [[12 de marzo de 2020|DATE]]", "el [[3|DATE]] y el"
        " [[5 de marzo|DATE]]", "el [[3|DATE]] y [[5 de marzo|DATE]]",
        "los [[3|DATE]] y [[5 de marzo|DATE]]", "del [[30|DATE]] al [[3 de marzo|DATE]]",
        "del [[3|DATE]] y [[5 de marzo|DATE]]", "los días [[3|DATE]] y [[5|DATE]] y"
        " [[8 de marzo|DATE]]", "ingreso: [[27-02|DATE]] al [[04-03-2016|DATE]]",
        "controles: [[27-02|DATE]] y [[04-03-2016|DATE]]", "desde[[2014|DATE]], ok",
        "en [[primavera del 2019|DATE]]", "[[segundo trimestre del 2023|DATE]]",
        "ictus ([[2011|DATE]] y [[2014|DATE]])", "ictus ([[2010|DATE]] a [[2014|DATE]])",
        "Fecha de la cirugía: [[2014|DATE]]", "[[1998|DATE]] a [[2004|DATE]]: fumador\n",
    ),
    "de": (
        "am [[3. Feber 2023|DATE]], ok",
        "vom [[30|DATE]]. bis [[3. März 2024|DATE]]",
        "vom [[3|DATE]]. und [[5. März|DATE]]",
        "am [[3|DATE]]. und [[5|DATE]]. und [[8. März|DATE]]",
        "Aufenthalt [[03.03|DATE]]. bis [[05.03.2024|DATE]]",
        "Kontrollen [[03.03|DATE]]. und [[05.03.2024|DATE]]", "seit[[2014|DATE]], ok",
        "im [[Herbst des Jahres 2019|DATE]]", "TIA ([[2011|DATE]] und [[2014|DATE]])",
        "Datum der OP: [[2014|DATE]]", "St. n. TEP [[2016|DATE]]",
        "vom [[28|DATE]]. bis zum [[1. März|DATE]]", "[[28|DATE]]. bis [[1. März|DATE]] hier",
        "vom [[28|DATE]]. bis einschließlich [[1. März|DATE]]",
        "vom [[28|DATE]]. bis einschliesslich [[1. März|DATE]]",
    ),
    "nl": (
        "op [[21ste januari 2020|DATE]]", "in [[maart\nvan 2020|DATE]]",
        "op [[3e|DATE]] en [[5e maart|DATE]]", "op [[3|DATE]] en [[5|DATE]] en [[8 maart|DATE]]",
        "van [[30|DATE]] tot [[3 maart 2024|DATE]]", "van [[3|DATE]] en [[5 maart|DATE]]",
        "tussen [[3|DATE]] en [[5 maart|DATE]]", "opname [[27-02|DATE]] t/m [[04-03-2016|DATE]]",
        "controles [[27-02|DATE]] en [[04-03-2016|DATE]]", "sinds[[2014|DATE]], ok",
        "van [[28|DATE]] tot en met [[1 maart|DATE]]", "opname [[28|DATE]] tot [[1 maart|DATE]]",
        "opname [[28|DATE]] t/m [[1 maart|DATE]]", "[[derde kwartaal van 2023|DATE]]",
        "TIA ([[2011|DATE]] en [[2014|DATE]])",
    ),
}  # fmt: skip


JOINED = (
    "[[30. Juni 2019|DATE]]/[[9. August 2019|DATE]]", "[[Q1/2021|DATE]] ok",
    "[[December 2, 2018|DATE]]/[[December 22, 2018|DATE]]",
    "Kur [[14.03.21|DATE]]/[[15.03.21|DATE]].", "Kur [[14.3.|DATE]]/[[15.3.21|DATE]] ok",
    "Kur [[31.12.20|DATE]]/[[1.1.2021|DATE]] ok", "Kur [[1.1.|DATE]]/[[2.1.1999|DATE]] ok",
    "1.14.03.21/[[15.03.21|DATE]]", "Kur 14.13./15.3.21", "Kur 44.3./15.3.21", "Kur 14.3./15.3.213",
    "Kur 14.3./15.3.21.5", "Kur 14.3./35.3.21", "Kur 1/4.3./15.3.21", "Kur 1,4.3./15.3.21",
    "1/9. [[August 2019|DATE]]", "x 1/9. [[August 2019|DATE]]", "x 3,9. [[August 2019|DATE]]",
)  # fmt: skip


def each() -> Iterator[Line]:
    """Yield (language, marked line) of dates, and of what is none without a mark."""
    for lang, lines in LINES.items():
        yield from ((lang, line) for line in lines)
        for day in WEEKDAYS[lang].split():
            yield lang, f"X. [[{day} 12|DATE]], ok"
        for quarter in QUARTERS[lang]:
            yield lang, f"ok [[{quarter} 2023|DATE]]."
    yield from (("en", line) for line in JOINED)


BESIDE = {
    "fr": (
        "[[12/03/2024|DATE]] ([[mardi|DATE]])", "le [[12/03/2024|DATE]], [[mardi|DATE]] donc",
        "[[Mardi|DATE]] : [[12/03/2024|DATE]] RAS", "[[Mardi|DATE]]\n[[12/03/2024|DATE]]\nRAS",
        "vu [[mardi|DATE]] matin [[12/03/2024|DATE]]", "le [[12/03/2024|DATE]] un [[mardi|DATE]]",
        "vu hier [[lundi|DATE]]", "vu ce jour, [[mardi|DATE]]", "vu ce [[mardi|DATE]], RAS",
        "nuit du [[19|DATE]] au [[20/03/2023|DATE]] ([[dimanche|DATE]] à [[lundi|DATE]])",
        "[[12/03/2024|DATE]] (tous les mardi matin)",
        "vu les [[12/03/2024|DATE]] ([[mardi|DATE]])",
        "vu le [[12/03/2024|DATE]] ([[mardi|DATE]]), [[S11|DATE]]",
        "[[12/03/2024|DATE]] : chaque mardi",
        "vu le [[12/03/2024|DATE]]. Mardi il revient", "vu le [[12/03/2024|DATE]] ; mardi suite",
        "vu le [[12/03/2024|DATE]]! Mardi suite", "vu le [[12/03/2024|DATE]]? Mardi suite",
        "revient lundi", "en [[2019|DATE]], lundi et jeudi",
        "le [[12/03/2024|DATE]] a été vu par trois médecins, mardi", "Vu par M. Lundi du"
        " [[12/03/2024|DATE]]", "[[12/03/2024|DATE]] ([[ven|DATE]])", "[[12/03/2024|DATE]] ["
        "[[ven|DATE]].]", "vu [[12/03/2024|DATE]], [[ven|DATE]], RAS", "[[12/03/2024|DATE]],"
        " [[ven|DATE]].", "[[ven|DATE]] : [[12/03/2024|DATE]]", "[[ven|DATE]]\n[[12/03/2024|DATE]]",
        "[[12/03/2024|DATE]], ven de sang", "vu [[25/12/2023|DATE]] ([[Noël|DATE]])",
        "[[Noël|DATE]], le [[25/12/2023|DATE]]", "[[Réveillon|DATE]] du [[31/12/2023|DATE]]",
        "[[Lundi de Pâques|DATE]] [[10/04/2023|DATE]]", "Noël DUPONT, vu le [[10/04/2023|DATE]]",
        "DUPONT Noël\n[[10/04/2023|DATE]]", "vu à [[Noël|DATE]], ok", "vu à la [[Toussaint|DATE]]",
        "chute à l'[[Ascension|DATE]] puis reprise", "depuis l’[[Assomption|DATE]], il dort mal",
        "le [[15 août|DATE]], fête de l'[[Assomption|DATE]]",
        "vu à Noël Dupont", "semaine 12 (grossesse)", "[[semaine 12|DATE]] ([[20/03/2023|DATE]])",
        "[[sem. 12|DATE]] : [[20/03/2023|DATE]]", "[[20/03/2023|DATE]] ([[S12|DATE]])",
        "[[02/03/2023|DATE]] ([[S09|DATE]])", "[[02/01/2021|DATE]] ([[S53|DATE]])",
        "[[20/03/23|DATE]] ([[S12|DATE]])", "[[20/06|DATE]] ([[S25|DATE]])",
        "[[31/02/2023|DATE]] (S12)", "[[20/03/2023|DATE]] (S24)", "[[20/03/2023|DATE]] (S1)",
        "[[02/02/2023|DATE]] ([[sem 5|DATE]])", "[[20/03/2023|DATE]] (semaine 24)",
        "[[31/12/2020|DATE]] ([[semaine 53|DATE]])",
        "fichier S 44/2023", "[[S12 de 2024|DATE]]", "[[S09 2024|DATE]]", "[[S53, 1998|DATE]]",
        "[[S25 2024|DATE]]", "[[20/03/2023|DATE]] (S54)", "fracture L5-S1",
        "[[S12 2024|DATE]]", "[[semaine 53 de 2020|DATE]]", "[[semaine 9 2020|DATE]]",
        "[[sem.9 1998|DATE]]", "[[2023-W12|DATE]]", "[[1998W53-5|DATE]]", "[[2023-W05|DATE]]",
        "lot 2023-W1234", "12.5 S12 20245", "[[20/03/2023|DATE]] (S12,5)",
    ),
    "en": (
        "received [[20240312|DATE]]T143205Z", "lot 20240312T9",
        "[[03/12/2024|DATE]] ([[Tuesday|DATE]])",
        "[[03/19/2023|DATE]] [[Sunday|DATE]] night",
        "seen today, [[Tuesday|DATE]]", "home this [[Tuesday|DATE]]",
        "[[03/12/2024|DATE]] every Tuesday",
        "[[03/12/2024|DATE]] every other Tuesday",
        "[[Easter Monday|DATE]] [[04/10/2023|DATE]]", "[[week 12 of 2024|DATE]]",
        "[[Week 12, 2023|DATE]]", "[[wk 12 2024|DATE]]", "[[wk. 12 2024|DATE]]",
        "[[CW12/2023|DATE]]", "week 12/40", "week 12 of treatment",
        "[[03/12/2024|DATE]] ([[Tue|DATE]])", "[[03/12/2024|DATE]] ([[wk 11|DATE]])",
        "[[03/12/2024|DATE]] ([[wk. 11|DATE]])", "[[03/12/2024|DATE]] ([[week 11|DATE]])",
        "home at [[Easter|DATE]] w/ tea", "after Easter Jones left", "a Christmas tree",
    ),
    "es": (
        "[[12/03/2024|DATE]] ([[martes|DATE]])", "[[12/03/2024|DATE]]: viene los martes",
        "vendrá antes de [[Reyes|DATE]]", "cuando pasen 24 horas", "[[semana 12 del 2024|DATE]]",
        "[[12/03/2024|DATE]] ([[semana 11|DATE]])",
    ),
    "de": (
        "[[12.03.2024|DATE]] ([[Di|DATE]])", "am [[12.3|DATE]]. ([[Dienstag|DATE]]) gesehen",
        "am [[12.3|DATE]]., [[Dienstag|DATE]] gesehen", "Herr Sonntag am [[12.03.2024|DATE]]",
        "[[KW 12/2024|DATE]]", "[[KW 12/24|DATE]]", "[[KW 12, 2024|DATE]]", "[[KW 12 1998|DATE]]",
        "[[KW 3|DATE]]", "[[KW 49|DATE]]", "[[KW 53|DATE]]", "[[KW 05/1998|DATE]]",
        "[[Kalenderwoche 12|DATE]]", "[[12. KW 2024|DATE]]", "[[12. KW|DATE]], dann",
        "[[3. KW|DATE]]", "[[53. KW|DATE]]", "[[12. KW/1998|DATE]]", "[[12. Kalenderwoche|DATE]]",
        "[[12. CW|DATE]]", "KW 54", "54. KW", "KW 12,5", "KW 123", "KW 12a", "an [[Ostern|DATE]]",
        "[[Ostern des Jahres 1998|DATE]]", "[[Woche 12/2024|DATE]]", "[[Woche 12-2024|DATE]]",
        "[[12.03.2024|DATE]] ([[Woche 11|DATE]])",
        "[[Di|DATE]] - [[12.03.2024|DATE]]", "[[Di|DATE]] | [[12.03.2024|DATE]]",
    ),
    "nl": (
        "[[12-03-2024|DATE]] ([[di|DATE]])", "[[12-03-2024|DATE]] elke dinsdag",
        "[[week 12 van 2024|DATE]]", "met [[Pasen|DATE]] thuis", "[[Pasen van 1998|DATE]]",
    ),
}  # fmt: skip


def feasts() -> Iterator[Line]:
    """Yield (language, marked line) of feasts with their year or without it, and beside dates."""
    yield from ((lang, line) for lang, lines in BESIDE.items() for line in lines)
    for lang, found in FEASTS.items():
        yield from ((lang, f"Vu [[{feast}|DATE]].") for feast in found)
    for name in FEAST_RULES:
        yield "fr", f"vu [[{name} 1998|DATE]], ok"
        yield "fr", f"vu le [[12/03/2024|DATE]] ([[{name}|DATE]])"
    for lang, days in WEEKDAYS.items():
        yield from ((lang, f"[[12/03/2024|DATE]] ([[{day}|DATE]])") for day in days.split())
    for lang, days in SHORT_WEEKDAYS.items():
        for day in days.split():
            yield lang, f"[[12/03/2024|DATE]] ([[{day}|DATE]])"
            yield lang, f"[[{day}|DATE]]. : [[12/03/2024|DATE]]"
            yield lang, f"vu ([[{day}|DATE]]) [[12/03/2024|DATE]]"
            if len(day) > len("di"):
                yield lang, f"[[12/03/2024|DATE]], [[{day}|DATE]], RAS"
