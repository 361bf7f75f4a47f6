"""Keys that AWS Secrets Manager, Google Secret Manager or HashiCorp Vault keep."""

from collections.abc import Callable

from record.errors import ConfigError, Unavailable

_SETTING = "key.locator"
_RIGHTS = "check its name, and that this program's account may read it"
_LATER = "try again when the service answers"
_SECONDS = 30


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
        found = client.access_secret_version(name=path, timeout=_SECONDS)
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
        read = hvac.Client(timeout=_SECONDS).secrets.kv.v2.read_secret_version
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
