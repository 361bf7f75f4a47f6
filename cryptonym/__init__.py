"""Cryptonym as a library: detection and pseudonymization of single notes, with few names.

import cryptonym

detector = cryptonym.Detector(lang="fr")
spans = detector.detect(text, patient={"person_id": "7", "family_names": ["Martin"]})
note = cryptonym.Pseudonymizer("file:master.key", cohort="study").apply(text, spans, patient)
"""

from cryptonym.detector import Detector
from cryptonym.pseudonymizer import Pseudonymizer
from record.errors import ConfigError, CryptonymError, Refused, Unavailable
from record.patient import Address, Identifier, PatientRecord, PersonName
from record.release import Release
from record.span import Span

__all__ = [
    "Address",
    "ConfigError",
    "CryptonymError",
    "Detector",
    "Identifier",
    "PatientRecord",
    "PersonName",
    "Pseudonymizer",
    "Refused",
    "Release",
    "Span",
    "Unavailable",
]
