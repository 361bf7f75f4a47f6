"""Telephone and fax numbers of France, Spain, the United States and abroad."""

import re
from bisect import bisect_right
from collections.abc import Iterator

from record.label import Label
from record.span import Span
from rules.scan import Pattern

_DETECTOR = "rules.contacts"

# One separator between groups of digits, with blanks around it or not.
_SEP = r" {0,2}[.\-/·_]? {0,2}"

# France: ten digits from 0, however they are grouped; an O may stand for a zero.
_FRENCH = Pattern(
    rf"[0o][1-9](?:{_SEP}[0-9o]{{2}}){{4}}"
    rf"|0{_SEP}[1-9][0-9]{{2}}{_SEP}[0-9]{{3}}{_SEP}[0-9]{{3}}"
    r"|0[1-9](?:[ .\-]{1,2}[0-9]{4}){2}|0[1-9][0-9](?:[ .\-][0-9]{3}){2}[ .\-][0-9]"
    r"|0 [1-9](?: [0-9]){8}"
)
# A prefix of a country, with the zero of the national number in or out of parentheses.
_REST_ABROAD = rf"(?:{_SEP}\([0-9]{{1,5}}\))?{_SEP}[0-9](?:{_SEP}[0-9o]){{5,12}}(?![0-9a-z])"
_ABROAD = Pattern(
    r"(?:\(?\+ ?[1-9][0-9]{0,2}\)?|\(?00 ?[1-9][0-9]{0,2}\)?(?=[ .\-/(0-9]))" + _REST_ABROAD
)
_BRACKETED = Pattern(r"\([1-9][0-9]{1,2}\)" + _REST_ABROAD)
_SPANISH = Pattern(
    r"[6-9][0-9]{2}(?:[ .\-][0-9]{3}){2}|[6-9][0-9]{2}(?:[ .\-][0-9]{2}){3}"
    r"|[6-9][0-9][ .\-][0-9]{3}(?:[ .\-][0-9]{2}){2}|[6-9][0-9]{2}[ .\-][0-9]{6}"
    r"|[89][0-9][ .\-][0-9]{7}|[6-9][0-9] [0-9]{3} [0-9]{4}"
)
_AMERICAN = Pattern(
    r"(?:1[ .\-]{1,2})?(?:\([2-9][0-9]{2}\)[ .\-]{0,3}|[2-9][0-9]{2}[ .\-/]{1,2})"
    r"[2-9][0-9]{2}[ .\-]{1,2}[0-9]{4}"
)
_EXTENSION = re.compile(
    r",? {0,2}[(\-/]? ?(?:ext(?:ension)?\.?|extn?\.?|x|poste|post[ei]|anexo"
    r"|int(?:erno)?\.) ?[:.n°]{0,2} ?"
    r"[0-9]{1,6}\)?(?![0-9])"
)

_PHONE_WORD = (
    r"(?:tel(?:e?ph?(?:one?s?)?|ef(?:onos?)?|s|f|fs)?|tlfn?o?s?|tfn?o?s?|tfnos?|tlfs?|tph|phones?"
    r"|ph"
    r"|telephonie|mobiles?|portables?|moviles?|movil|celular(?:es)?|cell(?:phone)?|gsm|standard"
    r"|accueil"
    r"|secretariat|contact(?:er|ez|ar|o)?|joindre|joignables?|appeler|appelez|call(?: me)?(?: on"
    r"| at)?"
    r"|llamar|rappeler|numero de (?:telephone|tel|movil|contacto)|office|home|bureau|domicile"
    r"|urgences?"
    r"|whatsapp|pager|beeper|bip|dect|busca|poste|postes|ext|extension|interne|ligne|hotline)"
)
_FAX_WORD = r"(?:tele-?fax|fax(?:er|es)?|telecopie(?:ur)?|facsimile)"
_BETWEEN = (
    r"(?:[ .:;,=\-/()]|n[°o]|num(?:ero)?|number|du|de la|au|at|on|is|est|es|el|le|al|a|\(s\)|pro"
    r"|perso"
    r"|direct|mobile|portable|fixe|fijo|domicile|contacto|fax|y|et|and|sur|patient|bureau|office"
    r"|home|work|cell|secretariat|urgences?|medecin|hospital|hopital|service|me|ou){0,9}"
)
_AFTER_PHONE = re.compile(rf"(?<![a-z]){_PHONE_WORD}(?![a-z]){_BETWEEN}(?:(?<=[:. ])\n)?\Z")
_AFTER_FAX = re.compile(rf"(?<![a-z]){_FAX_WORD}(?![a-z]){_BETWEEN}(?:(?<=[:. ])\n)?\Z")
_FAX_AFTER = re.compile(r" ?[\-(/,]? ?fax\b(?! ?[:.]? ?[(+0-9])")
_BEFORE_WORD = re.compile(r" ?[\-(/,]? ?(?:fax|mobile|office|cell|home)\b")
_LOOSE = Pattern(r"\(?\+?(?:[0-9]|o(?=[0-9]))(?:[ .\-/()]{0,3}[0-9o]){5,14}(?![0-9a-z])")
_SHORT = Pattern(
    r"(?<![a-z])(?:postes?|pager|beeper|bip|dect|busca|ext[.:]|extension|joignables?|tel(?:ephone"
    r"|efono)?"
    r"|tlfn?o?|tfno|phone|interne?|standard|appeler|call)(?![a-z])"
    r"(?:[ .:;,(#=]|n[°o]|numero|number|interne?|au|le|sur|du|de|me|at|on|is){0,6}"
    r"([0-9][0-9](?:[0-9]{1,4}| ?[0-9]{2}(?: ?[0-9]{1,2})?))"
    r"(?:(?: ?(?:/|ou|et|or|and|y|o) ?)([0-9]{3,6}))?(?![0-9a-z°%])"
    r"(?![.,/:\-][0-9]| [0-9]| ?(?:mg|ml|cm|mm|ans|jours|euros|kg|h\b|%))"
)
_DIGIT = re.compile(r"[0-9o]")
# A postcode or another whole number may stand before a number written with blanks.
_WHOLE_BEFORE = re.compile(
    r"(?:(?:^|[^0-9 .\-])[0-9]{5}|(?<![0-9])0[1-9](?:[ .\-]?[0-9]{2}){4}) \Z"
)
_MORE_GROUPS = re.compile(r" (?:[0-9](?![0-9a-z])|[0-9]{2}(?![0-9a-z])(?! ?[a-z/:]))")
_LISTED = re.compile(r" ?(?:/|-|y|et|and|ou|o|or|,|;) ?\Z")
_YEAR = re.compile(r"[/.\-](?:19|20)[0-9]{2}(?: |\Z)")
_NINE = Pattern(r"(?<![0-9a-z.,/\-])[6-9][0-9]{8}(?![0-9a-z]|[.,/\-][0-9])")


def find(folded: str) -> Iterator[Span]:
    """Yield PHONE and FAX spans of folded text, sorted and disjoint."""
    found: list[tuple[int, int]] = []
    for pattern in (_ABROAD, _AMERICAN, _BRACKETED, _FRENCH, _SPANISH):
        _collect(found, _shaped(folded, pattern))
    _collect(found, _loose(folded))
    found = [_bounded(folded, start, end) for start, end in found]
    _collect(found, _short(folded))
    _collect(found, _listed(folded, found))
    for start, end in found:
        yield Span(start, end, _label(folded, start, end), _DETECTOR)


def _bounded(folded: str, start: int, end: int) -> tuple[int, int]:
    """Take in an extension, leave out a parenthesis that opens before or closes after."""
    longer = _EXTENSION.match(folded, end)
    if longer:
        end = longer.end()
    written = folded[start:end]
    if written[0] == "(" and written.count("(") > written.count(")"):
        start += 1
    if written[-1] == ")" and written.count(")") > written.count("("):
        end -= 1
    if written[-1] == ")" and written[0] == "(" and written.count(")") == 1:
        return start + 1, end - 1
    return start, end


def _collect(found: list[tuple[int, int]], more: Iterator[tuple[int, int]]) -> None:
    """Insert stretches that touch none of those found before; `found` stays sorted."""
    for start, end in list(more):
        at = bisect_right(found, (start, end))
        if at and found[at - 1][1] > start:
            continue
        if at < len(found) and found[at][0] < end:
            continue
        found.insert(at, (start, end))


def _shaped(folded: str, pattern: Pattern) -> Iterator[tuple[int, int]]:
    for match in pattern.finditer(folded):
        start, end = match.span()
        written = match[0]
        if "o" in written and sum(char.isdigit() for char in written) < 8:
            continue
        if _in_series(folded, start, end):
            continue
        if pattern is not _AMERICAN and _YEAR.search(written):
            continue
        if written[0] not in "+(" and _too_many_zeros(written):
            continue
        yield start, end


def _too_many_zeros(written: str) -> bool:
    """Tell whether a number looks like an amount: 600 000 000."""
    return written.endswith(("000 000", "000.000"))


def _in_series(folded: str, start: int, end: int) -> bool:
    """Tell whether more digits stand so close that the number is part of something longer."""
    before, after = folded[max(0, start - 3) : start], folded[end : end + 3]
    if before[-1:].isalnum() or after[:1].isdigit():
        return not (before[-1:].isalpha() and folded[start] == "+")
    separators = {char for char in folded[start:end] if char in ".-/"}
    if before[-2:-1].isdigit() and before[-1:] in {*separators, ".", ","}:
        return True
    marked = bool(separators) or folded[start] in "+("
    if before[-2:-1].isdigit() and before[-1] == " " and not marked:
        return _WHOLE_BEFORE.search(folded, max(0, start - 20), start) is None
    if after[:1] and after[0] in {*separators, "."} and after[1:2].isdigit():
        return True
    return bool(_MORE_GROUPS.match(folded, end)) and not _FRENCH.match(folded, end + 1)


def _loose(folded: str) -> Iterator[tuple[int, int]]:
    """Yield runs of 6 to 15 digits of any grouping beside a word for a telephone or fax."""
    for match in _LOOSE.finditer(folded):
        start, end = match.span()
        written = match[0]
        if _not_a_number(folded, start, written):
            continue
        named = len(_DIGIT.findall(written)) >= 7 and _labelled(folded, start)
        if named or _BEFORE_WORD.match(folded, end):
            yield start, end


def _not_a_number(folded: str, start: int, written: str) -> bool:
    """Tell whether a run is a date, or begins inside a word or a number."""
    if start and (
        folded[start - 1].isdigit() or (written[0] == "o" and folded[start - 1].isalpha())
    ):
        return True
    if _YEAR.search(written):
        return True
    return len(written) == 8 and written.isdigit() and written[4:6] in ("19", "20")


def _labelled(folded: str, at: int) -> bool:
    window = max(0, at - 40)
    return bool(_AFTER_PHONE.search(folded, window, at) or _AFTER_FAX.search(folded, window, at))


def _short(folded: str) -> Iterator[tuple[int, int]]:
    """Yield numbers of three to six digits after a word for an extension or a pager."""
    for match in _SHORT.finditer(folded):
        for group in (1, 2):
            if match[group]:
                yield match.span(group)


def _listed(folded: str, found: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield bare numbers of nine digits that follow a telephone number: `911234567 / 611234569`."""
    ends = {end for _, end in found}
    for match in _NINE.finditer(folded):
        link = _LISTED.search(folded, max(0, match.start() - 5), match.start())
        if link and link.start() in ends:
            ends.add(match.end())
            yield match.span()


def _label(folded: str, start: int, end: int) -> Label:
    window = max(0, start - 40)
    fax, phone = (pattern.search(folded, window, start) for pattern in (_AFTER_FAX, _AFTER_PHONE))
    if fax and not (phone and phone.start() > fax.start()):
        return Label.PHONE if phone and phone.start() < fax.start() else Label.FAX
    if not phone and _FAX_AFTER.match(folded, end):
        return Label.FAX
    return Label.PHONE
