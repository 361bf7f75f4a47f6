"""A worker of a release: proves that it would write what the others write, and makes units."""

import time
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.config.settings import Settings
from pipeline.notes.error_boundary import drop_error_texts
from pipeline.notes.worker_admission import WorkerRefused, check_clock, check_proof
from pipeline.notes.worker_resources import open_master
from pipeline.release.exchange import open_exchange
from pipeline.release.release_context import ReleaseContext, open_context, staging_folder
from pipeline.release.request import ReleaseRequest, decode_request
from pipeline.release.staging import LEASED, ReleaseStaging
from pipeline.release.targets import FolderTarget
from pipeline.release.unit import claim_release_units, make_unit
from pipeline.state.detection_register import WorkerRefusal
from record.errors import ConfigError

_DEMANDS = {
    "version": ("another version of cryptonym", "install that version on the worker"),
    "key": ("another key", "give the worker the master key, and the custody folder as it is now"),
    "policy": ("another policy", "copy the policy's file to the worker"),
    "configuration": (
        "another configuration: other settings, detectors, model, or files that they name",
        "copy the configuration, with the files that it names, to the worker",
    ),
    "tables": ("another source, with other tables", "give the worker the source of the release"),
}


@dataclass(frozen=True)
class ReleasePlace:
    """Where a worker finds its release; pickled and sent, so without any secret.

    `schema` is that of the exchange, empty where the release is built in the staging folder of this
    machine. `output` is needed by workers that compare their rows with those that are published,
    and never leaves this machine.
    """

    settings: Settings
    schema: str = ""
    output: str = field(default="", repr=False)


class _ElsewhereTarget(FolderTarget):
    """Stands for the target in workers that compare nothing: the driving process does."""

    def __init__(self, origin: str | None, suffix: str) -> None:
        super().__init__(Path("/dev/null"), suffix)
        self._origin = origin

    def read_origin(self) -> str | None:
        return self._origin


def join_staging(place: ReleasePlace) -> ReleaseStaging:
    """Open the staging of a release in a worker; raises ConfigError where it is not reached."""
    if place.schema:
        return ReleaseStaging.join(open_exchange(place.settings, place.schema))
    return ReleaseStaging.open(staging_folder(place.settings))


def open_worker_context(
    place: ReleasePlace, holder: str, clock: Callable[[], float] = time.time
) -> ReleaseContext:
    """Open everything in a worker.

    Raises WorkerRefused where it would write something else than the others: the reason is stored
    for the process that drives the release. `clock` returns seconds since 1970.
    """
    staging = join_staging(place)
    try:
        return _open_checked(place, staging, clock)
    except ConfigError as found:
        refusal = WorkerRefusal(found.key, found.problem, found.remedy)
        staging.workers.refuse(LEASED, holder, refusal)
        staging.close()
        raise WorkerRefused(*refusal) from None
    except BaseException:
        staging.close()
        raise


def _open_checked(
    place: ReleasePlace, staging: ReleaseStaging, clock: Callable[[], float]
) -> ReleaseContext:
    parameters = staging.read_parameters()
    if not parameters:
        problem, remedy = "the release has ended", "run `cryptonym release` again"
        raise ConfigError("worker.release", problem, remedy)
    request = decode_request(parameters["request"], place.output)
    _check_custody(request, place.settings)
    target = None
    if not place.output:
        target = _ElsewhereTarget(parameters["origin"], parameters["suffix"])
    context = open_context(request, place.settings, staging, target)
    try:
        check_proof(context.proof, staging.workers.read_demanded(LEASED), _DEMANDS)
        check_clock(staging.workers, clock)
    except BaseException:
        context.close()
        raise
    return context


def _check_custody(request: ReleaseRequest, settings: Settings) -> None:
    """Refuse to draw a secret for the cohort, which the driving process has done."""
    custody = open_master(settings).custody
    if custody is None:
        return
    with custody.locked():
        is_known = custody.entry(request.cohort) is not None
    if not is_known:
        problem = "the custody folder of this worker does not have the cohort"
        raise ConfigError("worker.key", problem, "give every worker the same custody folder")


def make_release_units(place: ReleasePlace, holder: str) -> Generator[int, None, None]:
    """Claim and make units until none is left, as the worker `holder`; yields 1 for each.

    A worker that is refused makes none: the others do its work. Errors hold no text.
    """
    try:
        context = drop_error_texts(lambda: open_worker_context(place, holder))
    except WorkerRefused:
        return
    with closing(context), closing(claim_release_units(context, holder)) as units:
        for unit in units:
            drop_error_texts(lambda unit=unit: make_unit(unit, context))  # type: ignore[misc]
            yield 1
