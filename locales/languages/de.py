"""German."""

from collections.abc import Callable

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
    "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn"
    " fünfzehn sechzehn siebzehn achtzehn neunzehn"
).split()
_TENS = "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig".split()
# The ordinals that no rule makes.
_ORDINALS = {1: "erste", 3: "dritte", 7: "siebte", 8: "achte"}


def _below_hundred(number: int) -> str:
    if number < len(_UNITS):
        return _UNITS[number]
    tens, unit = divmod(number, 10)
    one = "ein" if unit == 1 else _UNITS[unit]
    return f"{one}und{_TENS[tens - 2]}" if unit else _TENS[tens - 2]


def _cardinal(number: int) -> str:
    if number < 100:
        return _below_hundred(number)
    large = number >= 2000 or 1000 <= number < 1100
    heads, rest = divmod(number, 1000 if large else 100)
    head = "ein" if heads == 1 else _below_hundred(heads)
    return head + ("tausend" if large else "hundert") + (_cardinal(rest) if rest else "")


def _ordinal(ending: str) -> Callable[[int], str]:
    def write(number: int) -> str:
        regular = _below_hundred(number) + ("te" if number < 20 else "ste")
        return _ORDINALS.get(number, regular) + ending

    return write


LANGUAGE = Language(
    code="de",
    dates=DateWords(
        months=(
            style(
                "de",
                "Januar Februar März April Mai Juni Juli August September Oktober November"
                " Dezember",
            ),
            style("de", "Jan Feb Mär Apr Mai Jun Jul Aug Sep Okt Nov Dez", short=True),
            style("de", "Jan Feb Mrz Apr Mai Jun Jul Aug Sep Okt Nov Dez", short=True),
            style("de", "Jan Feb März Apr Mai Jun Jul Aug Sept Okt Nov Dez", short=True),
            style(
                "de",
                "Jan Febr März Apr Mai Jun Jul Aug Sept Okt Nov Dez",
                short=True,
                rare=True,
            ),
            style(
                "de",
                "Januar Februar Maerz April Mai Juni Juli August September Oktober November"
                " Dezember",
            ),
            style(
                "de",
                "Jänner Feber März April Mai Juni Juli August September Oktober November Dezember",
            ),
            style("de", "Jän Feb Mär Apr Mai Jun Jul Aug Sep Okt Nov Dez", short=True, rare=True),
        ),
        ambiguous_months=words("mar"),
        weekdays=(
            style("de", "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag"),
            style("de", "Montag Dienstag Mittwoch Donnerstag Freitag Sonnabend Sonntag"),
        ),
        short_weekdays=(style("de", "Mo Di Mi Do Fr Sa So", short=True),),
        seasons=(
            style("de", "Frühling Sommer Herbst Winter"),
            style("de", "Frühjahr Sommer Herbst Winter"),
        ),
        periods={"quartal": 3, "halbjahr": 6},
        period_ranks=(
            style("de", "erstes zweites drittes viertes"),
            style("de", "ersten zweiten dritten vierten"),
            style("de", "erste zweite dritte vierte"),
        ),
        connectors=words(
            "am vom den dem der des im in bis und zum zur ab seit von anfang mitte ende jahr jahre"
            " jahres jahren monat monats tag tages tage vor nach ca etwa um gegen zwischen letzten"
            " letzter nachsten uhr oder auf"
        ),
        range_words=words("bis und oder auf"),
        day_words=words(
            "am vom datum geb geb.dat geb.-datum gebdat geboren geburtsdatum geburtstag seit bis"
            " ab dem montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag"
        ),
        month_words=words("im seit anfang mitte ende bis"),
        year_words=words(
            "im jahr jahre seit anfang mitte ende bis zwischen vor nach ca ab geboren geb ed"
        ),
        weak_year_words=words("von und"),
        durations=words("jahre jahren monate wochen tage stunden uhr"),
    ),
    numbers=NumberWords(
        cardinal=_cardinal,
        ordinals={
            "de-te": OrdinalForm(_ordinal("")),
            "de-ten": OrdinalForm(_ordinal("n")),
            "de-ter": OrdinalForm(_ordinal("r")),
        },
        variants={"ein": 1, "eine": 1},
        hundreds=words("hundert"),
        centuries={"neunzehnhundert": 1900, "zweitausend": 2000},
        spellings={"ein": 1},
    ),
    ages=AgeWords(
        years_pattern="jahren?",
        units_pattern="monaten?|wochen?|tagen?",
        old_pattern="(?:jahre|monate?|wochen?|tage) alt(?:e[nrsm]?)?",
        adjective_pattern="(?:jahrig|monatig)(?:e[nrsm]?)?",
        years_span_pattern=r"jahre?n?|\w*jahrig\w*",
        units_span_pattern=r"tage?n?|wochen?|monate?n?|stunden?|\w*(?:monatige|wochige|tagige)\w?",
        unit_after_pattern=r"tagen?|wochen|monaten?|stunden|\w*(?:monatige|wochige|tagige)\w?",
        announcing=words("alter"),
        fillers=words("von ist in jahren jahre circa ca etwa (jahre)"),
        persons=words(
            "patientin patienten mann mannes frau junge jungen knabe madchen kind kindes saugling"
            " neugeborenes neugeborene sohn tochter bruder schwester vater mutter ehemann ehefrau"
            " herr herrn pat kinder kindern"
        ),
        before_duration=words(
            "seit vor fur nach uber alle innerhalb wahrend letzten ersten nachsten etwa dauer"
            " verlauf bis mindestens insgesamt ca circa jede unter"
        ),
        duration_fillers=words("fast knapp den der die"),
        after_duration=words("lang spater zuvor vor nach und/alter"),
        decades={
            **dict.fromkeys("funfziger funfzigern".split(), 59),
            **dict.fromkeys("sechziger sechzigern".split(), 69),
            **dict.fromkeys("siebziger siebzigern".split(), 79),
            **dict.fromkeys("achtziger achtzigern".split(), 89),
            **dict.fromkeys(
                "neunziger neunzigern hundertjahrige hundertjahriger hundertjahrigen".split(), 150
            ),
        },
    ),
    persons=PersonWords(
        female_titles=words("frau"),
        male_titles=words("herr herrn"),
        doctor_titles=words("dr prof"),
        other_titles=words("kollege kollegin"),
        staff=words(
            "dr prof arzt arztin oberarzt oberarztin chefarzt chefarztin assistenzarzt"
            " assistenzarztin hausarzt hausarztin pfleger pflegerin schwester krankenschwester"
            " kollege kollegin"
        ),
        kin=words(
            "ehemann ehefrau mann partner partnerin lebensgefahrte lebensgefahrtin vater mutter"
            " sohn tochter bruder schwester onkel tante cousin cousine neffe nichte enkel enkelin"
            " grossvater grossmutter großvater großmutter opa oma schwiegersohn schwiegertochter"
            " betreuer betreuerin nachbar nachbarin freund freundin verlobter verlobte"
        ),
        particles=words("von vom"),
        women=words(
            "ehefrau partnerin lebensgefahrtin mutter mama tochter schwester tante"
            " cousine nichte enkelin grossmutter großmutter oma schwiegertochter"
            " schwiegermutter schwagerin betreuerin nachbarin freundin verlobte witwe"
            " patientin arztin pflegerin krankenschwester stieftochter"
        ),
        men=words(
            "ehemann mann lebensgefahrte vater papa sohn bruder onkel neffe enkel"
            " grossvater großvater opa schwiegersohn schwiegervater schwager betreuer"
            " nachbar freund verlobter witwer pfleger stiefsohn"
        ),
        beside_kin=words("namens genannt gen"),
    ),
    has_surrogates=True,
)
