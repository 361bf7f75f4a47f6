"""Numbers and codes that name a person, a stay, a professional, a contract or a device."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from locales import check_digits
from record.document import Document
from record.label import Label
from record.span import Span
from rules.identifiers import (
    checksummed,
    labelled,
    site_patterns,
)
from rules.identifiers.rooms import find_rooms
from rules.identifiers.site_patterns import SITE, SiteNumbers
from rules.identifiers.spoken_runs import find_spoken_numbers
from rules.identifiers.stamped_numbers import find_stamped_numbers
from rules.matching.normalized_document import cased_once, fold_once
from rules.matching.scanner import Pattern, Patterns

_DETECTOR = "rules.identifiers"

# Alone, only the French plate with its hyphens is sure to be none of the codes of medicine.
_PLATE = Pattern(
    r"(?<![A-Z0-9\-])[A-HJ-NP-TV-Z]{2}-[0-9]{3}-[A-HJ-NP-TV-Z]{2}(?![A-Z0-9\-])", cased=True
)

# After a word for a vehicle or a plate.
_PLATES = (
    r"[a-z]{2}[ \-]?[0-9]{3}[ \-]?[a-z]{2}",  # France since 2009, Italy
    r"[0-9]{1,4} ?[a-z]{2,3} ?(?:[0-9]{2}|2[ab])",  # France before 2009
    r"[a-z]{2}[0-9]{2} ?[a-z]{3}",  # United Kingdom
    r"[0-9][a-z]{3}[0-9]{3}|[a-z]{3}[ \-]?[0-9]{3,4}",  # United States
    r"[0-9]{4}[ \-]?[b-df-hj-np-tv-z]{3}",  # Spain since 2000
    r"[a-z]{1,2}[ \-][0-9]{4}[ \-][a-z]{1,2}",  # Spain before 2000
    r"[a-z]{1,3}[ \-][a-z]{1,2} ?[0-9]{1,4}[eh]?",  # Germany
    r"[0-9]{1,2}-[a-z]{2,3}-[0-9]{1,3}|[0-9]{2}-[0-9]{2}-[a-z]{2}",  # Netherlands, Belgium
    r"[a-z]{1,2}-[0-9]{2,3}-[a-z]{1,2}|[0-9]{2}-[a-z]{2}-[a-z]{2}",  # the same, and Portugal
    r"[a-z]{2}-[a-z]{2}-[0-9]{2}",  # the same
)
_CALLED = Pattern(
    r"\b(?:plaque(?: mineralogique)?|immatricul(?:ation(?: du vehicule)?|ee?)"
    r"|voiture|vehicule|vehicle(?: registration)?|car(?: registration)?|coche|matricula"
    r"|vehiculo|kennzeichen|kenteken(?:nummer)?|plate|pkw)"
    r"(?: (?:number|no))?[ .:#(]{1,4}"
    rf"({'|'.join(_PLATES)})(?!-?[0-9a-z])"
)
_VIN = Pattern(r"\b(?<!-)[A-HJ-NPR-Z0-9]{17}\b(?!-)", cased=True)
_VIN_CALLED = Pattern(
    r"\b(?:vin|chassis|bastidor|fahrgestell)(?: ?num[bm]er)?(?: n[°o])?[ .:#]{1,4}"
    r"([0-9a-hj-npr-z]{17})(?![0-9a-z])"
)
_DIGIT = re.compile(r"[0-9]")


def find_vehicles(folded: str, cased: str) -> Iterator[Span]:
    """Yield plates and vehicle numbers of a text, folded and with its case, as VEHICLE_ID."""
    for match in _PLATE.finditer(cased):
        yield Span(match.start(), match.end(), Label.VEHICLE_ID, _DETECTOR)
    for match in _CALLED.finditer(folded):
        if cased[match.start(1) : match.end(1)].isupper():
            yield Span(match.start(1), match.end(1), Label.VEHICLE_ID, _DETECTOR)
    for match in _VIN_CALLED.finditer(folded):
        if _DIGIT.search(match[1]):
            yield Span(match.start(1), match.end(1), Label.VEHICLE_ID, _DETECTOR)
    for match in _VIN.finditer(cased):
        if not match[0].isdigit() and check_digits.vin(match[0]):
            yield Span(match.start(), match.end(), Label.VEHICLE_ID, _DETECTOR)


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


def find_user_accounts(folded: str) -> Iterator[Span]:
    """Yield the names of accounts in folded text as USERNAME."""
    for pattern in (_USER, _TYPIST):
        for match in pattern.finditer(folded):
            if match[1] in _NOBODY:
                continue
            yield Span(match.start(1), match.end(1), Label.USERNAME, _DETECTOR)


# The end of a line within letters and digits, with what indents or quotes the next line.
_END = re.compile(r"(?<=[0-9a-z.])-{0,2} {0,2}\r?\n[ >|]{0,16}(?=[.\-/]?[0-9a-z])")
# Near it, on one side, stand three digits, wherever it parts a number.
_THREE_DIGITS = re.compile(r"[0-9][ ./\-a-z]{0,6}[0-9][ ./\-a-z]{0,6}[0-9]")
_NEAR = 18
# What a code may consist of on one line: words with digits, and short ones.
_PIECE = r"(?:[a-z]{0,10}[0-9][0-9a-z./\-]*|[a-z]{1,6}(?![a-z]))"
_WORD = re.compile(_PIECE)
_TAIL = re.compile(rf"[.\-/]?(?:{_PIECE}(?: (?={_PIECE}))?){{1,8}}")
_REACH = 48
# No number with check digits has fewer digits, nor fewer letters and digits.
_FEWEST_DIGITS, _FEWEST_SIGNS = 6, 9


class Wrapped(NamedTuple):
    """A stretch around the end of a line, written in one line: folded, and with its case.

    `at` is where the second line begins in it, `start` the offset in the text, and `skipped` how
    much of the text is left out.
    """

    folded: str
    cased: str
    start: int
    at: int
    skipped: int
    hyphen: bool

    def place(self, start: int, end: int) -> tuple[int, int] | None:
        """Return the stretch of the text for one that goes over the end of the line."""
        if not start < self.at < end:
            return None
        return self.start + start, self.start + end + self.skipped


def find_wrapped(folded: str, cased: str) -> Iterator[Wrapped]:
    """Yield the stretches in which a number may go over the end of a line.

    Each is written without the break, with a blank in its place, and with its hyphen.
    """
    for first, last in _find_ends(folded, cased):
        if cased[first - 1].islower() or cased[last].islower():
            continue
        start = _head_start(folded, first)
        tail = _TAIL.match(folded, last, last + _REACH)
        if tail and _may_be_number(folded[start:first], tail[0]):
            yield from _write_in_one_line(folded, cased, (start, first, last, tail.end()))


def _write_in_one_line(
    folded: str, cased: str, places: tuple[int, int, int, int]
) -> Iterator[Wrapped]:
    start, first, last, stop = places
    end = folded[first:last]
    hyphen = end[0] == "-"
    for between in ("", " ", "-") if hyphen else ("", " "):
        one, other = (text[start:first] + between + text[last:stop] for text in (folded, cased))
        at = first - start + len(between)
        yield Wrapped(one, other, start, at, len(end) - len(between), hyphen)


def _find_ends(folded: str, cased: str) -> Iterator[tuple[int, int]]:
    at = folded.find("\n")
    while at >= 0:
        # Small letters are those of words.
        if not (cased[at - 1].islower() or cased[at + 1 : at + 2].islower()):
            near = _THREE_DIGITS.search(folded, at + 1, at + 2 * _NEAR)
            if near or _THREE_DIGITS.search(folded, max(0, at - _NEAR), at):
                end = _END.search(folded, max(0, at - 5), at + _NEAR)
                if end:
                    yield end.span()
        at = folded.find("\n", at + 1)


def _head_start(folded: str, end: int) -> int:
    """Return where the words begin that may be the first part of a number."""
    start = end
    for word in reversed(folded[max(0, end - _REACH) : end].split(" ")):
        if not _WORD.fullmatch(word):
            break
        start -= len(word) + (start < end)
    return start


# What ends or begins a line as a whole: a date, and a word before something else.
_DAY_BEFORE = re.compile(r"[0-9]{1,2}([/.\-])[0-9]{1,2}\1[0-9]{4}\Z")
_DAY_AFTER = re.compile(r"[0-9]{1,2}/[0-9]{1,2}(?![^/])")
_WORD_AFTER = re.compile(r"[a-z]{2,6}(?![^ ])")
_BANK_BEFORE = re.compile(r"(?<![0-9a-z])[a-z]{2}[0-9]{2}(?![0-9/])")


def _may_be_number(head: str, tail: str) -> bool:
    digits = sum(map(str.isdigit, head)) + sum(map(str.isdigit, tail))
    signs = sum(map(str.isalnum, head)) + sum(map(str.isalnum, tail))
    if digits < _FEWEST_DIGITS or signs < _FEWEST_SIGNS:
        return False
    if _DAY_BEFORE.search(head) or _DAY_AFTER.match(tail):
        return False
    return not _WORD_AFTER.match(tail) or _BANK_BEFORE.search(head) is not None


@dataclass(frozen=True, slots=True)
class NationalNumber:
    """One kind of number: its shape over folded text, and what makes it sure.

    `valid` is given the number as it is written. `after` are the words that have to stand before
    the number, where its shape and its check digits do not prove enough; empty where they do.
    `valid_over_lines` is asked where the end of a line parts the number, if that needs more.
    A `cased` shape is written in capitals and sought in text whose case is kept. A shape that
    refers to a group of its own counts from 2.
    """

    name: str
    label: Label
    shape: str
    valid: Callable[[str], bool]
    after: str = ""
    cased: bool = False
    valid_over_lines: Callable[[str], bool] | None = None

    @property
    def expression(self) -> str:
        """The expression whose first group is the number."""
        number = rf"({self.shape})\b(?![.,\-/][0-9])"
        if self.after:
            return rf"\b(?:{self.after}){_LINK}{number}"
        return rf"\b(?<![0-9][.,\-/+])(?<![,+]){number}"

    def pattern(self) -> Pattern:
        """Compile the expression for the automaton."""
        return Pattern(self.expression, cased=self.cased and not self.after)


# A word for a number, then signs and blanks.
_LINK = r"(?:[ .\-]?(?:num[bm]er|n[ro°]))?[ .:#=|(\n\-]{1,6}"


def written_right(_: str) -> bool:
    """Accept a number whose shape and whose word before it are proof enough."""
    return True


# The letters of the word `clé` as well.
_OUTSIDE_A_NIR = re.compile(r"[^0-9ab]+")


def _nir(written: str) -> bool:
    """Return whether a number is built and parted like a NIR; its key may be left out or wrong."""
    number = _OUTSIDE_A_NIR.sub("", written)
    if len(number) not in (13, 15) or not check_digits.nir_shape(number):
        return False
    valid = check_digits.nir_valid(number)
    if not valid and check_digits.payment_card(number):
        return False
    if len(number) == 13 and number[0] not in "12":
        return False
    parts = written.split()
    return len(parts) == 1 or valid or _parted_like_a_nir([len(part) for part in parts])


def _nir_with_key(written: str) -> bool:
    return check_digits.nir_valid(_OUTSIDE_A_NIR.sub("", written))


def _parted_like_a_nir(sizes: list[int]) -> bool:
    usual = sizes[:5] == [1, 2, 2, 2, 3] or sizes[:3] == [3, 2, 2]
    return usual or sizes[0] in (13, 15) or max(sizes[:-1]) <= 1


# Prefixes that no National Insurance number has.
_NOT_ISSUED = frozenset({"BG", "GB", "KN", "NK", "NT", "TN", "ZZ"})


def _nino(written: str) -> bool:
    return written[:2] not in _NOT_ISSUED


def _taxpayer(written: str) -> bool:
    return check_digits.itin(written.replace(" ", "-"))


def _rut(written: str) -> bool:
    digits, sign = written.replace(".", "").split("-")
    return check_digits.rut_digit(digits).lower() == sign


_NINO = r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]"
_S = "[ .\\-]?"

NATIONAL_NUMBERS: tuple[NationalNumber, ...] = (
    NationalNumber(
        "NIR, France: sex, year, month, department, commune, order, key",
        Label.SSN,
        rf"[123478](?:{_S}[0-9]){{5}}{_S}[0-9ab](?:{_S}[0-9]){{6}}"
        r"(?: {0,2}(?:[\-/|.]|cle ?:?|\(cle ?:?)? {0,2}[0-9] ?[0-9](?![0-9]))?",
        _nir,
        valid_over_lines=_nir_with_key,
    ),
    NationalNumber(
        "SSN, United States", Label.SSN, r"[0-8][0-9]{2}-[0-9]{2}-[0-9]{4}", check_digits.us_ssn
    ),
    NationalNumber(
        "SSN, United States, masked but for its end",
        Label.SSN,
        r"[x*]{3}-?[x*]{2}-?[0-9]{4}",
        written_right,
        after=r"ssn|social security",
    ),
    NationalNumber(
        "SSN, United States, its last four digits",
        Label.SSN,
        r"[0-9]{4}",
        written_right,
        after=r"(?:ssn|social security)[ ,(:#]{0,3}(?:last (?:4|four)(?: digits)?|ending in)"
        r"|last (?:4|four)(?: digits)? of (?:[a-z]{3} )?(?:ssn|social security)",
    ),
    NationalNumber(
        "ITIN, United States", Label.SSN, r"9[0-9]{2}-[5-9][0-9]-[0-9]{4}", _taxpayer
    ),
    NationalNumber(
        "DNI, Spain",
        Label.SSN,
        r"[0-9]{1,2}\.?[0-9]{3}\.?[0-9]{3}[ \-]{0,2}[a-z]",
        check_digits.dni_or_nie,
    ),
    NationalNumber(
        "NIE, Spain",
        Label.SSN,
        r"[xyz][ \-]?[0-9]\.?[0-9]{3}\.?[0-9]{3}[ \-]?[a-z]",
        check_digits.dni_or_nie,
    ),
    NationalNumber(
        "NUSS, Spain: province, person, check digits",
        Label.INSURANCE_ID,
        r"[0-6][0-9]([ /\-])[0-9]{8}\2[0-9]{2}",
        check_digits.nuss,
    ),
    NationalNumber(
        "CIP, Spain: the card of a region or of the whole country",
        Label.INSURANCE_ID,
        r"[a-z]{3,4}(?: ?[0-9]){10,12}|[a-z]{8,10}[0-9]{6,8}",
        written_right,
        after=r"cip|cip sns|cip autonomico|tsi|tarjeta sanitaria",
    ),
    NationalNumber(
        "CURP, Mexico",
        Label.SSN,
        r"[a-z]{4}[0-9]{6}[hm][a-z]{5}[0-9a-z][0-9]",
        written_right,
    ),
    NationalNumber(
        "RUT, Chile",
        Label.SSN,
        r"[0-9]{1,2}\.[0-9]{3}\.[0-9]{3}-[0-9k]",
        written_right,
        valid_over_lines=_rut,
    ),
    NationalNumber(
        "RVNR, Germany: area, birth, initial, serial number",
        Label.SSN,
        r"[0-9]{2} ?[0-3][0-9][01][0-9]{3} ?[a-z] ?[0-9]{3}",
        check_digits.rvnr,
    ),
    NationalNumber(
        "KVNR, Germany", Label.INSURANCE_ID, r"[A-Z][0-9]{9}", check_digits.kvnr, cased=True
    ),
    NationalNumber(
        "AHV, Switzerland",
        Label.SSN,
        r"756\.[0-9]{4}\.[0-9]{4}\.[0-9]{2}|756[0-9]{10}",
        check_digits.ahv,
    ),
    NationalNumber(
        "Rijksregisternummer, Belgium",
        Label.SSN,
        r"[0-9]{2}\.[0-9]{2}\.[0-9]{2}-[0-9]{3}\.[0-9]{2}",
        check_digits.rijksregister,
    ),
    NationalNumber(
        "Codice fiscale, Italy",
        Label.SSN,
        r"[a-z]{3} ?[a-z]{3} ?[0-9]{2}[a-ehlmprst][0-9]{2} ?[a-z][0-9]{3} ?[a-z]",
        check_digits.codice_fiscale,
    ),
    NationalNumber(
        "CHI number, Scotland: day of birth, serial number",
        Label.PATIENT_ID,
        r"[0-3][0-9][01][0-9]{3} ?[0-9]{4}",
        written_right,
        after="chi",
    ),
    NationalNumber(
        "NINO, United Kingdom",
        Label.SSN,
        rf"{_NINO} ?[0-9]{{2}} ?[0-9]{{2}} ?[0-9]{{2}} ?[A-D]",
        _nino,
        cased=True,
    ),
    NationalNumber(
        "NINO, United Kingdom, of an example",
        Label.SSN,
        r"[a-z]{2} ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[a-d]",
        written_right,
        after=r"ni|national insurance|n\.i\.",
    ),
    NationalNumber(
        "SIN, Canada",
        Label.SSN,
        r"[0-9]{3}([ \-]?)[0-9]{3}\2[0-9]{3}",
        lambda written: check_digits.is_luhn("".join(filter(str.isdigit, written))),
        after=r"sin|social insurance",
    ),
    NationalNumber(
        "Assurance-maladie number of a French professional",
        Label.PROVIDER_ID,
        r"[0-9]{2} ?[0-9] ?[0-9]{5} ?[0-9]",
        written_right,
        after="am",
    ),
)  # fmt: skip


class NationalNumbers:
    """A set of kinds of numbers, compiled: those of folded text apart from those with case."""

    __slots__ = ("_read", "_sought")

    def __init__(self, kinds: Iterable[NationalNumber]) -> None:
        both = tuple(kinds)
        self._read: list[tuple[NationalNumber, re.Pattern[str]]] = []
        alike = [[kind for kind in both if kind.cased is cased] for cased in (False, True)]
        self._sought = [(Patterns(kind.pattern() for kind in one), one) for one in alike if one]

    def patterns(self) -> tuple[Pattern, ...]:
        """Return the expressions of all kinds."""
        return tuple(one for patterns, _ in self._sought for one in patterns)

    def find(self, folded: str, cased: str) -> Iterator[Span]:
        """Yield the numbers that are of one of the kinds in a text, folded and with its case."""
        for patterns, kinds in self._sought:
            for index, match in patterns.finditer(cased if kinds[0].cased else folded):
                if kinds[index].valid(match[1]) and not _is_in_boxes(folded, match):
                    yield Span(match.start(1), match.end(1), kinds[index].label, _DETECTOR)

    def find_over_line(self, line: Wrapped) -> Iterator[Span]:
        """Yield the numbers that are of one of the kinds and go over the end of a line."""
        if not self._read:
            kinds = (kind for _, alike in self._sought for kind in alike if not kind.after)
            self._read = [(kind, re.compile(kind.expression)) for kind in kinds]
        for kind, expression in self._read:
            for match in expression.finditer(line.cased if kind.cased else line.folded):
                valid = kind.valid_over_lines or kind.valid
                place = line.place(*match.span(1))
                if place and valid(match[1]):
                    yield Span(*place, kind.label, _DETECTOR)


_FOLLOWED = re.compile(r" {1,2}[0-9](?![0-9])")
_PRECEDED = re.compile(r"[0-9] \Z")


def _is_in_boxes(folded: str, match: re.Match[str]) -> bool:
    """Return whether single digits go on before or after: boxes of a form are read as a whole."""
    if match[1].count(" ") <= 8:
        return False
    start, end = match.span(1)
    after = _FOLLOWED.match(folded, end)
    return bool(after or _PRECEDED.search(folded, max(0, start - 2), start))


NUMBERS = NationalNumbers(NATIONAL_NUMBERS)
_PATTERNS = NUMBERS.patterns()


def detect(document: Document, *, site: SiteNumbers = SITE) -> list[Span]:
    """Find SSN, PATIENT_ID, VISIT_ID, PROVIDER_ID, INSURANCE_ID, ACCOUNT, DEVICE_ID, VEHICLE_ID.

    Also USERNAME, and ID for other documents of identity and for long numbers of unknown kind.
    A span holds the number with its inner separators and its check digits, never the word before
    it. Spans are sorted; none lies within another, but two may overlap.
    """
    folded, cased = fold_once(document.text), cased_once(document.text)
    found = [_with_next_line(folded, span) for span in _find_proven(folded, cased, site)]
    found.extend(checksummed.long_runs(folded, found))
    ranked = sorted(enumerate(found), key=lambda one: (one[1].start, -one[1].end, one[0]))
    kept: list[Span] = []
    for _, span in ranked:
        if not kept or span.end > kept[-1].end:
            kept.append(span)
    return kept


def _find_proven(folded: str, cased: str, site: SiteNumbers) -> Iterator[Span]:
    """Yield spans so that of two with the same extent the surer label comes first."""
    named = [*site_patterns.find_named(folded, site), *labelled.find(folded)]
    yield from (one.span for one in named if one.sure)
    site_shapes = list(site_patterns.find(folded, site))
    yield from (span for span in site_shapes if span.label is Label.VISIT_ID)
    yield from NUMBERS.find(folded, cased)
    yield from (one.span for one in named if not one.sure)
    yield from site_shapes
    yield from _find_over_lines(folded, cased)
    yield from checksummed.find(folded)
    yield from find_vehicles(folded, cased)
    yield from find_user_accounts(folded)
    yield from find_rooms(folded, cased)
    yield from find_stamped_numbers(folded)
    yield from find_spoken_numbers(folded)


def _find_over_lines(folded: str, cased: str) -> Iterator[Span]:
    """Yield the numbers that the end of a line parts, where check digits or a hyphen prove them."""
    for line in find_wrapped(folded, cased):
        yield from NUMBERS.find_over_line(line)
        for start, end in checksummed.accounts_in_line(line.folded, hyphen=line.hyphen):
            place = line.place(start, end)
            if place:
                yield Span(*place, Label.ACCOUNT, _DETECTOR)


# A hyphen at the end of a line goes on with the digits of the next.
_GOES_ON = re.compile(r"(?<=[0-9])- {0,2}\r?\n[ >|]{0,16}[0-9]{1,12}(?![0-9a-z])(?![/.:,][0-9])")


def _with_next_line(folded: str, span: Span) -> Span:
    more = _GOES_ON.match(folded, span.end)
    return replace(span, end=more.end()) if more else span
