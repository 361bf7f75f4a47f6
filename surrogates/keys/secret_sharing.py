"""Splits a key into shares and joins them: Shamir's secret sharing in the format of SLIP-39."""

import getpass
from collections.abc import Sequence

from shamir_mnemonic import MnemonicError, Share, combine_mnemonics, generate_mnemonics

from record.errors import ConfigError

PROMPT = "-"
"""Path that stands for a share to be typed at the terminal."""

_SETTING = "key.locator"
_VERSION = b"cryptonym-share-v1"
_MOST = 16
_KEY = b"cryptonym-"
_SIZE = 32


def split(content: bytes, *, shares: int, threshold: int, place: str) -> list[bytes]:
    """Split the content of the key file at `place` into the contents of share files.

    Any `threshold` of them restore the key; fewer reveal nothing. Shares of different splits
    cannot be combined. Raises ConfigError.
    """
    if not 2 <= threshold <= shares <= _MOST:
        raise ConfigError(
            "--threshold",
            f"must be between 2 and the number of shares, which must be at most {_MOST}",
            "for example 2 of 3",
        )
    version, _, secret = content.strip().partition(b"\n")
    if not version.startswith(_KEY) or len(secret) != 2 * _SIZE:
        raise ConfigError("KEY", f"{place} is not a key", "use the file of a complete key")
    # No passphrase: the other shareholders protect the key.
    (made,) = generate_mnemonics(
        1, [(threshold, shares)], bytes.fromhex(secret.decode("ascii")), iteration_exponent=0
    )
    return [b"\n".join((_VERSION, version, words.encode(), b"")) for words in made]


def join(contents: Sequence[bytes]) -> bytes:
    """Restore the content of a key file from shares; raises ConfigError."""
    versions, words = set(), []
    for number, content in enumerate(contents, 1):
        parts = content.split(maxsplit=2)
        if len(parts) != 3 or parts[0] != _VERSION:
            raise ConfigError(
                _SETTING,
                f"number {number} of {len(contents)} is not a share",
                "use files written by `cryptonym keys split`",
            )
        versions.add(parts[1])
        words.append(" ".join(parts[2].decode("ascii", "replace").split()))
    try:
        # The library requires exactly the needed number of shares.
        needed = Share.from_mnemonic(words[0]).member_threshold
        secret = combine_mnemonics(words[:needed])
    except (MnemonicError, ValueError):
        # The library's message may quote words of a share.
        raise ConfigError(
            _SETTING,
            f"{len(contents)} shares do not restore a key: too few, mixed or corrupt",
            "use as many shares of one split as its threshold requires",
        ) from None
    if len(versions) != 1:
        raise ConfigError(_SETTING, "shares of different splits", "use shares of one split")
    version = versions.pop()
    return b"%s\n%s\n" % (version, bytes(secret).hex().encode())


def prompt_share() -> bytes:
    """Prompt for a share without echo; raises ConfigError where there is no terminal."""
    try:
        words = getpass.getpass("share (all words on one line): ")
    except (EOFError, OSError):
        raise ConfigError(_SETTING, "no terminal to type a share", "use its file") from None
    return words.encode()
