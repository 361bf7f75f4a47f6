"""A line for each alternative of the expressions on places that no other line needs.

What a line leaves unmarked is no place: guards have lines with a value that they keep out.
"""

from tests.rules.places.forms_places_words import FRENCH_WAYS, STATES, each

FRENCH_MONTHS = """
janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre
"""
SPANISH_MONTHS = """
enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|setiembre|octubre|noviembre|diciembre
"""
TITLES = "Dr.|Dra.|Sr.|Sra.|Sta.|Sto.|Gral.|Pr.|Prof.|St.|Ste.|Mgr.|Cdt.|Gal.|Ntra.|Ntro.|Cte.|Alc."
SMALL_WORDS = """
de|du|des|del|la|le|les|el|los|las|y|et|sur|sous|en|aux|au|a|of|the|und|der|von|van|i|da|do|dos
"""

FRENCH = [
    *each(FRENCH_WAYS, "vu [[{} Jean Moulin|STREET]], [[75012|ZIP]] [[Paris|CITY]]"),
    *each(FRENCH_MONTHS, "au [[7 rue du 8 {}|STREET]], seul"),
    *each(FRENCH_MONTHS, "au [[7 rue du 8 {} 1945|STREET]], seul"),
    *each("Vent|Eau|Huile|Papier", "au [[7 rue du Moulin à {}|STREET]] depuis"),
    *each(TITLES, "au [[7 rue {} Martin|STREET]], seul"),
    *each(TITLES.removeprefix("Dr.|"), "au [[7 rue Abbé {} Martin|STREET]], seul"),
    *each(SMALL_WORDS, "au [[7 rue {} Kerbihan|STREET]], seul"),
    *each(
        SMALL_WORDS.replace("du|", "").replace("|le|les", ""), "né à [[Kerbihan {} Montjoie|CITY]]"
    ),
    *each("du|le|les", "vu à l'[[hôpital Kerbihan {} Montjoie|HOSPITAL]]"),
    *each("le|les|las|sur|sous|aux|the|und|der|von|van|dos", "l'[[hôpital {} Kerbihan|HOSPITAL]]"),
    *each("demeurant|vit actuellement|habite", "{} à [[Kerbihan|CITY]], seul"),
    *each(
        "adresse|adresse actuelle|domicile|domicilié|domiciliée|habite|habitait|habitant|demeure"
        "|demeurant|réside|résidant|vit|sis|sise|siège",
        "{} [[rue des lilas|STREET]], seul",
    ),
    *each(
        "appt 4|appartement 4|apt 4|bât 4|bâtiment C|esc 4|escalier 4|étage 3|porte 4|hall B|bte 4"
        "|bus 4|1er étage|2e étage|3ème étage",
        "au [[12 rue Monge, {}|STREET]], seul",
    ),
    *each(
        "500 mg|5 g|50 m|20 cm|70 kg|15 km|40 ml|3 fois|3 jours|4 h|60 ans|6 mois|7/10|8%|3,5",
        "habite [[rue Monge|STREET]] {} de",
    ),
    *each(
        "région|nord|sud|est|ouest|banlieue|loin|centre|cabinet|prestataire|pharmacie|officine"
        "|laboratoire|urgences",
        "le {} de [[Lille|CITY]] ce jour",
    ),
    *each(
        "la|de|une|notre|cette|dans|par|vers|sa|à",
        "vu {} [[clinique Montjoie|HOSPITAL]] hier",
    ),
    *each(
        "universitaire|universitaires|générale|régionale|national|nationale|médical|médicale|privée"
        "|locale|chirurgicale|hospitalo-universitaire|d'instruction des armées",
        "vu à l'[[hôpital {} Kerbihan|HOSPITAL]]",
    ),
    *each(
        "A2|L3|A1L3|IIa|IVb",
        "atteinte iléale dite à Montréal {} ce jour",
    ),
    *each("Tél|Tel|E-mail|Email|Fax|a.b@c.fr", "[[12 rue Monge|STREET]], [[Lille|CITY]] {} suite"),
    *"""
[[12 rue du 1er mai|STREET]]
[[12 rue du 151e régiment d'infanterie|STREET]]
[[12 avenue de la 2ème division blindée|STREET]]
[[12 avenue de la 1re armée|STREET]]
[[12 et 14 rue des Lilas|STREET]]
au [[4 rue de la paix|STREET]], seul
au [[4 rue du moulin|STREET]], seul
au [[4 rue le bastard|STREET]], seul
au [[4 rue des lilas|STREET]] et seul
au [[4 rue des lilas|STREET]] à pied
au [[4 rue des lilas|STREET]]
habite [[rue des lilas 4|STREET]], seul
Adresse postale : [[Bel Air 4|STREET]], [[75012|ZIP]] [[Paris|CITY]]
Adresse : [[Bel Air 4|STREET]]; seul
[[Lyon|CITY]] dans le [[69003|ZIP]]
suivi dans le [[69003|ZIP]]
[[Quimperlé|CITY]] ([[29300|ZIP]])
réside au [[Maroc|COUNTRY]]
Originaire  de [[Pau|CITY]], vit
natif du [[Maroc|COUNTRY]]
vit à la [[Ferrandière|CITY]]
vit à les [[Bruyères|CITY]]
vit à le [[Kerbihan|CITY]]
vit à l'[[Estartitte|CITY]]
[[Villeneuve de Kerbihan|CITY]], le 3 mai
[[Villeneuve la Kerbihan|CITY]], le 3 mai
[[Alhama del Montejo|CITY]], le 3 mai
[[12 rue Monge|STREET]] - [[Lille|CITY]]
[[12 rue Monge|STREET]]. [[Lille|CITY]].
le laboratoire ([[Lille|CITY]] - 59)
habite à [[Paris 1er|CITY]], seul
suivi en 2010 à [[Glasgow|CITY]]
vu à l'hôpital à [[Glasgow|CITY]]
vu au CHU à [[Glasgow|CITY]]
[[12 rue Monge|STREET]], 15000/mm3
[[12 rue Monge|STREET]], 15000%
[[12 rue Monge|STREET]], 15000,5
[[12 rue Monge|STREET]], 15000-12
[[75012|ZIP]] [[Paris|CITY]], BP 12/8
[[75012|ZIP]] [[Paris|CITY]], BP 12,8
[[75012|ZIP]] [[Paris|CITY]], BP 12 mm
[[75012|ZIP]] [[Paris|CITY]], BP 120 / 80
[[BP 12|STREET]], [[75012|ZIP]] [[Paris|CITY]]
[[B.P. 12|STREET]], [[75012|ZIP]] [[Paris|CITY]]
boîte postale 12/8
boîte postale 12,8
boîte postale 12 mm
vu à la [[Cleveland Clinic|HOSPITAL]]
vu au [[Johns Hopkins Hospital|HOSPITAL]]
Retraité, [[boulanger|PROFESSION]]
Elle est [[boulangère|PROFESSION]].
[[clinique Montjoie|HOSPITAL]]
note. [[clinique Montjoie|HOSPITAL]]
l'examen clinique Montjoie
vu à l'[[hôpital Kerbihan|HOSPITAL]] du Service
du [[Catharina Ziekenhuis|HOSPITAL]]
""".strip().splitlines(),
    "[[92100|ZIP]] [[BOULOGNE-\nBILLANCOURT|CITY]]",
    "au [[12 rue de\nLyon|STREET]], seul",
    "au [[12 rue du\nMoulin|STREET]], seul",
    "au [[12 rue des\nLilas|STREET]], seul",
    "au [[12 rue de la\nLoge|STREET]], seul",
    "Adresse : [[Bel Air 4|STREET]]\nseul",
    "[[92130|ZIP]] [[ISSY LES\nMOULINEAUX|CITY]]",
    "[[Quimperlé|CITY]]\n[[29300|ZIP]]",
]
QUARTERS = "N|S|E|W|NE|NW|SE|SW"
ENGLISH = [
    *each(".|,|;|)|\n| for rehab", "sent to [[St. Mary's|HOSPITAL]]{}"),
    "seen at [[St Luke's|HOSPITAL]].",
    *each("wort|fire|dance|disease|school|church", "on St. John's {} today"),
    "Badge ID 30301 was returned.",
    "lives in [[Boise|CITY]], [[ID|REGION]] [[83702|ZIP]]",
    *each(STATES, "Her town: [[Elmira|CITY]], [[{}|REGION]] [[02118|ZIP]]"),
    *each("lives|lived|living|residing|resides", "{} at [[123 oak avenue|STREET]], alone"),
    *each("Flat|Unit|Apt|Apt.|Apartment|Suite", "at [[{} 3, 12 Baker Street|STREET]] alone"),
    *each("at|of|is|to|note:|home -|seen;|;", "{} [[88 Quail Inlet|STREET]], [[Boston|CITY]]"),
    *each(" apt 4| suite 4| unit 4|, floor 2|, fl 2", "at [[88 Quail Inlet{}|STREET]] alone"),
    *each(QUARTERS, "at [[77 Massachusetts Avenue {}|STREET]], alone"),
    *each("the|at|in", "seen {} [[Clinica Montejo|HOSPITAL]]"),
    *each("#4|apt 4|Apt 4|Suite 4|Unit 4|NW", "at [[12 Oak St. {}|STREET]], alone"),
    *"""
at [[12 Oak Street|STREET]] N.Y. alone
at [[12 Oak St.|STREET]] alone
born in [[Kerrow upon Tyne|CITY]] today
at [[12 Oak Street|STREET]], [[St. Cloud|CITY]]
letter from Dr. Duane Gray in [[Trenton|CITY]] on
seen at [[Mercyhurst Clinic|HOSPITAL]]
transferred from [[Osler 7 West|HOSPITAL]] today
stage L3B2 of Montreal
[[Isle of Palms|CITY]], [[SC|REGION]] [[29451|ZIP]]
at [[12 Oak Street, apartment 4|STREET]] alone
[[88 Quail Inlet|STREET]], [[Boston|CITY]]
[[88 Quail Inlet|STREET]] - [[Boston|CITY]]
at [[88 Quail Inlet|STREET]], [[Anytown|CITY]] [[LS2 9JT|ZIP]]
Address: [[Rose Cottage 4|STREET]], tel of her son
seen at [[Boston|CITY]].
moved to [[St. Neots|CITY]].
residing in [[Elmira|CITY]]
The [[Fairbanks Unit|HOSPITAL]]
The [[MERCYHURST HOSPITAL|HOSPITAL]]
The [[Hospital at Fairbanks|HOSPITAL]]
The [[Mt. Fairbanks Hospital|HOSPITAL]]
The [[Kent & Surrey Hospital|HOSPITAL]]
""".strip().splitlines(),
]
SPANISH = [
    "es de profesión [[afilador|PROFESSION]], vive solo",
    "TA C/D 120/80. C/D. Hallux",
    "Con esta técnica mejora",
    *each(SPANISH_MONTHS, "vive en [[Calle 2 de {}|STREET]], sola"),
    *each(
        "domicilio|domiciliado|domiciliada|dirección|vive|reside|residente",
        "{} [[calle sol|STREET]], sola",
    ),
    *each(
        "4 bis|4 b|4 A-6|4, 3º|4, 3º D|4, 3ºD|4, 3 D|4, izda|4, dcha|4, 2º 1ª|4, bajo b|4, ático a",
        "en [[Calle Montejo {}|STREET]], sola",
    ),
    *each(
        "universitario|universitari|general|clínico|comarcal|provincial|infantil|militar|público"
        "|privado|nacional|oncológico|materno|materno-infantil|quirúrgico|veterinario|metropolitano",
        "en el [[hospital {} Montejo|HOSPITAL]]",
    ),
    *each("la|de|una|del|en|a", "vista {} [[clínica Montejo|HOSPITAL]] ayer"),
    *"""
[[Av/Montejo 22|STREET]]
[[C/ Goya, 22|STREET]] [[E-28001|ZIP]] [[Madrid|CITY]]
vive en [[C/ Goya, 22|STREET]] e.g. solo
[[Apdo 556|STREET]]
[[Polígono Norte 4|STREET]] de [[Sevilla|CITY]]
[[Polígono Norte 4|STREET]] en [[Sevilla|CITY]]
[[Polígono Norte 4|STREET]] - [[Sevilla|CITY]]
vive actualmente viviendo en [[Montejillo|CITY]]
residente en [[Montejillo|CITY]]
reside en [[Montejillo|CITY]]
domiciliada en [[Montejillo|CITY]]
vista en [[Sevilla|CITY]].
vive en el [[Montejillo|CITY]]
vive en los [[Montejillos|CITY]]
al [[instituto Montejo|HOSPITAL]]
el [[instituto Montejo|HOSPITAL]]
lesión IIa de París
[[Jerez de la Frontera|CITY]] [[11405|ZIP]]
[[Alcalá de Henares|CITY]] [[28801|ZIP]]
[[Palma del Río|CITY]] [[14700|ZIP]]
[[Linares|CITY]], [[23700|ZIP]]
[[Villarrubia de los Ojos|CITY]], [[13670|ZIP]]
[[apartado 12|STREET]], [[28035|ZIP]] [[Madrid|CITY]]
[[C/ Goya 22|STREET]], [[Madrid|CITY]] Tfno 91
vive en la [[calle del 2 de mayo, 4|STREET]]
vive en [[calle Montejo 22, apto 3|STREET]]
[[Linares|CITY]]. [[23700|ZIP]]
""".strip().splitlines(),
    "vive en [[Calle del\nMontejo|STREET]], sola",
]
GERMAN = [
    *each("Anschrift|Adresse|wohnt|wohnhaft", "{} [[Ahornwall 7|STREET]]."),
    *each("weg|platz|ring|damm|hof|markt|wall|graben|park|pad", "wohnt [[Ahorn{} 7|STREET]]."),
    *each("straße|strasse|str.|gasse|allee|ufer|chaussee", "Post: [[Ahorn{} 7|STREET]]."),
    *each("g|mg|cm|kg|mm|ml|x|Uhr|Tage|Wochen|Monate|Jahren|St", "an der Ahornstraße 3 {} lang"),
    *each("3,5|3.5|3%|3ab", "an der Ahornstraße {} lang"),
    *each("am Inn|an der Saale|ob der Tauber", "wohnt in [[Mühlfeld {}|CITY]]."),
    *each("der|den|dem|die", "wohnt in {} [[Oberkirnau|CITY]]."),
    *each(
        "Kreisklinikum|Städtisches Klinikum|Kreiskrankenhaus|Bezirkskrankenhaus"
        "|Fachklinik|Rehabilitationsklinik|Herzzentrum|Rheumazentrum",
        "verlegt ins [[{} Rosenhag|HOSPITAL]].",
    ),
    *"""
wohnt [[Am Anger 3|STREET]].
wohnt [[Allee der Kosmonauten 5|STREET]].
wohnt [[Strasse des Friedens 5|STREET]].
Anschrift: [[Haus Rosenhag 4|STREET]]; Tel
[[Hauptstraße 12, 2. OG|STREET]].
[[Hauptstraße 12, 3. Stock|STREET]].
[[Hauptstraße 12, Whg 4|STREET]].
stammt aus [[Unterkirnau|CITY]].
wohnhaft in [[Unterkirnau|CITY]].
geb. in [[Unterkirnau|CITY]].
zurück aus [[Berlin|CITY]].
liegt bei [[Berlin|CITY]].
""".strip().splitlines(),
]
DUTCH = [
    *each("Adres|woont|woonachtig|wonende", "{} [[Groenepad 7|STREET]]."),
    *each("aan den Rijn|aan de IJssel|op Zoom", "woont in [[Molenveen {}|CITY]]."),
    *each(
        "van|de|der|den|des|du|la|le|les|am|an|op|aan|zum|zur|in|el|los|las",
        "Fam. Bos\n[[Rosenhag {} Molen 5|STREET]], [[1012 AB|ZIP]] [[Amsterdam|CITY]]",
    ),
    *each(
        "5 bis|5 ter|5 b",
        "Chez\n[[{} Rosenhag|STREET]], [[1012 AB|ZIP]] [[Amsterdam|CITY]]",
    ),
    *each(
        "Streekziekenhuis|Academisch Ziekenhuis|Gasthuis|Revalidatiecentrum|Medisch Centrum"
        "|Universitair Medisch Centrum|Oncologisch Centrum",
        "naar [[{} Rosenhag|HOSPITAL]] overgebracht",
    ),
    *each("5a|5-7|5/7", "[[Rosenhag {}|STREET]], [[1012 AB|ZIP]] [[Amsterdam|CITY]]"),
    *"""
woont [[Voorstraat 12 bis|STREET]].
Adres: [[Huize 4 rust|STREET]], [[1012AB|ZIP]] [[Amsterdam|CITY]]
Adres: [[Huize Rust 4|STREET]], tel van
afkomstig uit [[Molenveen|CITY]]
woonachtig te [[Molenveen|CITY]]
gezien te [[Barcelona|CITY]].
op de [[afdeling Boerhaven|HOSPITAL]]
[[Kliniek Rosenhag|HOSPITAL]], naar huis
in het [[Catharina Ziekenhuis|HOSPITAL]]
""".strip().splitlines(),
]
EMPLOYERS = "chez|for|with|at|en|in|para|a la|bei|bij"
FORMS = """
SARL|S.A.R.L.|SAS|S.A.S.|S.A.S.U.|S.A.|SA|SCI|S.C.I.|EURL|SNC|SCOP|Inc.|LLC|LLP|Ltd|Ltd.|PLC|plc|Corp.
GmbH|GmbH & Co. KG|AG|B.V.|N.V.|S.L.|S.L.U.|S.L.L.|S.L.N.E.|S.Coop.|S.C.P.|S.Com.|S.C.|C.B.
"""
PARTNERS = "Asociados|Associés|Associates|Fils|Hijos|Hermanos|Sons|Söhne|Zonen|Co"
COMPANIES = [
    *each(FORMS, "vu par [[Kerbihan Montjoie {}|ORGANIZATION]] hier"),
    *each(FORMS, "Employeur : [[Kerbihan {}|ORGANIZATION]] hier"),
    *each(FORMS.replace("GmbH & Co. KG|", ""), "Employeur : [[Kerbihan, {}|ORGANIZATION]] hier"),
    *each(PARTNERS, "Employeur : [[Kerbihan & {}|ORGANIZATION]]"),
    *each(PARTNERS.lower(), "Employeur : [[Kerbihan & {}|ORGANIZATION]]"),
    *each("and|et|y|&", "Employeur : [[Kerbihan {} fils|ORGANIZATION]]"),
    *each("and|et|y|&", "Employeur : [[Kerbihan, Martin {} Duval|ORGANIZATION]]"),
    *each("and|et|y|&|de|du|del|des|de la|of", "Employeur : [[Kerbihan {} Duval|ORGANIZATION]]"),
    *each(EMPLOYERS, "Retraité [[boulanger|PROFESSION]] {} [[Kerbihan|ORGANIZATION]]"),
]
EACH = {
    "fr": [*FRENCH, *COMPANIES],
    "en": ENGLISH,
    "es": SPANISH,
    "de": GERMAN,
    "nl": DUTCH,
}
HEADINGS = ("nodes.\n\n* HOSPITAL COURRSE *\nReturn", "HOSPITAL COURRSE", "HOSPITAL COURRSE :\nok")
"""Headings in capitals; none is the name of a site."""
