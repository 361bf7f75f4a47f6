"""Nightly pseudonymization on a Spark cluster under Apache Airflow 3.

The task starts the driver; Airflow neither sees a note nor a key. On YARN, let it start
`deploy/yarn/cryptonym-yarn` instead.
"""

from datetime import datetime, timedelta

from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG

PROGRAM = "/opt/cryptonym/bin/cryptonym"
CONFIG = "/etc/cryptonym/nightly.toml"
PREPARE = "set -e; umask 077; . /etc/cryptonym/environment; "
UNLESS_QUARANTINE = " || { code=$?; [ $code -eq 3 ] || exit $code; }"

with DAG(
    dag_id="cryptonym_spark",
    schedule="0 2 * * *",
    start_date=datetime(2025, 1, 1),
    catchup=False,
    # A run holds a lock: a second one would only fail.
    max_active_runs=1,
    # Failed for a passing reason, it goes on where it stopped.
    default_args={"retries": 2, "retry_delay": timedelta(minutes=10)},
    tags=["cryptonym"],
) as dag:
    run = BashOperator(
        task_id="run",
        bash_command=(
            f"{PREPARE}{PROGRAM} run {CONFIG} --engine spark --master spark://head:7077 "
            f"--workers 16 --plain{UNLESS_QUARANTINE}"
        ),
        execution_timeout=timedelta(hours=8),
    )
