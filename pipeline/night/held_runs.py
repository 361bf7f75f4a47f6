"""Decisions on runs held by the quality gate: their notes are published or go to quarantine."""

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from pipeline.config.settings import load
from pipeline.night.objections import withdraw_objecting
from pipeline.night.publishing import fence, is_output_complete, publish_staged
from pipeline.night.release_history import write_release_page
from pipeline.night.withdrawals import withdraw_accepted, withdraw_rejected
from pipeline.notes.worker_resources import open_master, resolve_urls, seal_state, with_id_bits
from pipeline.state.ledger import State, open_state
from pipeline.state.quality_store import GateDecision
from pipeline.state.run_lock import make_run_lock
from pipeline.state.span_sealing import Seal, StateKeys
from pipeline.warehouse.warehouse import Output, open_output, open_source
from record.errors import ConfigError, CryptonymError
from surrogates.keys.keys import CohortKey


class Astray(CryptonymError):
    """The output does not match the ledger (exit code 1)."""


@dataclass(frozen=True)
class AppliedDecision:
    """The decision in force, and the numbers of notes it published or quarantined, and withdrew."""

    decision: GateDecision
    notes: int
    withdrawn: int = 0


def apply_decision(config: Path, decision: GateDecision) -> AppliedDecision:
    """Record a decision and apply it; repeating the call completes an interrupted one.

    Only notes still held by this run are moved, not those that a later run processed again. Notes
    of persons who object are removed first. Raises ConfigError for a run that cannot be decided
    on, Unavailable, Astray.
    """
    settings = load(config)
    if not (decision.decided_by.strip() and decision.reason.strip()):
        raise ConfigError("--by, --reason", "must not be empty", "give a name and a reason")
    master = open_master(settings)
    keys = StateKeys(master)
    with ExitStack() as stack:
        lock = stack.enter_context(make_run_lock(resolve_urls(settings).state.url, settings.base))
        state = open_state(resolve_urls(settings).state, settings.base, keys)
        stack.callback(state.close)
        cohort = master.cohort(settings.cohort, algorithm=state.read_algorithm())
        cohort = with_id_bits(cohort, settings.make_policy())
        output = fence(open_output(resolve_urls(settings).output, settings.base), lock.keep)
        stack.callback(output.close)
        output.check_writable()
        seal_state(settings, master, state)
        _check_decidable(state, decision)
        if settings.source.objections is not None:
            source = open_source(resolve_urls(settings).source, settings.base)
            stack.callback(source.close)
            withdraw_objecting(source, state, output, cohort)
        final = state.quality.decide(decision)
        if final.decision != decision.decision:
            problem = f"run {final.run_id} was already {final.decision} by {final.decided_by}"
            raise ConfigError("--accept, --reject", problem, "decisions are final")
        applied = _apply(final, state, output, (cohort, keys.seal))
        write_release_page(settings)
        return applied


def _check_decidable(state: State, decision: GateDecision) -> None:
    known = {run.run_id: run for run in state.quality.runs()}
    run = known.get(decision.run_id)
    if run is None or not any(alarm.holds for alarm in run.alarms):
        waiting = ", ".join(str(each.run_id) for each in known.values() if each.waits)
        remedy = f"runs awaiting a decision: {waiting or 'none'}"
        raise ConfigError(f"run {decision.run_id}", "raised no alarm", remedy)
    if run.conclusion != "held" and decision.decision == "rejected":
        problem = "was not held, its notes are already published"
        raise ConfigError(f"run {decision.run_id}", problem, "delete the notes from the source")


def _apply(
    decision: GateDecision, state: State, output: Output, secrets: tuple[CohortKey, Seal]
) -> AppliedDecision:
    cohort, seal = secrets
    withdrawn = 0
    if decision.decision == "accepted":
        moved = publish_staged(state, output, seal, only=decision.run_id)
        withdrawn = withdraw_accepted(state, output, cohort)
    else:
        moved = state.quality.reject(decision.run_id, again=decision.again)
        state.withdrawals.reject(decision.run_id)
        withdraw_rejected(state, output, cohort)
    output.prune_persons()
    if not is_output_complete(state, output, cohort):
        raise Astray(
            "output and ledger do not match: the set of released notes differs. Remedy: repeat the "
            "command; if the error persists, restore the output from a backup"
        )
    return AppliedDecision(decision, moved, withdrawn)
