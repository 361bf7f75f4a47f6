"""Names of accounts: who logged in, typed, entered or printed."""

from collections.abc import Iterator

from record.label import Label
from record.span import Span
from rules.matching.scanner import Pattern

_DETECTOR = "rules.identifiers"

_USER = Pattern(
    r"\b(?:login|user ?name|user id|nom d'utilisateur|identifiant de connexion"
    r"|usuario|benutzer(?:name|kennung)?|gebruiker(?:snaam)?)"
    r" ?[:=] ?([a-z][\w.\-@]{2,40}(?<![.\-]))"
)
_NOBODY = frozenset({"none", "unknown", "null"})
# Who typed or entered a note, by the letters and digits of an account.
_TYPIST = Pattern(
    r"\b(?:(?:trans\w{3,12}|re-?type|typed|tape|saisi|dactylographie|frappe|enregistre|valide"
    r"|modifie|cree|entered|keyed|logged|created|edited|printed|dictated"
    r"|mecanografi\w{2,4}|teclead|registrad|modificad|grabad|firmad|impres|imprime|validad|cread"
    r"|signe)[a-z]{0,2}[ \n](?:by|par|por)"
    r"|(?:erfasst|geschrieben|freigegeben|vidiert|diktiert) von"
    r"|(?:ingevoerd|getypt|gewijzigd|geaccordeerd) door"
    r"|frappe|login|utilisateur|user|session|logged in as|usuario|transcriptionist)"
    r"(?: ?[:=] {0,2}|[ \n]{1,2})"
    r"((?:(?:[a-z]{1,16}[.\-_]){1,2}[a-z]{1,20}|[a-z]{3,20})[0-9]{1,5})(?![.\-]?[\w@])"
)


def find(folded: str) -> Iterator[Span]:
    """Yield the names of accounts in folded text as USERNAME."""
    for pattern in (_USER, _TYPIST):
        for match in pattern.finditer(folded):
            if match[1] in _NOBODY:
                continue
            yield Span(match.start(1), match.end(1), Label.USERNAME, _DETECTOR)
