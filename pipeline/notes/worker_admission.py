"""Who may be a worker: each proves before its first unit that it would write what others write."""

import time
from collections.abc import Callable, Mapping
from importlib.metadata import version

from pipeline.config.settings import Settings
from pipeline.notes.detection import DETECTOR_VERSION
from pipeline.notes.worker_resources import (
    config_hash,
    digest_tagger,
    open_master,
    resolve_urls,
    with_id_bits,
)
from pipeline.state.detection_register import WorkerRefusal, WorkerRegister
from pipeline.state.ledger import State, open_state
from record.errors import ConfigError
from surrogates.keys.keys import CohortKey

MOST_SECONDS_APART = 60
"""How far a worker's clock may be from that of the database server."""

_DEMANDS = {
    "version": ("another version of cryptonym", "install that version on the worker"),
    "detectors": ("other detectors", "install the same version on the worker"),
    "weights": ("a model with other weights", "copy the folder of the model to the worker"),
    "key": ("another key", "give the worker the master key and the cohort of the run"),
    "configuration": (
        "another configuration: other settings, or files that they name",
        "copy the configuration, with the files that it names, to the worker",
    ),
}


class WorkerRefused(ConfigError):
    """A worker may not take part in a run; says what differs, without any secret."""


def make_proof(settings: Settings, cohort: CohortKey) -> dict[str, str]:
    """Return what a worker with these settings can prove; the key by its check value alone.

    Digests of weights are empty where no model takes part. Raises ConfigError where files that the
    settings name are missing.
    """
    return {
        "version": version("cryptonym"),
        "detectors": DETECTOR_VERSION,
        "weights": digest_tagger(settings),
        "key": cohort.key_id,
        "configuration": config_hash(settings, cohort).hex(),
    }


def admit_worker(
    settings: Settings, run_id: int, holder: str, clock: Callable[[], float] = time.time
) -> None:
    """Check a worker of a run before it opens anything else.

    A run whose demands are not all there admits nobody: its entry was changed. Raises
    WorkerRefused, whose reason is stored for the process that drives the run, which goes on with
    the other workers; Unavailable where the state database does not answer. `clock` returns
    seconds since 1970.
    """
    state = open_state(resolve_urls(settings).state, settings.base)
    try:
        _check(settings, state, run_id, clock)
    except ConfigError as found:
        refusal = WorkerRefusal(found.key, found.problem, found.remedy)
        state.workers.refuse(run_id, holder, refusal)
        raise WorkerRefused(*refusal) from None
    finally:
        state.close()


def _check(settings: Settings, state: State, run_id: int, clock: Callable[[], float]) -> None:
    demanded = state.workers.read_demanded(run_id)
    # Not even that no model takes part goes without saying: its demand is there, and empty.
    if missing := [name for name in _DEMANDS if name not in demanded]:
        problem = f"cannot be checked: the run does not tell its {', '.join(missing)}"
        remedy = "find out who wrote to the state database, then run `cryptonym run` again"
        raise ConfigError("worker", problem, remedy)
    master = open_master(settings)
    cohort = master.cohort(settings.cohort, algorithm=state.read_algorithm())
    proof = make_proof(settings, with_id_bits(cohort, settings.make_policy()))
    check_proof(proof, demanded, _DEMANDS)
    check_clock(state.workers, clock)


def check_proof(
    proof: Mapping[str, str], demanded: Mapping[str, str], demands: Mapping[str, tuple[str, str]]
) -> None:
    """Raise ConfigError for the first demand that is not met.

    `demands` has for each of them, in the order in which they explain one another, what differs
    and the remedy.
    """
    for name, (difference, remedy) in demands.items():
        if proof[name] != demanded.get(name):
            own, other = (each.get(name, "")[:12] or "none" for each in (proof, demanded))
            problem = f"has {difference} ({own}, the run {other})"
            raise ConfigError(f"worker.{name}", problem, remedy)


def check_clock(workers: WorkerRegister, clock: Callable[[], float]) -> None:
    """Raise ConfigError where a worker's clock is too far from that of the database server."""
    apart = clock() - workers.read_clock()
    if abs(apart) > MOST_SECONDS_APART:
        direction = "ahead of" if apart > 0 else "behind"
        problem = f"is {abs(apart):.0f} s {direction} that of the state database"
        raise ConfigError("worker.clock", problem, "synchronize the clocks, by NTP for example")
