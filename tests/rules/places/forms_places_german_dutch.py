"""Marked values and contexts of German and Dutch places, sites, jobs and companies."""

GERMAN_STREETS = """
[[Hauptstraße 12a|STREET]]
[[Hauptstr. 12|STREET]]
[[Berliner Straße 45|STREET]]
[[Berliner Str. 45|STREET]]
[[Am Markt 3|STREET]]
[[An der Alster 12|STREET]]
[[Unter den Linden 77|STREET]]
[[Goetheplatz 4|STREET]]
[[Schillerweg 7 b|STREET]]
[[Lindenallee 9|STREET]]
[[Karl-Marx-Allee 112|STREET]]
[[Platz der Republik 1|STREET]]
[[Straße des 17. Juni 135|STREET]]
[[Kurfürstendamm 21|STREET]]
[[Im Winkel 5|STREET]]
[[Bahnhofstrasse 10|STREET]]
[[Rosengasse 2-4|STREET]]
[[Mariahilfer Straße 12/3/14|STREET]]
[[Zur Alten Mühle 8|STREET]]
[[Münchner Ring 33|STREET]]
[[KARLSTRASSE 6|STREET]]
[[Holzmarktufer 15|STREET]]
[[Postfach 12 34 56|STREET]]
"""
GERMAN_TOWNS = """
[[10115|ZIP]] [[Berlin|CITY]]
[[80331|ZIP]] [[München|CITY]]
[[D-69120|ZIP]] [[Heidelberg|CITY]]
[[60311|ZIP]] [[Frankfurt am Main|CITY]]
[[1010|ZIP]] [[Wien|CITY]]
[[A-1010|ZIP]] [[Wien|CITY]]
[[8001|ZIP]] [[Zürich|CITY]]
[[CH-3000|ZIP]] [[Bern|CITY]]
[[72070|ZIP]] [[Tübingen|CITY]]
"""
GERMAN = [
    (
        GERMAN_STREETS,
        """
        Adresse: {}, [[10115|ZIP]] [[Berlin|CITY]]
        wohnhaft {}, [[80331|ZIP]] [[München|CITY]]
        Herr Klein\\n{}\\n[[50667|ZIP]] [[Köln|CITY]]
        """,
    ),
    (
        GERMAN_TOWNS,
        """
        [[Gartenweg 7|STREET]], {}
        [[Gartenweg 7|STREET]]\\n{}
        Frau Dr. Vogel, {}
        """,
    ),
    (
        """
        [[Universitätsklinikum Heidelberg|HOSPITAL]]
        [[Charité|HOSPITAL]]
        [[Klinikum Nürnberg|HOSPITAL]]
        [[Krankenhaus Bad Homburg|HOSPITAL]]
        [[St.-Josef-Krankenhaus|HOSPITAL]]
        [[Marienhospital Stuttgart|HOSPITAL]]
        [[Station Ahorn|HOSPITAL]]
        [[Klinikum rechts der Isar|HOSPITAL]]
        [[Asklepios Klinik Barmbek|HOSPITAL]]
        [[Pflegeheim Haus Abendsonne|HOSPITAL]]
        [[Reha-Klinik Bad Orb|HOSPITAL]]
        [[Inselspital Bern|HOSPITAL]]
        [[Medizinische Hochschule Hannover|HOSPITAL]]
        [[Seniorenheim Lindenhof|HOSPITAL]]
        """,
        """
        Verlegung aus {} am Montag.
        Die Aufnahme erfolgte in {}, stabil.
        {}\\nAbteilung für Kardiologie
        """,
    ),
    (
        """
        [[Tübingen|CITY]]
        [[Bad Homburg|CITY]]
        [[Frankfurt am Main|CITY]]
        [[Königs Wusterhausen|CITY]]
        """,
        """
        Der Patient ist wohnhaft in {}.
        Sie wohnt in {} bei ihrer Tochter.
        geboren in {}
        Wohnort: {}
        Er lebt in {}, verwitwet.
        """,
    ),
    (
        """
        in [[Polen|COUNTRY]]
        in [[Bayern|REGION]]
        in der [[Türkei|COUNTRY]]
        in [[Nordrhein-Westfalen|REGION]]
        """,
        """
        Er wurde geboren {}.
        Sie lebt {} bei der Familie.
        """,
    ),
    (
        """
        [[Krankenschwester|PROFESSION]]
        [[Tischler|PROFESSION]]
        [[Lehrerin|PROFESSION]]
        [[Busfahrer|PROFESSION]]
        """,
        """
        Beruf: {}
        Sie arbeitet als {} und raucht nicht.
        Von Beruf {}.
        """,
    ),
    (
        """
        [[Siemens AG|ORGANIZATION]]
        [[Weber Bau GmbH|ORGANIZATION]]
        """,
        """
        Arbeitgeber: {}
        Er arbeitet bei {} im Lager.
        """,
    ),
]

DUTCH_STREETS = """
[[Kerkstraat 12|STREET]]
[[Kerkstraat 12-III|STREET]]
[[Prinsengracht 263 hs|STREET]]
[[Maasboulevard 12|STREET]]
[[Dorpsweg 4a|STREET]]
[[Laan van Meerdervoort 55|STREET]]
[[Stationsplein 9|STREET]]
[[Burgemeester de Vlugtlaan 125|STREET]]
[[Grote Markt 1|STREET]]
[[Steenweg op Brussel 12|STREET]]
[[Molenstraat 3 bus 2|STREET]]
[[Westersingel 18|STREET]]
[[Oude Haven 7|STREET]]
[[1e Jacob van Campenstraat 20|STREET]]
[[Beethovenlaan 33|STREET]]
[[Havenkade 2-4|STREET]]
[[Van der Helstplein 11|STREET]]
[[KERKSTRAAT 7|STREET]]
[[Postbus 2500|STREET]]
[[Tolsteegdijk 6|STREET]]
"""
DUTCH = [
    (
        DUTCH_STREETS,
        """
        Adres: {}, [[1012 AB|ZIP]] [[Amsterdam|CITY]]
        wonende {}, [[3511 LN|ZIP]] [[Utrecht|CITY]]
        Dhr. Jansen\\n{}\\n[[9000|ZIP]] [[Gent|CITY]]
        """,
    ),
    (
        """
        [[1012 AB|ZIP]] [[Amsterdam|CITY]]
        [[3584CX|ZIP]] [[Utrecht|CITY]]
        [[2595 BM|ZIP]] [[Den Haag|CITY]]
        [[5211 RW|ZIP]] [['s-Hertogenbosch|CITY]]
        [[1000|ZIP]] [[Brussel|CITY]]
        [[B-2000|ZIP]] [[Antwerpen|CITY]]
        [[8000|ZIP]] [[Brugge|CITY]]
        """,
        """
        [[Dorpsstraat 7|STREET]], {}
        [[Dorpsstraat 7|STREET]]\\n{}
        Huisarts De Boer, {}
        """,
    ),
    (
        """
        [[UMC Utrecht|HOSPITAL]]
        [[AZ Sint-Jan|HOSPITAL]]
        [[UZ Leuven|HOSPITAL]]
        [[Ziekenhuis Gelderse Vallei|HOSPITAL]]
        [[Erasmus MC|HOSPITAL]]
        [[Sint Franciscus Gasthuis|HOSPITAL]]
        [[Radboudumc|HOSPITAL]]
        [[Maasstad Ziekenhuis|HOSPITAL]]
        [[verpleeghuis De Wilgen|HOSPITAL]]
        [[Jeroen Bosch Ziekenhuis|HOSPITAL]]
        [[Woonzorgcentrum Ter Linden|HOSPITAL]]
        """,
        """
        Overgeplaatst vanuit {} op maandag.
        Opgenomen in {}, stabiel.
        {}\\nAfdeling Cardiologie
        """,
    ),
    (
        """
        [[Zaltbommel|CITY]]
        [[Den Haag|CITY]]
        [[Bergen op Zoom|CITY]]
        [[Sint-Niklaas|CITY]]
        """,
        """
        Patiënt woont in {} met zijn vrouw.
        geboren te {}
        Woonplaats: {}
        Zij is woonachtig in {}.
        Geboren in {}, gehuwd.
        """,
    ),
    (
        """
        in [[Marokko|COUNTRY]]
        in [[Friesland|REGION]]
        in [[Suriname|COUNTRY]]
        in [[Noord-Brabant|REGION]]
        """,
        """
        Hij is geboren {}.
        Zij woont {} sinds 2001.
        """,
    ),
    (
        """
        [[timmerman|PROFESSION]]
        [[verpleegkundige|PROFESSION]]
        [[leraar|PROFESSION]]
        [[vrachtwagenchauffeur|PROFESSION]]
        """,
        """
        Beroep: {}
        Hij werkt als {} en rookt niet.
        Van beroep {}.
        """,
    ),
    (
        """
        [[Jansen Bouw B.V.|ORGANIZATION]]
        [[Philips|ORGANIZATION]]
        """,
        """
        Werkgever: {}
        Zij werkt bij {} in de logistiek.
        """,
    ),
]
