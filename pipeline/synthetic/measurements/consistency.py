"""Whether a note agrees with itself on sex, age and dates."""

import re
from collections.abc import Iterator
from datetime import date

from record.document import Annotated
from record.folding import fold
from record.label import Label
from surrogates.dates import ages
from surrogates.dates.dates import complete_dates
from surrogates.dates.parsing import parse

_NUMBER = re.compile(r"\d{1,3}")
_SEXES = {
    "es": (r"varon|hombre|paciente masculino", r"mujer|paciente femenina"),
    "fr": (r"monsieur|homme de|patient age de", r"madame|femme de|patiente agee de"),
    "en": (r"year[- ]old (?:man|male|gentleman)", r"year[- ]old (?:woman|female|lady)"),
    "de": (r"-?jahrige[rn]? (?:mann|patient)\b", r"-?jahrige[rn]? (?:frau|patientin)\b"),
    "nl": (r"-?jarige (?:man|heer)\b", r"-?jarige (?:vrouw|dame|mevrouw)\b"),
}
"""Words by language that say of what sex the patient is, folded."""

_LATEST = 2100
_DAYS = 365.25
_SPREAD = 2.0  # years: a note tells of some months, and an age is rounded down


def contradicts_itself(note: Annotated, lang: str) -> bool:
    """Return whether a note calls its patient man and woman, or ages and dates cannot all be true.

    They cannot where something happened before the birth, or where the first age that is told of
    is that of the patient on no day of the note, by years. What is not told contradicts nothing.
    """
    return _is_of_both_sexes(note.document.text, lang) or _is_of_another_age(note, lang)


def _is_of_both_sexes(text: str, lang: str) -> bool:
    folded = fold(text)
    return lang in _SEXES and all(
        re.search(rf"(?<!\w)(?:{words})", folded) is not None for words in _SEXES[lang]
    )


def _is_of_another_age(note: Annotated, lang: str) -> bool:
    births = list(_days(note, Label.BIRTH_DATE, lang))
    days = list(_days(note, Label.DATE, lang))
    if not births or not days:
        return False
    birth = births[0]
    if any(day < birth for day in days):
        return True
    age = next(_ages(note), None)
    if age is None:
        return False
    years = [(day - birth).days / _DAYS - age for day in days]
    return not any(-_SPREAD <= each <= 1 + _SPREAD for each in years)


def _days(note: Annotated, label: str, lang: str) -> Iterator[date]:
    """Return the whole dates of a label; those that say no year or month tell nothing."""
    text = note.document.text
    for span in sorted(note.spans):
        if span.label != label:
            continue
        value = text[span.start : span.end]
        parsed = parse(value, lang=lang, latest=_LATEST, day_first=lang != "en")
        if parsed is None or len(parsed.groups) != 1 or set("dmy") - set(parsed.groups[0].roles):
            continue
        yield from complete_dates(parsed.groups, date(2000, 1, 1)) or ()


def _ages(note: Annotated) -> Iterator[int]:
    text = note.document.text
    for span in sorted(note.spans):
        if span.label == Label.AGE and not ages.unit_after(text, span.end):
            number = _NUMBER.search(text, span.start, span.end)
            if number is not None:
                yield int(number[0])
