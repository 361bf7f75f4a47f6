"""Marked values and contexts of French places, sites, jobs and companies."""

FRENCH_STREETS = """
[[12 rue des Lilas|STREET]]
[[12 bis, rue des Lilas|STREET]]
[[3ter avenue du Général de Gaulle|STREET]]
[[47-49 boulevard de l'Hôpital|STREET]]
[[47/49 bd Saint-Michel|STREET]]
[[5, place de la République|STREET]]
[[8 PLACE DE LA MAIRIE|STREET]]
[[14 cours Gambetta|STREET]]
[[2 passage du Chemin-Vert|STREET]]
[[1250 route de Lyon|STREET]]
[[6 allée des Acacias|STREET]]
[[9 impasse Jean Moulin|STREET]]
[[3 chemin du Moulin à Vent|STREET]]
[[21 quai Voltaire|STREET]]
[[7 rue du 8 mai 1945|STREET]]
[[18 rue du 11 Novembre|STREET]]
[[4 square Albin-Cachot|STREET]]
[[11 villa d'Alésia|STREET]]
[[2 rés. Les Tilleuls|STREET]]
[[33 av. Victor Hugo|STREET]]
[[33 Av Victor Hugo|STREET]]
[[10 bd. Pasteur|STREET]]
[[10 bld Pasteur|STREET]]
[[6 RUE DE L'EGLISE|STREET]]
[[125 AVENUE DU MARECHAL JUIN|STREET]]
[[25 rue du Faubourg Saint-Antoine|STREET]]
[[17 lotissement Les Charmes|STREET]]
[[5 hameau de Kerlann|STREET]]
[[4 rue des lilas|STREET]]
[[16 rue Anatole France, Bât. C|STREET]]
[[16 rue Anatole France, bâtiment B, escalier 2|STREET]]
[[22 rue Lecourbe, appt 14|STREET]]
[[22 rue Lecourbe, 3e étage|STREET]]
[[9 rond-point du Pont Mirabeau|STREET]]
[[1 esplanade Charles-de-Gaulle|STREET]]
[[7 rte de Vannes|STREET]]
[[15 montée de la Grande-Côte|STREET]]
[[n° 8 rue Mouffetard|STREET]]
[[31 chaussée de Waterloo|STREET]]
[[8 faubourg de Roubaix|STREET]]
[[2 ruelle du Puits|STREET]]
[[5 mail François Mitterrand|STREET]]
[[4 venelle des Jardiniers|STREET]]
[[19 promenade des Anglais|STREET]]
[[3 sentier des Vignes|STREET]]
[[6 traverse de la Gouffonne|STREET]]
[[7 cité Joly|STREET]]
[[1 clos des Pommiers|STREET]]
[[12 cour Saint-Pierre|STREET]]
[[4 domaine des Ormes|STREET]]
[[8 parc des Érables|STREET]]
[[44 voie Romaine|STREET]]
"""
FRENCH_TOWNS = """
[[75012|ZIP]] [[Paris|CITY]]
[[69003|ZIP]] [[LYON|CITY]]
[[29300|ZIP]] [[Quimperlé|CITY]]
[[94010|ZIP]] [[CRÉTEIL CEDEX|CITY]]
[[13385|ZIP]] [[MARSEILLE CEDEX 05|CITY]]
[[92130|ZIP]] [[ISSY LES MOULINEAUX|CITY]]
[[06000|ZIP]] [[Nice|CITY]]
[[F-67000|ZIP]] [[Strasbourg|CITY]]
[[44 000|ZIP]] [[Nantes|CITY]]
[[95400|ZIP]] [[Villiers-le-Bel|CITY]]
[[20090|ZIP]] [[Ajaccio|CITY]]
[[76600|ZIP]] [[Le Havre|CITY]]
"""
SITES_FR = """
[[CHU de Rouen|HOSPITAL]]
[[hôpital Saint-Antoine|HOSPITAL]]
[[Hôpital Européen Georges-Pompidou|HOSPITAL]]
[[hôpital Necker-Enfants malades|HOSPITAL]]
[[clinique des Tilleuls|HOSPITAL]]
[[Clinique du Val d'Or|HOSPITAL]]
[[CH de Moulins|HOSPITAL]]
[[centre hospitalier de Valenciennes|HOSPITAL]]
[[Centre Hospitalier Sud Francilien|HOSPITAL]]
[[groupe hospitalier Pitié-Salpêtrière|HOSPITAL]]
[[CHRU de Tours|HOSPITAL]]
[[Institut Curie|HOSPITAL]]
[[Institut Gustave Roussy|HOSPITAL]]
[[EHPAD Les Glycines|HOSPITAL]]
[[maison de retraite Les Marronniers|HOSPITAL]]
[[Polyclinique de Navarre|HOSPITAL]]
[[HIA Percy|HOSPITAL]]
[[centre Léon Bérard|HOSPITAL]]
[[Hôpital d'Instruction des Armées Bégin|HOSPITAL]]
[[maternité Port-Royal|HOSPITAL]]
[[hôpital privé d'Antony|HOSPITAL]]
[[Fondation Rothschild|HOSPITAL]]
[[centre de rééducation de Kerpape|HOSPITAL]]
[[SSR Les Grands Chênes|HOSPITAL]]
[[Centre Oscar Lambret|HOSPITAL]]
[[CHI de Poissy|HOSPITAL]]
[[CHR d'Orléans|HOSPITAL]]
[[CLINIQUE PASTEUR|HOSPITAL]]
[[HÔPITAL BICHAT|HOSPITAL]]
[[Hospices Civils de Lyon|HOSPITAL]]
"""

FRENCH = [
    (
        FRENCH_STREETS,
        """
        Adresse : {}, [[75012|ZIP]] [[Paris|CITY]]
        Madame Martin, {}\\n[[29300|ZIP]] [[Quimperlé|CITY]]
        demeurant {} à [[Lille|CITY]].
        Il vit au {}. Veuf, deux enfants.
        """,
    ),
    (
        FRENCH_TOWNS,
        """
        [[12 rue des Lilas|STREET]], {}
        [[8 avenue Foch|STREET]]\\n{}\\nTél. du cabinet
        Dr Renaud\\n{}\\nCher confrère,
        [[BP 1234|STREET]]\\n{}
        [[CS 40123|STREET]] {}
        """,
    ),
    (
        SITES_FR,
        """
        Il a été transféré du {} hier soir.
        suivi à l'{} depuis 2019
        {}\\nService de cardiologie
        Patient adressé par {}, pour bilan.
        """,
    ),
    (
        """
        [[Quimperlé|CITY]]
        [[Bordeaux|CITY]]
        [[Saint-Rémy-de-Provence|CITY]]
        [[Aix-en-Provence|CITY]]
        [[VILLEJUIF|CITY]]
        [[Rabat|CITY]]
        [[Villeneuve-sur-Lot|CITY]]
        """,
        """
        Patiente née à {}, mariée.
        Il habite à {} avec sa fille.
        Domicilié à {}, retraité
        Né le 12/03/1950 à {}
        Ville : {}
        Lieu de naissance : {}
        Elle est originaire de {}.
        réside à {} depuis l'enfance
        Elle vit seule à {} depuis son veuvage
        """,
    ),
    (
        """
        [[Paris 12e|CITY]]
        [[Paris 12|CITY]]
        [[Lyon 3ème|CITY]]
        [[Marseille 8e arrondissement|CITY]]
        [[PARIS 20|CITY]]
        [[Paris XIVe|CITY]]
        """,
        """
        Il habite à {}, seul.
        Adresse : [[3 rue Dupin|STREET]], {}
        """,
    ),
    (
        """
        en [[Bretagne|REGION]]
        dans le [[Finistère|REGION]]
        en [[Seine-Saint-Denis|REGION]]
        dans l'[[Hérault|REGION]]
        dans les [[Yvelines|REGION]]
        au [[Maroc|COUNTRY]]
        en [[Algérie|COUNTRY]]
        aux [[États-Unis|COUNTRY]]
        """,
        """
        Il est né {} en 1950.
        Elle habite {} depuis dix ans.
        Vit {} la moitié de l'année.
        """,
    ),
    (
        """
        [[pavillon Laennec|HOSPITAL]]
        [[salle Gerbillon|HOSPITAL]]
        [[unité Dejerine|HOSPITAL]]
        [[secteur Babinski|HOSPITAL]]
        [[bâtiment Lavoisier|HOSPITAL]]
        [[aile Kourilsky|HOSPITAL]]
        """,
        """
        Hospitalisée en {} depuis lundi.
        Sortie du {}, le matin
        {}, lit 12
        """,
    ),
    (
        """
        [[boulanger|PROFESSION]]
        [[conductrice de bus|PROFESSION]]
        [[institutrice|PROFESSION]]
        [[agent d'entretien|PROFESSION]]
        [[chauffeur routier|PROFESSION]]
        [[comptable|PROFESSION]]
        """,
        """
        Profession : {}
        Il travaille comme {} depuis dix ans.
        Ancien {}, tabagisme sevré.
        Elle exerce la profession de {}.
        """,
    ),
    (
        """
        [[Dupont & Fils SARL|ORGANIZATION]]
        [[Transports Leroy S.A.|ORGANIZATION]]
        [[Renault|ORGANIZATION]]
        [[Bouygues Construction|ORGANIZATION]]
        """,
        """
        Employeur : {}
        Il travaille chez {} depuis 2010.
        médecin du travail de {}
        """,
    ),
]
