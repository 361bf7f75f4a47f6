"""Where key material is read from: a file, a variable, a command, a service, shares."""

import os
import resource
import secrets
import shlex
import stat
import subprocess
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from record.atomic_write import sync
from record.errors import ConfigError, Unavailable
from surrogates.keys import (
    secret_sharing,
)

_SETTING = "key.locator"
_RIGHTS = "check its name, and that this program's account may read it"
_LATER = "try again when the service answers"
_REQUEST_SECONDS = 30


def aws(name: str) -> bytes:
    """Read a secret of AWS Secrets Manager by its name or ARN, in boto3's own credentials.

    Raises ConfigError where it may not be read, Unavailable where the service does not answer.
    """
    try:
        import boto3  # noqa: PLC0415
        from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415
    except ModuleNotFoundError:
        raise _missing("aws") from None
    # arn:aws:secretsmanager:REGION:ACCOUNT:secret:NAME
    parts = name.split(":")
    region = parts[3] if len(parts) > 3 and parts[0] == "arn" else None
    try:
        found = boto3.client("secretsmanager", region_name=region).get_secret_value(SecretId=name)
    except ClientError as error:
        raise _refused("AWS", str(error.response.get("Error", {}).get("Code", ""))) from None
    except BotoCoreError as error:
        raise _unanswered("AWS", error) from None
    text = found.get("SecretString")
    return text.encode() if text is not None else bytes(found["SecretBinary"])


def google(name: str) -> bytes:
    """Read a secret of Google Secret Manager, `projects/P/secrets/S`, its latest version or one.

    Credentials are those of the client library. Raises ConfigError or Unavailable.
    """
    try:
        from google.api_core import exceptions as google_errors  # noqa: PLC0415
        from google.auth.exceptions import GoogleAuthError  # noqa: PLC0415
        from google.cloud import secretmanager  # noqa: PLC0415
    except ModuleNotFoundError:
        raise _missing("gcp") from None
    path = name if "/versions/" in name else f"{name}/versions/latest"
    try:
        client = secretmanager.SecretManagerServiceClient()
        found = client.access_secret_version(name=path, timeout=_REQUEST_SECONDS)
    except (google_errors.NotFound, google_errors.PermissionDenied) as error:
        raise _refused("Google", type(error).__name__) from None
    except (google_errors.GoogleAPICallError, GoogleAuthError) as error:
        raise _unanswered("Google", error) from None
    return bytes(found.payload.data)


def vault(name: str) -> bytes:
    """Read `MOUNT/PATH#FIELD` of HashiCorp Vault (key-value store, version 2); FIELD is `key`.

    Address and token are those of VAULT_ADDR and VAULT_TOKEN, which the client library reads.
    Raises ConfigError or Unavailable.
    """
    path, _, field = name.partition("#")
    mount, _, path = path.partition("/")
    if not path:
        raise ConfigError(_SETTING, "names no secret of a vault", "write vault:MOUNT/PATH#FIELD")
    try:
        import hvac  # noqa: PLC0415
        from hvac import exceptions as vault_errors  # noqa: PLC0415
    except ModuleNotFoundError:
        raise _missing("vault") from None
    try:
        read = hvac.Client(timeout=_REQUEST_SECONDS).secrets.kv.v2.read_secret_version
        found = read(path=path, mount_point=mount, raise_on_deleted_version=True)
    except (vault_errors.Forbidden, vault_errors.InvalidPath, vault_errors.InvalidRequest) as error:
        raise _refused("Vault", type(error).__name__) from None
    except (vault_errors.VaultError, OSError) as error:
        raise _unanswered("Vault", error) from None
    value = found["data"]["data"].get(field or "key")
    if not isinstance(value, str):
        raise _refused("Vault", "no such field")
    return value.encode()


def _missing(extra: str) -> ConfigError:
    remedy = f"pip install 'cryptonym[{extra}]'"
    return ConfigError(_SETTING, "the client library of the service is not installed", remedy)


def _refused(service: str, code: str) -> ConfigError:
    # The code alone: what a service says may quote what it was asked.
    return ConfigError(_SETTING, f"{service} does not give the secret ({code})", _RIGHTS)


def _unanswered(service: str, error: Exception) -> Unavailable:
    return Unavailable(_SETTING, f"{service} did not answer ({type(error).__name__})", _LATER)


ASK: dict[str, Callable[[str], bytes]] = {"aws": aws, "gcp": google, "vault": vault}
"""Scheme of a locator -> what reads the secret."""


SETTING = "key.locator"
SCHEMES = ("file:", "env:", "command:", "aws:", "gcp:", "vault:", "shares:")
FILELESS = tuple(scheme for scheme in SCHEMES if scheme != "file:")
"""How locators begin that name no key file, beside which a folder of custody could lie."""

_SIZE = 32
_MOST_BYTES = 4096
_SECONDS = 60


def read_key(locator: str, base: Path, environ: Mapping[str, str]) -> tuple[bytes, str]:
    """Read what a locator names, and name its place in words that hold no key material.

    `file:PATH` (relative to `base`); `env:NAME`; `command:PROGRAM ARGUMENT...`, which runs without
    a shell and prints the key; `aws:`, `gcp:` and `vault:` with the name of a secret there;
    `shares:PATH,PATH...`, where `-` is a share that is typed. From then on a crash of this process
    leaves no memory image on the disk. Raises ConfigError (key `key.locator`), or Unavailable where
    a command or service fails.
    """
    scheme, _, place = locator.partition(":")
    if not place.strip():
        scheme = ""
    forbid_core_dumps()
    if scheme == "file":
        return read_private(base / place), str(base / place)
    if scheme == "env":
        if not environ.get(place):
            raise ConfigError(SETTING, f"the variable {place} is not set", f"export {place}=...")
        return os.fsencode(environ[place]), f"the variable {place}"
    if scheme == "command":
        return _ask(place)
    if scheme == "shares":
        return _join(place, base), "the shares"
    if scheme in ASK:
        return ASK[scheme](place)[:_MOST_BYTES], f"the secret {place}"
    raise ConfigError(
        SETTING,
        "names no key",
        "write it as file:PATH, env:NAME, command:PROGRAM ARGUMENTS, aws:SECRET, gcp:SECRET, "
        "vault:MOUNT/PATH#FIELD or shares:PATH,PATH",
    )


def part_key(content: bytes, versions: Collection[str]) -> tuple[str, bytes] | None:
    """Part a key file into its version, one of these, and its secret; None where it is no such."""
    words = content.split()
    version = words[0].decode("ascii", "replace") if words else ""
    if len(words) != 2 or version not in versions:
        return None
    try:
        secret = bytes.fromhex(words[1].decode("ascii"))
    except ValueError:
        return None
    return (version, secret) if len(secret) == _SIZE else None


def files_of(locator: str) -> tuple[str, ...]:
    """Name the files that a locator, or a bare path, reads."""
    if locator.startswith("shares:"):
        places = locator.removeprefix("shares:").split(",")
        return tuple(place for place in places if place != secret_sharing.TYPED)
    return () if locator.startswith(FILELESS) else (locator.removeprefix("file:"),)


def forbid_core_dumps() -> None:
    """Have the system write no image of this process's memory when it crashes."""
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, most))


def _join(places: str, base: Path) -> bytes:
    contents = [
        secret_sharing.typed() if place == secret_sharing.TYPED else read_private(base / place)
        for place in places.split(",")
    ]
    return secret_sharing.join(contents)


def _ask(command: str) -> tuple[bytes, str]:
    try:
        words = shlex.split(command)
    except ValueError:
        raise ConfigError(SETTING, "the command cannot be parted", "close its quotes") from None
    what = f"the command {Path(words[0]).name}"
    remedy = "run it by hand as the user of this program"
    try:
        # What it says on standard error may hold what it was to keep, and goes nowhere.
        ended = subprocess.run(  # noqa: S603 - a program that the operator names
            words, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, check=False
        )
    except OSError as error:
        problem = f"{what} cannot be run ({error.strerror})"
        raise ConfigError(SETTING, problem, "name a program that is installed") from None
    except subprocess.TimeoutExpired:
        raise Unavailable(SETTING, f"{what} took over {_SECONDS} s", remedy) from None
    if ended.returncode:
        raise Unavailable(SETTING, f"{what} ended with code {ended.returncode}", remedy)
    return ended.stdout[:_MOST_BYTES], what


def read_private(path: Path) -> bytes:
    """Read a small file that its owner alone may read; raises ConfigError (key `key.locator`).

    Refused: what is open to others, is no regular file, or is reached by somebody else's link.
    """
    try:
        _refuse_foreign_link(path)
        # Non-blocking, so that a pipe in the place of the file cannot hold the program up.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise ConfigError(
            SETTING,
            f"{path} cannot be opened ({error.strerror})",
            f"name an existing key, or make one: cryptonym keys new {path}",
        ) from None
    try:
        _refuse_exposed(os.fstat(handle), path)
        return os.read(handle, _MOST_BYTES)
    finally:
        os.close(handle)


def write_private(path: Path, content: bytes) -> None:
    """Write a new file, readable by its owner alone, to the disk; raises OSError."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(handle, "wb") as file:
        os.fchmod(file.fileno(), 0o600)
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def replace_private(path: Path, content: bytes) -> None:
    """Write a file whole or not at all, readable by its owner alone; raises OSError."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    write_private(draft, content)
    draft.replace(path)
    sync(path.parent)


def _refuse_foreign_link(path: Path) -> None:
    found = os.lstat(path)
    if stat.S_ISLNK(found.st_mode) and found.st_uid != os.geteuid():
        raise ConfigError(
            SETTING, f"{path} is a link that belongs to another user", "name the key file itself"
        )


def _refuse_exposed(found: os.stat_result, path: Path) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise ConfigError(
            SETTING,
            f"{path} is not a regular file",
            f"name a key file, or make one: cryptonym keys new {path}",
        )
    if found.st_mode & 0o077:
        raise ConfigError(SETTING, f"{path} is open to other users", f"close it: chmod 600 {path}")
