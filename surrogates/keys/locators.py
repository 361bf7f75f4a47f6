"""Reads key material from its locator: a file, variable, command, secret service or shares."""

import os
import resource
import secrets
import shlex
import stat
import subprocess
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import NamedTuple

from record.atomic_write import sync
from record.errors import ConfigError, Unavailable
from surrogates.keys import (
    secret_sharing,
)

_SETTING = "key.locator"
_PERMISSIONS = "check the name, and that this account has permission to read it"
_LATER = "try again when the service is available"
_REQUEST_SECONDS = 30
_ROOT = 0


def read_aws_secret(name: str) -> bytes:
    """Read a secret from AWS Secrets Manager by name or ARN, with the credentials of boto3.

    Raises ConfigError where access is denied, Unavailable where the service does not answer.
    """
    try:
        import boto3  # noqa: PLC0415
        from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415
    except ModuleNotFoundError:
        raise _not_installed("aws") from None
    # arn:aws:secretsmanager:REGION:ACCOUNT:secret:NAME
    parts = name.split(":")
    region = parts[3] if len(parts) > 3 and parts[0] == "arn" else None
    try:
        found = boto3.client("secretsmanager", region_name=region).get_secret_value(SecretId=name)
    except ClientError as error:
        raise _access_denied("AWS", str(error.response.get("Error", {}).get("Code", ""))) from None
    except BotoCoreError as error:
        raise _unavailable("AWS", error) from None
    text = found.get("SecretString")
    return text.encode() if text is not None else bytes(found["SecretBinary"])


def read_google_secret(name: str) -> bytes:
    """Read a secret from Google Secret Manager: `projects/P/secrets/S`, latest or given version.

    Credentials are those of the client library. Raises ConfigError or Unavailable.
    """
    try:
        from google.api_core import exceptions as google_errors  # noqa: PLC0415
        from google.auth.exceptions import GoogleAuthError  # noqa: PLC0415
        from google.cloud import secretmanager  # noqa: PLC0415
    except ModuleNotFoundError:
        raise _not_installed("gcp") from None
    path = name if "/versions/" in name else f"{name}/versions/latest"
    try:
        client = secretmanager.SecretManagerServiceClient()
        found = client.access_secret_version(name=path, timeout=_REQUEST_SECONDS)
    except (google_errors.NotFound, google_errors.PermissionDenied) as error:
        raise _access_denied("Google", type(error).__name__) from None
    except (google_errors.GoogleAPICallError, GoogleAuthError) as error:
        raise _unavailable("Google", error) from None
    return bytes(found.payload.data)


def read_vault_secret(name: str) -> bytes:
    """Read `MOUNT/PATH#FIELD` from HashiCorp Vault (KV version 2); FIELD defaults to `key`.

    Address and token are those of VAULT_ADDR and VAULT_TOKEN, which the client library reads.
    Raises ConfigError or Unavailable.
    """
    path, _, field = name.partition("#")
    mount, _, path = path.partition("/")
    if not path:
        raise ConfigError(_SETTING, "not a Vault path", "use vault:MOUNT/PATH#FIELD")
    try:
        import hvac  # noqa: PLC0415
        from hvac import exceptions as vault_errors  # noqa: PLC0415
    except ModuleNotFoundError:
        raise _not_installed("vault") from None
    try:
        read = hvac.Client(timeout=_REQUEST_SECONDS).secrets.kv.v2.read_secret_version
        found = read(path=path, mount_point=mount, raise_on_deleted_version=True)
    except (vault_errors.Forbidden, vault_errors.InvalidPath, vault_errors.InvalidRequest) as error:
        raise _access_denied("Vault", type(error).__name__) from None
    except (vault_errors.VaultError, OSError) as error:
        raise _unavailable("Vault", error) from None
    value = found["data"]["data"].get(field or "key")
    if not isinstance(value, str):
        raise _access_denied("Vault", "field not found")
    return value.encode()


def _not_installed(extra: str) -> ConfigError:
    remedy = f"pip install 'cryptonym[{extra}]'"
    return ConfigError(_SETTING, "the client library of the service is not installed", remedy)


def _access_denied(service: str, code: str) -> ConfigError:
    # Only the code: the service's message may quote the request.
    return ConfigError(_SETTING, f"{service} denied access to the secret ({code})", _PERMISSIONS)


def _unavailable(service: str, error: Exception) -> Unavailable:
    return Unavailable(_SETTING, f"{service} did not respond ({type(error).__name__})", _LATER)


SECRET_READERS: dict[str, Callable[[str], bytes]] = {
    "aws": read_aws_secret,
    "gcp": read_google_secret,
    "vault": read_vault_secret,
}
"""Scheme of a locator -> the function that reads the secret."""


SETTING = "key.locator"
SCHEMES = ("file:", "env:", "command:", "aws:", "gcp:", "vault:", "shares:")
FILELESS = tuple(scheme for scheme in SCHEMES if scheme != "file:")
"""Prefixes of locators without a key file, and so without a default custody folder."""

_SIZE = 32
MOST_BYTES = 4096
"""Of a private file, no more is read."""
_SECONDS = 60


def read_key(locator: str, base: Path, environ: Mapping[str, str]) -> tuple[bytes, str]:
    """Read the key of a locator; return it with a description of its place for messages.

    `file:PATH` (relative to `base`); `env:NAME`; `command:PROGRAM ARGUMENT...`, which runs without
    a shell and prints the key; `aws:`, `gcp:` and `vault:` with the name of a secret;
    `shares:PATH,PATH...`, where `-` prompts for a share. Disables core dumps of this process.
    Raises ConfigError (key `key.locator`), or Unavailable where a command or service fails.
    """
    scheme, _, place = locator.partition(":")
    if not place.strip():
        scheme = ""
    forbid_core_dumps()
    if scheme == "file":
        return read_private(base / place), str(base / place)
    if scheme == "env":
        if not environ.get(place):
            raise ConfigError(
                SETTING, f"environment variable {place} is not set", f"export {place}=..."
            )
        return os.fsencode(environ[place]), f"the environment variable {place}"
    if scheme == "command":
        return _run_command(place)
    if scheme == "shares":
        return _read_shares(place, base), "the shares"
    if scheme in SECRET_READERS:
        return SECRET_READERS[scheme](place)[:MOST_BYTES], f"the secret {place}"
    raise ConfigError(
        SETTING,
        "not a key locator",
        "use file:PATH, env:NAME, command:PROGRAM ARGUMENTS, aws:SECRET, gcp:SECRET, "
        "vault:MOUNT/PATH#FIELD or shares:PATH,PATH",
    )


def parse_key(content: bytes, versions: Collection[str]) -> tuple[str, bytes] | None:
    """Return version and secret of a key file; None where it is not one of these versions."""
    words = content.split()
    version = words[0].decode("ascii", "replace") if words else ""
    if len(words) != 2 or version not in versions:
        return None
    try:
        secret = bytes.fromhex(words[1].decode("ascii"))
    except ValueError:
        return None
    return (version, secret) if len(secret) == _SIZE else None


def locator_files(locator: str) -> tuple[str, ...]:
    """Return the files that a locator, or a bare path, reads."""
    if locator.startswith("shares:"):
        places = locator.removeprefix("shares:").split(",")
        return tuple(place for place in places if place != secret_sharing.PROMPT)
    return () if locator.startswith(FILELESS) else (locator.removeprefix("file:"),)


def forbid_core_dumps() -> None:
    """Disable core dumps, which would contain key material."""
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, most))


def _read_shares(places: str, base: Path) -> bytes:
    contents = [
        secret_sharing.prompt_share()
        if place == secret_sharing.PROMPT
        else read_private(base / place)
        for place in places.split(",")
    ]
    return secret_sharing.join(contents)


def _run_command(command: str) -> tuple[bytes, str]:
    try:
        words = shlex.split(command)
    except ValueError:
        raise ConfigError(SETTING, "unbalanced quotes in the command", "close them") from None
    what = f"the command {Path(words[0]).name}"
    remedy = "run it manually under the account of this program"
    try:
        # Standard error may contain the secret, and is discarded.
        ended = subprocess.run(  # noqa: S603 - a program that the operator names
            words, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, check=False
        )
    except OSError as error:
        problem = f"{what} cannot be run ({error.strerror})"
        raise ConfigError(SETTING, problem, "use an installed program") from None
    except subprocess.TimeoutExpired:
        raise Unavailable(SETTING, f"{what} timed out after {_SECONDS} s", remedy) from None
    if ended.returncode:
        raise Unavailable(SETTING, f"{what} exited with code {ended.returncode}", remedy)
    return ended.stdout[:MOST_BYTES], what


class PrivateFile(NamedTuple):
    """What a private file is for messages: the setting that names it, and what to do without it.

    `instead` is put before the path.
    """

    setting: str
    what: str
    instead: str


_KEY_FILE = PrivateFile(SETTING, "key", "use an existing key, or create one: cryptonym keys new")


def read_private(path: Path, kind: PrivateFile = _KEY_FILE) -> bytes:
    """Read a small private file; raises ConfigError (the key of its kind).

    Refused are files that others can access, special files, and files and links owned by a user
    other than this one and root.
    """
    try:
        _reject_foreign_link(path, kind)
        # Non-blocking, so that a pipe in place of the file cannot block the program.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        problem = f"{path} cannot be opened ({error.strerror})"
        raise ConfigError(kind.setting, problem, f"{kind.instead} {path}") from None
    try:
        _reject_exposed(os.fstat(handle), path, kind)
        return os.read(handle, MOST_BYTES)
    finally:
        os.close(handle)


def write_private(path: Path, content: bytes) -> None:
    """Write a new file with mode 600 and flush it to disk; raises OSError."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(handle, "wb") as file:
        os.fchmod(file.fileno(), 0o600)
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def replace_private(path: Path, content: bytes) -> None:
    """Write a file atomically with mode 600; raises OSError."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    write_private(draft, content)
    draft.replace(path)
    sync(path.parent)


def _reject_foreign_link(path: Path, kind: PrivateFile) -> None:
    found = os.lstat(path)
    if stat.S_ISLNK(found.st_mode) and is_foreign(found):
        problem = f"{path} is a link owned by another user"
        raise ConfigError(kind.setting, problem, f"use the path of the {kind.what} file itself")


def is_foreign(found: os.stat_result) -> bool:
    """Return whether a file is owned by a user other than this one and root."""
    return found.st_uid not in (os.geteuid(), _ROOT)


def _reject_exposed(found: os.stat_result, path: Path, kind: PrivateFile) -> None:
    if not stat.S_ISREG(found.st_mode):
        problem = f"{path} is not a regular file"
        raise ConfigError(kind.setting, problem, f"{kind.instead} {path}")
    if is_foreign(found):
        problem = f"{path} is owned by another user"
        raise ConfigError(kind.setting, problem, "run chown: this account or root must own it")
    if found.st_mode & 0o077:
        problem = f"{path} must not be accessible to other users"
        remedy = f"run chmod 600 {path}, if that is the {kind.what}"
        raise ConfigError(kind.setting, problem, remedy)
