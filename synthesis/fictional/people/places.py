"""Towns with postcodes and regions, and the names of fictional hospitals and wards."""

from typing import NamedTuple


class Town(NamedTuple):
    """A town with the parts of its address."""

    zip: str
    city: str
    region: str


COUNTRIES = {
    "fr": "France", "en": "United States", "es": "España", "de": "Deutschland", "nl": "Nederland",
}  # fmt: skip

_FR = """75012 Paris Île-de-France|75019 Paris Île-de-France|69003 Lyon Auvergne-Rhône-Alpes
31000 Toulouse Occitanie|44000 Nantes Pays_de_la_Loire|67000 Strasbourg Grand_Est
34000 Montpellier Occitanie|33000 Bordeaux Nouvelle-Aquitaine|59000 Lille Hauts-de-France
35000 Rennes Bretagne|51100 Reims Grand_Est|76600 Le_Havre Normandie|42000 Saint-Étienne
Auvergne-Rhône-Alpes|83000 Toulon Provence-Alpes-Côte_d'Azur|38000 Grenoble Auvergne-Rhône-Alpes
21000 Dijon Bourgogne-Franche-Comté|49000 Angers Pays_de_la_Loire|30000 Nîmes Occitanie
63000 Clermont-Ferrand Auvergne-Rhône-Alpes|29200 Brest Bretagne|37000 Tours Centre-Val_de_Loire
87000 Limoges Nouvelle-Aquitaine|80000 Amiens Hauts-de-France|57000 Metz Grand_Est
25000 Besançon Bourgogne-Franche-Comté|45000 Orléans Centre-Val_de_Loire|68100 Mulhouse Grand_Est
76000 Rouen Normandie|14000 Caen Normandie|54000 Nancy Grand_Est|94000 Créteil Île-de-France
93200 Saint-Denis Île-de-France|95100 Argenteuil Île-de-France|78000 Versailles Île-de-France
92000 Nanterre Île-de-France|94400 Vitry-sur-Seine Île-de-France|66000 Perpignan Occitanie
64000 Pau Nouvelle-Aquitaine|17000 La_Rochelle Nouvelle-Aquitaine|62100 Calais Hauts-de-France
06400 Cannes Provence-Alpes-Côte_d'Azur|84000 Avignon Provence-Alpes-Côte_d'Azur
86000 Poitiers Nouvelle-Aquitaine|20000 Ajaccio Corse|20200 Bastia Corse|22000 Saint-Brieuc Bretagne
56100 Lorient Bretagne|10000 Troyes Grand_Est|18000 Bourges Centre-Val_de_Loire
79000 Niort Nouvelle-Aquitaine|81000 Albi Occitanie|11000 Carcassonne Occitanie|82000 Montauban
Occitanie|24000 Périgueux Nouvelle-Aquitaine|71000 Mâcon Bourgogne-Franche-Comté
26000 Valence Auvergne-Rhône-Alpes|74000 Annecy Auvergne-Rhône-Alpes|73000 Chambéry
Auvergne-Rhône-Alpes|58000 Nevers Bourgogne-Franche-Comté|03200 Vichy Auvergne-Rhône-Alpes"""

_EN = """02139 Cambridge Massachusetts|02118 Boston Massachusetts|01609 Worcester Massachusetts
10027 New_York New_York|14604 Rochester New_York|19104 Philadelphia Pennsylvania
15213 Pittsburgh Pennsylvania|21201 Baltimore Maryland|23219 Richmond Virginia|27701 Durham
North_Carolina|28202 Charlotte North_Carolina|30303 Atlanta Georgia|33130 Miami Florida
32801 Orlando Florida|37203 Nashville Tennessee|40202 Louisville Kentucky|43215 Columbus Ohio
44113 Cleveland Ohio|45202 Cincinnati Ohio|48226 Detroit Michigan|53703 Madison Wisconsin
55401 Minneapolis Minnesota|60612 Chicago Illinois|61602 Peoria Illinois|63108 Saint_Louis Missouri
64108 Kansas_City Missouri|68102 Omaha Nebraska|70112 New_Orleans Louisiana|73102 Oklahoma_City
Oklahoma|75201 Dallas Texas|77030 Houston Texas|78205 San_Antonio Texas|79901 El_Paso Texas
80204 Denver Colorado|84101 Salt_Lake_City Utah|85004 Phoenix Arizona|87102 Albuquerque New_Mexico
89101 Las_Vegas Nevada|90033 Los_Angeles California|94110 San_Francisco California
95814 Sacramento California|97205 Portland Oregon|98104 Seattle Washington|99201 Spokane Washington
04101 Portland Maine|05401 Burlington Vermont|03301 Concord New_Hampshire
06510 New_Haven Connecticut|08608 Trenton New_Jersey|29401 Charleston South_Carolina
35203 Birmingham Alabama
39201 Jackson Mississippi|50309 Des_Moines Iowa|57104 Sioux_Falls South_Dakota|83702 Boise Idaho"""

_ES = """28016 Madrid Madrid|28045 Madrid Madrid|08036 Barcelona Cataluña|46014 Valencia
Comunidad_Valenciana|41013 Sevilla Andalucía|50009 Zaragoza Aragón|29010 Málaga Andalucía
30008 Murcia Murcia|07010 Palma Islas_Baleares|35016 Las_Palmas Canarias|48013 Bilbao País_Vasco
03010 Alicante Comunidad_Valenciana|14004 Córdoba Andalucía|47003 Valladolid Castilla_y_León
36204 Vigo Galicia|33207 Gijón Asturias|15006 A_Coruña Galicia|18014 Granada Andalucía
33011 Oviedo Asturias|08911 Badalona Cataluña|30203 Cartagena Murcia|08221 Terrassa Cataluña
31008 Pamplona Navarra|04009 Almería Andalucía|28911 Leganés Madrid|20014 San_Sebastián País_Vasco
09006 Burgos Castilla_y_León|02006 Albacete Castilla-La_Mancha|39008 Santander Cantabria
12004 Castellón Comunidad_Valenciana|26006 Logroño La_Rioja|06010 Badajoz Extremadura
37007 Salamanca Castilla_y_León|21005 Huelva Andalucía|25198 Lleida Cataluña
43005 Tarragona Cataluña|24008 León Castilla_y_León|11009 Cádiz Andalucía|23007 Jaén Andalucía
32005 Ourense Galicia
27003 Lugo Galicia|10003 Cáceres Extremadura|19002 Guadalajara Castilla-La_Mancha
45005 Toledo Castilla-La_Mancha|34005 Palencia Castilla_y_León|05004 Ávila Castilla_y_León
40002 Segovia Castilla_y_León|42005 Soria Castilla_y_León|49022 Zamora Castilla_y_León
16002 Cuenca Castilla-La_Mancha|44002 Teruel Aragón|22004 Huesca Aragón"""


_DE = """80331 München Bayern|81667 München Bayern|50667 Köln Nordrhein-Westfalen
60311 Frankfurt_am_Main Hessen|70173 Stuttgart Baden-Württemberg|40213 Düsseldorf
Nordrhein-Westfalen
44135 Dortmund Nordrhein-Westfalen|28195 Bremen Bremen|01067 Dresden Sachsen|04109 Leipzig Sachsen
30159 Hannover Niedersachsen|90402 Nürnberg Bayern|47051 Duisburg Nordrhein-Westfalen
33602 Bielefeld Nordrhein-Westfalen|53111 Bonn Nordrhein-Westfalen|48143 Münster Nordrhein-Westfalen
76131 Karlsruhe Baden-Württemberg|68159 Mannheim Baden-Württemberg|86150 Augsburg Bayern
65183 Wiesbaden Hessen|38100 Braunschweig Niedersachsen|09111 Chemnitz Sachsen
24103 Kiel Schleswig-Holstein|52062 Aachen Nordrhein-Westfalen|39104 Magdeburg Sachsen-Anhalt
79098 Freiburg Baden-Württemberg|23552 Lübeck Schleswig-Holstein|99084 Erfurt Thüringen
18055 Rostock Mecklenburg-Vorpommern|55116 Mainz Rheinland-Pfalz|34117 Kassel Hessen
66111 Saarbrücken Saarland|14467 Potsdam Brandenburg|26122 Oldenburg Niedersachsen
49074 Osnabrück Niedersachsen|69115 Heidelberg Baden-Württemberg|64283 Darmstadt Hessen
97070 Würzburg Bayern|93047 Regensburg Bayern|37073 Göttingen Niedersachsen
74072 Heilbronn Baden-Württemberg|89073 Ulm Baden-Württemberg|56068 Koblenz Rheinland-Pfalz
54290 Trier Rheinland-Pfalz|07743 Jena Thüringen|72070 Tübingen Baden-Württemberg
95444 Bayreuth Bayern|96047 Bamberg Bayern|78462 Konstanz Baden-Württemberg|19053 Schwerin
Mecklenburg-Vorpommern|03046 Cottbus Brandenburg|24937 Flensburg Schleswig-Holstein"""

_NL = """1017_GN Amsterdam Noord-Holland|1091_PK Amsterdam Noord-Holland
3012_BR Rotterdam Zuid-Holland|2513_AA Den_Haag Zuid-Holland|3512_JE Utrecht Utrecht
5611_EM Eindhoven Noord-Brabant|9712_HW Groningen Groningen|5038_DA Tilburg Noord-Brabant
1315_RB Almere Flevoland|4811_XC Breda Noord-Brabant|6511_PB Nijmegen Gelderland
7311_KM Apeldoorn Gelderland
2011_RD Haarlem Noord-Holland|6811_DJ Arnhem Gelderland|7511_HP Enschede Overijssel
3811_LV Amersfoort Utrecht|5261_BC Vught Noord-Brabant|8011_PK Zwolle Overijssel
2712_PK Zoetermeer Zuid-Holland|2312_EZ Leiden Zuid-Holland|6211_CM Maastricht Limburg
3311_JD Dordrecht Zuid-Holland|6711_AN Ede Gelderland|8911_BM Leeuwarden Friesland
1811_KJ Alkmaar Noord-Holland|2611_GB Delft Zuid-Holland|7411_HP Deventer Overijssel
1211_KG Hilversum Noord-Holland|6411_HT Heerlen Limburg|5911_CD Venlo Limburg
7811_EC Emmen Drenthe|1441_AP Purmerend Noord-Holland|2801_JL Gouda Zuid-Holland
3901_GA Veenendaal Utrecht|8232_ZV Lelystad Flevoland|9401_HK Assen Drenthe
4331_LA Middelburg Zeeland|4461_AV Goes Zeeland|8441_DB Heerenveen Friesland
6041_CB Roermond Limburg|5701_KD Helmond Noord-Brabant|7001_BR Doetinchem Gelderland
1621_HR Hoorn Noord-Holland|3701_HJ Zeist Utrecht|6701_AN Wageningen Gelderland
7201_HC Zutphen Gelderland|4001_MJ Tiel Gelderland|8261_GD Kampen Overijssel
9203_GA Drachten Friesland|4701_HD Roosendaal Noord-Brabant|3441_BG Woerden Utrecht"""


def _towns(table: str) -> tuple[Town, ...]:
    rows = (row.split() for row in table.replace("\n", " ").replace("|", " | ").split(" | "))
    cells = [cell.replace("_", " ") for row in rows for cell in row]
    return tuple(Town(*cells[i : i + 3]) for i in range(0, len(cells), 3))


TOWNS = {
    "fr": _towns(_FR), "en": _towns(_EN), "es": _towns(_ES), "de": _towns(_DE), "nl": _towns(_NL),
}  # fmt: skip

HOSPITALS = {
    "fr": (
        "CHU de Valbourg", "Hôpital Sainte-Odile", "Centre Hospitalier de Montrevel-les-Bains",
        "Clinique des Tilleuls", "Hôpital Armand-Delvaux", "Hôpital Simone-Carrel",
        "Centre de rééducation Les Genêts", "Polyclinique du Val-Fleuri", "CH Louis-Gantier",
        "Hôpital de la Croix-Verte", "Clinique Saint-Aubrac", "Institut Marguerite-Vasseur",
    ),
    "en": (
        "Northfield General Hospital", "Saint Alban Medical Center", "Harlow Memorial Hospital",
        "Briarwood Community Hospital", "Wexley University Hospital", "Ashgrove Clinic",
        "Eliza Thornbury Cancer Institute", "Lakemont Rehabilitation Center", "Fairhaven VA Clinic",
        "Covington Heights Hospital", "Mercy Hollow Hospital", "Whitcombe Children's Hospital",
    ),
    "es": (
        "Hospital Universitario Virgen del Olivar", "Hospital Clínico de Montealegre",
        "Hospital General San Telmo", "Clínica Los Almendros", "Hospital Comarcal de Valdeflores",
        "Fundación Hospital Santa Brígida", "Hospital Doctor Arribas", "Centro de Salud La Ermita",
        "Hospital Materno-Infantil La Encina", "Complejo Hospitalario Río Claro",
        "Clínica Nuestra Señora del Camino", "Instituto Oncológico Aranzueque",
    ),
    "de": (
        "Universitätsklinikum Hohenlinden", "Klinikum Am Eichwald", "Krankenhaus Sankt Ottilien",
        "Kreiskrankenhaus Birkenthal", "Fachklinik Rosengrund", "Klinikum Sankt Burkhard",
        "Rehaklinik Silberquell", "Städtisches Klinikum Neuenwerth", "Elisabethenhospital Tannau",
        "Herzzentrum Lindenau", "Krankenhaus Lindenhang", "Marienkrankenhaus Waldenried",
    ),
    "nl": (
        "Universitair Medisch Centrum Nieuwenrode", "Ziekenhuis De Lindehorst",
        "Ziekenhuis Sint Odulphus", "Streekziekenhuis Walrijk", "Kliniek De Berkenhof",
        "Medisch Centrum Zuiderlicht", "Revalidatiecentrum De Wilgenborg", "Ziekenhuis Merwehage",
        "Verpleeghuis Elzenrade", "Oncologisch Centrum Ten Bosch", "Gasthuis Sint Walfried",
        "Ziekenhuis Oosterwaarde",
    ),
}  # fmt: skip
WARDS = {
    "fr": (
        "unité Dejerine", "salle Gerbillon", "pavillon Widal", "unité Laennec", "secteur Bichat",
        "unité Trousseau",
    ),
    "en": ("Halsted Ward", "Nightingale Unit", "Osler 7 West", "Blalock Pavilion", "Barton 4B"),
    "es": ("unidad Marañón", "planta Severo Ochoa", "pabellón Cajal", "unidad Jiménez Díaz"),
    "de": ("Station Semmelweis", "Station Virchow", "Station Sauerbruch", "Station Hufeland"),
    "nl": ("afdeling Boerhaave", "afdeling Donders", "unit Einthoven", "afdeling Swammerdam"),
}  # fmt: skip
