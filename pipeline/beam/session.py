"""The open tools of this process, one set a thread, found again by every transform of a graph."""

import atexit
import threading
from dataclasses import dataclass, field

from pipeline.config.settings import Settings
from pipeline.notes.worker_admission import admit_worker
from pipeline.notes.worker_resources import WorkerResources, open_resources


@dataclass
class _Session(threading.local):
    """What one thread has open: the settings it belongs to, and the tools."""

    settings: Settings | None = None
    tools: WorkerResources | None = None
    admitted_to: int | None = None
    generation: int = -1


@dataclass
class _Process:
    """What all threads of this process have open, so that somebody can close it."""

    opened: list[WorkerResources] = field(default_factory=list)
    generation: int = 0
    guard: threading.Lock = field(default_factory=threading.Lock)


_session = _Session()
_process = _Process()


def tools_of(settings: Settings) -> WorkerResources:
    """Return this thread's tools for these settings; they are opened the first time.

    Transforms carry settings (which hold no secret) and come here in `setup`: the key and the
    database passwords are read where the work is done and never travel in a serialized graph.
    """
    current = _session.generation == _process.generation and _session.settings == settings
    if _session.tools is None or not current:
        tools = open_resources(settings)
        with _process.guard:
            _process.opened.append(tools)
            _session.generation = _process.generation
        _session.settings, _session.tools = settings, tools
    return _session.tools


def tools_for(settings: Settings, run_id: int, holder: str) -> WorkerResources:
    """Return this thread's tools after it has proved, once a run, that it may be its worker.

    Raises WorkerRefused; see `admit_worker`. `holder` names the worker.
    """
    if _session.admitted_to != run_id or _session.settings != settings:
        admit_worker(settings, run_id, holder)
    tools = tools_of(settings)
    _session.admitted_to = run_id
    return tools


@atexit.register
def close_all() -> None:
    """Close every set of tools of this process; the next use opens them anew."""
    with _process.guard:
        _process.generation += 1
        opened, _process.opened = _process.opened, []
    for tools in opened:
        tools.close()
