"""The graph on workers in other processes: what is sent to them, over which sockets, and equality.

Beam's worker pool, and the servers that the in-memory runner opens for it, listen on every
interface (`[::]`) in plain text, and no setting changes that. Where the system permits, the tests
give them a network namespace whose only interface is loopback.
"""

import base64
import bz2
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from apache_beam.portability import common_urns
from apache_beam.portability.api import beam_runner_api_pb2

from pipeline.beam.runners import make_pipeline, refuse_passwords
from pipeline.beam.worker import UnitShare, build_nightly_graph
from pipeline.config.settings import load
from pipeline.night import engine
from pipeline.night.nightly import run_nightly
from record.errors import ConfigError
from tests.pipeline.conftest import Site

PASSWORD = "correct-horse-battery"
CANARY = "Quillfeather"
FLINK = ["--runner=FlinkRunner", "--job_endpoint=localhost:1"]
SECONDS = 600
"""After which it hangs: no test waits so long unless something is wrong."""

LOOPBACK = """
import fcntl, json, os, signal, socket, struct, subprocess, sys, threading, time
import psutil

config, isolated, seen = sys.argv[1], sys.argv[2] == "yes", bytearray()
if isolated:
    socket.sethostname("localhost")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        up = struct.pack("16sh22x", b"lo", 1)
        fcntl.ioctl(any_socket, 0x8914, up)  # SIOCSIFFLAGS
    wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    wire.bind(("lo", 0))
    def listen():
        while True:
            seen.extend(wire.recv(1 << 20))
    threading.Thread(target=listen, daemon=True).start()

with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    port = str(probe.getsockname()[1])
module = "apache_beam.runners.worker.worker_pool_main"
pool = subprocess.Popen([sys.executable, "-m", module, "--service_port", port],
                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
try:
    while pool.poll() is None:
        with socket.socket(socket.AF_INET) as attempt:
            if attempt.connect_ex(("127.0.0.1", int(port))) == 0:
                break
        time.sleep(0.1)
    run = subprocess.Popen(
        [sys.executable, "-P", "-m", "pipeline.cli", "run", config, "--plain",
         "--environment_type=EXTERNAL", f"--environment_config=localhost:{port}"],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    told, listening, workers = [], set(), set()
    reader = threading.Thread(target=lambda: told.append(run.stderr.read()))
    reader.start()
    while run.poll() is None:
        if isolated:
            found = psutil.net_connections("inet")
            listening |= {c.laddr.ip for c in found if c.status == psutil.CONN_LISTEN}
        workers |= {child.pid for child in psutil.Process(pool.pid).children()}
        time.sleep(0.05)
    reader.join()
finally:
    children = psutil.Process(pool.pid).children(recursive=True)
    pool.send_signal(signal.SIGINT)
    try:
        pool.wait(10)
    except subprocess.TimeoutExpired:
        pool.kill()
    for child in children:
        try:
            child.kill()
        except psutil.NoSuchProcess:
            pass
with open(config + ".wire", "wb") as file:
    file.write(seen)
print(json.dumps({"code": run.returncode, "told": told[0], "workers": len(workers),
                  "listening": sorted(listening)}))
"""


@pytest.fixture
def remote(isolated: tuple[str, ...]) -> Callable[[Path], dict[str, Any]]:
    """Runs the job of a configuration on Beam's own worker pool; tells how that went."""

    def run(config: Path) -> dict[str, Any]:
        # The pool starts its workers as `python`.
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            [*isolated, sys.executable, "-c", LOOPBACK, config, "yes" if isolated else "no"],
            env=os.environ | {"PATH": path},
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


@pytest.mark.slow
def test_a_worker_pool_gives_what_the_engine_gives_and_no_note_on_the_wire(
    make_hospital: Callable[[], Site],
    isolated: tuple[str, ...],
    remote: Callable[[Path], dict[str, Any]],
) -> None:
    here, there = make_hospital(), make_hospital()
    for site in (here, there):
        site.source("update note set note_text = note_text || ? where note_text > ''", f" {CANARY}")
    run_nightly(here.config, engine.run_in_process)
    report = remote(there.config)
    assert report["code"] == 0, report["told"]
    assert report["workers"] == 1
    assert there.digest() == here.digest()
    if not isolated:
        pytest.skip("this system does not allow network namespaces, so nobody can listen in")
    # All interfaces: docs/operations.md says so, and why it takes an encrypted network.
    assert report["listening"] == ["::"]
    wire = Path(f"{there.config}.wire").read_bytes()
    key = there.config.with_name("master.key").read_text().split()[-1]
    assert b"Process units" in wire  # so what is looked for would be heard
    for secret in (CANARY.encode(), key.encode(), bytes.fromhex(key)):
        assert secret not in wire


def test_the_serialized_graph_holds_no_secret(
    hospital: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    hospital.configure('url = "sqlite:///hospital.db"', 'url = "env:WAREHOUSE"')
    monkeypatch.setenv("WAREHOUSE", f"postgresql://reader:{PASSWORD}@localhost/cdm")
    pipeline = make_pipeline([])
    summary = hospital.folder / "worker-0.json"
    build_nightly_graph(pipeline, UnitShare(load(hospital.config), 1, summary))
    graph = unpacked(pipeline.to_runner_api())
    assert b"env:WAREHOUSE" in graph  # so what is looked for would be seen
    key = hospital.config.with_name("master.key").read_text().split()[-1]
    texts = [text for (text,) in hospital.source("select note_text from note") if text]
    for secret in (PASSWORD, key, *texts):
        assert secret.encode() not in graph
    assert bytes.fromhex(key) not in graph


def unpacked(graph: Any) -> bytes:
    """The bytes of a pipeline, and of every function in it as it was before Beam packed it."""
    found = [graph.SerializeToString()]
    for transform in graph.components.transforms.values():
        if transform.spec.urn == common_urns.primitives.PAR_DO.urn:
            payload = beam_runner_api_pb2.ParDoPayload.FromString(transform.spec.payload)
            packed = base64.b64decode(payload.do_fn.payload)
            found.append(bz2.decompress(packed) if packed.startswith(b"BZh") else packed)
    return b"".join(found)


@pytest.mark.parametrize("place", ["source", "output", "state"])
@pytest.mark.parametrize(
    "form",
    [
        "postgresql://reader:{}@db.example/cdm",
        "postgresql+psycopg://reader:{}@/cdm?host=/run/postgresql",
        "postgresql://db.example/cdm?user=reader&password={}",
        "postgresql+psycopg://reader:a/{}@db.example/cdm",
        "postgresql://reader:a@b:{}@db.example/cdm",
        "postgresql://db.example/cdm?sslkey=key.pem&sslpassword={}",
        "postgresql://db.example/cdm?user=reader&PassFile={}",
        "mssql+pyodbc:///?odbc_connect=DRIVER%3Dodbc%3BPWD%3D{}",
    ],
)
def test_a_password_in_the_configuration_is_not_sent(hospital: Site, place: str, form: str) -> None:
    settings = load(hospital.config)
    changed = replace(getattr(settings, place), url=form.format(PASSWORD))
    leaky = replace(settings, **{place: changed})
    for remote in (["--environment_type=EXTERNAL"], FLINK):
        with pytest.raises(ConfigError, match=rf"^{place}.url: must not hold a password") as caught:
            refuse_passwords(leaky, remote)
        assert PASSWORD not in str(caught.value)
        refuse_passwords(settings, remote)
    refuse_passwords(leaky, [])


@pytest.mark.slow
def test_a_pool_that_is_not_there_is_told_in_a_line(hospital: Site) -> None:
    external = ["--environment_type=EXTERNAL", "--environment_config=localhost:1"]
    done = hospital.run(*external)
    assert done.returncode == 1
    said = done.stderr.splitlines()[-1]
    assert said.startswith("cryptonym: error: worker-0: the runner failed with ")
    assert hospital.released() == {}
    assert run_nightly(hospital.config, engine.run_in_process).exit_code == 0
