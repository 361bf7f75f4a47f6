"""Surrogates of care sites and wards: the same one under each of its names in a patient's file."""

import re
from functools import lru_cache

from record.label import Label
from surrogates.patient import (
    lexicon,
    value_format,
)
from surrogates.patient.patient import (
    Mention,
    Subject,
)
from surrogates.patient.text_normalization import (
    fold,
    pour_case,
    squeeze,
)
from surrogates.places.places import town_for

_SITE_TYPES = re.compile(
    r"^(?:(?:(?:grand|ancien|nouvel|nouveau|complejo|complexe|centenario|general)\s+)?"
    r"(?:hopital|hopitaux|hop|hospital|hospitalier|hospitaliere|hospitalario|hospitalaria|hospices"
    r"|centre|center|centro|clinique|clinica|clinic|polyclinique|policlinica|chu|chru|chr|ch|chi"
    r"|ghu|gh|groupe|institut|institute|instituto|maternite|maternity|maternidad|maison|residence"
    r"|residencia|ehpad|ssr|medical|medico|infirmary|sanatorium|sanatorio|nursing|home|health|salud"
    r"|universitaire|universitario|universitaria|university|regional|general|intercommunal|prive"
    r"|privee|privado|civil|civils|militaire|militar|de sante|de salud|de soins|de repos|hu|hgu|hc"
    r"|service|servicio|unite|unidad|unit|pavillon|pabellon|pavilion|salle|sala|ward|wing|aile"
    r"|secteur|batiment|bat|building|planta|edificio)"
    r"(?:\s+|$))+"
)
_SITE_END = re.compile(
    r"(?:\s+(?:hospital|medical center|medical centre|clinic|health center|health centre"
    r"|infirmary|nursing home|regional hospital|general hospital|community hospital))+$"
)
_JOINT = re.compile(r"^(?:de la|de los|de las|de l'|del|de|du|des|d'|of|at)\s*")
# A ward's number or letter.
_NUMBER = re.compile(r"\d{1,4}[A-Za-z]?|[A-Z]\d{0,3}")
_VOWELS = frozenset("aeiouyh")
_REMEMBERED = 1 << 12


def replace(mention: Mention, subject: Subject) -> str:
    """Return a care site or ward of the same type with another name.

    One that is named for its town gets the town that stands for it; one named for a person goes by
    the family name, with or without the given one; a number or letter gets another.
    """
    text = mention.text
    start, end, core, has_kind, has_joint = _cut(text)
    if not core.strip():
        return _named(text, text, subject)
    if has_kind and _NUMBER.fullmatch(core.strip()):
        return text[: end - len(core)] + value_format.scramble(
            core, f"{Label.HOSPITAL}/ward", subject
        )
    blank = " " if has_kind and not text[start - 1 : start].isspace() else ""
    if has_joint and squeeze(core) in lexicon.load("cities", subject.locale).places:
        return text[:start] + blank + _of_town(text[start:end], core, subject)
    return text[:start] + blank + _named(core, core, subject) + text[end:]


@lru_cache(_REMEMBERED)
def _cut(text: str) -> tuple[int, int, str, bool, bool]:
    """Return where the name of a site begins and ends in its text, and the name without its joint.

    Tells as well whether a type stands before it, and whether a joint does after that.
    """
    folded = fold(text)
    kind = _SITE_TYPES.match(folded)
    start = kind.end() if kind else 0
    joint = _JOINT.match(folded[start:]) if kind else None
    tail = None if kind else _SITE_END.search(folded)
    end = tail.start() if tail else len(text)
    core = text[start + (joint.end() if joint else 0) : end]
    return start, end, core, kind is not None, joint is not None


def _of_town(joined: str, core: str, subject: Subject) -> str:
    """Return another town with what joins it to the name of a site: `de Rennes`, `d'Angers`."""
    drawn, _ = town_for(core, subject)
    joint = "of " if subject.locale == "en" else "de "
    if subject.locale == "fr" and fold(drawn)[:1] in _VOWELS:
        joint = "d'"
    return pour_case(joined, joint) + pour_case(core, drawn)


def _named(core: str, model: str, subject: Subject) -> str:
    sites, value = lexicon.load("hospitals", subject.locale), _telling(core, subject.locale)

    def accept(entry: str) -> bool:
        # `Mondor` must not become `Henri Mondor`, which is the same site.
        return _telling(entry, subject.locale) != value and subject.allows(entry)

    return pour_case(model, subject.pick(Label.HOSPITAL, value, sites, accept=accept))


@lru_cache(_REMEMBERED)
def _telling(core: str, locale: str) -> str:
    """Leave out the given names and initials before a family name: `Henri Mondor` is Mondor."""
    value = squeeze(core)
    given = lexicon.given(locale).places
    words = value.split()
    while len(words) > 1 and (len(words[0].rstrip(".")) == 1 or words[0] in given):
        words = words[1:]
    return " ".join(words)
