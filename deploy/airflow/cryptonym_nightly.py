"""Nightly pseudonymization under Apache Airflow 3: check, run, a release, synthetic notes of it.

The tasks start the program; Airflow neither sees a note nor a key. The worker's account must be the
one that owns the state database and the master key.
"""

from datetime import datetime, timedelta

from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG

PROGRAM = "/opt/cryptonym/bin/cryptonym"
CONFIG = "/etc/cryptonym/nightly.toml"
PREPARE = "set -e; umask 077; . /etc/cryptonym/environment; "
UNLESS_HELD = " || { code=$?; [ $code -ne 1 ] || exit 99; exit $code; }"
UNLESS_QUARANTINE = " || { code=$?; [ $code -eq 3 ] || exit $code; }"

with DAG(
    dag_id="cryptonym_nightly",
    schedule="0 2 * * *",
    start_date=datetime(2025, 1, 1),
    catchup=False,
    # A run holds a lock: a second one would only fail.
    max_active_runs=1,
    # Failed for a passing reason, it goes on where it stopped.
    default_args={"retries": 2, "retry_delay": timedelta(minutes=10)},
    tags=["cryptonym"],
) as dag:
    doctor = BashOperator(
        task_id="doctor", bash_command=f"{PREPARE}{PROGRAM} doctor {CONFIG} --plain", retries=0
    )
    # 3: released, with more notes in quarantine than the limit. It is told by the report, and no
    # failure; every other exit code is passed on.
    run = BashOperator(
        task_id="run",
        bash_command=f"{PREPARE}{PROGRAM} run {CONFIG} --workers 4 --plain{UNLESS_QUARANTINE}",
        execution_timeout=timedelta(hours=8),
    )
    release = BashOperator(
        task_id="release_asthma",
        bash_command=(
            f"{PREPARE}{PROGRAM} release {CONFIG} --cohort asthma-2025 "
            "--persons /etc/cryptonym/asthma.txt --output env:ASTHMA_URL --plain"
            f"{UNLESS_QUARANTINE}"
        ),
    )
    # 1: HOLD. Nothing was published; the report says why, and no further attempt makes it good.
    synthesize = BashOperator(
        task_id="synthesize",
        # A task that is held is skipped, not failed.
        skip_on_exit_code=99,
        bash_command=(f"{PREPARE}{PROGRAM} synthesize run {CONFIG} --plain{UNLESS_HELD}"),
        execution_timeout=timedelta(hours=24),
    )
    doctor >> run >> release >> synthesize
