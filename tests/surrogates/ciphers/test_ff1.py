"""FF1 gives what the standard's own examples give, and permutes."""

import copy
import pickle

import pytest

from surrogates.ciphers.ff1 import FF1

# NIST, "Block Cipher Modes of Operation, Methods for Format-Preserving Encryption, FF1": samples.
KEY = "2B7E151628AED2A6ABF7158809CF4F3CEF4359D8D580AA4F7F036D6F04FC6A94"
TEN = "39383736353433323130"
ELEVEN = "3737373770717273373737"
SAMPLES = [
    (16, 10, "", "0123456789", "2433477484"),
    (16, 10, TEN, "0123456789", "6124200773"),
    (16, 36, ELEVEN, "0123456789abcdefghi", "a9tv40mll9kdu509eum"),
    (24, 10, "", "0123456789", "2830668132"),
    (24, 10, TEN, "0123456789", "2496655549"),
    (24, 36, ELEVEN, "0123456789abcdefghi", "xbj3kv35jrawxv32ysr"),
    (32, 10, "", "0123456789", "6657667009"),
    (32, 10, TEN, "0123456789", "1001623463"),
    (32, 36, ELEVEN, "0123456789abcdefghi", "xs8a0azh2avyalyzuwd"),
]


@pytest.mark.parametrize(("size", "radix", "tweak", "plain", "sealed"), SAMPLES)
def test_the_samples_of_the_standard(
    size: int, radix: int, tweak: str, plain: str, sealed: str
) -> None:
    permuted = FF1(bytes.fromhex(KEY)[:size], radix).for_length(len(plain), bytes.fromhex(tweak))
    assert permuted.encrypt(int(plain, radix)) == int(sealed, radix)
    assert permuted.decrypt(int(sealed, radix)) == int(plain, radix)


@pytest.mark.parametrize(("radix", "length"), [(2, 2), (2, 7), (3, 4), (10, 2)])
def test_it_permutes(radix: int, length: int) -> None:
    permuted = FF1(bytes(32), radix).for_length(length)
    sealed = [permuted.encrypt(number) for number in range(radix**length)]
    assert sorted(sealed) == list(range(radix**length))
    assert [permuted.decrypt(number) for number in sealed] == list(range(radix**length))


def test_long_halves_take_several_blocks() -> None:
    permuted, number = FF1(bytes(32), 2).for_length(512, b"x" * 40), 1 << 511 | 12345
    sealed = permuted.encrypt(number)
    assert sealed != number
    assert permuted.decrypt(sealed) == number


def test_a_cipher_is_not_pickled_or_shown() -> None:
    cipher = FF1(bytes(range(32)), 2)
    assert repr(cipher) == "FF1(radix=2)"
    for act in (pickle.dumps, copy.copy):
        with pytest.raises(TypeError):
            act(cipher)
