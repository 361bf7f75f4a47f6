"""Text that is read in the wrong encoding, or stored as its escapes."""

import html.entities
import random
import urllib.parse

from benchmarks.attacks.damage.damage import Apply


def strip_eighth_bit(value: str, _rng: random.Random) -> str:
    """Lose the eighth bit of the one accented letter."""
    odd = [sign for sign in value if 0xC0 <= ord(sign) <= 0xFF]
    return value.replace(odd[0], chr(ord(odd[0]) & 0x7F)) if len(odd) == 1 else value


def misread(written: str, read: str, times: int = 1) -> Apply:
    """Make a damage that reads bytes of one encoding as another."""

    def apply(value: str, _rng: random.Random) -> str:
        """Read the bytes wrongly, and leave what cannot be written."""
        for _ in range(times):
            try:
                data = value.encode(written)
            except UnicodeEncodeError:
                return value
            value = "".join(_read_byte(byte, read) for byte in data)
        return value

    return apply


def _read_byte(byte: int, encoding: str) -> str:
    """Read one byte, as Latin-1 where the encoding does not define it."""
    try:
        return bytes((byte,)).decode(encoding)
    except UnicodeDecodeError:
        return chr(byte)


def html_entities(value: str, _rng: random.Random) -> str:
    """Write letters beyond ASCII as named HTML entities."""
    names = html.entities.codepoint2name
    return "".join(
        f"&{names[ord(sign)]};" if ord(sign) > 127 and ord(sign) in names else sign
        for sign in value
    )


def html_entities_twice(value: str, rng: random.Random) -> str:
    """Escape the named entities once more."""
    return html_entities(value, rng).replace("&", "&amp;") if "&" not in value else value


def numeric_escapes(pattern: str, share: float) -> Apply:
    """Make a damage that writes signs by their numbers."""

    def apply(value: str, rng: random.Random) -> str:
        """Write a share of the letters and digits by number, and those beyond ASCII."""
        out = ""
        for sign in value:
            hit = sign.isalnum() and (ord(sign) > 127 or rng.random() < share)
            out += pattern.format(ord(sign)) if hit else sign
        return out

    return apply


def quoted_printable(value: str, rng: random.Random) -> str:
    """Write the bytes of letters beyond ASCII as quoted-printable."""
    encoding = rng.choice(("utf-8", "cp1252"))
    data = value.encode(encoding, "ignore")
    return "".join(
        chr(byte) if 32 <= byte < 127 and byte != 61 else f"={byte:02X}" for byte in data
    )


def percent_escapes(value: str, rng: random.Random) -> str:
    """Write the value as part of an address."""
    return urllib.parse.quote(value, safe=rng.choice(("", "/.")))


def form_escapes(value: str, _rng: random.Random) -> str:
    """Write the value as a form field."""
    return urllib.parse.quote_plus(value)


def utf7(value: str, _rng: random.Random) -> str:
    """Write the value in UTF-7."""
    return value.encode("utf-7").decode("ascii")


def utf16_as_bytes(value: str, _rng: random.Random) -> str:
    """Read UTF-16 bytes as single bytes."""
    return value.encode("utf-16-le").decode("latin-1")


def header_word(value: str, _rng: random.Random) -> str:
    """Write the value as an encoded word of a mail header."""
    body = percent_escapes(value, random.Random(0)).replace("%20", "_").replace("%", "=")
    return f"=?utf-8?Q?{body}?="
