"""What a data protection officer checks, each with its source and how sure that source was read."""

from dataclasses import dataclass
from typing import Literal

Certainty = Literal["text", "account", "general"]
"""Read in the legal text itself, in an account of it, or general knowledge: quote the last two only
after a look at the text."""


@dataclass(frozen=True)
class Requirement:
    """One requirement; `owner` is `tool` where a program can show it, `site` where people must."""

    number: str
    text: str
    source: str
    certainty: Certainty
    owner: Literal["tool", "both", "site"] = "tool"


_HIPAA, _EDPB = "45 CFR 164.514", "EDPB Guidelines 01/2025"
_CNIL = "CNIL, warehouse reference, délibération 2021-118"
_OHDSI = "OHDSI CommonDataModel, privacy vignette"

REQUIREMENTS = (
    Requirement(
        "R1", "The 18 classes of identifiers are covered: names, places below a state, parts of "
        "dates but the year, ages over 89, telephone, fax, e-mail, social security, record and "
        "plan numbers, accounts, licences, vehicles, devices, URLs, IP addresses, biometrics, "
        "photographs, any other unique code.", f"{_HIPAA}(b)(2)(i)(A)-(R)", "text",
    ),
    Requirement(
        "R2", "Identifiers of relatives, employers and household members are covered, too.",
        f"{_HIPAA}(b)(2)(i)", "text",
    ),
    Requirement(
        "R3", "There is no actual knowledge that what is left identifies: residual leaks are "
        "looked for and reported.", f"{_HIPAA}(b)(2)(ii)", "text",
    ),
    Requirement(
        "R4", "The risk is very small; methods and results are documented, with versions, "
        "measures and sample sizes.", f"{_HIPAA}(b)(1)", "text", "both",
    ),
    Requirement(
        "R5", "Codes are not derived from information on the person, and how they are made is not "
        "disclosed: a keyed pseudonym, never a plain hash.", f"{_HIPAA}(c)", "general",
    ),
    Requirement(
        "R6", "Shifted days are not Safe Harbor as such: the year alone can be given instead.",
        f"{_HIPAA}(b)(2)(i)(C) and (e)", "text", "both",
    ),
    Requirement(
        "R7", "Pseudonymized data stay personal data; the secret is kept apart, under technical "
        "and organizational measures.", "GDPR art. 4(5), recital 26", "general", "both",
    ),
    Requirement(
        "R8", "The pseudonymization domain is defined; attribution inside it is prevented.",
        _EDPB, "account", "both",
    ),
    Requirement(
        "R9", "Pseudonyms come from a one-way function with a secret, or encryption, with enough "
        "entropy; tables of them are kept apart.", _EDPB, "account",
    ),
    Requirement(
        "R10", "Direct and indirect identifiers are deleted, generalized or randomized.",
        _EDPB, "account", "both",
    ),
    Requirement(
        "R11", "Where no linkage is needed, recipients and purposes have different pseudonyms.",
        _EDPB, "account",
    ),
    Requirement(
        "R12", "Unauthorized reversal is a breach: every use of a key and every re-identification "
        "is logged.", f"{_EDPB}; GDPR art. 33", "account",
    ),
    Requirement(
        "R13", "Singling out, linkability and inference are tested.",
        "Article 29 Working Party, opinion 05/2014 (WP216)", "general",
    ),
    Requirement(
        "R14", "Whether the recipient can identify persons is judged for that recipient.",
        "CJEU C-413/23 P (EDPS v SRB)", "account", "site",
    ),
    Requirement(
        "R15", "A keyed function is preferred to a plain hash; the policy is chosen and stated: "
        "deterministic, randomized by document, or fully randomized.",
        "ENISA, November 2019 and January 2021", "general",
    ),
    Requirement(
        "R16", "Protection by design, records of processing, impact assessment; erasure and "
        "objection reach derived text.", "GDPR art. 17, 21, 25, 30, 35, 89", "general", "both",
    ),
    Requirement(
        "R17", "The warehouse is isolated, several keys are used, every action is logged, "
        "extraction is controlled.", f"{_CNIL}, ch. 10", "account", "both",
    ),
    Requirement(
        "R18", "Directly identifying data only where the purpose needs it; governance, information "
        "of patients, opt-out.", _CNIL, "account", "site",
    ),
    Requirement(
        "R19", "Where data is matched with the SNDS, its security reference applies.",
        "arrêté of 22 March 2017 (existence read)", "text", "site",
    ),
    Requirement(
        "R20", "Anonymized data if enough, else pseudonymized with a justification; users never "
        "hold the key; opt-out.", "Regulation (EU) 2025/327 (EHDS) art. 66, 71, 73", "account",
        "both",
    ),
    Requirement(
        "R21", "OMOP: person_id is never the record number; source values, birth times, providers "
        "and locations are reviewed.", _OHDSI, "text",
    ),
    Requirement(
        "R22", "OMOP: one offset of dates for each person, in all domains; users are told.",
        _OHDSI, "text",
    ),
    Requirement(
        "R23", "OMOP: records that match identifiers are quarantined.", _OHDSI, "text",
    ),
    Requirement(
        "R24", "New ids and dates at a refresh, and destruction of the map, are a choice against "
        "stable keys.", "OHDSI forum, topic 553 (CHCO protocol)", "account",
    ),
    Requirement(
        "R25", "The ends of the window are cut off, so that its edge does not tell the shift.",
        "Hripcsak 2016, JAMIA, ocw001", "account",
    ),
    Requirement(
        "R26", "A shift of dates can be found out from weekdays and seasons: told, with whole "
        "weeks as a choice.", "doi 10.1055/a-2130-2197", "account",
    ),
    Requirement(
        "R27", "Where each output comes from is stored: versions, key id, policy, run.",
        "NIST SP 800-188, NISTIR 8053, ISO 25237", "general",
    ),
    Requirement(
        "R28", "The operations have the shape of a standard for exchange.",
        "HL7 FHIR DARTS (ballot)", "account",
    ),
)  # fmt: skip
"""All of them, in order."""
