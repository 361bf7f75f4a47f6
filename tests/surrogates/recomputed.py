"""Keys and draws computed again from docs/surrogates.md with HMAC alone, without our code."""

import hashlib
import hmac


def mac(key: bytes, message: bytes) -> bytes:
    return hmac.new(key, message, hashlib.sha256).digest()


def expand(key: bytes, info: bytes, size: int = 32) -> bytes:
    """HKDF-Expand as RFC 5869, section 2.3 spells it."""
    made, block, number = b"", b"", 1
    while len(made) < size:
        block = mac(key, block + info + bytes([number]))
        made, number = made + block, number + 1
    return made[:size]


def hkdf(material: bytes, info: bytes, salt: bytes = b"cryptonym/surrogates/v2") -> bytes:
    return expand(mac(salt, material), info)


def draw(patient: bytes, label: str, value: str, size: int, counter: int = 0) -> bytes:
    key = expand(patient, b"label\0" + label.encode())
    made, block = b"", 0
    while len(made) < size:
        made += mac(key, counter.to_bytes(4, "big") + block.to_bytes(4, "big") + value.encode())
        block += 1
    return made[:size]


def number(patient: bytes, label: str, value: str, bound: int, counter: int = 0) -> int:
    return int.from_bytes(draw(patient, label, value, 16, counter), "big") % bound


def permuted(patient: bytes, label: str, value: str, size: int) -> list[int]:
    """Where `Lists` moves each of so many places to."""
    bits = max(1, -(-(size - 1).bit_length() // 2))
    width = 2**bits
    material = draw(patient, label, value, 8 * width + 16)
    tables = [material[row * width : row * width + width] for row in range(8)]
    stride = 1 + int.from_bytes(material[-16:], "big") % max(1, size - 1)

    def forward(place: int) -> int:
        while True:
            left, right = divmod(place, width)
            for table in tables:
                left, right = right, (left ^ table[right]) % width
            place = left * width + right
            if place < size:
                return place

    order = [forward(place) for place in range(size)]
    back = {moved: place for place, moved in enumerate(order)}
    return [back[(moved + stride) % size] for moved in order]
