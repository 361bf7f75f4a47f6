"""Statements about files that anybody can check: sums of the files, signed with a key.

The signature is Ed25519 (RFC 8032) under a key derived from the master key; whoever holds the
public key, printed beside it, can check it without any secret.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from record.errors import ConfigError
from surrogates.keys.keys import MasterKey

PURPOSE = "signature"
_CHUNK = 1 << 20


def signed(statement: Mapping[str, Any], master: MasterKey) -> dict[str, Any]:
    """Return a statement with its public key and signature, both in hexadecimal.

    What is signed is the statement as JSON in UTF-8, its keys sorted, without blanks.
    """
    key = Ed25519PrivateKey.from_private_bytes(master.derive(PURPOSE))
    return {
        **statement,
        "public_key": key.public_key().public_bytes_raw().hex(),
        "signature": key.sign(_bytes(statement)).hex(),
    }


def check(statement: Mapping[str, Any], public_key: str) -> None:
    """Raise ConfigError unless a statement was signed by the holder of a key, and not changed."""
    remedy = "ask whoever made it for the file as it was, or for the right public key"
    rest = {key: value for key, value in statement.items() if key not in _OF_SIGNATURE}
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public_key))
        key.verify(bytes.fromhex(str(statement.get("signature", ""))), _bytes(rest))
    except (InvalidSignature, ValueError):
        raise ConfigError("signature", "does not belong to this statement", remedy) from None


def sum_of(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal; raises ConfigError where it cannot be read."""
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
    except OSError as error:
        problem = f"cannot be read: {(error.strerror or '').lower()}"
        raise ConfigError(str(path), problem, "name a file that is there") from None
    return digest.hexdigest()


_OF_SIGNATURE = ("public_key", "signature")


def _bytes(statement: Mapping[str, Any]) -> bytes:
    return json.dumps(
        statement, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    ).encode()
