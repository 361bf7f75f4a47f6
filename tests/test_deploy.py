"""The examples of schedules: those who read them can, and the program takes their lines."""

import re
import runpy
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pipeline.cli import find_command, load, make_parser
from pipeline.config.settings import LimitSettings
from pipeline.state.unit_leases import count_most_deaths

DEPLOY = Path(__file__).parents[1] / "deploy"
UNITS = sorted((DEPLOY / "systemd").iterdir())
DAG = DEPLOY / "airflow" / "cryptonym_nightly.py"


def lines_of(text: str) -> list[list[str]]:
    """Every call of the program in a text, as words."""
    text = text.replace("{PROGRAM}", "/bin/cryptonym").replace("{CONFIG}", "c.toml")
    text = re.sub(r'"\s*\n\s*f?"', "", text).replace("{UNLESS_QUARANTINE}", "|")
    text = text.replace("{UNLESS_HELD}", "|")
    found = re.findall(r"/bin/cryptonym ([^\"|>;\n]+)", text)
    return [shlex.split(line) for line in found]


def accept(words: list[str]) -> None:
    """Parse a line as the program does; what it does not know ends the test."""
    called = find_command(words)
    assert called, words
    options, rest = make_parser(called, load(called)).parse_known_args(words)
    assert rest == []
    assert options.config


@pytest.mark.parametrize(
    ("path", "count"),
    [(DEPLOY / "cron" / "cryptonym", 4), (DAG, 4)]
    + [
        (unit, 2 if "synthesize" in unit.name else 1) for unit in UNITS if unit.suffix == ".service"
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_the_program_takes_what_an_example_gives_it(path: Path, count: int) -> None:
    lines = lines_of(path.read_text(encoding="utf-8"))
    assert len(lines) == count
    for words in lines:
        accept(words)


def ending(shell: str, code: int, folder: Path) -> int:
    """The exit code that a scheduler sees of a call of the program that ends with one."""
    program = folder / "cryptonym"
    program.write_text(f"#!/bin/sh\nexit {code}\n")
    program.chmod(0o755)
    env = {"PATH": f"{folder}:/usr/bin:/bin"}
    call = ["/bin/sh", "-c", shell, "cryptonym", "run"]
    return subprocess.run(call, env=env, check=False).returncode


SEEN = {0: 0, 1: 1, 2: 2, 3: 0, 4: 4}
"""The exit code that each scheduler sees, by that of the program."""


@pytest.mark.parametrize("code", SEEN)
def test_quarantine_above_the_limit_is_no_failure_to_any_scheduler(
    code: int, tmp_path: Path
) -> None:
    unit = (DEPLOY / "systemd" / "cryptonym.service").read_text(encoding="utf-8")
    assert re.findall(r"^SuccessExitStatus=(.*)$", unit, re.MULTILINE) == ["3"]
    text = DAG.read_text(encoding="utf-8")
    (after,) = re.findall(r'^UNLESS_QUARANTINE = "(.*)"$', text, re.MULTILINE)
    assert text.count("{UNLESS_QUARANTINE}") == 2
    assert ending(f"set -e; cryptonym run{after}", code, tmp_path) == SEEN[code]
    job = (DEPLOY / "kubernetes" / "cronjob.yaml").read_text(encoding="utf-8")
    (shell,) = re.findall(r"""command: \["/bin/sh", "-c", '(.*)', "cryptonym"\]""", job)
    assert ending(shell, code, tmp_path) == SEEN[code]
    assert "values: [1, 2]\n" in job
    cron = (DEPLOY / "cron" / "cryptonym").read_text(encoding="utf-8")
    (line,) = re.findall(r"/opt/cryptonym/bin/(cryptonym run .*)", cron)
    printed = line.replace("/var/lib/cryptonym", str(tmp_path))
    assert ending(printed.replace(" || cat ", " || exit 9 # "), code, tmp_path) == (
        9 if SEEN[code] else 0
    )


@pytest.mark.parametrize(("code", "seen"), [(0, 0), (1, 0), (2, 9), (4, 9)])
def test_synthetic_notes_that_are_held_are_no_failure(code: int, seen: int, tmp_path: Path) -> None:
    unit = (DEPLOY / "systemd" / "cryptonym-synthesize.service").read_text(encoding="utf-8")
    assert re.findall(r"^SuccessExitStatus=(.*)$", unit, re.MULTILINE) == ["1 3"]
    cron = (DEPLOY / "cron" / "cryptonym").read_text(encoding="utf-8")
    (line,) = re.findall(r"&& (\{ /opt/cryptonym/bin/cryptonym synthesize.*)", cron)
    printed = line.replace("/var/lib/cryptonym", str(tmp_path)).replace("/opt/cryptonym/bin/", "")
    assert ending(printed.replace(" || cat ", " || exit 9 # "), code, tmp_path) == seen
    (after,) = re.findall(r'^UNLESS_HELD = "(.*)"$', DAG.read_text(encoding="utf-8"), re.MULTILINE)
    told = ending(f"set -e; cryptonym synthesize run{after}", code, tmp_path)
    assert told == (99 if code == 1 else code)


def test_kubernetes() -> None:
    yaml = pytest.importorskip("yaml", reason="PyYAML comes with the extra [models]")
    (job,) = yaml.safe_load_all((DEPLOY / "kubernetes" / "cronjob.yaml").read_text("utf-8"))
    assert (job["apiVersion"], job["kind"]) == ("batch/v1", "CronJob")
    assert job["spec"]["concurrencyPolicy"] == "Forbid"
    pod = job["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    accept(container["args"])
    assert {m["name"] for m in container["volumeMounts"]} == {v["name"] for v in pod["volumes"]}
    rules = job["spec"]["jobTemplate"]["spec"]["podFailurePolicy"]["rules"]
    assert {rule["onExitCodes"]["containerName"] for rule in rules} == {container["name"]}


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")
def test_systemd(tmp_path: Path) -> None:
    program, environment = tmp_path / "cryptonym", tmp_path / "environment"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    environment.write_text("")
    for unit in UNITS:
        text = unit.read_text(encoding="utf-8").replace("User=cryptonym", "User=root")
        text = text.replace("/opt/cryptonym/bin/cryptonym", str(program))
        (tmp_path / unit.name).write_text(
            text.replace("/etc/cryptonym/environment", str(environment))
        )
    done = subprocess.run(
        ["systemd-analyze", "verify", *(tmp_path / unit.name for unit in UNITS)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    about_ours = [line for line in done.stderr.splitlines() if "cryptonym" in line]
    assert (done.returncode, about_ours) == (0, []), done.stderr


def test_cron() -> None:
    lines = (DEPLOY / "cron" / "cryptonym").read_text(encoding="utf-8").splitlines()
    jobs = [line for line in lines if re.match(r"[\d*]", line)]
    assert len(jobs) == 3
    for job in jobs:
        *when, user, command = job.split(maxsplit=6)
        limits = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))
        for field, (low, high) in zip(when, limits, strict=True):
            assert field == "*" or low <= int(field) <= high
        assert user == "cryptonym"
        assert "%" not in command, "cron would read it as a line break"
        subprocess.run(["/bin/sh", "-n", "-c", command], check=True)


def test_airflow() -> None:
    """With the real Airflow, where it is installed."""
    pytest.importorskip("airflow", reason="Airflow is not installed")
    namespace: dict[str, object] = {}
    exec(compile(DAG.read_text(encoding="utf-8"), str(DAG), "exec"), namespace)
    dag = namespace["dag"]
    tasks = {task.task_id: set(task.downstream_task_ids) for task in dag.tasks}  # type: ignore[attr-defined]
    assert tasks == {
        "doctor": {"run"},
        "run": {"release_asthma"},
        "release_asthma": {"synthesize"},
        "synthesize": set(),
    }


@pytest.mark.parametrize(("code", "seen"), [(0, 0), (1, 0), (2, 2), (3, 3), (4, 4)])
def test_kubernetes_makes_synthetic_notes_of_a_release(
    code: int, seen: int, tmp_path: Path
) -> None:
    (job,) = documents(DEPLOY / "kubernetes" / "synthesize-cronjob.yaml")
    policy = job["spec"]["jobTemplate"]["spec"]
    pod = policy["template"]["spec"]
    (release,), (container,) = pod["initContainers"], pod["containers"]
    volumes = {each["name"] for each in pod["volumes"]}
    for each in (release, container):
        accept(each["args"])
        assert {mount["name"] for mount in each["volumeMounts"]} == volumes
    assert release["args"][0] == "release" and container["args"][:2] == ["synthesize", "run"]
    rules = policy["podFailurePolicy"]["rules"]
    assert {rule["onExitCodes"]["containerName"] for rule in rules} == {container["name"]}
    assert ending(container["command"][2], code, tmp_path) == seen
    assert ending(release["command"][2], code, tmp_path) == SEEN[code]
    image = (DEPLOY.parent / "Dockerfile").read_text("utf-8")
    assert f"--build-arg EXTRA=models -t {container['image'].split('/')[1].split(':')[0]}" in image


def test_images_have_the_versions_of_the_constraints() -> None:
    constraints = (DEPLOY.parent / "constraints.txt").read_text("utf-8")
    (spark,) = re.findall(r"^pyspark==(.*)$", constraints, re.MULTILINE)
    image = (DEPLOY / "spark" / "Dockerfile").read_text("utf-8")
    assert f"pyspark=={spark}\n" in image and f"apache/spark:{spark} " in image
    (job,) = documents(DEPLOY / "kubernetes" / "spark-operator.yaml")
    assert job["spec"]["template"]["sparkVersion"] == spark


# Spark on other people's machines: schemas are those of packages that others keep ----------------

KUBERNETES = sorted((DEPLOY / "kubernetes").glob("*.yaml"))
OWN_KINDS = "sparkoperator.k8s.io/"


def documents(path: Path) -> list[dict[str, Any]]:
    yaml = pytest.importorskip("yaml", reason="PyYAML comes with the extra [models]")
    return list(yaml.safe_load_all(path.read_text(encoding="utf-8")))


def find_dropped(written: Any, read: Any, place: str = "") -> list[str]:
    """Places of what a model of a manifest does not know, or has read as something else."""
    if isinstance(written, dict) and isinstance(read, dict):
        return [
            found
            for key, value in written.items()
            for found in find_dropped(value, read.get(key), f"{place}.{key}")
        ]
    if isinstance(written, list) and isinstance(read, list) and len(written) == len(read):
        return [
            found
            for number, (one, other) in enumerate(zip(written, read, strict=True))
            for found in find_dropped(one, other, f"{place}[{number}]")
        ]
    return [] if written == read else [place]


@pytest.mark.parametrize("path", KUBERNETES, ids=lambda path: path.name)
def test_kubernetes_schemas(path: Path) -> None:
    schemas = pytest.importorskip("kubernetes_validate", reason="kubernetes-validate is missing")
    found = [each for each in documents(path) if not each["apiVersion"].startswith(OWN_KINDS)]
    for each in found:
        schemas.validate(each, "1.37", strict=True)
        with pytest.raises(schemas.ValidationError):
            schemas.validate(each | {"unknown": 1}, "1.37", strict=True)
        for text in each.get("data", {}).values():
            yaml = pytest.importorskip("yaml")
            schemas.validate(yaml.safe_load(text), "1.37", strict=True)
    assert found or path.name == "spark-operator.yaml"


def test_spark_operator_schema() -> None:
    models = pytest.importorskip(
        "kubeflow_spark_api.models", reason="kubeflow-spark-api is missing"
    )
    (job,) = documents(DEPLOY / "kubernetes" / "spark-operator.yaml")
    scheduled = models.SparkV1beta2ScheduledSparkApplication
    assert find_dropped(job, scheduled.from_dict(job).to_dict()) == []
    job["spec"]["template"]["driver"]["coers"] = 1
    assert find_dropped(job, scheduled.from_dict(job).to_dict()) == [".spec.template.driver.coers"]
    accept(job["spec"]["template"]["arguments"])


def test_databricks_schema() -> None:
    jobs = pytest.importorskip("databricks.bundles.jobs", reason="databricks-bundles is missing")
    (bundle,) = documents(DEPLOY / "databricks" / "databricks.yml")
    job = bundle["resources"]["jobs"]["nightly"]
    assert find_dropped(job, jobs.Job.from_dict(job).as_dict()) == []
    with pytest.raises(ValueError, match="unknown"):
        jobs.Job.from_dict(job | {"unknown": 1})
    (task,) = job["tasks"]
    accept(task["spark_python_task"]["parameters"])
    assert (DEPLOY / "databricks" / task["spark_python_task"]["python_file"]).is_file()


def test_the_job_without_an_operator_names_what_it_has() -> None:
    kinds = {each["kind"]: each for each in documents(DEPLOY / "kubernetes" / "spark-cronjob.yaml")}
    template = kinds["CronJob"]["spec"]["jobTemplate"]["spec"]["template"]
    assert kinds["Service"]["spec"]["selector"] == template["metadata"]["labels"]
    pod = template["spec"]
    assert pod["serviceAccountName"] == kinds["ServiceAccount"]["metadata"]["name"]
    (container,) = pod["containers"]
    accept(container["args"])
    confs = dict(
        word.removeprefix("--conf=").split("=", 1)
        for word in container["command"]
        if word.startswith("--conf=")
    )
    assert confs["spark.driver.host"] == kinds["Service"]["metadata"]["name"]
    ports = {each["port"] for each in kinds["Service"]["spec"]["ports"]}
    assert {int(confs[f"spark.{name}.port"]) for name in ("driver", "blockManager")} == ports
    assert confs["spark.kubernetes.container.image"] == container["image"]
    assert {m["name"] for m in container["volumeMounts"]} == {v["name"] for v in pod["volumes"]}


@pytest.mark.parametrize(
    "path",
    ["databricks/databricks.yml", "kubernetes/spark-cronjob.yaml", "kubernetes/spark-operator.yaml",
     "yarn/cryptonym-yarn"],
)  # fmt: skip
def test_a_task_may_fail_as_often_as_notes_can_end_it(path: str) -> None:
    text = (DEPLOY / path).read_text("utf-8")
    found = re.findall(r'spark\.(?:task\.maxFailures|executor\.maxNumFailures)(?:=|: ")(\d+)', text)
    # Databricks has cluster managers of its own.
    assert len(found) == (1 if "databricks" in path else 2)
    assert {int(each) for each in found} == {count_most_deaths(LimitSettings().notes_per_unit) + 1}


def test_yarn_cron_and_airflow_on_spark() -> None:
    script = DEPLOY / "yarn" / "cryptonym-yarn"
    subprocess.run(["/bin/sh", "-n", str(script)], check=True)
    (words,) = re.findall(r"nightly\.py (run .*)$", script.read_text("utf-8"), re.MULTILINE)
    accept(shlex.split(words))
    for path in (DEPLOY / "cron" / "cryptonym-spark", DEPLOY / "airflow" / "cryptonym_spark.py"):
        (line,) = lines_of(path.read_text(encoding="utf-8"))
        accept(line)
        assert "--engine" in line


@pytest.mark.parametrize("code", SEEN)
def test_what_spark_submit_starts(code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[list[str]] = []

    def end(words: list[str]) -> int:
        given.append(words)
        return code

    monkeypatch.setattr("pipeline.cli.main", end)
    monkeypatch.setattr(sys, "argv", ["nightly.py", "run", "c.toml"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(DEPLOY / "spark" / "nightly.py"), run_name="__main__")
    assert ended.value.code == SEEN[code]
    assert given == [["run", "c.toml"]]
