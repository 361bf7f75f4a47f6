"""A worker's network is cut: the night ends without it, and it writes nothing when it is back.

The worker is in a network namespace of Linux, joined to the host by a pair of virtual devices.
"""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import psutil
import pytest
from sqlalchemy import text

from tests.pipeline.spark.test_cluster import Host, has_spark, start_cluster, wait_until
from tests.pipeline.spark.test_faults import (
    UNIT,
    Hospital,
    Night,
    hospital,
    prepare_night,
    run_server,
    short_night,
)

__all__ = ["hospital"]  # a fixture

pytestmark = [pytest.mark.slow, has_spark]
NAME = f"cryptonym{os.getpid() % 10_000}"
OUTER, INNER = f"{NAME}o"[-15:], f"{NAME}i"[-15:]
SUBNET = f"10.213.{os.getpid() % 250}"
UNITS = text("select unit, holder, attempt, done, tally from run_unit order by unit")
LEDGER = text("select * from ledger order by note_id")


def run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)


@pytest.fixture
def network() -> Iterator[tuple[Host, Host]]:
    """This host, and a namespace that reaches it alone."""
    if shutil.which("ip") is None:
        pytest.skip("ip (iproute2) is not installed")
    with ExitStack() as stack:
        try:
            run("ip", "netns", "add", NAME)
            stack.callback(run, "ip", "netns", "delete", NAME)
            run("ip", "link", "add", OUTER, "type", "veth", "peer", "name", INNER, "netns", NAME)
            stack.callback(subprocess.run, ["ip", "link", "delete", OUTER], check=False)
            inside = ("ip", "-n", NAME)
            run("ip", "address", "add", f"{SUBNET}.1/24", "dev", OUTER)
            run(*inside, "address", "add", f"{SUBNET}.2/24", "dev", INNER)
            for command in (("ip", "link", "set", OUTER), (*inside, "link", "set", INNER),
                            (*inside, "link", "set", "lo")):  # fmt: skip
                run(*command, "up")
        except subprocess.CalledProcessError as error:
            pytest.skip(f"network namespaces are not allowed here: {error.stderr.decode()[:80]}")
        yield Host(f"{SUBNET}.1"), Host(f"{SUBNET}.2", ("ip", "netns", "exec", NAME))


@short_night
def test_a_worker_is_cut_off_and_comes_back(
    network: tuple[Host, Host],
    hospital: Hospital,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with ExitStack() as stack:
        url, _ = stack.enter_context(run_server(network[0].address))
        monkeypatch.setenv("CRYPTONYM_TEST_STATE", url)
        master, workers = stack.enter_context(start_cluster(tmp_path, url, network))
        site = hospital.copy(tmp_path / "site")
        night = stack.enter_context(prepare_night(site, url, (master, workers[1:])))
        process = night.start()
        # Of all that hold a unit, those in the namespace.
        victim, unit, attempt = wait_until(night.find_holders, process)[0]
        run("ip", "link", "set", OUTER, "down")
        night.check_held(unit, attempt)
        night.check_end(process, hospital.digest)
        ((holder, taken, _),) = night.rows(UNIT, unit=unit)
        assert int(holder.split(":")[1]) != victim
        assert taken == attempt + 1

        before = night.rows(UNITS), night.rows(LEDGER)
        is_there = psutil.pid_exists(victim)
        run("ip", "link", "set", OUTER, "up")
        check_that_nothing_is_written(night, victim, before)
        assert night.site.digest() == hospital.digest
    assert is_there


def check_that_nothing_is_written(night: Night, victim: int, before: object) -> None:
    """Look until the worker has ended, or had a minute to do what it may."""
    ends = time.monotonic() + 60
    while psutil.pid_exists(victim) and time.monotonic() < ends:
        assert (night.rows(UNITS), night.rows(LEDGER)) == before
        time.sleep(1)
    assert (night.rows(UNITS), night.rows(LEDGER)) == before
