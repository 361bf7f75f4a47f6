"""A key that is set up once authenticates as the standard library does."""

import copy
import hmac
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surrogates.mac import Mac


@given(st.binary(max_size=64), st.lists(st.binary(max_size=200), max_size=4))
def test_it_is_hmac(key: bytes, messages: list[bytes]) -> None:
    mac = Mac(key)
    expected = [hmac.digest(key, message, "sha256") for message in messages]
    assert [mac.digest(message) for message in messages] == expected
    assert mac.digests(messages) == b"".join(expected)


def test_a_long_key_is_refused_and_none_is_copied() -> None:
    with pytest.raises(ValueError, match="64"):
        Mac(bytes(65))
    mac = Mac(b"secret-of-the-key")
    for away in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError):
            away(mac)
    assert "secret" not in repr(mac)
