"""Surrogates of phone numbers, e-mail, web and IP addresses, from ranges reserved for fiction."""

import re
from dataclasses import dataclass, replace

from record.errors import Unsafe
from record.label import Label
from surrogates import phone_plans
from surrogates.names import names
from surrogates.patient import lexicon, name_lists, value_format
from surrogates.patient.patient import DRAWS, Mention, Subject
from surrogates.patient.text_normalization import (
    HAS_CONTENT,
    WORD,
    apply_case,
    compact,
    fold,
    read_misread_digits,
    unaccented,
)

# Reserved for audiovisual works by the national numbering plan (ARCEP).
_FRENCH = {
    "1": "19900", "2": "26191", "3": "35301", "4": "46571", "5": "53649",
    "6": "63998", "7": "63998",
}  # fmt: skip
# Ofcom, numbers for use in TV and radio drama programmes.
_BRITISH = {"2": "2079460", "7": "7700900", "1": "1632960"}
# 555-0100 to 555-0199 are for fictional use in every area of the North American plan.
_FICTION = "55501"
_AREAS = lexicon.listed(
    "201 202 205 206 208 209 212 213 214 215 216 217 218 219 224 225 228 229 231 234 239 240 248"
    " 251 252 253 254 256 260 262 267 269 270 276 281 301 302 303 304 305 307 308 309 310 312 313"
    " 314 315 316 317 318 319 320 321 323 325 330 334 336 337 339 346 347 351 352 360 361 385 386"
    " 401 402 404 405 406 407 408 409 410 412 413 414 415 417 419 423 424 425 430 432 434 435 440"
)
_FIRST = 2
# Numbers up to this length are internal extensions.
_EXTENSION = 5
# The fewest letters of a truncated name in an account.
_CUT = 4
_VOWELS = frozenset("aeiouy")
_DOMAINS = ("example.org", "example.com", "example.net")
_PAGES = frozenset(lexicon.listed("html htm php asp aspx jsp pdf jpg png xml txt index"))
_MAIL = re.compile(r"(?P<local>[^@\s]+)(?P<at>\s*@\s*)(?P<domain>.+)", re.DOTALL)
_URL = re.compile(
    r"(?P<scheme>[a-z][a-z0-9+.\-]*://)?(?P<www>www\.)?(?P<host>[^/:?#\s]+)(?P<port>:\d+)?(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_SIX = re.compile(r"[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*", re.IGNORECASE)
_FOUR = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")
# RFC 5737 and RFC 3849: addresses for documentation.
_NETWORKS = ("192.0.2", "198.51.100", "203.0.113")
_BYTES = 256


@dataclass(frozen=True, slots=True)
class _Number:
    """The digits of a phone number: prefix, national number and extension.

    `area` is the length of the area code where a country's plan needs it.
    """

    country: str
    prefix: str
    national: str
    extension: str
    area: int = 0


def replace_phone(mention: Mention, subject: Subject) -> str:
    """Return a phone or fax number in the same format, with the same country and class.

    Letters that recognition put for digits are read, and written, as digits.
    """
    mention = replace(mention, text=read_misread_digits(mention.text))
    digits = "".join(char for char in fold(mention.text) if char.isdigit())
    if not digits or not digits.isascii():
        return value_format.replace(mention, subject)
    lang = mention.lang or subject.locale
    number = _parse_planned(fold(mention.text), digits, lang, subject) or _parse_phone(
        fold(mention.text), digits, lang
    )
    for counter in range(DRAWS):
        national = _draw_national(number, subject, counter)
        extension = _draw_digits(number.extension, f"{number.national}x", subject, counter)
        drawn = number.prefix + national + extension
        if national != number.national and drawn not in subject.avoided_codes:
            return _apply_digits(drawn, mention.text)
    raise Unsafe("no-surrogate")


def replace_email(mention: Mention, subject: Subject) -> str:
    """Return an e-mail address at a reserved domain; names in it get their own surrogates."""
    match = _MAIL.fullmatch(mention.text)
    if match is None:
        return (
            _pick_domain(mention.text, subject, counter=0)
            if "." in mention.text
            else (replace_username(mention, subject))
        )
    for counter in range(DRAWS):
        local = _replace_local_part(match["local"], mention, subject, counter)
        drawn = local + match["at"] + _pick_domain(match["domain"], subject, counter)
        if mention.text.isupper():
            drawn = drawn.upper()
        if fold(drawn) != fold(mention.text) and subject.allows_code(drawn):
            return drawn
    raise Unsafe("no-surrogate")


def replace_username(mention: Mention, subject: Subject) -> str:
    """Return an account name in which known names get their own surrogates."""
    for counter in range(DRAWS):
        drawn = _replace_local_part(mention.text, mention, subject, counter)
        if fold(drawn) != fold(mention.text) and subject.allows_code(drawn):
            return drawn
    raise Unsafe("no-surrogate")


def replace_url(mention: Mention, subject: Subject) -> str:
    """Return a web address at a reserved domain, with a path of the same shape."""
    match = _URL.fullmatch(mention.text)
    if match is None:
        return value_format.replace(mention, subject)
    for counter in range(DRAWS):
        host = _pick_domain(match["host"], subject, counter)
        rest = _replace_path(match["rest"], subject)
        head = (match["scheme"] or "") + (match["www"] or "")
        drawn = head + host + (match["port"] or "") + rest
        if fold(drawn) != fold(mention.text):
            return drawn
    raise Unsafe("no-surrogate")


def replace_ip(mention: Mention, subject: Subject) -> str:
    """Return an address from the documentation ranges; ports and masks are kept."""
    text = mention.text
    four, six = _FOUR.search(text), _SIX.search(text)
    found = four if four and not (six and six.start() < four.start()) else six
    if found is None:
        return value_format.replace(mention, subject)
    value = fold(found[0])
    for counter in range(DRAWS):
        draw = subject.key.draw(Label.IP_ADDRESS, value, 8, counter=counter)
        if found is four:
            drawn = f"{_NETWORKS[draw[0] % 3]}.{1 + draw[1] % (_BYTES - 2)}"
        else:
            groups = [f"{draw[i] << 8 | draw[i + 1]:x}" for i in (0, 2, 4)]
            drawn = f"2001:db8::{':'.join(groups)}"
            drawn = drawn.upper() if found[0].isupper() else drawn
        if fold(drawn) != value:
            return text[: found.start()] + drawn + text[found.end() :]
    raise Unsafe("no-surrogate")


def _parse_planned(folded: str, digits: str, lang: str, subject: Subject) -> _Number | None:
    """Split a German or Dutch number; the first version of the algorithm knows none."""
    if subject.key.algorithm == _FIRST:
        return None
    plan = phone_plans.parse(digits, _find_country_code(folded, digits), lang)
    if plan is None:
        return None
    number = _make_number(plan.country, digits, plan.start, plan.size)
    return replace(number, area=phone_plans.area_length(folded, plan, number.national))


def _find_country_code(folded: str, digits: str) -> int:
    """Return where the country code begins in the digits, behind `+` or `00`; -1 without one."""
    plus = "+" in folded[: folded.find(digits[0]) + 1]
    return 0 if plus else 2 if digits.startswith("00") else -1


def _parse_phone(folded: str, digits: str, lang: str) -> _Number:
    """Split the digits of a number: `+33 (0)1 ...`, `0033 1 ...` and `01 ...` are the same."""
    start = _find_country_code(folded, digits)
    for country, trunk, size in (("33", "0", 9), ("34", "", 9), ("44", "0", 10), ("1", "", 10)):
        if start >= 0 and digits.startswith(country, start):
            end = start + len(country)
            end += 1 if trunk and digits.startswith(trunk, end) else 0
            if len(digits) >= end + size:
                return _make_number(country, digits, end, size)
    if start >= 0:
        return _make_number(
            "", digits, max(0, min(start + 3, len(digits) - _EXTENSION)), len(digits)
        )
    if lang == "fr" and digits[0] == "0" and len(digits) >= 10 and digits[1] != "0":
        return _make_number("33", digits, 1, 9)
    if lang == "fr" and digits.startswith("33") and len(digits) == 11:
        return _make_number("33", digits, 2, 9)
    if lang == "en" and digits[0] == "0" and len(digits) in (10, 11):
        return _make_number("44", digits, 1, 10)
    if lang == "en" and len(digits) >= 10:
        return _make_number("1", digits, int(digits[0] == "1" and len(digits) >= 11), 10)
    if lang == "es" and len(digits) >= 9:
        return _make_number(
            "34", digits, 2 if digits.startswith("34") and len(digits) == 11 else 0, 9
        )
    return _make_number("", digits, 0, len(digits))


def _make_number(country: str, digits: str, start: int, size: int) -> _Number:
    end = start + size
    return _Number(country, digits[:start], digits[start:end], digits[end:])


def _draw_national(number: _Number, subject: Subject, counter: int) -> str:
    national = number.national
    value = number.country + national
    head = national[: max(1, len(national) - 7)] if len(national) > _EXTENSION else ""
    if number.country == "33":
        head = _FRENCH.get(national[0], national[:3] if national[0] == "8" else national[0])
    elif number.country == "44":
        head = _BRITISH.get(national[0], national[:2])
    elif number.country == "1":
        area = subject.key.number(Label.PHONE, f"{value}/area", len(_AREAS), counter=counter)
        head = _AREAS[area] + _FICTION
    elif number.country == "34":
        head = national[0]
    elif number.country in (phone_plans.GERMANY, phone_plans.NETHERLANDS):
        place = subject.key.number(Label.PHONE, f"{value}/area", 1 << 32, counter=counter)
        head = phone_plans.draw_head(number.country, national, number.area, place)
    rest = "0" * (len(national) - len(head))
    return head + _draw_digits(rest, value, subject, counter)


def _draw_digits(model: str, value: str, subject: Subject, counter: int) -> str:
    """Draw as many digits as the model has, with one label for phone and fax."""
    stream = subject.key.draw(Label.PHONE, value, 2 * len(model), counter=counter)
    return "".join(str((stream[2 * i] << 8 | stream[2 * i + 1]) % 10) for i in range(len(model)))


def _apply_digits(drawn: str, model: str) -> str:
    """Write the digits into the format of the model; letters (`Tel`, `ext`) stay."""
    digits = iter(drawn)
    # Digits of the folded model, as they were counted: `¼` takes the place of a digit.
    parts = zip(model, fold(model), strict=True)
    return "".join(next(digits) if folded.isdigit() else char for char, folded in parts)


def _pick_domain(domain: str, subject: Subject, counter: int) -> str:
    """Return a host under example.org or similar, the same for equal domains."""
    invented = _load_invented(subject)
    value = fold(domain).strip()
    for further in range(counter, counter + DRAWS):
        number = subject.key.number("domain", value, 3 * len(invented), counter=further)
        host = fold(invented[number // 3])
        if host.isascii() and subject.allows(host):
            return f"{host}.{_DOMAINS[number % 3]}"
    raise Unsafe("no-surrogate")


def _replace_local_part(text: str, mention: Mention, subject: Subject, counter: int) -> str:
    pieces: list[str] = []
    end = 0
    for word in WORD.finditer(text):
        between = _replace_numbers(text[end : word.start()], subject, counter)
        drawn = _replace_handle_word(word[0], mention, subject, counter)
        end = word.end()
        if subject.mixed_names is not None and _repeats(pieces, between, drawn):
            # Two parts of one name have one surrogate.
            continue
        pieces += (between, drawn)
    return "".join((*pieces, _replace_numbers(text[end:], subject, counter)))


def _repeats(pieces: list[str], between: str, drawn: str) -> bool:
    return bool(pieces) and fold(pieces[-1]) == fold(drawn) and not HAS_CONTENT.search(between)


def _replace_handle_word(word: str, mention: Mention, subject: Subject, counter: int) -> str:
    """Replace one word of an account name: a known name, initials with a name, or other text."""
    value = fold(word)
    # Initials of a person, of whose surrogate one stands for all.
    most = 2 if subject.mixed_names is None else 1
    for start in (0, 1, 2):
        head, tail = value[: min(start, most)], value[start:]
        role, name = _find_name(tail, mention, subject)
        if name:
            letters = "".join(_replace_initial(each, mention, subject) for each in head)
            drawn = _ascii(names.replace_word(name, role, subject, mention))
            # Accounts truncate long names.
            return apply_case(word, letters + (drawn if tail == name else drawn[: len(tail)]))
    if len(value) == 1 or (len(value) == 2 and not set(value) & _VOWELS):
        letters = "".join(_replace_initial(letter, mention, subject) for letter in value[:most])
        return letters.upper() if word.isupper() else letters
    invented = _load_invented(subject)
    number = subject.key.number(Label.USERNAME, value, len(invented), counter=counter)
    drawn = _ascii(invented[number])[: max(len(value), 3)]
    return drawn.upper() if word.isupper() else drawn


def _find_name(tail: str, mention: Mention, subject: Subject) -> tuple[str, str]:
    """Return role and known name of which a part of an account name is the whole or a prefix."""
    if len(tail) < 2:
        return "", ""
    families = (*mention.person.family, *map(fold, subject.family))
    if tail in families:
        return Label.LAST_NAME, tail
    if tail in (*mention.person.given, *map(fold, subject.given)):
        return Label.FIRST_NAME, tail
    if len(tail) < _CUT:
        return "", ""
    name = next((name for name in families if name.startswith(tail)), "")
    return Label.LAST_NAME, name


def _replace_initial(letter: str, mention: Mention, subject: Subject) -> str:
    known = (*mention.person.given, *subject.given)
    return names.abbreviate(letter, Label.FIRST_NAME, known, subject, mention).lower()


def _load_invented(subject: Subject) -> name_lists.Invented:
    return name_lists.invented(subject.locale)


def _ascii(name: str) -> str:
    plain = unaccented(fold(name)).replace("ß", "ss")
    return "".join(char for char in plain if char.isascii() and char.isalnum())


def _replace_numbers(text: str, subject: Subject, counter: int) -> str:
    if not any(char.isdigit() for char in text):
        return text
    digits = _draw_digits(compact(text), f"{text}/mail", subject, counter)
    return _apply_digits(digits, text)


def _replace_path(text: str, subject: Subject) -> str:
    def drawn(match: re.Match[str]) -> str:
        word = match[0]
        return word if fold(word) in _PAGES else value_format.scramble(word, Label.URL, subject)

    return re.sub(r"[^\W_]+", drawn, text)
