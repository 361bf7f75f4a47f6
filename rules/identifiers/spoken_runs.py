"""Long numbers as they are dictated: `zéro sept soixante et un neuf zéro trente trois`."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from record.label import Label
from record.span import Span
from rules.dates.number_words import is_number_word, read_number
from rules.matching.scanner import Pattern

_DETECTOR = "rules.identifiers"

_ZEROS = frozenset("oh zero cero null nul".split())
_DIGITS_TOO = _ZEROS | {"zwo"}
_BETWEEN = frozenset(
    "punkt point punto punt dash strich tiret guion streepje slash barra barre schragstrich".split()
)
_BEFORE = frozenset("double doppel doppelt plus".split())
# A digit in words, and another number word near it, cheap to ask first.
_ANY = Pattern(
    r"\b(?:zero|cero|null|nul|oh|zwo|one|two|three|four|five|six|seven|eight|nine"
    r"|un|deux|trois|quatre|cinq|sept|huit|neuf|uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve"
    r"|eins|zwei|drei|vier|funf|sechs|sieben|acht|neun|een|twee|drie|vijf|zes|zeven|negen)\b"
)
_TOKEN = re.compile(r"[a-zß]+|[,\-]|[^\sa-zß,\-]+")
_DOUBLE = re.compile(r"(?<![a-z])(?:double|doppelt?|plus) \Z")
_FEWEST_WORDS = 6
_FEWEST_DIGITS = 5  # where none is a zero
_TEN = 10
_PHONE = re.compile(
    r"\b(?:tele?(?:fon|foon|phone|fono)[a-z]{0,8}|tel|fax|phone|mobile?|movil|portable|handy|gsm"
    r"|numero|number|nummer|rufnummer|durchwahl|poste|extension|callback|call|ruf|bel)\b"
)
_NOT_PHONE = re.compile(
    r"\b(?:patient\w*|fall|dossier|record|expediente|historia|securite|ahv|bsn|nhs|mrn|assicurazione"
    r"|versiche\w+|insurance|sozialv\w+|seguridad|afiliacion|episodio|lot|charge|serie\w*)\b"
)
_REACH = 48


def find_spoken_numbers(folded: str) -> Iterator[Span]:
    """Yield numbers of six words and more that are dictated by digits, as PHONE or ID.

    One of the words is a zero, or five are digits: counts and values in words are none.
    """
    end = 0
    for match in _ANY.finditer(folded):
        if match.start() < end:
            continue
        double = _DOUBLE.search(folded, max(end, match.start() - 10), match.start())
        run = _read_run(folded, double.start() if double else match.start())
        end = run[-1].end() if run else match.end()
        words = _trim(run)
        if _is_dictated([word.group() for word in words]):
            start, stop = words[0].start(), words[-1].end()
            yield Span(start, stop, _label(folded, start), _DETECTOR)


def _read_run(folded: str, at: int) -> list[re.Match[str]]:
    """Read the words and commas that may belong to one number, from a word on."""
    run: list[re.Match[str]] = []
    for token in _TOKEN.finditer(folded, at):
        word = token.group()
        if "\n" in folded[run[-1].end() if run else at : token.start()]:
            break
        if not (_is_part(word) or word in _BETWEEN or word in _BEFORE or word in ",-"):
            break
        run.append(token)
    return run


def _is_part(word: str) -> bool:
    return word in _DIGITS_TOO or is_number_word(word)


def _trim(run: Sequence[re.Match[str]]) -> list[re.Match[str]]:
    """Leave out commas, and what does not begin or end a number."""
    words = [token for token in run if token.group() not in ",-"]
    while words and _value(words[-1].group()) is None:
        words.pop()
    while words and _value(words[0].group()) is None and words[0].group() not in _BEFORE:
        words.pop(0)
    return words


def _value(word: str) -> int | None:
    return 0 if word in _ZEROS else 2 if word == "zwo" else read_number(word) or None


def _is_dictated(words: Sequence[str]) -> bool:
    values = [_value(word) for word in words]
    # The `three` of `ninety three` and of `noventa y tres` is no digit of its own.
    digits = sum(
        value is not None and value < _TEN and (before is not None and before < 2 * _TEN)
        for before, value in pairwise([0, *values])
    )
    has_zero = not _ZEROS.isdisjoint(words)
    return len(words) >= _FEWEST_WORDS and (has_zero or digits >= _FEWEST_DIGITS)


def _label(folded: str, start: int) -> Label:
    before = folded[max(0, start - _REACH) : start]
    is_phone = _PHONE.search(before) and not _NOT_PHONE.search(before)
    return Label.PHONE if is_phone else Label.ID
