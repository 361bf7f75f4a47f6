"""Keyed permutations of the ids of one kind of row: FF1 over binary numbers, and cycle walking."""

from typing import NoReturn

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from numpy.typing import NDArray

from record.errors import ConfigError
from surrogates.ciphers.ff1 import FF1, ROUNDS

ID_BITS = (31, 53, 63)
"""The sizes of id that a policy can choose (`id_bits`)."""
_WORD = 1 << 64


class IdPermutation:
    """A keyed permutation of the integers in [1, 2**bits): distinct ids have distinct pseudonyms.

    It is FF1 (NIST SP 800-38G) with AES-256, radix 2, `bits` digits and no tweak, applied again
    where it gives 0 (cycle walking, Black and Rogaway, 2002). Not thread-safe.
    """

    __slots__ = ("_cipher", "_low", "_one", "_start", "bits")

    def __init__(self, key: bytes, bits: int) -> None:
        if bits not in ID_BITS:
            raise ValueError(f"ids must have one of {ID_BITS} bits, found {bits}")
        self.bits = bits
        self._one = FF1(key, 2).for_length(bits)
        self._cipher = Cipher(algorithms.AES(key), modes.ECB())  # noqa: S305 - as in FF1
        high, low = divmod(self._one.start, _WORD)
        self._start, self._low = np.uint64(high), low

    def __repr__(self) -> str:
        return f"IdPermutation(bits={self.bits})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("an IdPermutation holds a key and must not be copied or pickled")

    def permute(self, number: int) -> int:
        """Return the pseudonym of an id in [1, 2**bits)."""
        if not 0 < number < 1 << self.bits:
            raise ValueError("the id is outside the domain of the permutation")
        while True:
            number = self._one.encrypt(number)
            if number:
                return number

    def permute_all(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the pseudonyms of ids in [1, 2**bits), as `permute` does one by one."""
        if len(numbers) and not 0 < numbers.min() <= numbers.max() < 1 << self.bits:
            raise ValueError("an id is outside the domain of the permutation")
        moved = self._encrypt(numbers.astype(np.uint64))
        while len(zero := np.flatnonzero(moved == 0)):
            moved[zero] = self._encrypt(moved[zero])
        return moved.astype(np.int64)

    def _encrypt(self, numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Encrypt numbers as algorithm 7 of the standard does; one block of AES in each round."""
        lower = self.bits - self.bits // 2
        sizes = (np.uint64((1 << self.bits // 2) - 1), np.uint64((1 << lower) - 1))
        a, b = numbers >> np.uint64(lower), numbers & sizes[1]
        width = 8 * -(-lower // 8)
        blocks = np.empty((len(numbers), 2), ">u8")
        blocks[:, 0] = self._start
        encrypt = self._cipher.encryptor().update
        for number in range(ROUNDS):
            blocks[:, 1] = b ^ np.uint64(self._low ^ number << width)
            drawn = np.frombuffer(encrypt(blocks.tobytes()), ">u8")[::2].astype(np.uint64)
            a, b = b, (a + drawn) & sizes[number % 2]
        return a << np.uint64(lower) | b


def refuse_id(table: str, number: int, bits: int) -> NoReturn:
    """Raise ConfigError for an id of a table that the pseudonyms of a policy have no place for."""
    if number < 1:
        raise ConfigError(
            f"ids of {table}",
            f"{number} is not a positive number: ids are permuted within 1 to 2^{bits} - 1",
            "number the rows from 1, for example in a view of the source",
        )
    wide = next((each for each in ID_BITS if number < 1 << each), ID_BITS[-1])
    raise ConfigError(
        f"ids of {table}",
        f"the largest is {number}, but policy.id_bits = {bits} has room up to {2**bits - 1}",
        f"set policy.id_bits = {wide}",
    )
