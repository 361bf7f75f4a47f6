"""The labels of spans: the kinds of identifier that Cryptonym detects."""

from enum import StrEnum


class Label(StrEnum):
    """Every label that Cryptonym detects and replaces; other label sets pass as plain strings."""

    FIRST_NAME = "FIRST_NAME"
    LAST_NAME = "LAST_NAME"
    NAME = "NAME"
    USERNAME = "USERNAME"
    DATE = "DATE"
    BIRTH_DATE = "BIRTH_DATE"
    AGE = "AGE"
    STREET = "STREET"
    ZIP = "ZIP"
    CITY = "CITY"
    REGION = "REGION"
    COUNTRY = "COUNTRY"
    HOSPITAL = "HOSPITAL"
    ORGANIZATION = "ORGANIZATION"
    PROFESSION = "PROFESSION"
    PHONE = "PHONE"
    FAX = "FAX"
    EMAIL = "EMAIL"
    URL = "URL"
    IP_ADDRESS = "IP_ADDRESS"
    SSN = "SSN"
    PATIENT_ID = "PATIENT_ID"
    VISIT_ID = "VISIT_ID"
    PROVIDER_ID = "PROVIDER_ID"
    INSURANCE_ID = "INSURANCE_ID"
    ACCOUNT = "ACCOUNT"
    DEVICE_ID = "DEVICE_ID"
    VEHICLE_ID = "VEHICLE_ID"
    ID = "ID"
    OTHER = "OTHER"


RULE_MARK = "rule:"
"""Begins the label of a span that rules found beside a tagger whose labels are a site's own."""


def is_marked(label: str) -> bool:
    """Return whether a label is one of rules in the place of one of a tagger's own."""
    return label.startswith(RULE_MARK)
