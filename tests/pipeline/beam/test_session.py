"""The open tools of a process: one set a thread, and none in the way of another."""

import pickle
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing

import pytest

from pipeline.beam import session
from pipeline.beam.session import tools_of
from pipeline.config.settings import load
from pipeline.warehouse.databases import connect
from tests.pipeline.conftest import Site

VISIT = (
    "import sqlite3, sys; database = sqlite3.connect(sys.argv[1]); "
    "database.execute('select * from run').fetchall(); database.close()"
)


def test_one_set_a_thread(hospital: Site) -> None:
    settings, found = load(hospital.config), []
    mine = tools_of(settings)
    assert tools_of(settings) is mine
    other = threading.Thread(target=lambda: found.append(tools_of(settings)))
    other.start()
    other.join()
    assert found[0] is not mine
    session.close_all()
    assert tools_of(settings) is not mine


def test_other_settings_have_other_tools(make_site: Callable[..., Site]) -> None:
    first, second = (load(make_site().config) for _ in range(2))
    assert tools_of(first).settings == first
    assert tools_of(second).settings == second


def test_opening_a_state_again_keeps_the_locks_of_this_process(hospital: Site) -> None:
    # POSIX drops every lock of a process on a file when it closes any descriptor of that file:
    # https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_
    settings = load(hospital.config)
    tools_of(settings)
    path = hospital.folder / "state.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("create table written (n)")
        connect(settings.state.url, settings.base, what="state", use="state")
        subprocess.run([sys.executable, "-c", VISIT, str(path)], check=True)
        # The last to leave removes this file; a visitor must see that he is not the last.
        assert path.with_name("state.db-wal").exists()
        assert connection.execute("select count(*) from written").fetchone() == (0,)


def test_tools_are_never_serialized(hospital: Site) -> None:
    with pytest.raises(TypeError, match="must not be serialized"):
        pickle.dumps(tools_of(load(hospital.config)))
