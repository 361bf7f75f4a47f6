"""English."""

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
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
    " fifteen sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
# The ordinals that no rule makes.
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
).split()


def _below_hundred(number: int) -> str:
    if number < len(_UNITS):
        return _UNITS[number]
    tens, unit = divmod(number, 10)
    return f"{_TENS[tens - 2]}-{_UNITS[unit]}" if unit else _TENS[tens - 2]


def _cardinal(number: int) -> str:
    """Write a number as a year is said: two halves of two digits, but for round ones."""
    if number < 100:
        return _below_hundred(number)
    thousands, rest = divmod(number, 1000)
    if number < 1000 or rest < 100:
        size, name = (1000, "thousand") if thousands else (100, "hundred")
        head = f"{_below_hundred(number // size)} {name}"
        return f"{head} {_below_hundred(number % size)}" if number % size else head
    head, rest = _below_hundred(number // 100), number % 100
    return f"{head} {_below_hundred(rest) if rest else 'hundred'}"


def _ordinal(number: int) -> str:
    if number <= len(_ORDINALS):
        return _ORDINALS[number - 1]
    tens, unit = divmod(number, 10)
    if tens == 1:
        return _below_hundred(number) + "th"
    word = _TENS[tens - 2]
    return f"{word}-{_ORDINALS[unit - 1]}" if unit else f"{word[:-1]}ieth"


def _ordinal_ending(number: int) -> str:
    if 11 <= number % 100 <= 13:
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


LANGUAGE = Language(
    code="en",
    has_surrogates=True,
    dates=DateWords(
        months=(
            style(
                "en",
                "January February March April May June July August September October November"
                " December",
            ),
            style("en", "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec", short=True),
            style("en", "Jan Feb Mar Apr May June July Aug Sept Oct Nov Dec", short=True),
        ),
        ambiguous_months=words("may mar march"),
        weekdays=(
            style("en", "Monday Tuesday Wednesday Thursday Friday Saturday Sunday"),
            style("en", "Mon Tue Wed Thu Fri Sat Sun", short=True),
            style("en", "Mon Tues Wed Thurs Fri Sat Sun", short=True),
            style("en", "Mon Tues Weds Thurs Fri Sat Sun", short=True, rare=True),
            style("en", "Mon Tues Wed Thur Fri Sat Sun", short=True),
        ),
        seasons=(
            style("en", "spring summer autumn winter"),
            style("en", "spring summer fall winter"),
        ),
        periods={"quarter": 3},
        period_ranks=(style("en", "first second third fourth"),),
        connectors=words(
            "the of on in at to from and or until till through since early mid late year month day"
            " by between before after about around last next thru"
        ),
        range_words=words("to and or until till through thru"),
        ordinal_endings=words("st nd rd th"),
        ordinal_ending=_ordinal_ending,
        day_words=words(
            "on until till since dated dates lmp edd dob d.o.b born birth birthdate birthday"
            " monday tuesday wednesday thursday friday saturday sunday"
        ),
        vague_day_words=words(
            "from labs urinalysis cbc culture cultures drawn expected received performed admitted"
            " discharged seen pending"
        ),
        month_words=words("in since until till early late mid during"),
        year_words=words(
            "in since during year before after until till early late mid between circa from born"
            " dated"
        ),
        weak_year_words=words("of to by and"),
        durations=words("minutes years months weeks days hours"),
    ),
    numbers=NumberWords(
        cardinal=_cardinal,
        ordinals={"en-th": OrdinalForm(_ordinal)},
        hundreds=words("hundred"),
        thousands=words("thousand"),
        links=words("and"),
    ),
    ages=AgeWords(
        years_pattern="years|yrs",
        units_pattern="months?|weeks?|days?",
        old_pattern=r"(?:years?|yrs?|months?|mo|weeks?|days?)[ \-.]{0,2}olds?",
        years_span_pattern="years?|y",
        units_span_pattern="days?|weeks?|months?|hours?",
        unit_after_pattern="days?|weeks?|months?|hours?",
        announcing=words("age ages aged"),
        fillers=words("of is was about years at approx approximately (years)"),
        persons=words(
            "male female man woman boy girl gentleman lady infant child newborn baby son daughter"
            " brother sister father mother wife husband toddler teenager pt mrs ms"
        ),
        before_duration=words(
            "for over since within after every per past last next previous first during almost"
            " nearly ago up least than history total another lasting"
        ),
        duration_fillers=words("the of a more than approximately about"),
        after_duration=words(
            "ago later earlier prior of post postop before after history follow and/older and/over"
            " or/older"
        ),
        of_age=words("of/age"),
        decades={
            **dict.fromkeys("quinquagenarian fifties".split(), 59),
            **dict.fromkeys("sexagenarian sixties".split(), 69),
            **dict.fromkeys("septuagenarian seventies".split(), 79),
            **dict.fromkeys("octogenarian eighties".split(), 89),
            **dict.fromkeys("nonagenarian nineties centenarian".split(), 150),
        },
    ),
    persons=PersonWords(
        female_titles=words("mrs ms miss madam"),
        male_titles=words("mr mister"),
        doctor_titles=words("dr doctor prof professor"),
        cased_titles=words("ms madam mister"),
        staff=words("dr doctor doctors prof professor md nurse rn physician surgeon"),
        kin=words(
            "husband wife spouse partner father mother dad mom mum son daughter brother sister"
            " uncle aunt nephew niece grandson granddaughter grandfather grandmother stepson"
            " stepdaughter guardian neighbor neighbour friend boyfriend girlfriend"
        ),
        women=words(
            "wife mother mom mum mummy daughter sister aunt niece granddaughter"
            " grandmother grandma stepdaughter stepmother stepsister sister-in-law"
            " mother-in-law daughter-in-law girlfriend fiancee widow ex-wife midwife"
            " lady woman girl godmother"
        ),
        men=words(
            "husband father dad daddy son brother uncle nephew grandson grandfather"
            " grandpa stepson stepfather stepbrother brother-in-law father-in-law son-"
            " in-law boyfriend widower ex-husband gentleman boy godfather"
        ),
        beside_kin=words("named called nicknamed elder eldest older younger youngest late"),
    ),
)
