"""Shares of a key: enough of them open it, fewer say nothing."""

import itertools
from pathlib import Path

import pytest

from record.errors import ConfigError
from surrogates.keys import secret_sharing
from surrogates.keys.keys import MasterKey, load_master

SECRET = "c0ffee" * 10 + "c0fe"
KEY = f"cryptonym-key-v1\n{SECRET}\n".encode()
EXPECTED = MasterKey(bytes.fromhex(SECRET)).key_id


@pytest.fixture(scope="module")
def shares() -> list[bytes]:
    return secret_sharing.split(KEY, shares=3, threshold=2, place="KEY")


@pytest.fixture
def files(tmp_path: Path, shares: list[bytes]) -> Path:
    for number, content in enumerate(shares, 1):
        path = tmp_path / f"s{number}"
        path.write_bytes(content)
        path.chmod(0o600)
    return tmp_path


def test_any_two_of_three_open_it_and_no_other_number_of_them_is_needed(
    shares: list[bytes],
) -> None:
    for some in (*itertools.permutations(shares, 2), shares):
        assert secret_sharing.join(some) == KEY
    assert len({*shares}) == 3
    assert not any(SECRET[:8] in share.decode() for share in shares)
    assert {len(share.split()) for share in shares} == {2 + 33}


def test_a_locator_names_the_shares(files: Path) -> None:
    assert load_master("shares:s1,s3", files).key_id == EXPECTED


def test_a_share_may_be_typed(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = " ".join((files / "s2").read_text().split())
    monkeypatch.setattr("getpass.getpass", lambda _: words)
    assert load_master("shares:s1,-", files).key_id == EXPECTED


def test_a_share_that_others_may_read_is_refused(files: Path) -> None:
    (files / "s1").chmod(0o640)
    with pytest.raises(ConfigError, match="accessible to other users"):
        load_master("shares:s1,s2", files)


def not_together() -> list[list[bytes]]:
    """Shares of new splits, and what is none, that make no key."""
    first, second = (
        secret_sharing.split(KEY, shares=3, threshold=2, place="KEY") for _ in range(2)
    )
    torn = b" ".join((*first[0].split()[:-1], b"academic"))
    return [
        first[:1],
        [first[0], first[0]],
        [first[0], second[1]],
        [first[0], torn],
        [first[0], b""],
        [b"cryptonym-share-v1 cryptonym-key-v1 \xff\xfe", first[1]],
        [KEY, first[1]],
    ]


def test_what_does_not_go_together_is_refused_and_shown_to_nobody() -> None:
    # Words of shares are words as our messages have: what is said of others tells them apart.
    for case, other in zip(not_together(), not_together(), strict=True):
        told = []
        for shares in (case, other):
            with pytest.raises(ConfigError) as raised:
                secret_sharing.join(shares)
            told.append(str(raised.value) + repr(raised.value.__cause__))
        assert told[0] == told[1]


@pytest.mark.parametrize(("count", "threshold"), [(3, 1), (2, 3), (17, 2)])
def test_what_cannot_be_split_is_refused(count: int, threshold: int) -> None:
    with pytest.raises(ConfigError):
        secret_sharing.split(KEY, shares=count, threshold=threshold, place="KEY")


def test_what_is_no_key_is_not_split() -> None:
    with pytest.raises(ConfigError, match="is not a key"):
        secret_sharing.split(b"hello\n", shares=3, threshold=2, place="KEY")
