"""Dutch."""

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
    "nul een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien"
    " zestien zeventien achttien negentien"
).split()
_TENS = "twintig dertig veertig vijftig zestig zeventig tachtig negentig".split()
# The ordinals that no rule makes.
_ORDINALS = (
    "eerste tweede derde vierde vijfde zesde zevende achtste negende tiende elfde twaalfde"
).split()


def _below_hundred(number: int) -> str:
    if number < len(_UNITS):
        return _UNITS[number]
    tens, unit = divmod(number, 10)
    if not unit:
        return _TENS[tens - 2]
    return f"{_UNITS[unit]}{'ën' if _UNITS[unit].endswith('e') else 'en'}{_TENS[tens - 2]}"


def _cardinal(number: int) -> str:
    """Write a number in one word, with a blank after the thousands."""
    if number < 100:
        return _below_hundred(number)
    large = number >= 2000 or 1000 <= number < 1100
    heads, rest = divmod(number, 1000 if large else 100)
    head = "" if heads == 1 else _below_hundred(heads)
    joint = " " if large and rest else ""
    return head + ("duizend" if large else "honderd") + joint + (_cardinal(rest) if rest else "")


def _ordinal(number: int) -> str:
    if number <= len(_ORDINALS):
        return _ORDINALS[number - 1]
    return _below_hundred(number) + ("de" if number < 20 else "ste")


def _ordinal_ending(number: int) -> str:
    return "ste" if number in (1, 8) or number >= 20 else "de"


LANGUAGE = Language(
    code="nl",
    dates=DateWords(
        months=(
            style(
                "nl",
                "januari februari maart april mei juni juli augustus september oktober november"
                " december",
            ),
            style("nl", "jan feb mrt apr mei jun jul aug sep okt nov dec", short=True),
            style("nl", "jan febr mrt apr mei jun jul aug sept okt nov dec", short=True),
        ),
        weekdays=(style("nl", "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag"),),
        short_weekdays=(style("nl", "ma di wo do vr za zo", short=True),),
        seasons=(
            style("nl", "lente zomer herfst winter"),
            style("nl", "voorjaar zomer najaar winter"),
        ),
        periods={"kwartaal": 3, "halfjaar": 6},
        period_ranks=(style("nl", "eerste tweede derde vierde"),),
        connectors=words(
            "op van tot en het de in t m jaar maand dag begin eind einde medio vanaf sinds rond"
            " voor na circa tussen d dd om uur der den half met"
        ),
        range_words=words("tot m"),
        ordinal_endings=words("de ste e"),
        ordinal_ending=_ordinal_ending,
        day_words=words(
            "op sinds d.d dd geboortedatum geb.datum maandag dinsdag woensdag donderdag vrijdag"
            " zaterdag zondag"
        ),
        month_words=words("sinds begin eind medio tot vanaf"),
        year_words=words("sinds begin eind medio tot tussen voor na vanaf rond jaar"),
        weak_year_words=words("van"),
        durations=words("jaar maanden weken dagen uren uur"),
    ),
    numbers=NumberWords(
        cardinal=_cardinal,
        ordinals={"nl-de": OrdinalForm(_ordinal)},
        hundreds=words("honderd"),
        centuries={"negentienhonderd": 1900, "tweeduizend": 2000},
    ),
    ages=AgeWords(
        years_pattern="jaar",
        units_pattern="maand(?:en)?|weken|dag(?:en)?",
        old_pattern="(?:jaar|maand(?:en)?|week|weken|dag(?:en)?) oud",
        adjective_pattern="jarig(?:e[nrsm]?)?",
        years_span_pattern=r"jaar|jr|\w*jarig\w*",
        units_span_pattern="dag(?:en)?|we(?:ek|ken)|maand(?:en)?|uur|uren",
        unit_after_pattern="dagen|weken|maanden|uur|uren",
        announcing=words("leeftijd lft leeftijdscategorie"),
        fillers=words("van is in ongeveer (jaar)"),
        persons=words(
            "patiente man vrouw jongen meisje baby zuigeling pasgeborene zoon dochter broer zus"
            " moeder vader echtgenoot echtgenote mevrouw mevr dhr heer dame peuter kleuter pte"
            " kinderen"
        ),
        before_duration=words(
            "sinds gedurende na over elke al afgelopen laatste eerste komende binnen ruim ongeveer"
            " duur tot voor om iedere"
        ),
        duration_fillers=words("bijna de"),
        after_duration=words("geleden eerder na voor daarna en/ouder"),
        of_age=words("leeftijd"),
        decades={
            "vijftiger": 59, "zestiger": 69, "zeventiger": 79, "tachtiger": 89,
            "negentiger": 150, "honderdjarige": 150,
        },
    ),
    persons=PersonWords(
        female_titles=words("mw mevr mevrouw"),
        male_titles=words("dhr"),
        doctor_titles=words("dr drs prof"),
        other_titles=words("meneer"),
        staff=words(
            "dr drs prof arts huisarts chirurg specialist verpleegkundige zuster broeder"
            " assistent collega"
        ),
        kin=words(
            "echtgenoot echtgenote man vrouw partner vader moeder zoon dochter broer zus oom tante"
            " neef nicht kleinzoon kleindochter opa oma schoonzoon schoondochter mentor"
            " buurman buurvrouw vriend vriendin verloofde"
        ),
        particles=words("van der den ter ten"),
        women=words(
            "echtgenote vrouw moeder mama dochter zus zusje tante nicht kleindochter"
            " oma schoondochter schoonmoeder schoonzus buurvrouw vriendin patiente"
            " weduwe stiefdochter"
        ),
        men=words(
            "echtgenoot man vader papa zoon broer broertje oom neef kleinzoon opa"
            " schoonzoon schoonvader zwager buurman weduwnaar stiefzoon heer meneer"
        ),
        beside_kin=words(
            "genaamd oudste jongste"
        ),
    ),
    has_surrogates=True,
)  # fmt: skip
