import gc
import os
import signal
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest

from extractors.document.limits import Limits
from extractors.document.options import Layout, Options
from extractors.sandbox import Sandbox
from record.errors import Unreadable

Make = Callable[..., bytes]
ROOT = Path(__file__).parents[2]
LIMITS = Limits(seconds=20, memory_mb=300)
FULL = Options(Layout.FULL, languages=())
_LIBRARIES_MB = 20


def refusal(sandbox: Sandbox, data: bytes) -> str:
    with pytest.raises(Unreadable) as caught:
        sandbox.extract(data)
    return caught.value.reason


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(LIMITS, FULL) as sandbox:
        yield sandbox


@contextmanager
def watched(pid: int) -> Iterator[list[int]]:
    """Collect the resident memory of a process, in bytes, while the block runs."""
    sizes: list[int] = []
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.02):
            try:
                sizes.append(psutil.Process(pid).memory_info().rss)
            except psutil.NoSuchProcess:
                return

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield sizes
    finally:
        done.set()
        thread.join()


def test_the_child_is_started_at_the_first_document_and_kept(sandbox: Sandbox, pdf: Make) -> None:
    assert sandbox.pid is None
    extracted = sandbox.extract(pdf("Mme Zoë LEFÈVRE", "deux"))
    assert (extracted.text, extracted.pages) == ("Mme Zoë LEFÈVRE\n\ndeux", 2)
    first = sandbox.pid
    sandbox.extract(pdf("deux"))
    assert sandbox.pid == first
    sandbox.close()
    assert sandbox.pid is None
    assert first is not None
    assert not psutil.pid_exists(first)


def test_the_reason_comes_through(sandbox: Sandbox, pdf: Make) -> None:
    assert refusal(sandbox, b"%PDF-1.4") == "broken"
    assert refusal(sandbox, pdf("")) == "no-text-layer"
    assert sandbox.extract(pdf("next")).text == "next"


def test_the_child_inherits_nothing(
    sandbox: Sandbox, pdf: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DATABASE_PASSWORD", "hunter2")
    with (tmp_path / "open").open("w") as file:
        os.set_inheritable(file.fileno(), True)
        sandbox.extract(pdf("x"))
    child = psutil.Process(sandbox.pid)
    allowed = {"PYTHONPATH", "LANG", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"}
    assert set(child.environ()) <= allowed
    assert not [file for file in child.open_files() if str(tmp_path) in file.path]
    assert child.rlimit(psutil.RLIMIT_CORE) == (0, 0)
    assert child.rlimit(psutil.RLIMIT_FSIZE) == (0, 0)


def test_a_tangle_is_killed_in_time(pdf: Make, tangle: bytes) -> None:
    with Sandbox(Limits(seconds=1), FULL) as sandbox:
        sandbox.extract(pdf("before"))
        started = time.monotonic()
        assert refusal(sandbox, tangle) == "timed-out"
        assert time.monotonic() - started < 5
        assert sandbox.pid is None
        assert sandbox.extract(pdf("after")).text == "after"


def test_a_child_that_hangs_is_killed_in_time(pdf: Make) -> None:
    with Sandbox(Limits(seconds=1), FULL) as sandbox:
        sandbox.extract(pdf("before"))
        assert sandbox.pid is not None
        os.kill(sandbox.pid, signal.SIGSTOP)
        started = time.monotonic()
        assert refusal(sandbox, pdf("x" * 100)) == "timed-out"
        assert time.monotonic() - started < 5
        assert sandbox.extract(pdf("after")).text == "after"


def test_processor_time_is_bounded_document_by_document(pdf: Make) -> None:
    with Sandbox(Limits(seconds=2), FULL) as sandbox:
        sandbox.extract(pdf("x"))
        child = psutil.Process(sandbox.pid)
        first, _ = child.rlimit(psutil.RLIMIT_CPU)
        assert first <= 2 + 2 + sum(child.cpu_times()[:2])


def test_memory_is_bounded(sandbox: Sandbox, pdf: Make, flood: bytes) -> None:
    sandbox.extract(pdf("before"))
    assert sandbox.pid is not None
    idle = psutil.Process(sandbox.pid).memory_info().rss
    with watched(sandbox.pid) as sizes:
        assert refusal(sandbox, flood) == "out-of-memory"
    # Pages of libraries, mapped before but first needed now, count as resident on top.
    assert max(sizes) < idle + (LIMITS.memory_mb + _LIBRARIES_MB) * 2**20
    assert sandbox.extract(pdf("after")).text == "after"


@pytest.mark.slow
def test_a_page_that_inflates_to_a_gigabyte(raw: Make, pdf: Make) -> None:
    deflate = zlib.compressobj(9)
    blanks = b" " * 2**20
    packed = b"".join(deflate.compress(blanks) for _ in range(1100)) + deflate.flush()
    entry = b"/Filter/FlateDecode>>stream\n"
    small = raw(b"")
    start = small.rindex(b"<</Length", 0, small.index(entry))
    end = small.index(b"endstream", start)
    stream = b"<</Length %d%s%s\n" % (len(packed), entry, packed)
    with Sandbox(Limits(seconds=2, memory_mb=200), FULL) as sandbox:
        sandbox.extract(pdf("before"))
        assert sandbox.pid is not None
        idle = psutil.Process(sandbox.pid).memory_info().rss
        with watched(sandbox.pid) as sizes:
            reason = refusal(sandbox, small[:start] + stream + small[end:])
        assert reason in ("timed-out", "out-of-memory", "no-text-layer")
        assert max(sizes) < idle + 200 * 2**20
        assert sandbox.extract(pdf("after")).text == "after"


def test_five_hundred_pages_in_bounded_memory(pdf: Make) -> None:
    lines = "\n".join(["Le patient a été opéré à l'hôpital."] * 40)
    data = pdf(*[lines] * 500)
    with Sandbox(Limits(max_pages=500, memory_mb=300), FULL) as sandbox:
        sandbox.extract(pdf("before"))
        assert sandbox.pid is not None
        with watched(sandbox.pid) as sizes:
            assert sandbox.extract(data).pages == 500
        assert max(sizes) - min(sizes) < 150 * 2**20
    with Sandbox(Limits(max_pages=499), FULL) as sandbox:
        assert refusal(sandbox, data) == "too-many-pages"


def test_a_child_killed_between_documents_is_replaced(sandbox: Sandbox, pdf: Make) -> None:
    sandbox.extract(pdf("before"))
    assert sandbox.pid is not None
    first = psutil.Process(sandbox.pid)
    first.kill()
    assert sandbox.extract(pdf("after")).text == "after"
    assert sandbox.pid != first.pid


def test_a_child_killed_over_a_document_is_replaced(pdf: Make, tangle: bytes) -> None:
    with Sandbox(Limits(seconds=3), FULL) as sandbox:
        sandbox.extract(pdf("before"))
        child = psutil.Process(sandbox.pid)
        killer = threading.Timer(0.3, child.kill)
        killer.start()
        # The document gets its second chance in a fresh child, and runs out of time there.
        assert refusal(sandbox, tangle) == "timed-out"
        killer.join()
        assert sandbox.extract(pdf("after")).text == "after"


def test_a_child_that_dies_over_its_first_document(tangle: bytes, pdf: Make) -> None:
    with Sandbox(Limits(seconds=20), FULL) as sandbox:
        done = threading.Event()

        def kill() -> None:
            while not done.wait(0.01):
                pid = sandbox.pid
                if pid and psutil.Process(pid).cpu_times().user > 1.5:
                    os.kill(pid, signal.SIGSEGV)
                    return

        killer = threading.Thread(target=kill)
        killer.start()
        assert refusal(sandbox, tangle) == "crashed"
        done.set()
        killer.join()
        assert sandbox.extract(pdf("after")).text == "after"


def test_the_child_is_replaced_after_so_many_documents(pdf: Make) -> None:
    data = pdf("x")
    with Sandbox(LIMITS, FULL, recycle_after=2) as sandbox:
        pids = []
        for _ in range(5):
            sandbox.extract(data)
            pids.append(sandbox.pid)
    assert pids[0] == pids[1] != pids[2] == pids[3] != pids[4]


def test_a_hundred_documents(sandbox: Sandbox, pdf: Make) -> None:
    for number in range(100):
        if number % 10 == 9:
            assert refusal(sandbox, pdf("x")[: -number * 3]) == "broken"
        else:
            assert sandbox.extract(pdf(f"document {number}")).text == f"document {number}"


def test_large_messages_pass_both_ways(pdf: Make) -> None:
    page = "\n".join(["é" * 80] * 55)
    data = pdf(*[page] * 100) + b"%" + b" " * 5_000_000 + b"\n%%EOF"
    with Sandbox(LIMITS, FULL) as sandbox:
        assert sandbox.extract(data).text.split("\n\n") == [page] * 100


@pytest.mark.parametrize("end", ["sys.exit()", "os.kill(os.getpid(), signal.SIGKILL)"])
def test_the_child_dies_with_its_parent(pdf: Make, tmp_path: Path, end: str) -> None:
    (tmp_path / "x.pdf").write_bytes(pdf("x"))
    program = (
        "import os, signal, sys, pathlib\n"
        "from extractors.document.limits import Limits\n"
        "from extractors.sandbox import Sandbox\n"
        "sandbox = Sandbox(Limits())\n"
        "sandbox.extract(pathlib.Path(sys.argv[1]).read_bytes())\n"
        f"print(sandbox.pid, flush=True)\n{end}\n"
    )
    parent = subprocess.run(
        [sys.executable, "-c", program, tmp_path / "x.pdf"],
        capture_output=True,
        env={"PYTHONPATH": str(ROOT)},
        check=False,
    )
    pid = int(parent.stdout)
    deadline = time.monotonic() + 10
    while psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_no_pipe_is_left_open(pdf: Make, tangle: bytes) -> None:
    gc.collect()
    before = psutil.Process().num_fds()
    with Sandbox(Limits(seconds=0.5), FULL) as sandbox:
        for data in (pdf("x"), tangle, pdf("y")):
            with suppress(Unreadable):
                sandbox.extract(data)
    assert psutil.Process().num_fds() == before


def test_the_parent_never_loads_mupdf() -> None:
    program = "import sys, extractors.document_reader; sys.exit('pymupdf' in sys.modules)"
    command = [sys.executable, "-c", program]
    assert subprocess.run(command, env={"PYTHONPATH": str(ROOT)}, check=False).returncode == 0
