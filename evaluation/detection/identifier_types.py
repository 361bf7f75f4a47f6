"""Direct identifiers and quasi-identifiers: the type of each label and its weight in scores."""

from enum import StrEnum

from record.label import Label


class IdentifierType(StrEnum):
    """Direct identifiers single a person out alone, quasi-identifiers in combination.

    The distinction is that of the Text Anonymization Benchmark (Pilan et al. 2022, section 3).
    """

    DIRECT = "direct"
    QUASI = "quasi"


WEIGHTS = {IdentifierType.DIRECT: 1.0, IdentifierType.QUASI: 0.2}
"""Weights of leaked spans. Five quasi-identifiers count as much as a name: birth date, postal
code and sex alone single out most persons of a country (Sweeney 2000)."""

_QUASI = frozenset(
    (
        *(Label.DATE, Label.BIRTH_DATE, Label.AGE, Label.ZIP, Label.CITY, Label.REGION),
        *(Label.COUNTRY, Label.HOSPITAL, Label.ORGANIZATION, Label.PROFESSION, Label.OTHER),
    )
)


def identifier_type(label: str) -> IdentifierType:
    """Return the type of a label; unknown labels count as direct."""
    return IdentifierType.QUASI if label in _QUASI else IdentifierType.DIRECT
