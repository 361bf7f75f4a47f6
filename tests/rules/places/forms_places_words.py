"""One line at least for each word that the rules on places know: kinds of ways, cues, states."""

FRENCH_WAYS = """
rue|avenue|boulevard|allée|allées|impasse|chemin|quai|faubourg|esplanade|chaussée|venelle|place|cours
passage|route|voie|square|villa|cité|hameau|résidence|lotissement|montée|sentier|promenade|traverse
ruelle|rond-point|parc|lieu-dit|mail|cour|clos|domaine|ave|ave.|bd|bd.|bld|bld.|bvd|boul.|ch.|imp.|r.
all.|rte|rte.|sq.|fg|res.|pl.|av|av.
"""
SPANISH_WAYS = """
Calle|Avenida|Avda|Avda.|Avda/|Avd.|C/|Cl/|Carretera|Ctra.|Ctra|Glorieta|Ronda|Travesía|Rambla|Passeig
Carrer|Plaza|Paseo|Camino|Vía|Urbanización|Pasaje|Barrio|Bulevar|Av|Av.|Av/|Pº|P.º|Pza|Pza.|Urb.|C.
Acceso|Alameda|Callejón|Cañada|Cuesta|Pasadizo|Vial|Costanilla|Polígono|Partida
"""
ENGLISH_WAYS = """
Street|Avenue|Road|Boulevard|Lane|Parkway|Highway|Terrace|Drive|Court|Place|Circle|Trail|Way|Square
Crescent|Close|Row|Ave|Rd|Blvd|Ln|Pkwy|Hwy|Cir|St|Dr|Ct|Pl|Alley|Branch|Bridge|Brook|Brooks|Burg|Burgs
Bypass|Camp|Canyon|Cape|Causeway|Center|Centers|Circles|Cliff|Cliffs|Club|Common|Corner|Corners|Course
Courts|Cove|Coves|Creek|Crest|Crossing|Crossroad|Curve|Dale|Dam|Divide|Drives|Estate|Estates
Expressway|Extension|Extensions|Fall|Falls|Ferry|Field|Fields|Flat|Flats|Ford|Fords|Forest|Forge
Forges|Fork|Forks|Fort|Freeway|Garden|Gardens|Gateway|Glen|Glens|Green|Greens|Grove|Groves|Harbor
Harbors|Haven|Heights|Hill|Hills|Hollow|Inlet|Island|Islands|Isle|Junction|Junctions|Key|Keys|Knoll
Knolls|Lake|Lakes|Land|Landing|Light|Lights|Loaf|Lock|Locks|Lodge|Loop|Mall|Manor|Manors|Meadow
Meadows|Mews|Mill|Mills|Mission|Motorway|Mount|Mountain|Mountains|Neck|Orchard|Oval|Overpass|Park
Parks|Parkways|Pass|Passage|Path|Pike|Pine|Pines|Plain|Plains|Plaza|Point|Points|Port|Ports|Prairie
Radial|Ramp|Ranch|Rapid|Rapids|Rest|Ridge|Ridges|River|Roads|Route|Rue|Run|Shoal|Shoals|Shore|Shores
Skyway|Spring|Springs|Spur|Spurs|Squares|Station|Stravenue|Stream|Streets|Summit|Throughway|Trace
Track|Trafficway|Tunnel|Turnpike|Underpass|Union|Unions|Valley|Valleys|Via|Viaduct|View|Views|Village
Villages|Ville|Vista|Walk|Walks|Wall|Ways|Well|Wells|Parade|Rise|Wharf|Croft|Embankment|Yard|Vale|Wynd
"""
GERMAN_WAYS = """
straße|strasse|gasse|allee|ufer|chaussee|weg|platz|ring|damm|hof|markt|wall|graben|park|pad
"""
STATES = """
AL|AK|AZ|AR|CA|CO|CT|DE|FL|GA|HI|ID|IL|IN|IA|KS|KY|LA|ME|MD|MA|MI|MN|MS|MO|MT|NE|NV|NH|NJ|NM|NY|NC|ND
OH|OK|OR|PA|RI|SC|SD|TN|TX|UT|VT|VA|WA|WV|WI|WY|DC|PR|AB|BC|MB|NB|NL|NS|ON|PE|QC|SK|YT
"""


def each(words: str, line: str) -> list[str]:
    """Write each of the words, parted by bars or line breaks, into the line at `{}`."""
    return [line.replace("{}", word) for word in words.replace("\n", "|").split("|") if word]


FRENCH_SITES = """
universitaire|général|régional|intercommunal|spécialisé|départemental|privé|psychiatrique|militaire
central|civil|mutualiste|local|pédiatrique|chirurgical|européen|américain|sud|nord
"""
SPANISH_SITES = """
Universitario|General|Regional|Clínico|Comarcal|Provincial|Infantil|Militar|Central|Público|Privado
Nacional|Oncológico|Materno-Infantil|Civil|Materno|Quirúrgico|Veterinario|Metropolitano|de Día
"""

FRENCH = [
    *each(FRENCH_SITES, "vu à l'[[hôpital {} Kerbihan|HOSPITAL]]"),
    *each(FRENCH_WAYS, "Adresse : [[12 {} Jean Moulin|STREET]], [[75012|ZIP]] [[Paris|CITY]]"),
    *each(FRENCH_WAYS, "vu au [[12 {} des lilas|STREET]], [[75012|ZIP]] [[Paris|CITY]] hier"),
    *"""
[[8 quater rue Monge|STREET]], [[75005|ZIP]] [[Paris|CITY]]
[[8 b place de la mairie|STREET]], [[29300|ZIP]] [[Quimperlé|CITY]]
[[8 bis place de la mairie|STREET]], [[29300|ZIP]] [[Quimperlé|CITY]]
[[8 ter place de la mairie|STREET]], [[29300|ZIP]] [[Quimperlé|CITY]]
[[8 quater place de la mairie|STREET]], [[29300|ZIP]] [[Quimperlé|CITY]]
Adresse personnelle : [[Bel Air 4|STREET]], [[75012|ZIP]] [[Paris|CITY]]
Adresse postale : [[Résidence Bel Air 4|STREET]], [[75012|ZIP]] [[Paris|CITY]]
Adresse : [[Pavillon Bel Air 4|STREET]], tél. du voisin
Adresse : [[Moulin du Bas 4|STREET]] email du fils
Adresse : [[Moulin du Bas 4|STREET]], [[D-10115|ZIP]]
Adresse : [[Kerbihan Bras 4|STREET]], [[1234|ZIP]] [[Ailleurs|CITY]]
[[Boîte postale 12|STREET]], [[75012|ZIP]] [[Paris|CITY]]
[[TSA 12345|STREET]], [[75012|ZIP]] [[Paris|CITY]]
Code postal : [[75012|ZIP]]
Code postal : [[75 012|ZIP]]
habitait à [[Quimperlé|CITY]]
demeurant à [[Quimperlé|CITY]]
mairie de [[Quimperlé|CITY]]
ville de [[Quimperlé|CITY]]
près de [[Quimperlé|CITY]]
natif de [[Quimperlé|CITY]]
native de [[Quimperlé|CITY]]
vit actuellement à [[Quimperlé|CITY]]
né actuellement en [[Algérie|COUNTRY]]
vit seule au [[Maroc|COUNTRY]]
originaire du [[Maroc|COUNTRY]]
originaire d'[[Algérie|COUNTRY]]
native des [[Ardennes|REGION]]
natif de l'[[Hérault|REGION]]
Provincia: [[Lugo|CITY]]
Commune : [[Quimperlé|CITY]]
Région : [[Bretagne|REGION]]
Département : [[Finistère|REGION]]
Pays de naissance : [[Maroc|COUNTRY]]
Nationalité : [[Maroc|COUNTRY]]
parti vers [[Lille|CITY]]
monté sur [[Lille|CITY]]
laboratoire ([[Lille|CITY]])
[[Lille|CITY]], le 3 mai
[[Lille|CITY]], le 1er mai
[[Lille|CITY]], le 03/05/2020
[[Lille|CITY]], lundi 3 mai
[[Lille|CITY]], dimanche 3 mai
Les [[hôpitaux Drôme Nord|HOSPITAL]]
à [[Hop. Tenon|HOSPITAL]]
le [[centre médical Bligny|HOSPITAL]]
le [[centre de santé Marcadet|HOSPITAL]]
le [[centre de dialyse Auxilia|HOSPITAL]]
la [[maison de santé Bellevue|HOSPITAL]]
au [[HOP Tenon|HOSPITAL]]
au [[CHS Esquirol|HOSPITAL]]
au [[CHG Dubreuil|HOSPITAL]]
au [[GH Bichat|HOSPITAL]]
au [[GHU Bichat|HOSPITAL]]
au [[GHI Le Raincy|HOSPITAL]]
au [[CHU l'Archet|HOSPITAL]]
au [[Val-de-Grâce|HOSPITAL]]
à la [[Salpêtrière|HOSPITAL]]
à [[La Timone|HOSPITAL]]
aux [[Quinze-Vingts|HOSPITAL]]
Entreprise : [[Morel|ORGANIZATION]]
médecine du travail de la [[Sernam|ORGANIZATION]]
salarié chez [[Morel|ORGANIZATION]]
travaillait chez [[Morel|ORGANIZATION]]
[[Morel Bâtiment EURL|ORGANIZATION]], en arrêt
[[Morel Bâtiment SNC|ORGANIZATION]], en arrêt
[[Morel Bâtiment SCOP|ORGANIZATION]], en arrêt
[[Morel Patrimoine S.C.I.|ORGANIZATION]], en arrêt
[[Morel Conseil S.A.S.U.|ORGANIZATION]], en arrêt
Métier : [[boulanger|PROFESSION]]
Activité professionnelle : [[boulanger|PROFESSION]]
Profession actuelle : [[boulanger|PROFESSION]]
Il exerçait le métier de [[boulanger|PROFESSION]].
De profession [[boulanger|PROFESSION]].
Il était [[boulanger|PROFESSION]].
un ex-[[boulanger|PROFESSION]]
""".strip().splitlines(),
]
RELATIVES = "father|mother|son|daughter|brother|sister|husband|wife"
ENGLISH = [
    *each(RELATIVES, "her {} Anne Gray in [[Elmira|CITY]] called"),
    *each("Prof. Gray|Pr. Gray|Mrs. Gray|Ms. Gray|Mr. Gray", "letter from {} in [[Elmira|CITY]]"),
    *each("born at term|born prematurely|in 1999|in 2009|moved", "she was {} in [[Elmira|CITY]]"),
    *each("1st|2nd|3rd|4th|1ST|2ND|3RD|4TH", "at [[45 {} Avenue|STREET]]"),
    *each(
        ENGLISH_WAYS,
        "Home: [[612 Juniper {}|STREET]], [[Boston|CITY]], [[MA|REGION]] [[02118|ZIP]]",
    ),
    *each(STATES, "She moved here from [[Boston|CITY]], [[{}|REGION]]."),
    *"""
[[1234 State Route 9|STREET]], [[Boston|CITY]]
[[1234 Route 9|STREET]], [[Boston|CITY]]
lives at [[123 main street|STREET]] alone
lives at [[123 oak avenue|STREET]] alone
lives at [[123 mill road|STREET]] alone
lives at [[123 abbey lane|STREET]] alone
lives at [[123 cedar drive|STREET]] alone
zip code: [[02118|ZIP]]
Zip: [[02118|ZIP]]
lived in [[Elmira|CITY]]
has been living in [[Elmira|CITY]]
was raised in [[Elmira|CITY]]
residing in [[Elmira|CITY]]
resided in [[Elmira|CITY]]
lives alone in [[Elmira|CITY]]
native of [[Elmira|CITY]]
relocated to [[Elmira|CITY]]
emigrated from [[Poland|COUNTRY]]
immigrated from [[Poland|COUNTRY]]
Town: [[Elmira|CITY]]
Country: [[Poland|COUNTRY]]
Hometown: [[Elmira|CITY]]
Birthplace: [[Elmira|CITY]]
a farm near [[Boston|CITY]].
[[Boston|CITY]], 3 May 2020
[[Parkview Health System|HOSPITAL]]
[[Lindqvist Medical Group|HOSPITAL]]
[[Lindqvist Family Practice|HOSPITAL]]
[[Blalock Pavilion|HOSPITAL]]
[[MERCYHURST CLINIC|HOSPITAL]]
[[MERCYHURST MEDICAL CENTER|HOSPITAL]]
[[Mercyhurst Surgery Center|HOSPITAL]]
[[Mercyhurst Cancer Center|HOSPITAL]]
[[Cleveland Clinic|HOSPITAL]]
[[Johns Hopkins Hospital|HOSPITAL]]
[[NYU Langone Health|HOSPITAL]]
at [[ward Fairbanks|HOSPITAL]]
at [[unit Fairbanks|HOSPITAL]]
Unit: [[Barton 4B|HOSPITAL]]
Ward: [[Barton 4B|HOSPITAL]]
Floor: [[Barton 4B|HOSPITAL]]
Nursing handoff - [[Barton 4B|HOSPITAL]]
Dr. Stone, [[Barton 4B|HOSPITAL]]
Prof. Stone, [[Barton 4B|HOSPITAL]]
moved to [[Barton 4B|HOSPITAL]]
discharged from [[Barton 4B|HOSPITAL]]
transferred on [[Barton 4 North|HOSPITAL]]
admitted to [[Barton 4 South|HOSPITAL]]
admitted to [[Barton 4 East|HOSPITAL]]
[[Lindqvist Corp.|ORGANIZATION]], off work
[[Lindqvist LLP|ORGANIZATION]], off work
[[Lindqvist PLC|ORGANIZATION]], off work
[[Lindqvist plc|ORGANIZATION]], off work
occupational health of [[Lindqvist|ORGANIZATION]]
occupational health service for [[Lindqvist|ORGANIZATION]]
occupational physician at [[Lindqvist|ORGANIZATION]]
formerly at [[Lindqvist|ORGANIZATION]]
previously with [[Lindqvist|ORGANIZATION]]
was employed by [[Lindqvist|ORGANIZATION]]
she worked for [[Lindqvist|ORGANIZATION]]
Job title: [[carpenter|PROFESSION]]
worked as a [[carpenter|PROFESSION]]
is working as a [[carpenter|PROFESSION]]
is employed as a [[carpenter|PROFESSION]]
a [[carpenter|PROFESSION]]
by trade, a [[carpenter|PROFESSION]]
by profession a [[carpenter|PROFESSION]]
She was a [[carpenter|PROFESSION]].
who is a [[carpenter|PROFESSION]]
former [[carpenter|PROFESSION]]
""".strip()
    .replace("a [[carpenter|PROFESSION]]\nby trade", "by trade")
    .splitlines(),
]
SPANISH = [
    *each(SPANISH_SITES, "en el [[Hospital {} Montejo|HOSPITAL]]"),
    *each(
        "num. 4|numero 4|4, A|4, edificio|4, izda|4, dcha|4, 3° B|4, 3 izda|4, 3 dcha|4, 3 der"
        "|4, 3 dcho|4, 3 izqda|4, local 2|4, planta 2|4, apartamento 2|4, int 2|4, bloque 2",
        "en [[Calle San Juan, {}|STREET]], [[28035|ZIP]] [[Madrid|CITY]]",
    ),
    *each(SPANISH_WAYS, "visto en [[{} San Juan, 5|STREET]], [[28035|ZIP]] [[Madrid|CITY]]"),
    *"""
[[Cra. 7 # 12-34|STREET]]
[[Diagonal 7 N° 12-34|STREET]]
[[Transversal 7 No. 12-34|STREET]]
Domicilio: [[Finca Alta 4|STREET]]. C.P. [[28035|ZIP]]
Cod. postal: [[28035|ZIP]]
[[Apartado 12|STREET]], [[28035|ZIP]] [[Madrid|CITY]]
originario de [[Alcoy|CITY]]
vecino de [[Alcoy|CITY]]
municipio de [[Alcoy|CITY]]
ciudad de [[Alcoy|CITY]]
domiciliado en [[Alcoy|CITY]]
viviendo en [[Alcoy|CITY]]
vive sola en [[Alcoy|CITY]]
Ciudad: [[Alcoy|CITY]]
Municipio: [[Alcoy|CITY]]
Población: [[Alcoy|CITY]]
Provincia: [[Lugo|CITY]]
País: [[Ecuador|COUNTRY]]
llegado desde [[Sevilla|CITY]]
camino hacia [[Sevilla|CITY]]
[[Sevilla|CITY]], a 3 de mayo
[[Sevilla|CITY]], el 3 de mayo
[[Sevilla|CITY]], lunes 3 de mayo
[[Sevilla|CITY]], martes 3 de mayo
[[Sevilla|CITY]], viernes 3 de mayo
[[Sevilla|CITY]], sábado 3 de mayo
[[Sevilla|CITY]], domingo 3 de mayo
[[Sevilla|CITY]], 2020/05/03
[[Centro Médico Teknon|HOSPITAL]]
[[Centro Hospitalario Montejo|HOSPITAL]]
[[Complejo Asistencial Montejo|HOSPITAL]]
[[Complexo Hospitalario Montejo|HOSPITAL]]
[[Fundació Puigvert|HOSPITAL]]
[[CHR de la Citadelle|HOSPITAL]]
en [[Unidad Marañón|HOSPITAL]]
en [[Planta Marañón|HOSPITAL]]
en [[Pabellón Marañón|HOSPITAL]]
en [[Sala Marañón|HOSPITAL]]
[[Talleres Montejo S.Coop.|ORGANIZATION]], de baja
[[Talleres Montejo S.Com.|ORGANIZATION]], de baja
[[Talleres Montejo C.B.|ORGANIZATION]], de baja
[[Talleres Montejo S.C.|ORGANIZATION]], de baja
[[Talleres Montejo S.C.P.|ORGANIZATION]], de baja
[[Talleres Montejo S.L.U.|ORGANIZATION]], de baja
[[Talleres Montejo S.L.L.|ORGANIZATION]], de baja
[[Talleres Montejo S.L.N.E.|ORGANIZATION]], de baja
Empleador: [[Talleres Montejo|ORGANIZATION]]
medicina del trabajo de [[Talleres Montejo|ORGANIZATION]]
médico de empresa de [[Talleres Montejo|ORGANIZATION]]
trabajaba en la empresa [[Montejo|ORGANIZATION]]
trabajando para la empresa [[Montejo|ORGANIZATION]]
Ocupación: [[albañil|PROFESSION]]
Oficio: [[albañil|PROFESSION]]
Puesto de trabajo: [[albañil|PROFESSION]]
De profesión, [[albañil|PROFESSION]]
Ejerce como [[albañil|PROFESSION]].
antiguo [[albañil|PROFESSION]]
jubilado (ex [[albañil|PROFESSION]])
trabaja de [[albañil|PROFESSION]]
era [[albañil|PROFESSION]]
fue un [[albañil|PROFESSION]]
""".strip().splitlines(),
]
GERMAN = [
    *each(GERMAN_WAYS, "Frau Koch, [[Ahorn{} 7|STREET]], [[10115|ZIP]] [[Berlin|CITY]]"),
    *"""
Anschrift: [[Alte Mühle 8|STREET]], [[10115|ZIP]] [[Berlin|CITY]]
[[In der Aue 5|STREET]], [[10115|ZIP]] [[Berlin|CITY]]
[[Auf dem Berg 5|STREET]], [[10115|ZIP]] [[Berlin|CITY]]
[[Zum Bahnhof 5|STREET]], [[10115|ZIP]] [[Berlin|CITY]]
[[Allee der Kosmonauten 5|STREET]], [[10115|ZIP]] [[Berlin|CITY]]
[[Strasse des Friedens 5|STREET]], [[10115|ZIP]] [[Berlin|CITY]]
PLZ: [[10115|ZIP]]
Postleitzahl: [[10115|ZIP]]
geb. in [[Tübingen|CITY]]
stammt aus [[Tübingen|CITY]]
wohnt allein in [[Tübingen|CITY]]
stammt aus der [[Türkei|COUNTRY]]
wohnt in den [[Niederlanden|COUNTRY]]
Geburtsort: [[Tübingen|CITY]]
Fahrt nach [[Berlin|CITY]].
[[Berlin|CITY]], den 3. Mai
[[L-1009|ZIP]] [[Luxembourg|CITY]]
[[Uniklinik Rostock|HOSPITAL]]
[[Klinik Rostock|HOSPITAL]]
[[Universitätsspital Basel|HOSPITAL]]
[[Kantonsspital Aarau|HOSPITAL]]
[[Altenheim Lindenhof|HOSPITAL]]
[[Seniorenresidenz Lindenhof|HOSPITAL]]
[[Seniorenzentrum Lindenhof|HOSPITAL]]
[[Pflegezentrum Lindenhof|HOSPITAL]]
[[Altersheim Lindenhof|HOSPITAL]]
[[Hospiz Lindenhof|HOSPITAL]]
[[Sozialstation Lindenhof|HOSPITAL]]
[[Hospice Lindenhof|HOSPITAL]]
[[MVZ Lindenhof|HOSPITAL]]
[[Robert-Bosch-Klinikum|HOSPITAL]]
[[Robert-Bosch-Klinik|HOSPITAL]]
[[Robert-Bosch-Stift|HOSPITAL]]
[[Robert-Bosch-Spital|HOSPITAL]]
[[Elisabethkrankenhaus|HOSPITAL]]
[[Helios Klinikum Erfurt|HOSPITAL]]
[[Sana Klinik Pegnitz|HOSPITAL]]
[[Vivantes Klinikum Neukölln|HOSPITAL]]
[[Median Klinik Flechtingen|HOSPITAL]]
[[Ameos Klinikum Halberstadt|HOSPITAL]]
[[Paracelsus Klinik Zwickau|HOSPITAL]]
in der [[Charité Berlin|HOSPITAL]]
in der [[Charité Mitte|HOSPITAL]]
im [[AKH Wien|HOSPITAL]]
im [[Inselspital|HOSPITAL]]
ehemaliger [[Tischler|PROFESSION]]
früher [[Tischler|PROFESSION]]
""".strip().splitlines(),
]
DUTCH = """
Van der Berg, [[Groenendijk 7|STREET]], [[1012 AB|ZIP]] [[Amsterdam|CITY]]
Van der Berg, [[Oude Haven 7|STREET]], [[1012 AB|ZIP]] [[Amsterdam|CITY]]
Postcode: [[1012 AB|ZIP]]
afkomstig uit [[Zaltbommel|CITY]]
wonende te [[Zaltbommel|CITY]]
woont alleen in [[Zaltbommel|CITY]]
Geboorteplaats: [[Zaltbommel|CITY]]
verhuisd naar [[Barcelona|CITY]].
terug uit [[Barcelona|CITY]].
[[Verzorgingshuis Avondrust|HOSPITAL]]
[[Huisartsenpraktijk Avondrust|HOSPITAL]]
[[Zorgcentrum Avondrust|HOSPITAL]]
[[ZNA Middelheim|HOSPITAL]]
[[Haaglanden Medisch Centrum|HOSPITAL]]
op [[zaal Boerhaven|HOSPITAL]]
in het [[Catharina Ziekenhuis|HOSPITAL]]
in het [[Amsterdam UMC|HOSPITAL]]
in het [[LUMC|HOSPITAL]]
in het [[UMCG|HOSPITAL]]
in het [[OLVG|HOSPITAL]]
[[Jansen Bouw N.V.|ORGANIZATION]]
gepensioneerd [[timmerman|PROFESSION]]
vroeger [[timmerman|PROFESSION]]
""".strip().splitlines()
LINES = {"fr": FRENCH, "en": ENGLISH, "es": SPANISH, "de": GERMAN, "nl": DUTCH}
