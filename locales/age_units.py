"""The unit that follows the number of an age, in all languages."""

import re

from locales.registry import alternatives

_LONG = "|".join(
    alternatives(pick)
    for pick in (
        lambda language: language.ages.old_pattern,
        lambda language: language.ages.adjective_pattern,
        lambda language: language.ages.years_pattern,
        lambda language: language.ages.units_pattern,
    )
)
_SHORT = r"y/?o(?=[mf]?(?![a-z]))|y\.o|years?|yrs?|jr|mnd|wk|sem|mo|wo|sa|[ajy]"
_UNIT = re.compile(
    rf"[ \-]{{0,2}}(?:(?:{_LONG}|{_SHORT})(?: et demie?| y medio)?(?![^\W_])|y/?o(?=[mf](?![a-z])))"
)


def unit_end(folded: str, end: int) -> int:
    """Return the end of the unit that follows a number in folded text, or the offset itself.

    `72 ans`, `72-year-old`, `67-jahrige`, `40 y/o`, `6 ans et demi`, `34 a`.
    """
    unit = _UNIT.match(folded, end)
    return unit.end() if unit else end
