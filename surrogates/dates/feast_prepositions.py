"""Fits the preposition before a feast to the day that is written for it: `à Noël`, `le 4 août`."""

import re

_BLANK = r"[ \u00a0\u202f]"
_BEFORE = rf"(?<![^\W_])(?:{{}}){_BLANK}\Z"


def _compile(*pairs: tuple[str, str]) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(_BEFORE.format(words), re.IGNORECASE), new) for words, new in pairs)


# `à l'Ascension`: the article would tell how the feast began.
_ELIDED = tuple(
    (re.compile(rf"(?<![^\W_])(?:{words}l['’])\Z", re.IGNORECASE), new)
    for words, new in (
        (rf"jusqu['’](?:à|a){_BLANK}", "jusqu'au "),
        (rf"(depuis|avant|après|apres|dès|pour|vers){_BLANK}", r"\1 le "),
        (rf"(?:à|a){_BLANK}", "le "),
        (rf"de{_BLANK}", "du "),
        ("", "le "),
    )
)
# The last words before a feast, of which group 1 stays, and what stands before a day.
_FITTED = {
    "fr": _ELIDED
    + _compile(
        (r"jusqu['’](?:à|a)(?: la)?", "jusqu'au "),
        (r"(depuis|avant|après|apres|dès|pour|vers)(?: la)?", r"\1 le "),
        ("(?:à|a)(?: la)?", "le "),
        ("de(?: la)?", "du "),
        ("la", "le "),
    ),
    "en": _compile(
        (r"(since|until|till|before|after|by|around) the", r"\1 "),
        ("(?:at|over)(?: the)?", "on "),
    ),
    "es": _compile(
        (r"(desde|hasta|para)(?: la| los)?", r"\1 el "),
        (r"(antes|después|despues) de(?: la| los)?", r"\1 del "),
        ("(?:en|por)(?: la| los)?", "el "),
        ("de(?: la| los)?", "del "),
        ("la|los", "el "),
    ),
    "de": _compile(
        ("(seit|vor|nach|ab)", r"\1 dem "),
        ("bis", "bis zum "),
        ("über|ueber", "um den "),
        ("an|zu|zum", "am "),
    ),
    "nl": _compile(("met|in", "op "), ("(rond|voor|na|sinds|tot)(?: de| het)?", r"\1 ")),
}


def fit(before: str, lang: str) -> str:
    """Return the text before a feast with its last words fitted to the day of a month.

    Most often it is unchanged.
    """
    for pattern, new in _FITTED.get(lang, ()):
        found = pattern.search(before)
        if found is None:
            continue
        written = found.expand(new)
        if found[0][0].isupper():
            written = written[0].upper() + written[1:]
        return before[: found.start()] + written
    return before
