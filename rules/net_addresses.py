"""E-mail addresses, web addresses and IP addresses."""

import ipaddress
import re
from collections.abc import Iterator

from record.label import Label
from record.span import Span
from rules.scan import Pattern

_DETECTOR = "rules.contacts"

_AT = Pattern(r"@|[(\[{] ?(?:at|arobase|arroba) ?[)\]}]| arobase ")
_LOCAL = re.compile(r"(?:\w[\w.%+'\-]{0,63}|\w)((?: \. \w{1,30}){0,3})( {0,2})\Z")
_SPACED_LOCAL = re.compile(r"\w{1,30}(?: \. \w{1,30}){1,3} {0,2}\Z")
_TOP = (
    "(?:com|org|net|edu|gouv|gov|info|fr|es|eu|uk|us|be|ch|de|it|pt|ca|mx|ar|co|cl|re|lu|nl|io|cat|gal"
    "|bzh|paris|sante|health|med|me)"
)

_DOMAIN = re.compile(
    rf" {{0,2}}(?:\[[0-9a-f.:]{{3,45}}\]|\w[\w\-]{{0,62}}(?:\.\w[\w\-]{{0,62}}){{0,6}}"
    rf"(?: ?\. ?{_TOP}(?![\w\-])){{0,3}})"
)
_SPACED_DOMAIN = re.compile(r" {0,2}\w[\w\-]{0,62}(?: \. \w[\w\-]{0,62}){1,4}")
_NO_DOT = re.compile(rf"{_TOP}\Z|\[|[a-z][\w\-]{{3,}}")
_WORD_FIRST = re.compile(r"(?:e-?mail|mail|courriel|correo)[.\-_:]")
_LAST = re.compile(rf"\.{_TOP}")

_WEB = Pattern(r"(?:https?|ftps?) ?: ?/{1,2}[^\s<>\"«»]{2,}|\bwww ?\. ?[^\s<>\"«»]{3,}")
_BARE = Pattern(
    r"\.(?:com|org|net|fr|edu|gov|eu|info|io|gouv\.fr|asso\.fr|co\.uk|nhs\.uk|org\.uk|es|cat"
    r"|gob\.es)"
    r"(?![\w@\-])(?!\.\w)(/[^\s<>\"«»]*)?"
)
_BARE_HOST = re.compile(
    r"(?<![\w@.\-])(?:(?:[a-z0-9][a-z0-9\-]{0,62}\.){1,5}[a-z0-9]|[a-z0-9]{2})[a-z0-9\-]{0,61}\Z"
)
# Country codes that are words too need a path or a host of two parts.
_WORDLIKE = ("es", "cat", "info")
_CLOSING = ".,;:!?)]}'\"»*_"

_IPV4 = Pattern(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?![0-9])(?!\.[0-9])")
_IPV6 = Pattern(r"[0-9a-f]{1,4}(?::[0-9a-f]{0,4}){2,7}(?![\w:])|::[0-9a-f]{1,4}(?![\w:])")
_IP_WORD = re.compile(
    r"\b(?:ip|ipv4|ipv6|host|serveur|server|adresse|address)[a-z ]{0,12}[ :=]{0,3}\Z"
)
_VERSION_WORD = re.compile(
    r"\b(?:v|ver|vers|version|release|firmware|logiciel|software|section|chapitre|chapter|article"
    r"|annexe|item|seccion|capitulo)(?![a-z])[a-z ]{0,12}[ .:n°]{0,3}\Z"
)


def find(folded: str, text: str) -> Iterator[Span]:
    """Yield EMAIL, URL and IP_ADDRESS spans; `text` shows where a word was glued to an address."""
    mails = list(_mails(folded, text))
    yield from mails
    webs = list(_webs(folded))
    yield from webs
    yield from _bare_hosts(folded, [*mails, *webs])
    inside = _offsets([*mails, *webs])
    yield from (address for address in _addresses(folded) if address.start not in inside)


def _mails(folded: str, text: str) -> Iterator[Span]:
    for at in _AT.finditer(folded):
        local = _local(folded, at.start())
        if local is None:
            continue
        spaced = _SPACED_DOMAIN.match(folded, at.end())
        domain = spaced or _DOMAIN.match(folded, at.end())
        if domain is None:
            continue
        blank = folded[at.start() - 1] == " " or folded[at.end() : at.end() + 1] == " "
        if "." not in domain[0] and (blank or at[0] != "@" or not _NO_DOT.match(domain[0])):
            continue
        end = _unglue(folded, text, domain.start(), domain.end())
        yield Span(local, end, Label.EMAIL, _DETECTOR)


def _local(folded: str, at: int) -> int | None:
    window = max(0, at - 100)
    match = _SPACED_LOCAL.search(folded, window, at) or _LOCAL.search(folded, window, at)
    if match is None:
        return None
    word = _WORD_FIRST.match(folded, match.start(), at)
    return word.end() if word and word.end() < at else match.start()


def _unglue(folded: str, text: str, start: int, end: int) -> int:
    """End an address before a capitalised word that was written without a blank after it."""
    for match in _LAST.finditer(folded, start, end):
        after = text[match.end() : match.end() + 1]
        if after.isupper() and match.end() < end:
            lower = text[match.end() - 1].islower()
            if lower or text[match.end() : end].istitle():
                return match.end()
    while folded[end - 1] in "-_.":
        end -= 1
    return end


def _webs(folded: str) -> Iterator[Span]:
    for match in _WEB.finditer(folded):
        end = match.end()
        while folded[end - 1] in _CLOSING:
            end -= 1
        if end > match.start() + 4:
            yield Span(match.start(), end, Label.URL, _DETECTOR)


def _offsets(spans: list[Span]) -> set[int]:
    return {offset for span in spans for offset in range(span.start, span.end)}


def _bare_hosts(folded: str, others: list[Span]) -> Iterator[Span]:
    inside = _offsets(others)
    for match in _BARE.finditer(folded):
        if match.start() in inside:
            continue
        host = _BARE_HOST.search(folded, max(0, match.start() - 80), match.start())
        if host is None or host[0].isdigit():
            continue
        if not match[1] and match[0][1:] in _WORDLIKE and "." not in host[0]:
            continue
        end = match.end()
        while folded[end - 1] in _CLOSING:
            end -= 1
        yield Span(host.start(), end, Label.URL, _DETECTOR)


def _addresses(folded: str) -> Iterator[Span]:
    for match in _IPV4.finditer(folded):
        start, end = match.span()
        if start and (folded[start - 1].isalnum() or folded[start - 1] in ".,"):
            continue
        known = _IP_WORD.search(folded, max(0, start - 24), start)
        if not known and not _unlike_a_section(folded, start, end):
            continue
        if _is_ip(match[0]):
            yield Span(start, end, Label.IP_ADDRESS, _DETECTOR)
    for match in _IPV6.finditer(folded):
        start = match.start()
        if start and (folded[start - 1].isalnum() or folded[start - 1] == ":"):
            continue
        if ("::" in match[0] or match[0].count(":") == 7) and _is_ip(match[0]):
            yield Span(start, match.end(), Label.IP_ADDRESS, _DETECTOR)


def _unlike_a_section(folded: str, start: int, end: int) -> bool:
    """Tell whether four numbers with dots are not the number of a version or a section."""
    if _VERSION_WORD.search(folded, max(0, start - 24), start):
        return False
    return max(len(part) for part in folded[start:end].split(".")) > 1 and end - start > 8


def _is_ip(written: str) -> bool:
    try:
        ipaddress.ip_address(written)
    except ValueError:
        return False
    return True
