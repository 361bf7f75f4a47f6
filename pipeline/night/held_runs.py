"""What somebody decides about a held run: its notes are published, or go to quarantine."""

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from pipeline.config.settings import load
from pipeline.night.publishing import publish_staged, read_back, withdraw_refused
from pipeline.night.release_history import write_past
from pipeline.notes.worker_resources import open_master, settled
from pipeline.state.ledger import State, open_state
from pipeline.state.quality_store import GateDecision
from pipeline.state.run_lock import run_lock
from pipeline.warehouse.warehouse import Output, open_output
from record.errors import ConfigError, CryptonymError
from surrogates.keys.keys import CohortKey


class Astray(CryptonymError):
    """The output does not hold what the ledger says (exit code 1)."""


@dataclass(frozen=True)
class Decided:
    """The decision that stands, and how many notes it moved."""

    decision: GateDecision
    notes: int


def decide(config: Path, decision: GateDecision) -> Decided:
    """Write a decision down, then do it; an interrupted one is completed when it is made again.

    Only notes that this run holds are moved: a note of which a later run made another version is
    not among them any more. Raises ConfigError for a run that does not wait, Unavailable, Astray.
    """
    settings = load(config)
    if not (decision.decided_by.strip() and decision.reason.strip()):
        raise ConfigError("--by, --reason", "are needed", "say who decides, and why")
    cohort = open_master(settings).cohort(settings.cohort)
    with ExitStack() as stack:
        stack.enter_context(run_lock(settled(settings).state.url, settings.base))
        state = open_state(settled(settings).state, settings.base)
        stack.callback(state.close)
        output = open_output(settled(settings).output, settings.base)
        stack.callback(output.close)
        output.check_writable()
        _check(state, decision)
        stands = state.quality.decide(decision)
        if stands.decision != decision.decision:
            problem = f"run {stands.run_id} was {stands.decision} by {stands.decided_by} before"
            raise ConfigError("--accept, --reject", problem, "a decision is never changed")
        decided = Decided(stands, _carry_out(stands, state, output, cohort))
        write_past(settings)
        return decided


def _check(state: State, decision: GateDecision) -> None:
    known = {run.run_id: run for run in state.quality.runs()}
    run = known.get(decision.run_id)
    if run is None or not any(alarm.holds for alarm in run.alarms):
        waiting = ", ".join(str(each.run_id) for each in known.values() if each.waits)
        remedy = f"these wait: {waiting}" if waiting else "no run waits for a decision"
        raise ConfigError(f"run {decision.run_id}", "has no alarm to decide about", remedy)
    if run.conclusion != "held" and decision.decision == "rejected":
        problem = "was published already: the gate only warns"
        raise ConfigError(f"run {decision.run_id}", problem, "remove the notes at the source")


def _carry_out(decision: GateDecision, state: State, output: Output, cohort: CohortKey) -> int:
    if decision.decision == "accepted":
        moved = publish_staged(state, output, only=decision.run_id)
    else:
        moved = state.quality.refuse(decision.run_id, again=decision.again)
        withdraw_refused(state, output, cohort)
    output.prune_persons()
    if not read_back(state, output, cohort):
        raise Astray(
            "the output does not hold exactly the notes the ledger calls released. Remedy: repeat "
            "the command; if it persists, restore the output from a backup"
        )
    return moved
