"""A confined process reads the program's files only, and reaches nobody."""

import json
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from extractors.confinement import Confinement, confine
from extractors.document.limits import Limits
from extractors.document.options import Layout, Options
from extractors.sandbox import Sandbox

PROBE = """
import ctypes, json, os, socket, subprocess, sys, threading
from pathlib import Path
from extractors.confinement import confine
secret, allowed, port, is_confined = sys.argv[1:]
libc = ctypes.CDLL(None, use_errno=True)
found = confine([Path(allowed)]) if is_confined == "yes" else None
def attempt(step):
    try:
        step()
        return True
    except Exception as error:
        return False
def read(path): return len(open(path, "rb").read()) > 0
def fork():
    child = os.fork()
    if not child: os._exit(0)
    os.waitpid(child, 0)
def udp(): socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", 9))
def execute():
    assert libc.execv(b"/nowhere", None) == -1 and ctypes.get_errno() == 2
def thread():
    ran = []
    started = threading.Thread(target=ran.append, args=(1,)); started.start(); started.join()
    assert ran
print(json.dumps({
    "allowed": attempt(lambda: read(allowed)),
    "module": attempt(lambda: __import__("xml.dom.minidom")),
    "thread": attempt(thread),
    "nowhere": attempt(lambda: open(os.devnull, "w").close()),
    "secret": attempt(lambda: read(secret)),
    "passwords": attempt(lambda: read("/etc/passwd")),
    "parent": attempt(lambda: read(f"/proc/{os.getppid()}/environ")),
    "list": attempt(lambda: os.listdir(os.path.dirname(secret))),
    "write": attempt(lambda: open(secret + ".out", "w").close()),
    "link": attempt(lambda: os.link(secret, secret + ".link")),
    "connect": attempt(lambda: socket.create_connection(("127.0.0.1", int(port)), 5).close()),
    "udp": attempt(udp),
    "unix": attempt(lambda: socket.socketpair() and socket.socket(socket.AF_UNIX).close()),
    "listen": attempt(lambda: socket.socket().bind(("127.0.0.1", 0))),
    "fork": attempt(fork),
    "program": attempt(lambda: subprocess.run(["/bin/true"], check=True) and None),
    "execute": attempt(execute),
    "signal": attempt(lambda: os.kill(os.getppid(), 0)),
    "found": [found.landlock, found.seccomp] if found else None,
}))
"""
HARMLESS = {"allowed", "module", "thread", "nowhere"}


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


def probe(tmp_path: Path, listener: socket.socket, is_confined: str) -> dict[str, Any]:
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "allowed").write_text("allowed")
    port = str(listener.getsockname()[1])
    ended = subprocess.run(
        [sys.executable, "-c", PROBE, str(tmp_path / "secret"), str(tmp_path / "allowed"), port,
         is_confined],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return dict(json.loads(ended.stdout))


def test_without_confinement_everything_is_possible(
    tmp_path: Path, listener: socket.socket
) -> None:
    found = probe(tmp_path, listener, "no")
    del found["found"]
    assert all(found.values()), found


def test_a_confined_process_reaches_nothing(tmp_path: Path, listener: socket.socket) -> None:
    found = probe(tmp_path, listener, "yes")
    offered = found.pop("found")
    if offered[0] < 1 or not offered[1]:
        pytest.skip(f"this kernel offers Landlock {offered[0]}, seccomp {offered[1]}")
    assert {name for name, could in found.items() if could} == HARMLESS


def test_the_process_that_reads_documents_is_confined(pdf: Callable[..., bytes]) -> None:
    with Sandbox(Limits(), Options(Layout.FULL, languages=())) as sandbox:
        assert "Bonjour" in sandbox.extract(pdf("Bonjour")).text
        confinement = sandbox.confinement
        status = Path(f"/proc/{sandbox.pid}/status").read_text()
    told = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    assert told["NoNewPrivs"] == "1"
    assert (told.get("Seccomp") == "2") is confinement.seccomp


def test_what_the_kernel_does_not_offer_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    class OldKernel:
        def prctl(self, *_: object) -> int:
            return -1

        def syscall(self, *_: object) -> int:
            return -1

    monkeypatch.setattr("extractors.confinement._LIBC", OldKernel())
    assert confine() == Confinement(0, False)
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    assert confine() == Confinement(0, False)
