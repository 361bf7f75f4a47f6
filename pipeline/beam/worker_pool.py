"""A pool of Beam workers on one address: it starts a process for each worker a runner asks for."""

import ipaddress
import json
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

import grpc
from apache_beam.portability.api import beam_fn_api_pb2, beam_fn_api_pb2_grpc

from record.errors import ConfigError

LOOPBACK = "127.0.0.1"
_MAX_NAME = 100
_OPTIONS = (
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.http2.max_ping_strikes", 0),
    # Else two pools could share a port, and a runner would ask either.
    ("grpc.so_reuseport", 0),
)


def parse_address(text: str) -> tuple[str, int]:
    """Read HOST:PORT; a port alone is one of loopback, port 0 any that is free.

    Raises ConfigError for anything else, and for an address that stands for all interfaces.
    """
    host, _, port = text.rpartition(":")
    host = host.strip("[]") or LOOPBACK
    if not port.isdecimal() or int(port) > 65535:
        problem = f"must be HOST:PORT with a port up to 65535, not {text}"
        raise ConfigError("--listen", problem, f"write for example {LOOPBACK}:50000")
    try:
        found = {each[4][0] for each in socket.getaddrinfo(host, int(port))}
    except OSError:
        problem = f"unknown host {host}"
        raise ConfigError("--listen", problem, "give an address of this machine") from None
    if any(ipaddress.ip_address(str(each).split("%")[0]).is_unspecified for each in found):
        raise ConfigError(
            "--listen",
            f"{host} stands for all interfaces, and whoever reaches the port can run code here",
            "give the one address by which the runner reaches this machine",
        )
    return host, int(port)


def is_loopback(host: str) -> bool:
    """Return whether all addresses of a host are those of this machine alone."""
    found = {str(each[4][0]).split("%")[0] for each in socket.getaddrinfo(host, 0)}
    return all(ipaddress.ip_address(each).is_loopback for each in found)


class WorkerPool(beam_fn_api_pb2_grpc.BeamFnExternalWorkerPoolServicer):
    """Listens on one address, and starts workers with the interpreter of this process.

    `report` is called with a line for each worker that starts or ends; a line never holds text of a
    note. Leaving the context ends the workers. Raises ConfigError for an address that another
    program has, or that is not of this machine.
    """

    def __init__(self, host: str, port: int, report: Callable[[str], None]) -> None:
        self._report = report
        self._workers: dict[str, subprocess.Popen[str]] = {}
        self._guard = threading.Lock()
        self._threads = ThreadPoolExecutor(max_workers=8, thread_name_prefix="worker-pool")
        self._server = grpc.server(self._threads, options=_OPTIONS)
        beam_fn_api_pb2_grpc.add_BeamFnExternalWorkerPoolServicer_to_server(self, self._server)
        self._host = f"[{host}]" if ":" in host else host
        try:
            bound = self._server.add_insecure_port(f"{self._host}:{port}")
        except RuntimeError:
            bound = 0
        if not bound:
            problem = f"cannot listen on {self._host}:{port}"
            remedy = "give an address of this machine, and a port that no other program has"
            raise ConfigError("--listen", problem, remedy)
        self.address = f"{self._host}:{bound}"

    def __enter__(self) -> Self:
        self._server.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop listening, and end the workers."""
        self._server.stop(0)
        with self._guard:
            workers, self._workers = self._workers, {}
        for worker in workers.values():
            _end(worker)
        self._threads.shutdown(wait=False)

    def StartWorker(  # noqa: N802 - a name of Beam's protocol
        self, start_worker_request: Any, _context: Any
    ) -> Any:
        """Start a worker process that connects to the runner."""
        request = start_worker_request
        command = [
            sys.executable, "-P", "-m", "pipeline.beam.harness",
            f"--id={request.worker_id}",
            f"--control_endpoint={request.control_endpoint.url}",
        ]  # fmt: skip
        try:
            worker = subprocess.Popen(  # noqa: S603 - our own module
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                # What frameworks log of an error may quote a note.
                stderr=subprocess.DEVNULL,
                text=True,
            )
        except (OSError, ValueError) as error:
            failed = f"the worker cannot be started: {type(error).__name__}"
            self._report(failed)
            return beam_fn_api_pb2.StartWorkerResponse(error=failed)
        with self._guard:
            self._workers[request.worker_id] = worker
        self._report(f"worker {_escape(request.worker_id)} started (pid {worker.pid})")
        threading.Thread(target=self._watch, args=(request.worker_id, worker), daemon=True).start()
        return beam_fn_api_pb2.StartWorkerResponse()

    def StopWorker(  # noqa: N802 - a name of Beam's protocol
        self, stop_worker_request: Any, _context: Any
    ) -> Any:
        """End a worker process."""
        with self._guard:
            worker = self._workers.pop(stop_worker_request.worker_id, None)
        if worker is not None:
            _end(worker)
        return beam_fn_api_pb2.StopWorkerResponse()

    def _watch(self, worker_id: str, worker: "subprocess.Popen[str]") -> None:
        """Report how a worker ended."""
        assert worker.stdout is not None
        with worker.stdout:
            lines = worker.stdout.read().splitlines()
        code = worker.wait()
        with self._guard:
            was_asked = self._workers.pop(worker_id, None) is None
        how = "ended" if was_asked or not code else f"died: {_describe_end(code, lines)}"
        self._report(f"worker {_escape(worker_id)} {how}")


def _escape(name: str) -> str:
    """Return a name from outside in printable characters, on one line."""
    return name[:_MAX_NAME].encode("unicode_escape").decode()


def _end(worker: "subprocess.Popen[str]") -> None:
    # Nothing is lost by it, and SIGTERM may be blocked: signals are for the loop of the command.
    worker.kill()
    worker.wait()


def _describe_end(code: int, lines: list[str]) -> str:
    """Return why a worker ended: the signal, or the class of its error."""
    if code < 0:
        with suppress(ValueError):
            return f"killed by {signal.Signals(-code).name}"
    message = ""
    with suppress(ValueError, KeyError, IndexError, TypeError):
        message = f" ({json.loads(lines[-1])['message']})"
    return f"exit code {code}{message}"
