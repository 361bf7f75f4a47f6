"""Telephone and fax numbers, e-mail and network addresses."""

import ipaddress
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator

from record.document import Document
from record.label import Label
from record.span import Span
from rules.contacts import phone_context, phone_formats
from rules.matching.normalized_document import fold_once
from rules.matching.scanner import Pattern

_DETECTOR = "rules.contacts"

_AT = Pattern(r"@|[(\[{] ?(?:at|arobase|arroba) ?[)\]}]| arobase ")
# An address in words: `garnier at gmail point com`.
_DOT_WORD = r" (?:dot|point|punto|punkt|punt) "
_IN_WORDS = Pattern(
    rf"(?<![\w.@\-])[a-z0-9][\w.\-]{{1,40}}(?:{_DOT_WORD}[\w\-]{{1,30}}){{0,3}}"
    r" (?:at|arobase|arroba|klammeraffe|apenstaartje) [\w\-]{2,40}"
    rf"(?:{_DOT_WORD}[\w\-]{{2,20}}){{0,2}}{_DOT_WORD}([a-z]{{2,4}})(?![\w\-])"
)
_LOCAL_SIGNS = frozenset("._%+'-")
_SPACED_LOCAL = re.compile(r"\w{1,30}(?: \. \w{1,30}){1,3} {0,2}\Z")
# The beginning of a local part that a hyphen breaks over two lines.
_BROKEN_LOCAL = re.compile(r"(?<![\w.\-])[a-z][\w.]{1,30}[\-_]\n\Z")
# Ends of domains that are looked for where a blank, a line's end or a word runs into one.
_TOPS = frozenset(
    "com org net edu gouv gov info fr es eu uk us be ch de at it pt ca mx ar cl re lu nl ie io cat"
    " gal bzh paris health".split()
)
# Those of them that are no words: nothing else can begin a line with one.
_PLAIN_TOPS = frozenset(("com", "org", "net", "fr"))
_DOMAIN = re.compile(r" {0,2}\n?(?:\[[0-9a-f.:]{3,45}\]|\w[\w\-]{0,62}(?:\.\w[\w\-]{0,62}){0,6})")
_SPACED_TOP = re.compile(r" ?\. ?([a-z]{2,6})(?![\w\-])")
_DOT = r"(?: \. | ?[(\[{](?:dot|point|punto|punkt|punt)[)\]}] ?)"
_SPACED_DOMAIN = re.compile(rf" {{0,2}}\w[\w\-]{{0,62}}(?:{_DOT}\w[\w\-]{{0,62}}){{1,4}}")
# The rest of a domain on the next line.
_BROKEN_DOMAIN = re.compile(r"([.\-]?)\n(\.?[\w\-]{1,40}(?:\.[\w\-]{1,40}){0,4})(?![\w@\-])")
_LINE_ENDS = re.compile(r"\.?(?:\n|\Z)|[,;)>]")
_LETTERS_LAST = re.compile(r".*[.\])}] ?[^\W\d_]{2,}\Z|.*\]\Z", re.DOTALL)
_WORD_FIRST = re.compile(r"(?:e-?)?mail\.")
_GLUED = re.compile(r"\.(?:([a-z]{2,6})(?=[A-Z])|([A-Z]{2,6})(?=[A-Z][a-z]))")

_WEB = Pattern(r"(?:https?|ftps?) ?: ?/{1,2}[^\s<>\"«»]{2,}|\bwww ?\. ?[^\s<>\"«»]{3,}")
_BARE = Pattern(
    r"[a-z0-9]\.(?P<top>(?:com|gob|gov|org|edu)(?:\.(?:ar|co|mx))?"
    r"|net|eu|info|io|fr|es|cat|de|nl|be|ch|at|lu|uk|ca|cl)(?![\w@\-])(?!\.\w)"
    r"(?P<path>(?::[0-9]{2,5})?(?:/[^\s<>\"«»]*)?)"
)
_BARE_HOST = re.compile(
    r"(?<![\w@.\-])(?:[a-z0-9][a-z0-9\-]{0,62}\.){0,5}[a-z0-9][a-z0-9\-]{0,61}\Z"
)
# Country codes that are words of a language need more than a name before them there.
_WORDLIKE = {
    "es": ("fr", "en", "es", "de", "nl", ""),
    "de": ("fr", "es", "nl", ""),
    "be": ("en", ""),
    "at": ("en", ""),
    "ca": ("fr", ""),
    "cat": ("en", ""),
    "info": ("fr", "en", "es", "de", "nl", ""),
}
_WEB_WORD = re.compile(r"\b(?:web|website|site|internet|portal)[^\w\n]{1,4}\Z")
# A sentence goes on behind its words, an address may stand at the end of one.
_ALONE = re.compile(r"[)\]>;]|\.?(?:\n|\Z)")
_CLOSING = ".,;:!?)]}'\"»*_"

_PORT = r"(?::[0-9]{2,5}(?![0-9:])|/[0-9]{1,2}(?![0-9/]))?"
_IPV4 = Pattern(rf"(?<![\w.,])[0-9]{{1,3}}(?:\.[0-9]{{1,3}}){{3}}(?![0-9])(?!\.[0-9])(?:{_PORT})")
_SIXTEEN = "[0-9a-f]{1,4}"
_IPV6 = Pattern(
    rf"(?<![\w:])(?:::ffff:[0-9]{{1,3}}(?:\.[0-9]{{1,3}}){{3}}"
    rf"|{_SIXTEEN}(?::{_SIXTEEN}){{7}}"
    rf"|(?:{_SIXTEEN}(?::{_SIXTEEN}){{0,5}})?::{_SIXTEEN}(?::{_SIXTEEN}){{0,5}})"
    r"(?![\w:])(?!\.[0-9])(?:%[a-z0-9]{1,12})?"
)
_MAC = Pattern(
    r"(?<![\w:\-.])(?:[0-9a-f]{2}(?:(?::[0-9a-f]{2}){5}|(?:-[0-9a-f]{2}){5})"
    r"|[0-9a-f]{4}(?:\.[0-9a-f]{4}){2}|(?<=mac )[0-9a-f]{12})(?![\w:\-])(?!\.\w)"
)
_BRACKET_PORT = re.compile(r"\]:[0-9]{2,5}(?![0-9])")
_IP_WORD = re.compile(
    r"\b(?:ip|ipv4|ipv6|host|serveur|server|servidor|address|adresse|pacs)"
    r"[a-z \-]{0,12}[ :=]{0,3}\[?\Z"
)
_VERSION_WORD = re.compile(
    r"(?:\b(?:v|version|versie|release|firmware|software|section)|§)"
    r"(?![a-z])[a-z ]{0,12}[ .:n°]{0,3}\Z"
)
# Spain writes telephone numbers so.
_SPANISH_PHONE = re.compile(r"[6-9][0-9]\.[0-9]{3}\.[0-9]{2}\.[0-9]{2}")
_MAC_WORD = re.compile(r"\bmac\b[^0-9\n]{0,15}\Z")


def find_network_addresses(folded: str, text: str, lang: str) -> Iterator[Span]:
    """Yield EMAIL, URL, IP_ADDRESS and DEVICE_ID spans.

    `text` shows where a word follows an address without a blank, `lang` which ends of a host are
    words.
    """
    taken = [*_email_addresses(folded, text), *_web_addresses(folded)]
    taken += _outside_taken(_bare_hosts(folded, text, lang), taken)
    taken += _outside_taken(_ip_and_mac_addresses(folded), taken)
    yield from taken


def _outside_taken(spans: Iterator[Span], taken: list[Span]) -> list[Span]:
    return [
        span
        for span in spans
        if not any(span.start < other.end and other.start < span.end for other in taken)
    ]


def _email_addresses(folded: str, text: str) -> Iterator[Span]:
    for match in _IN_WORDS.finditer(folded):
        if match[1] in _TOPS or match[1] == "me":
            yield Span(match.start(), match.end(), Label.EMAIL, _DETECTOR)
    for at in _AT.finditer(folded):
        domain = _find_domain(folded, at.end())
        if domain is None:
            continue
        joined = _broken_domain_end(folded, *domain)
        if not joined and not _is_domain(folded, at, folded[slice(*domain)]):
            continue
        start = _local_part_start(folded, at.start())
        if start is not None:
            yield Span(start, joined or _without_joined_word(text, *domain), Label.EMAIL, _DETECTOR)


def _find_domain(folded: str, at: int) -> tuple[int, int] | None:
    spaced = _SPACED_DOMAIN.match(folded, at)
    if spaced:
        return spaced.span()
    domain = _DOMAIN.match(folded, at)
    if domain is None:
        return None
    top = _SPACED_TOP.match(folded, domain.end())
    if top and top[1] in _TOPS and not _has_top_level_domain(domain[0]):
        return at, top.end()
    return domain.span()


def _has_top_level_domain(domain: str) -> bool:
    return "." in domain and domain.rpartition(".")[2] in _TOPS


def _local_part_start(folded: str, at: int) -> int | None:
    """Return where the part before an at sign begins, with a part broken off on the line before."""
    end = at - 2 if folded[at - 2 : at] == "  " else at - 1 if folded[at - 1 : at] == " " else at
    start = end
    while start > max(0, end - 64) and (
        folded[start - 1].isalnum() or folded[start - 1] in _LOCAL_SIGNS
    ):
        start -= 1
    while start < end and not (folded[start].isalnum() or folded[start] == "_"):
        start += 1
    if start == end:
        return None
    if folded[start - 2 : start] == ". ":
        spaced = _SPACED_LOCAL.search(folded, max(0, at - 100), at)
        return spaced.start() if spaced else start
    word = _WORD_FIRST.match(folded, start, at)
    if word and word.end() < at:
        return word.end()
    if folded[start - 1 : start] == "\n":
        broken = _BROKEN_LOCAL.search(folded, max(0, start - 40), start)
        return broken.start() if broken else start
    return start


def _is_domain(folded: str, at: re.Match[str], domain: str) -> bool:
    """Return whether what follows an at sign can be a domain: beside blanks, only with a dot."""
    apart = folded[at.start() - 1] == " " or folded[at.end() : at.end() + 1] in (" ", "\n")
    if apart or at[0] != "@":
        return bool(_LETTERS_LAST.match(domain))
    if "." in domain:
        return bool(_LETTERS_LAST.match(domain)) or domain.count(".") == 3
    return domain in _TOPS or domain[0] == "[" or (len(domain) > 3 and domain[0].isalpha())


def _broken_domain_end(folded: str, start: int, end: int) -> int | None:
    """Return the end of a domain that a line's end breaks before its last part is whole."""
    rest = _BROKEN_DOMAIN.match(folded, end - (folded[end - 1] == "-"))
    if rest is None or (not rest[1] and _has_top_level_domain(folded[start:end])):
        return None
    if (
        "." not in rest[2]
        and rest[2] not in _PLAIN_TOPS
        and not _LINE_ENDS.match(folded, rest.end())
    ):
        return None
    joined = folded[start : rest.start()] + rest[1] + rest[2]
    return rest.end() if _has_top_level_domain(joined) else None


def _without_joined_word(text: str, start: int, end: int) -> int:
    """End an address before a capitalised word that was written without a blank after it."""
    for match in _GLUED.finditer(text, start, end):
        if (match[1] or match[2]).lower() in _TOPS:
            return match.end()
    while text[end - 1] in "-_.":
        end -= 1
    return end


def _web_addresses(folded: str) -> Iterator[Span]:
    for match in _WEB.finditer(folded):
        end = _without_final_punctuation(folded, match.end())
        if end > match.start() + 4:
            yield Span(match.start(), end, Label.URL, _DETECTOR)


def _without_final_punctuation(folded: str, end: int) -> int:
    """Leave out the marks of a sentence that stand behind an address."""
    while folded[end - 1] in _CLOSING:
        end -= 1
    return end


def _bare_hosts(folded: str, text: str, lang: str) -> Iterator[Span]:
    for match in _BARE.finditer(folded):
        dot = match.start() + 1
        host = _BARE_HOST.search(folded, max(0, dot - 80), dot)
        if host is None or host[0].isdigit() or len(host[0]) < 2 or host[0] == "etc":
            continue
        if not match["path"] and _is_sentence(text, host, match, lang):
            continue
        yield Span(
            host.start(), _without_final_punctuation(folded, match.end()), Label.URL, _DETECTOR
        )


def _is_sentence(text: str, host: re.Match[str], match: re.Match[str], lang: str) -> bool:
    """Return whether a name and what looks like its end are the words of two sentences."""
    start, dot = host.span()
    if text[start:dot].isupper() and not text[dot + 1 : match.end()].isupper():
        return True
    if lang not in _WORDLIKE.get(match["top"], ()) or any(sign in host[0] for sign in ".-"):
        return False
    if _ALONE.match(host.string, match.end()):
        return False
    return _WEB_WORD.search(host.string, max(0, start - 20), start) is None


def _ip_and_mac_addresses(folded: str) -> Iterator[Span]:
    for match in _IPV4.finditer(folded):
        start, end = match.span()
        bare = re.split("[:/]", match[0])[0]
        if not _is_ip(bare):
            continue
        if (
            _follows_ip_word(folded, start)
            or _may_be_ip_address(folded, start, bare)
            or ":" in match[0]
        ):
            yield Span(start, end, Label.IP_ADDRESS, _DETECTOR)
    for match in _IPV6.finditer(folded):
        start, end = match.span()
        if _is_ip(match[0]) and (_follows_ip_word(folded, start) or _has_long_group(match[0])):
            port = _BRACKET_PORT.match(folded, end) if folded[start - 1 : start] == "[" else None
            start, end = (start - 1, port.end()) if port else (start, end)
            yield Span(start, end, Label.IP_ADDRESS, _DETECTOR)
    for match in _MAC.finditer(folded):
        named = _MAC_WORD.search(folded, max(0, match.start() - 24), match.start())
        if named or (any("a" <= char <= "f" for char in match[0]) and not match[0].isalpha()):
            yield Span(match.start(), match.end(), Label.DEVICE_ID, _DETECTOR)


def _follows_ip_word(folded: str, start: int) -> bool:
    return bool(_IP_WORD.search(folded, max(0, start - 28), start))


def _may_be_ip_address(folded: str, start: int, bare: str) -> bool:
    """Return whether four numbers with dots are not a version, a section or a Spanish telephone."""
    if _VERSION_WORD.search(folded, max(0, start - 28), start) or _SPANISH_PHONE.fullmatch(bare):
        return False
    if bare.startswith("10."):
        return len(bare) > 8
    return max(len(part) for part in bare.split(".")) > 2


def _has_long_group(written: str) -> bool:
    return max(len(part) for part in written.split(":")) > 2


def _is_ip(written: str) -> bool:
    try:
        ipaddress.ip_address(written)
    except ValueError:
        return False
    return True


# A word behind a number that only it makes a telephone's.
_WORD_BEHIND = Pattern(
    r"[0-9] ?(?:[\-(/,] ?)?(?:fax|mobile|portable|movil|celular|gsm|cell|home|office|handy)\b"
)
_RUN_BEFORE = re.compile(r"(?<![0-9a-z.,/\-])\(?\+?[0-9](?:[ .\-/()]{0,3}[0-9]){6,13}\Z")
_NEXT = re.compile(r" ?(?:[/\-,;]|[a-z]{1,4}\b) ?(?=[0-9])")
_PIECE = re.compile(r"[0-9]{7,11}(?![0-9a-z])")


def find_phones(folded: str, lang: str) -> Iterator[Span]:
    """Yield PHONE and FAX spans of folded text, sorted and disjoint; `lang` may be empty."""
    found: list[tuple[int, int]] = []
    _add_disjoint(folded, found, phone_formats.find_formats(folded, lang))
    _add_disjoint(folded, found, phone_context.numbers_behind_phone_words(folded))
    _add_disjoint(folded, found, _numbers_before_phone_word(folded))
    _add_disjoint(
        folded, found, [more for _, end in found for more in _further_numbers(folded, end)]
    )
    for start, end in found:
        yield Span(start, end, phone_context.label(folded, start, end), _DETECTOR)


def _with_extension(folded: str, start: int, end: int) -> tuple[int, int]:
    """Take in an extension, leave out a parenthesis that opens before or closes after."""
    end = phone_context.extension(folded, end)
    written = folded[start:end]
    opened, closed = written.count("("), written.count(")")
    if written[0] == "(" and opened > closed:
        return start + 1, end
    if written[-1] == ")" and closed > opened:
        return start, end - 1
    if written[0] == "(" and written[-1] == ")" and opened == 1:
        return start + 1, end - 1
    return start, end


def _add_disjoint(
    folded: str, found: list[tuple[int, int]], more: Iterable[tuple[int, int]]
) -> None:
    """Insert stretches that touch none of those found before; `found` stays sorted."""
    for stretch in more:
        start, end = _with_extension(folded, *stretch)
        at = bisect_right(found, (start, end))
        if at and found[at - 1][1] > start:
            continue
        if at < len(found) and found[at][0] < end:
            continue
        found.insert(at, (start, end))


def _numbers_before_phone_word(folded: str) -> Iterator[tuple[int, int]]:
    for word in _WORD_BEHIND.finditer(folded):
        end = word.start() + 1
        run = _RUN_BEFORE.search(folded, max(0, end - 24), end)
        if run and not phone_context.is_date(folded, run.start()):
            yield run.span()


def _further_numbers(folded: str, end: int) -> Iterator[tuple[int, int]]:
    """Yield numbers in one piece that follow a telephone number: `911234567 / 611234569`."""
    while link := _NEXT.match(folded, end):
        piece = _PIECE.match(folded, link.end())
        if piece is None:
            return
        yield piece.span()
        end = piece.end()


def detect(document: Document) -> list[Span]:
    """Find PHONE, FAX, EMAIL, URL, IP_ADDRESS, and DEVICE_ID for hardware addresses.

    A telephone number's span holds its leading `+` or parenthesis and its extension, never the
    word before it; a network address holds its port. A MAC address names one piece of hardware
    for good, as a serial number does, and not a place in a network: it is a DEVICE_ID. Spans are
    sorted; a web address may overlap the e-mail address it holds.
    """
    folded = fold_once(document.text)
    spans = list(find_network_addresses(folded, document.text, document.lang))
    numbers = (
        number
        for number in find_phones(folded, document.lang)
        if not _is_row_of_table(document.text, number.start, number.end)
    )
    return sorted([*spans, *_outside_spans(numbers, spans)])


_COLUMN_AFTER = re.compile(r" {2,8}[0-9]{1,5}(?![0-9])")


def _is_row_of_table(text: str, start: int, end: int) -> bool:
    """Return whether a number is made of several columns, with a further one beside it.

    A tab is between columns always; a number that begins with 0 or `+` is none of a table.
    """
    written = text[start:end]
    if "\t" in written:
        return True
    in_columns = written[0] not in "0+(" and "  " in written
    return in_columns and _COLUMN_AFTER.match(text, end) is not None


def _outside_spans(numbers: Iterable[Span], spans: list[Span]) -> Iterator[Span]:
    for number in numbers:
        if all(number.end <= span.start or span.end <= number.start for span in spans):
            yield number
