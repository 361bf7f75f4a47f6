"""Words around names that are none: particles, titles, words for relatives."""

from surrogates.patient.lexicon import listed

PARTICLES = frozenset(
    listed(
        "de du des d la le les l da das do dos di del della den der van von vom zu zur y e i"
        " el los las al san ter ten ben bin bint ibn abu abd ould ait st ste saint sainte"
    )
)
STAFF = frozenset(
    listed(
        "dr dre drs dra dres pr pre prs docteur docteurs doctoresse professeur prof doctor doctors"
        " doctora doctores professor profesor profesora md ide iao iade interne infirmier"
        " infirmiere nurse rn physician surgeon enfermero enfermera due mir medico medica"
    )
)
FEMALE = frozenset(
    listed("mme mmes mlle mlles madame mademoiselle mrs ms miss madam sra srta dona senora")
)
MALE = frozenset(listed("m mr mm monsieur mister sr don senor d"))
TITLES = (
    frozenset(listed("dr dre dra pr pre docteur professeur prof doctor doctora professor"))
    | frozenset(listed("mme mmes mlle mrs mr ms miss mister madame monsieur mademoiselle"))
    | frozenset(listed("sr sra srta don dona senor senora jr ii iii iv"))
)
ELISIONS = frozenset("dlonm")
# Written before the name of a relative, or of a person close to the patient.
KIN = frozenset(
    listed(
        "epoux epouse mari femme conjoint conjointe compagnon compagne pere mere papa maman fils"
        " fille filles frere soeur sœur oncle tante cousin cousine neveu niece grand-pere"
        " grand-mere beau-fils belle-fille gendre bru tuteur tutrice voisin voisine ami amie"
        " fiance fiancee"
        " husband wife spouse partner father mother dad mom mum son daughter brother sister uncle"
        " aunt nephew niece grandson granddaughter grandfather grandmother stepson stepdaughter"
        " guardian neighbor neighbour friend boyfriend girlfriend"
        " esposo esposa marido mujer pareja padre madre hijo hija hermano hermana tio tia sobrino"
        " sobrina primo prima abuelo abuela nieto nieta yerno nuera cuidador cuidadora vecino"
        " vecina amigo amiga novio novia"
    )
)
