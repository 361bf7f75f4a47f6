"""A key that is set up once authenticates as the standard library does."""

import copy
import hmac
import pickle

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand
from hypothesis import given
from hypothesis import strategies as st

from surrogates.keys.keys import Mac, expand


@given(st.binary(max_size=64), st.lists(st.binary(max_size=200), max_size=4))
def test_it_is_hmac(key: bytes, messages: list[bytes]) -> None:
    mac = Mac(key)
    expected = [hmac.digest(key, message, "sha256") for message in messages]
    assert [mac.digest(message) for message in messages] == expected
    assert mac.digests(messages) == b"".join(expected)


@given(st.binary(min_size=16, max_size=64), st.binary(max_size=200))
def test_it_derives_as_hkdf_does(key: bytes, info: bytes) -> None:
    derived = HKDFExpand(hashes.SHA256(), 32, info=info).derive(key)
    assert expand(key, info) == Mac(key).expand(info) == derived


def test_a_long_key_is_refused_and_none_is_copied() -> None:
    with pytest.raises(ValueError, match="64"):
        Mac(bytes(65))
    with pytest.raises(ValueError, match="64"):
        expand(bytes(65), b"")
    mac = Mac(b"secret-of-the-key")
    for away in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError):
            away(mac)
    assert "secret" not in repr(mac)
