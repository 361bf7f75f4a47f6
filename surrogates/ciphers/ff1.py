"""FF1 of NIST SP 800-38G: keyed permutations of the numbers of one length."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import ceil, log2
from typing import NoReturn

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

ROUNDS = 10
"""Rounds of FF1: NIST SP 800-38G."""
_BLOCK = 16


class FF1:
    """Encrypts numbers of `length` digits in a radix to numbers of as many digits.

    The key has 16, 24 or 32 bytes (AES). Numbers are big-endian numeral strings of the standard.
    The standard requires a domain of at least a million numbers (revision 1, section 5); smaller
    domains are still permuted, without its claim of secrecy. Not thread-safe.
    """

    __slots__ = ("_encrypt", "radix")

    def __init__(self, key: bytes, radix: int) -> None:
        cipher = Cipher(algorithms.AES(key), modes.ECB())  # noqa: S305 - blocks of a CBC-MAC
        self._encrypt = cipher.encryptor().update
        self.radix = radix

    def __repr__(self) -> str:
        return f"FF1(radix={self.radix})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("an FF1 holds a key and must not be copied or pickled")

    def for_length(self, length: int, tweak: bytes = b"") -> "CodePermutation":
        """Return the permutation of the numbers of a length, at least 2, under a tweak."""
        return CodePermutation(self._encrypt, self.radix, length, tweak)


class CodePermutation:
    """Encrypts and decrypts numbers of one length: algorithms 7 and 8 of the standard."""

    __slots__ = (
        *("_after", "_bytes", "_encrypt", "_round_value"),
        *("_sizes", "_state", "_wide", "start"),
    )

    def __init__(
        self, encrypt: Callable[[bytes], bytes], radix: int, length: int, tweak: bytes
    ) -> None:
        self._sizes, self._bytes, head = _layout(radix, length)
        self._wide = 4 * ceil(self._bytes / 4) + 4
        self._encrypt = encrypt
        head += len(tweak).to_bytes(4, "big")
        # The part of the message that is the same in every round, up to the last blocks.
        same = tweak + bytes(-(len(tweak) + self._bytes + 1) % _BLOCK)
        whole = len(same) // _BLOCK * _BLOCK
        self._state = int.from_bytes(self._encrypt(head), "big")
        self._state = self._mac(self._state, same[:whole])
        self._after = same[whole:]
        self.start = self._state
        """The first block, encrypted: where a round needs one more block, it begins with it."""
        self._round_value: Callable[[int, int], int] = self._blocks
        if len(self._after) + 1 + self._bytes == _BLOCK and self._wide <= _BLOCK:
            # The most common case needs a single block per round.
            state = self._state ^ int.from_bytes(self._after + bytes(1 + self._bytes), "big")
            states = [state ^ round_number << 8 * self._bytes for round_number in range(ROUNDS)]
            self._round_value = _one_block(encrypt, states, 8 * (_BLOCK - self._wide))

    def encrypt(self, number: int) -> int:
        """Encrypt a number below `radix ** length`."""
        round_value, (high, low) = self._round_value, self._sizes
        a, b = divmod(number, low)
        for round_number in range(0, ROUNDS, 2):
            a = (a + round_value(round_number, b)) % high
            b = (b + round_value(round_number + 1, a)) % low
        return a * low + b

    def decrypt(self, number: int) -> int:
        """Invert `encrypt`."""
        round_value, (high, low) = self._round_value, self._sizes
        a, b = divmod(number, low)
        for round_number in range(ROUNDS - 2, -1, -2):
            b = (b - round_value(round_number + 1, a)) % low
            a = (a - round_value(round_number, b)) % high
        return a * low + b

    def _blocks(self, round_number: int, half: int) -> int:
        """Return the number that a round adds to the other half, from one or more blocks."""
        message = self._after + bytes((round_number,)) + half.to_bytes(self._bytes, "big")
        number = self._mac(self._state, message)
        round_value = number.to_bytes(_BLOCK, "big")
        for block in range(1, ceil(self._wide / _BLOCK)):
            round_value += self._encrypt((number ^ block).to_bytes(_BLOCK, "big"))
        return int.from_bytes(round_value[: self._wide], "big")

    def _mac(self, state: int, message: bytes) -> int:
        for start in range(0, len(message), _BLOCK):
            state ^= int.from_bytes(message[start : start + _BLOCK], "big")
            state = int.from_bytes(self._encrypt(state.to_bytes(_BLOCK, "big")), "big")
        return state


@lru_cache
def _layout(radix: int, length: int) -> tuple[tuple[int, int], int, bytes]:
    """Return the sizes of the two halves, the bytes of one, and the start of the first block."""
    half = length // 2
    size = ceil(ceil((length - half) * log2(radix)) / 8)
    head = bytes((1, 2, 1)) + radix.to_bytes(3, "big") + bytes((ROUNDS, half % 256))
    return (radix**half, radix ** (length - half)), size, head + length.to_bytes(4, "big")


def _one_block(
    encrypt: Callable[[bytes], bytes], states: Sequence[int], cut: int
) -> Callable[[int, int], int]:
    """Return a faster `_blocks` for a single block, where `states` has the rest of each block."""
    from_bytes = int.from_bytes

    def round_value(round_number: int, half: int) -> int:
        return (
            from_bytes(encrypt((states[round_number] ^ half).to_bytes(_BLOCK, "big")), "big") >> cut
        )

    return round_value
