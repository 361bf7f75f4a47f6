"""A key in several shares, of which some are needed: Shamir's scheme as SLIP-39 writes it."""

import getpass
from collections.abc import Sequence

from shamir_mnemonic import MnemonicError, Share, combine_mnemonics, generate_mnemonics

from record.errors import ConfigError

TYPED = "-"
"""Stands for a share that is typed instead of read from a file."""

_SETTING = "key.locator"
_VERSION = b"cryptonym-share-v1"
_MOST = 16
_KEY = b"cryptonym-"
_SIZE = 32


def split(content: bytes, *, shares: int, threshold: int, place: str) -> list[bytes]:
    """Split the content of the key file at `place` into contents of share files.

    Any `threshold` of them give the key; fewer say nothing of it. Splitting again makes shares
    that do not go with the first ones. Raises ConfigError.
    """
    if not 2 <= threshold <= shares <= _MOST:
        raise ConfigError(
            "--threshold",
            f"not from 2 to the number of shares, or more than {_MOST} shares",
            "ask for 2 of 3, say",
        )
    version, _, secret = content.strip().partition(b"\n")
    if not version.startswith(_KEY) or len(secret) != 2 * _SIZE:
        raise ConfigError("KEY", f"{place} does not hold a key", "name the file of a whole key")
    # No passphrase: the second person is what protects it.
    (made,) = generate_mnemonics(
        1, [(threshold, shares)], bytes.fromhex(secret.decode("ascii")), iteration_exponent=0
    )
    return [b"\n".join((_VERSION, version, words.encode(), b"")) for words in made]


def join(contents: Sequence[bytes]) -> bytes:
    """Put the content of a key file together from shares; raises ConfigError."""
    versions, words = set(), []
    for number, content in enumerate(contents, 1):
        parts = content.split(maxsplit=2)
        if len(parts) != 3 or parts[0] != _VERSION:
            raise ConfigError(
                _SETTING,
                f"share {number} of {len(contents)} is no share",
                "name files that `cryptonym keys split` made",
            )
        versions.add(parts[1])
        words.append(" ".join(parts[2].decode("ascii", "replace").split()))
    try:
        # The library takes neither fewer than are needed nor more.
        needed = Share.from_mnemonic(words[0]).member_threshold
        secret = combine_mnemonics(words[:needed])
    except (MnemonicError, ValueError):
        # What the library says may quote words of a share.
        raise ConfigError(
            _SETTING,
            f"{len(contents)} shares do not make a key: too few, of two splits, or damaged",
            "name as many shares of one split as its threshold says",
        ) from None
    if len(versions) != 1:
        raise ConfigError(_SETTING, "the shares are of two splits", "name shares of one split")
    version = versions.pop()
    return b"%s\n%s\n" % (version, bytes(secret).hex().encode())


def typed() -> bytes:
    """Ask for a share at the terminal, without showing it; raises ConfigError without one."""
    try:
        words = getpass.getpass("a share, all of it in one line: ")
    except (EOFError, OSError):
        raise ConfigError(_SETTING, "nobody is there to type a share", "name its file") from None
    return words.encode()
