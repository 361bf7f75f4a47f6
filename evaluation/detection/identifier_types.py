"""How far a kind of identifier alone leads to a person: directly, or only beside others."""

from enum import StrEnum

from record.label import Label


class Strength(StrEnum):
    """Direct identifiers single a person out alone, quasi-identifiers in combination.

    The distinction is that of the Text Anonymization Benchmark (Pilan et al. 2022, section 3).
    """

    DIRECT = "direct"
    QUASI = "quasi"


WEIGHTS = {Strength.DIRECT: 1.0, Strength.QUASI: 0.2}
"""What a leaked span counts. Five quasi-identifiers together count as much as a name: birth
date, postal code and sex alone single out most persons of a country (Sweeney 2000)."""

_QUASI = frozenset(
    (
        *(Label.DATE, Label.BIRTH_DATE, Label.AGE, Label.ZIP, Label.CITY, Label.REGION),
        *(Label.COUNTRY, Label.HOSPITAL, Label.ORGANIZATION, Label.PROFESSION, Label.OTHER),
    )
)


def strength(label: str) -> Strength:
    """Return the strength of a label; what is not a label of ours counts as direct."""
    return Strength.QUASI if label in _QUASI else Strength.DIRECT
