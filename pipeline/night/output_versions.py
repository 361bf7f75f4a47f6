"""The key and version of the surrogate algorithm that an output was made under, and its rebase."""

from collections.abc import Sequence
from datetime import date

from pipeline.config.policy_description import summarize_policy
from pipeline.config.settings import Settings
from pipeline.state.ledger import State
from pipeline.warehouse.sql_output import NO_HOLDER, CdmSource, Output
from pipeline.warehouse.table_reader import find_vocabulary_version
from pipeline.warehouse.warehouse import Source
from record.algorithms import ALGORITHMS
from record.errors import ConfigError, CryptonymError
from surrogates.keys.keys import CohortKey, MasterKey

# Whoever sees night by night what is new learns the shifts of dates.
_RESTRICTED = " Restricted: not for researchers, who get releases."

_TABLES = " Structured tables: "


class RebaseHeld(CryptonymError):
    """The quality gate holds a run that would publish the output anew (exit code 1)."""


def make_source(
    settings: Settings, cohort: CohortKey, source: Source, today: date, tables: Sequence[str]
) -> CdmSource:
    """Return the description of the output under a cohort's key, as it is made today.

    `tables` are the structured tables that runs write or have ever written.
    """
    written = f"{_TABLES}{', '.join(tables)}." if tables else ""
    policy = settings.make_policy().under(cohort.algorithm)
    zone = _RESTRICTED if cohort.algorithm > ALGORITHMS[0] else ""
    return CdmSource(
        cdm_source_name=settings.cohort,
        cdm_source_abbreviation=settings.cohort[:25],
        cdm_holder=NO_HOLDER,
        source_description=summarize_policy(policy) + zone + written,
        cdm_etl_reference=make_reference(cohort),
        source_release_date=today,
        cdm_release_date=today,
        vocabulary_version=find_vocabulary_version(source),
    )


def read_written_tables(output: Output) -> frozenset[str]:
    """Return the structured tables that an output says runs have ever written."""
    _, is_told, written = (output.description() or "").rpartition(_TABLES)
    return frozenset(written.removesuffix(".").split(", ")) if is_told else frozenset()


def make_reference(cohort: CohortKey) -> str:
    """Return the reference of a key in an output."""
    return f"cryptonym key {cohort.key_id}"


def find_algorithm(master: MasterKey, settings: Settings, state: State, output: Output) -> int:
    """Return the version of the surrogate algorithm that an output goes on under.

    It is that of the last run; without any run that of the output, if it has one, else that of the
    cohort's record or the newest.
    """
    known = state.read_algorithm()
    if known is not None:
        return known
    cohort = master.cohort(settings.cohort)
    made = {make_reference(cohort.under(each)): each for each in ALGORITHMS}
    return made.get(output.origin() or "", cohort.algorithm)


def find_rebased(output: Output, cohort: CohortKey) -> CohortKey | None:
    """Return the cohort's key of the earlier version that made the output; None if none did."""
    earlier = [each for each in ALGORITHMS if each < cohort.algorithm]
    keys = {make_reference(key): key for key in map(cohort.under, earlier)}
    return keys.get(output.origin() or "")


def check_rebase(state: State, most_new: int | None) -> None:
    """Raise ConfigError where notes or withdrawals wait for a decision, or the run is partial."""
    if most_new is not None:
        raise ConfigError("--rebase", "publishes all notes", "use it without --most-new")
    if any(run.waits for run in state.quality.runs()) or state.withdrawals.count_waiting():
        raise ConfigError(
            "--rebase",
            "an earlier run is held, and its notes have no surrogates of the new version",
            "decide on it first: cryptonym quality CONFIG.toml",
        )


def restart_output(state: State, output: Output, source: CdmSource) -> None:
    """Empty an output of an earlier version, and describe it as one of the new version.

    In this order: a run that dies in between finds the earlier origin, and does both again.
    """
    state.mark_all_withdrawn()
    output.restart(source)


def check_origin(output: Output, cohort: CohortKey) -> str:
    """Return the reference of a key in an output; raises ConfigError if another key made it."""
    reference = make_reference(cohort)
    if output.origin() not in (None, reference):
        raise ConfigError(
            "output.url",
            "holds notes made with another key or for another cohort",
            "use a separate output and state database for each cohort, or empty both",
        )
    return reference
