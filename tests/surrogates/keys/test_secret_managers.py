"""Keys out of stores of secrets, by the stores' own client libraries against stand-ins."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from record.errors import ConfigError, Unavailable
from surrogates.keys.keys import MasterKey, load_master

SECRET = "c0ffee" * 10 + "c0fe"
KEY = f"cryptonym-key-v1\n{SECRET}\n"
EXPECTED = MasterKey(bytes.fromhex(SECRET)).key_id


def refused(locator: str, error: type = ConfigError) -> str:
    with pytest.raises(error) as raised:
        load_master(locator, Path())
    assert raised.value.args[0] == "key.locator"
    assert raised.value.__cause__ is None
    assert SECRET[:20] not in str(raised.value)
    return str(raised.value)


# AWS: boto3 itself, whose answers botocore's own stubber gives.


@pytest.fixture
def aws(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    boto3 = pytest.importorskip("boto3")
    from botocore.stub import Stubber

    made = boto3.session.Session(
        aws_access_key_id="x", aws_secret_access_key="y", region_name="eu-west-3"
    ).client("secretsmanager")
    asked: list[object] = []

    def client(service: str, **options: object) -> Any:
        asked.append((service, options))
        return made

    monkeypatch.setattr(boto3, "client", client)
    with Stubber(made) as stub:
        stub.asked = asked
        yield stub


def test_aws_secrets_manager(aws: Any) -> None:
    arn = "arn:aws:secretsmanager:eu-west-1:123456789012:secret:cryptonym-AbCdEf"
    for name, answer in [
        ("cryptonym", {"SecretString": KEY}),
        (arn, {"SecretBinary": KEY.encode()}),
    ]:
        aws.add_response("get_secret_value", answer, {"SecretId": name})
        assert load_master(f"aws:{name}", Path()).key_id == EXPECTED
    assert [options["region_name"] for _, options in aws.asked] == [None, "eu-west-1"]
    aws.add_client_error("get_secret_value", "AccessDeniedException", f"no {SECRET}")
    assert "AccessDeniedException" in refused("aws:cryptonym")
    aws.add_response("get_secret_value", {"SecretString": "nothing"}, {"SecretId": "cryptonym"})
    assert "not a master key" in refused("aws:cryptonym")


def test_aws_that_does_not_answer(aws: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import boto3
    from botocore.exceptions import EndpointConnectionError

    def client(*_: object, **__: object) -> None:
        raise EndpointConnectionError(endpoint_url="https://x")

    monkeypatch.setattr(boto3, "client", client)
    assert "EndpointConnectionError" in refused("aws:cryptonym", Unavailable)


# Google: the client class stands in for the service.


def test_google_secret_manager(monkeypatch: pytest.MonkeyPatch) -> None:
    secretmanager = pytest.importorskip("google.cloud.secretmanager")
    from google.api_core import exceptions
    from google.auth.exceptions import DefaultCredentialsError

    answers: dict[str, object] = {
        "projects/p/secrets/s/versions/latest": KEY.encode(),
        "projects/p/secrets/s/versions/7": KEY.encode(),
        "projects/p/secrets/gone/versions/latest": exceptions.NotFound(SECRET),
        "projects/p/secrets/slow/versions/latest": exceptions.ServiceUnavailable(SECRET),
        "projects/p/secrets/who/versions/latest": DefaultCredentialsError(SECRET),
    }

    class Client:
        def access_secret_version(self, *, name: str, timeout: float) -> SimpleNamespace:
            answer = answers[name]
            if isinstance(answer, Exception):
                raise answer
            return SimpleNamespace(payload=SimpleNamespace(data=answer))

    monkeypatch.setattr(secretmanager, "SecretManagerServiceClient", Client)
    for name in ("projects/p/secrets/s", "projects/p/secrets/s/versions/7"):
        assert load_master(f"gcp:{name}", Path()).key_id == EXPECTED
    assert "NotFound" in refused("gcp:projects/p/secrets/gone")
    for name in ("slow", "who"):
        refused(f"gcp:projects/p/secrets/{name}", Unavailable)


# Vault: hvac itself, against a small server.


class VaultServer(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        fields = {"/v1/kv/data/a/key": {"key": KEY, "other": KEY, "number": 7}}.get(self.path)
        allowed = self.headers.get("X-Vault-Token") == "right"
        code = 403 if not allowed else 404 if fields is None else 200
        body = {"data": {"data": fields, "metadata": {}}} if code == 200 else {"errors": [SECRET]}
        self.send_response(code)
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def log_message(self, *_: object) -> None:
        pass


def test_hashicorp_vault(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("hvac")
    server = ThreadingHTTPServer(("127.0.0.1", 0), VaultServer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("VAULT_ADDR", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv("VAULT_TOKEN", "right")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    try:
        for name in ("kv/a/key", "kv/a/key#other"):
            assert load_master(f"vault:{name}", Path()).key_id == EXPECTED
        assert "InvalidPath" in refused("vault:kv/b")
        assert "field not found" in refused("vault:kv/a/key#number")
        monkeypatch.setenv("VAULT_TOKEN", "wrong")
        assert "Forbidden" in refused("vault:kv/a/key")
    finally:
        server.shutdown()
        server.server_close()
    assert "did not respond" in refused("vault:kv/a/key", Unavailable)


@pytest.mark.parametrize("scheme", ["aws", "gcp", "vault"])
def test_a_client_that_is_not_installed(scheme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("boto3", "google.cloud", "google.api_core", "hvac"):
        monkeypatch.setitem(__import__("sys").modules, name, None)
    assert f"pip install 'cryptonym[{scheme}]'" in refused(f"{scheme}:x/y")
