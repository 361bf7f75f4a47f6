"""What the names of detectors in reports mean."""

_FIELDS = {
    "family_names": "family name",
    "birth_names": "name at birth",
    "given_names": "given name",
    "birth_date": "date of birth",
    "addresses": "address",
    "phones": "telephone",
    "emails": "e-mail address",
    "identifiers": "identifiers",
    "relatives": "names of relatives",
    "clinicians": "names of the note's authors",
}
_DETECTORS = {
    "model": "the tagger, which has learned from annotated notes",
    "rules.ages": "rules: ages",
    "rules.contacts": "rules: telephone numbers, e-mail, web and network addresses",
    "rules.dates": "rules: dates and times, in digits or words",
    "rules.identifiers": "rules: numbers with check digits, labels or formats of the site",
    "rules.names": "rules: names beside titles, roles and labels, or in lists of names",
    "rules.places": "rules: streets, towns, hospitals and other places",
}

TAGGER = "model"
"""The name of the tagger among detectors; the others are rules and known values of patients."""


def describe_detector(name: str) -> str:
    """Return what a detector looks for; empty for a name that is none of this version's."""
    room, _, part = name.partition(".")
    if room == "known":
        return f"known of the patient: {_FIELDS.get(part, part.replace('_', ' ') or 'any value')}"
    return _DETECTORS.get(name, "")


def is_tagger(name: str) -> bool:
    """Return whether a detector is the tagger."""
    return name.partition(".")[0] == TAGGER
