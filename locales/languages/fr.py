"""French."""

from locales.language import (
    AgeWords,
    DateWords,
    Language,
    NumberWords,
    OrdinalForm,
    PersonWords,
    style,
    words,
)

_UNITS = (
    "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze"
    " seize dix-sept dix-huit dix-neuf"
).split()
_TENS = "vingt trente quarante cinquante soixante".split()


def _below_hundred(number: int) -> str:
    if number < len(_UNITS):
        return _UNITS[number]
    tens, unit = divmod(number, 10)
    if tens in (7, 9):
        tens, unit = tens - 1, unit + 10
    if tens == 8:
        return f"quatre-vingt-{_UNITS[unit]}" if unit else "quatre-vingts"
    word = _TENS[tens - 2]
    return f"{word}{' et ' if unit in (1, 11) else '-'}{_UNITS[unit]}" if unit else word


def _cardinal(number: int) -> str:
    thousands, rest = divmod(number, 1000)
    hundreds, rest = divmod(rest, 100)
    parts = []
    if thousands:
        parts.append("mille" if thousands == 1 else f"{_below_hundred(thousands)} mille")
    if hundreds:
        cents = "cent" if hundreds == 1 or rest else "cents"
        parts.append(cents if hundreds == 1 else f"{_below_hundred(hundreds)} {cents}")
    if rest or not number:
        parts.append(_below_hundred(rest))
    return " ".join(parts)


def _ordinal(number: int) -> str:
    """Write a day of the month: only the first one is ranked."""
    return "premier" if number == 1 else _below_hundred(number)


LANGUAGE = Language(
    code="fr",
    has_surrogates=True,
    dates=DateWords(
        months=(
            style(
                "fr",
                "janvier février mars avril mai juin juillet août septembre octobre novembre"
                " décembre",
            ),
            style("fr", "jan fév mar avr mai jun jul aoû sep oct nov déc", short=True),
            style("fr", "janv févr mars avr mai juin juil août sept oct nov déc", short=True),
            style(
                "fr",
                "janv févr mars avr mai juin juill août sept oct nov déc",
                short=True,
                rare=True,
            ),
        ),
        month_misspellings={"fevier": 2},
        ambiguous_months=words("mar"),
        weekdays=(
            style("fr", "lundi mardi mercredi jeudi vendredi samedi dimanche"),
            style("fr", "lun mar mer jeu ven sam dim", short=True),
        ),
        seasons=(style("fr", "printemps été automne hiver"),),
        periods={"trimestre": 3, "semestre": 6},
        period_ranks=(
            style("fr", "premier deuxième troisième quatrième"),
            style("fr", "premier second troisième quatrième"),
        ),
        connectors=words(
            "le la les l du des d de en au aux a et ou jusqu jusque depuis entre vers fin debut mi"
            " milieu courant annee annees an ans mois date jour nuit matin soir apres avant ce ne"
            " nee environ dernier derniere prochain prochaine"
        ),
        range_words=words("au aux a et ou"),
        ordinal_endings=words("er re ere eme e"),
        detached_endings=words("er re"),
        day_words=words(
            "le du au des les depuis date datee rdv ddn ddr dpa ne nee ne(e) naissance naiss d.d.n"
            " seance visite consultation rencontre lundi mardi mercredi jeudi vendredi samedi"
            " dimanche"
        ),
        month_words=words("en depuis fin debut mi courant jusqu'en dernier pour ce"),
        year_words=words(
            "en depuis durant annee annees avant apres fin debut mi entre vers courant datant"
            " des ne nee d'ici ici"
        ),
        weak_year_words=words("de du a et"),
        durations=words("ans mois semaines jours heures minutes"),
    ),
    numbers=NumberWords(
        cardinal=_cardinal,
        ordinals={"fr-premier": OrdinalForm(_ordinal, last=1)},
        variants={
            "une": 1, "vingts": 20, "septante": 70, "huitante": 80, "octante": 80, "nonante": 90,
        },
        ordinal_variants={"premiere": 1, "deuxieme": 2, "troisieme": 3},
        hundreds=words("cent cents"),
        thousands=words("mille mil"),
        links=words("et"),
        spellings={"mil neuf cent": 1900},
    ),
    ages=AgeWords(
        years_pattern="ans?",
        units_pattern="mois|semaines?|jours?",
        years_span_pattern="ans?",
        units_span_pattern="jours?|semaines?|mois|heures?|j|sa",
        unit_after_pattern="jours|semaines|mois|heures",
        announcing=words("age ages agee agees age(e) agee(e) terme"),
        fillers=words(
            "de du d l est environ actuelle actual patient en ans la le sex sexe (ans) ca"
        ),
        persons=words(
            "patient patiente patients patientes homme hommes femme femmes garcon garcons fille"
            " filles fillette fillettes enfant enfants nourrisson nourrissons nouveau-ne"
            " nouveau-nee bebe dame monsieur madame mr mme mlle m frere soeur pere mere fils mari"
            " epoux epouse cousin cousine oncle tante adolescent adolescente sujet jumeaux"
            " jumelles conjoint conjointe compagnon"
        ),
        before_duration=words(
            "depuis pendant durant apres dans sous sur pour en tous toutes chaque duree plus moins"
            " environ suivi suivie recul survie risque pronostic evolution delai anciennete"
            " dernier derniere derniers dernieres premier premiere premiers premieres intervalle"
            " periode contrat bilan controle arret sevre sevree scanner irm paquets y tabac"
        ),
        duration_fillers=words("presque a de d des les environ"),
        after_duration=words(
            "auparavant avant apres durant d'evolution d'anciennete d'intervalle consecutif"
            " d'existence d'experience plus/tard plus/tot de/suivi de/recul de/tabac de/traitement"
            " de/tabagisme de/grossesse de/mariage de/vie/commune et/plus"
        ),
        of_age=words("d'age de/vie"),
        decades={
            **dict.fromkeys("quinquagenaire quinquagenaires cinquantaine".split(), 59),
            **dict.fromkeys("sexagenaire sexagenaires soixantaine".split(), 69),
            **dict.fromkeys("septuagenaire septuagenaires".split(), 79),
            **dict.fromkeys("octogenaire octogenaires".split(), 89),
            **dict.fromkeys("nonagenaire nonagenaires centenaire centenaires".split(), 150),
        },
    ),
    persons=PersonWords(
        female_titles=words("mme mmes mlle mlles madame mademoiselle"),
        male_titles=words("m mr mm monsieur"),
        doctor_titles=words("dr dre pr pre docteur professeur prof"),
        other_titles=words("drs prs profs docteurs professeurs mesdames messieurs"),
        cased_titles=words("m mm dre pre"),
        staff=words(
            "dr dre drs pr pre prs docteur docteurs doctoresse professeur prof ide iao iade interne"
            " infirmier infirmiere"
        ),
        kin=words(
            "epoux epouse mari femme conjoint conjointe compagnon compagne pere mere papa maman"
            " fils fille filles frere soeur sœur oncle tante cousin cousine neveu niece grand-pere"
            " grand-mere beau-fils belle-fille gendre bru tuteur tutrice voisin voisine ami amie"
            " fiance fiancee"
        ),
        particles=words("de du des d la le les l"),
        women=words(
            "epouse femme conjointe compagne concubine mere maman fille soeur sœur"
            " tante cousine niece grand-mere belle-fille belle-soeur belle-sœur belle-"
            " mere petite-fille demi-soeur demi-sœur marraine bru voisine amie fiancee"
            " veuve tutrice curatrice patiente infirmiere aide-soignante assistante"
            " secretaire sage-femme dite surnommee appelee prenommee nommee denommee"
            " jumelle"
        ),
        men=words(
            "epoux mari conjoint compagnon concubin pere papa fils frere oncle cousin"
            " neveu grand-pere beau-fils beau-frere beau-pere petit-fils demi-frere"
            " parrain gendre voisin ami fiance veuf tuteur curateur infirmier aide-"
            " soignant dit surnomme appele prenomme nomme denomme jumeau"
        ),
        beside_kin=words(
            "aine ainee cadet cadette majeur majeure unique actuel actuelle ex"
        ),
    ),
)  # fmt: skip
