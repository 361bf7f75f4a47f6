"""Signed statements about files: SHA-256 checksums under an Ed25519 signature.

The signing key (RFC 8032) is derived from the master key; anyone with the public key, which is
printed with the signature, can verify it.
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


def sign_statement(statement: Mapping[str, Any], master: MasterKey) -> dict[str, Any]:
    """Return a statement with its public key and signature, both in hexadecimal.

    The signed bytes are the statement as JSON in UTF-8, with sorted keys and no whitespace.
    """
    key = Ed25519PrivateKey.from_private_bytes(master.derive(PURPOSE))
    return {
        **statement,
        "public_key": key.public_key().public_bytes_raw().hex(),
        "signature": key.sign(_canonicalize(statement)).hex(),
    }


def verify_statement(statement: Mapping[str, Any], public_key: str) -> None:
    """Raise ConfigError unless a statement has a valid signature under a public key."""
    remedy = "request the original file, or the right public key, from the signer"
    rest = {key: value for key, value in statement.items() if key not in _SIGNATURE_KEYS}
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public_key))
        key.verify(bytes.fromhex(str(statement.get("signature", ""))), _canonicalize(rest))
    except (InvalidSignature, ValueError):
        raise ConfigError("signature", "invalid for this statement and key", remedy) from None


def hash_file(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal; raises ConfigError if it cannot be read."""
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
    except OSError as error:
        problem = f"cannot be read: {(error.strerror or '').lower()}"
        raise ConfigError(str(path), problem, "give the path of a readable file") from None
    return digest.hexdigest()


_SIGNATURE_KEYS = ("public_key", "signature")


def _canonicalize(statement: Mapping[str, Any]) -> bytes:
    return json.dumps(
        statement, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    ).encode()
