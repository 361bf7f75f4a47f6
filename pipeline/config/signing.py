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
        "public_key": public_key_of(master),
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


def public_key_of(master: MasterKey) -> str:
    """Return the public key of what is signed under a master key, in hexadecimal."""
    key = Ed25519PrivateKey.from_private_bytes(master.derive(PURPOSE))
    return key.public_key().public_bytes_raw().hex()


def sign_content(content: Mapping[str, Any], master: MasterKey) -> dict[str, Any]:
    """Return the content of a JSON file with a signed statement of its digest, under `signed`.

    Numbers that are none may be among it.
    """
    return {**content, _SIGNED: sign_statement({"sha256": _digest(content)}, master)}


def verify_content(content: Mapping[str, Any], public_key: str) -> None:
    """Raise ConfigError unless what `sign_content` returned is unchanged, and signed by a key."""
    signed = content.get(_SIGNED)
    statement = signed if isinstance(signed, Mapping) else {}
    verify_statement(statement, public_key)
    rest = {key: value for key, value in content.items() if key != _SIGNED}
    if statement.get("sha256") != _digest(rest):
        raise ConfigError("signature", "of other content", "request the original file")


def _digest(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


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
_SIGNED = "signed"


def _canonicalize(statement: Mapping[str, Any]) -> bytes:
    return json.dumps(
        statement, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    ).encode()
