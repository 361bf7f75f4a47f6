"""FF1, the format-preserving encryption of NIST SP 800-38G, over numbers of a fixed length."""

from math import ceil, log2
from typing import NoReturn

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

_ROUNDS = 10
_BLOCK = 16


class FF1:
    """Encrypts numbers of `length` digits in a radix to numbers of as many digits.

    The key has 16, 24 or 32 bytes (AES). A number is what the standard writes as a string of
    numerals, the first the highest. The standard asks for a million possible numbers at least
    (revision 1, section 5); for fewer it makes no claim of secrecy, and it is a permutation still.
    """

    __slots__ = ("_cipher", "radix")

    def __init__(self, key: bytes, radix: int) -> None:
        self._cipher = Cipher(algorithms.AES(key), modes.ECB())  # noqa: S305 - blocks of a CBC-MAC
        self.radix = radix

    def __repr__(self) -> str:
        return f"FF1(radix={self.radix})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("an FF1 holds a key and is not copied or pickled")

    def of(self, length: int, tweak: bytes = b"") -> "Permutation":
        """Give the permutation of the numbers of a length, 2 at least, under a tweak.

        It is for the thread that asked for it.
        """
        return Permutation(self._cipher, self.radix, length, tweak)


class Permutation:
    """Encrypts and decrypts numbers of one length: algorithms 7 and 8 of the standard."""

    __slots__ = (
        *("_after", "_bytes", "_cut", "_drawn", "_encrypt"),
        *("_shift", "_sizes", "_state", "_wide"),
    )

    def __init__(self, cipher: Cipher[modes.ECB], radix: int, length: int, tweak: bytes) -> None:
        half = length // 2
        self._sizes: tuple[int, int] = (radix**half, radix ** (length - half))
        self._bytes = ceil(ceil((length - half) * log2(radix)) / 8)
        self._wide = 4 * ceil(self._bytes / 4) + 4
        self._encrypt = cipher.encryptor().update
        head = bytes((1, 2, 1)) + radix.to_bytes(3, "big") + bytes((_ROUNDS, half % 256))
        head += length.to_bytes(4, "big") + len(tweak).to_bytes(4, "big")
        # What is the same in every round: all but the last blocks, and how the last ones begin.
        same = tweak + bytes(-(len(tweak) + self._bytes + 1) % _BLOCK)
        whole = len(same) // _BLOCK * _BLOCK
        self._state = int.from_bytes(self._encrypt(head), "big")
        self._state = self._mac(self._state, same[:whole])
        self._after = same[whole:]
        self._shift, self._cut = 8 * self._bytes, 8 * (_BLOCK - self._wide)
        self._drawn = self._blocks
        if len(self._after) + 1 + self._bytes == _BLOCK and self._wide <= _BLOCK:
            # The commonest case by far is done without parting bytes.
            self._state ^= int.from_bytes(self._after + bytes(1 + self._bytes), "big")
            self._drawn = self._one_block

    def encrypt(self, number: int) -> int:
        """Encrypt a number below `radix ** length`."""
        drawn, (high, low) = self._drawn, self._sizes
        a, b = divmod(number, low)
        for turn in range(0, _ROUNDS, 2):
            a = (a + drawn(turn, b)) % high
            b = (b + drawn(turn + 1, a)) % low
        return a * low + b

    def decrypt(self, number: int) -> int:
        """Undo `encrypt`."""
        drawn, (high, low) = self._drawn, self._sizes
        a, b = divmod(number, low)
        for turn in range(_ROUNDS - 2, -1, -2):
            b = (b - drawn(turn + 1, a)) % low
            a = (a - drawn(turn, b)) % high
        return a * low + b

    def _one_block(self, turn: int, half: int) -> int:
        """Give the number that a round adds to the other half, where one block is enough."""
        number = self._state ^ (turn << self._shift) ^ half
        block = self._encrypt(number.to_bytes(_BLOCK, "big"))
        return int.from_bytes(block, "big") >> self._cut

    def _blocks(self, turn: int, half: int) -> int:
        """Give the same for longer numbers and tweaks."""
        message = self._after + bytes((turn,)) + half.to_bytes(self._bytes, "big")
        number = self._mac(self._state, message)
        drawn = number.to_bytes(_BLOCK, "big")
        for block in range(1, ceil(self._wide / _BLOCK)):
            drawn += self._encrypt((number ^ block).to_bytes(_BLOCK, "big"))
        return int.from_bytes(drawn[: self._wide], "big")

    def _mac(self, state: int, message: bytes) -> int:
        for start in range(0, len(message), _BLOCK):
            state ^= int.from_bytes(message[start : start + _BLOCK], "big")
            state = int.from_bytes(self._encrypt(state.to_bytes(_BLOCK, "big")), "big")
        return state
