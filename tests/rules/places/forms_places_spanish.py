"""Marked values and contexts of Spanish places, sites, jobs and companies."""

SPANISH_STREETS = """
[[Calle Mayor, 23|STREET]]
[[C/ Carmen Romero, 23, 1º D|STREET]]
[[C/ Alcalá 45, 3º izq.|STREET]]
[[Avda. de la Constitución, 12, 4º B|STREET]]
[[Avenida Diagonal 640|STREET]]
[[Av. Insurgentes Sur 1234|STREET]]
[[Paseo de la Castellana, 261|STREET]]
[[Pº de Gracia, 43, 2º 1ª|STREET]]
[[Plaza de España, s/n|STREET]]
[[Pza. del Carmen nº 4|STREET]]
[[Camino de Ronda 102|STREET]]
[[Carretera de Valencia km 4,5|STREET]]
[[Ctra. de Burgos, km. 12|STREET]]
[[Urbanización Los Olivos, 7|STREET]]
[[Urb. El Bosque 15|STREET]]
[[Ronda de Atocha, 8, Esc. 2, 5º A|STREET]]
[[Travesía San Juan, 3|STREET]]
[[Glorieta de Bilbao 1|STREET]]
[[Carrer de Balmes, 150|STREET]]
[[Rambla de Catalunya, 23, ático|STREET]]
[[C/ Doctor Esquerdo nº 46, bajo|STREET]]
[[CALLE SAN VICENTE FERRER 12|STREET]]
[[C/Goya 22|STREET]]
[[Cuesta del Rosario, 9|STREET]]
[[Alameda de Hércules 31|STREET]]
[[Calle 45 No. 23-10|STREET]]
[[Carrera 7 # 12-34|STREET]]
[[Barrio La Paz, 14|STREET]]
[[Polígono Industrial Norte, 3|STREET]]
[[Callejón del Gato, 5|STREET]]
[[C/ Sol, 14, portal 2, 1º C|STREET]]
[[Gran Vía, 28|STREET]]
[[Pasaje San Benito, 2|STREET]]
[[Bulevar Sur, 17|STREET]]
[[Calle de los Reyes Católicos, 9, piso 4, puerta 2|STREET]]
"""
SPANISH_TOWNS = """
[[28035|ZIP]] [[Madrid|CITY]]
[[08029|ZIP]] [[Barcelona|CITY]]
[[41004|ZIP]] [[Sevilla|CITY]]
[[28822|ZIP]] [[Coslada|CITY]]
[[35016|ZIP]] [[Las Palmas de Gran Canaria|CITY]]
[[03801|ZIP]] [[ALCOY|CITY]]
[[43870|ZIP]] [[Amposta|CITY]]
[[E-28006|ZIP]] [[Madrid|CITY]]
[[15702|ZIP]] [[Santiago de Compostela|CITY]], [[España|COUNTRY]]
"""
SITES_ES = """
[[Hospital Universitario La Paz|HOSPITAL]]
[[Hospital 12 de Octubre|HOSPITAL]]
[[Hospital Clínico San Carlos|HOSPITAL]]
[[Hospital General Universitario Gregorio Marañón|HOSPITAL]]
[[hospital Ramón y Cajal|HOSPITAL]]
[[Clínica Universidad de Navarra|HOSPITAL]]
[[clínica Ruber|HOSPITAL]]
[[Centro de Salud La Ermita|HOSPITAL]]
[[Hospital de la Santa Creu i Sant Pau|HOSPITAL]]
[[Complejo Hospitalario de Jaén|HOSPITAL]]
[[Hospital Vall d'Hebron|HOSPITAL]]
[[Residencia Los Álamos|HOSPITAL]]
[[Fundación Jiménez Díaz|HOSPITAL]]
[[Instituto Valenciano de Oncología|HOSPITAL]]
[[HOSPITAL VIRGEN DEL ROCÍO|HOSPITAL]]
[[Consultorio de Villarrubia|HOSPITAL]]
[[Sanatorio San Roque|HOSPITAL]]
[[Policlínica Gipuzkoa|HOSPITAL]]
[[Hospital Nuestra Señora del Pino|HOSPITAL]]
[[Hospital Dr. Peset|HOSPITAL]]
[[Hospital Sant Joan de Déu|HOSPITAL]]
[[C.S. Los Rosales|HOSPITAL]]
"""

SPANISH = [
    (
        SPANISH_STREETS,
        """
        Domicilio: {}
        Dirección: {}. [[28035|ZIP]] [[Madrid|CITY]]
        {}\\n[[41004|ZIP]] [[Sevilla|CITY]]
        Vive en {}, con su hija.
        """,
    ),
    (
        SPANISH_TOWNS,
        """
        [[C/ Alcalá 45|STREET]], {}
        [[Plaza Mayor, 3|STREET]]. {}
        Dra. López\\n{}
        Localidad: {}
        """,
    ),
    (
        SITES_ES,
        """
        Trasladado desde el {} por disnea.
        Seguimiento en {}, última visita en mayo
        {}\\nServicio de Urología
        Remitida al {}.
        """,
    ),
    (
        """
        [[Albacete|CITY]]
        [[Villarrubia de los Ojos|CITY]]
        [[San Sebastián|CITY]]
        [[Alcalá de Henares|CITY]]
        [[Guayaquil|CITY]]
        [[Torrevieja|CITY]]
        """,
        """
        Vive en {} con su marido.
        Natural de {}, viuda.
        Nacido en {}.
        Residente en {} desde 2001
        Localidad: {}
        Lugar de nacimiento: {}
        Procedente de {}, refiere fiebre.
        Reside en {}.
        """,
    ),
    (
        """
        [[Ecuador|COUNTRY]]
        [[Marruecos|COUNTRY]]
        [[Galicia|REGION]]
        [[Castilla y León|REGION]]
        [[Rumanía|COUNTRY]]
        [[Extremadura|REGION]]
        """,
        """
        Nacida en {}, vive sola.
        Procedente de {}.
        Natural de {}
        """,
    ),
    (
        """
        [[Apartado de Correos 1234|STREET]]
        [[Apdo. 556|STREET]]
        [[Apartado 12|STREET]]
        """,
        """
        {}, [[28080|ZIP]] [[Madrid|CITY]]
        {}\\n[[35016|ZIP]] [[Las Palmas|CITY]]
        """,
    ),
    (
        """
        CP: [[28035|ZIP]]
        C.P. [[41004|ZIP]]
        Código postal: [[08029|ZIP]]
        """,
        """
        {}
        [[C/ Goya 22|STREET]]. {}
        """,
    ),
    (
        """
        [[albañil|PROFESSION]]
        [[enfermera|PROFESSION]]
        [[profesor de instituto|PROFESSION]]
        [[auxiliar administrativo|PROFESSION]]
        [[camarera|PROFESSION]]
        """,
        """
        Profesión: {}
        Trabaja como {} desde hace años.
        Jubilado, antes {}.
        Es {} y vive con su familia.
        """,
    ),
    (
        """
        [[Rey y Lozano S.L.|ORGANIZATION]]
        [[Construcciones Salazar S.A.|ORGANIZATION]]
        [[Robladillo|ORGANIZATION]]
        """,
        """
        Empresa: {}
        Trabaja en la empresa {} desde 2015.
        Servicio médico de {}
        """,
    ),
]
