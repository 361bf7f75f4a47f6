"""The wheel works without the sources, brings all it needs and nothing that is not ours."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
ROOMS = {
    *("record", "locales", "rules", "models", "surrogates"),
    *("extractors", "pipeline", "synthesis", "evaluation", "cryptonym"),
}
SHIPPED = (*sorted(ROOMS), "setup.py", "pyproject.toml", "README.md", "LICENSE", "NOTICE")
DATA = {".toml", ".txt", ".j2", ".css", ".js", ".typed", ".npz", ".md", ".json", ".safetensors"}


def said(*command: str | Path, cwd: Path, env: Mapping[str, str] | None = None) -> str:
    """Run a command; give what it printed, or fail with it."""
    run = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=env,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert run.returncode == 0, f"{command}: {run.returncode}\n{run.stdout}\n{run.stderr}"
    return run.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy of the sources so that nothing is left behind in the tree."""
    sources = tmp_path_factory.mktemp("sources")
    for name in SHIPPED:
        if (ROOT / name).is_dir():
            shutil.copytree(
                ROOT / name, sources / name, ignore=shutil.ignore_patterns("__pycache__")
            )
        else:
            shutil.copy(ROOT / name, sources / name)
    built = tmp_path_factory.mktemp("wheel")
    # Without isolation no network is needed; setuptools is among the [dev] dependencies.
    said(
        *(sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation"),
        *("--quiet", "--disable-pip-version-check", "--wheel-dir", built, sources),
        cwd=built,
    )
    (found,) = built.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def names(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new virtual environment that holds the wheel; its dependencies are those of this one."""
    home = tmp_path_factory.mktemp("installed") / "venv"
    venv.create(home, with_pip=False, symlinks=True)
    python = home / "bin" / "python"
    said(
        *(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--quiet"),
        *("--disable-pip-version-check", "--no-index", wheel),
        cwd=home,
    )
    site = Path(said(python, "-c", SITE_PACKAGES, cwd=home).strip())
    dependencies = sysconfig.get_path("purelib")
    (site / "dependencies.pth").write_text(f"{dependencies}\n")
    return home


SITE_PACKAGES = "import sysconfig; print(sysconfig.get_path('purelib'))"


def clean_environment(home: Path) -> dict[str, str]:
    """This environment without anything that would let the sources in."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return kept | {"PATH": f"{home / 'bin'}:{os.environ['PATH']}", "VIRTUAL_ENV": str(home)}


def literals(kind: type[ast.AST]) -> list[str]:
    """The strings within all nodes of a kind in `setup.py`, which is read, not run."""
    tree = ast.parse((ROOT / "setup.py").read_text(encoding="utf-8"))
    lists = [node for node in ast.walk(tree) if isinstance(node, kind)]
    texts = [node for found in lists for node in ast.iter_child_nodes(found)]
    return [str(node.value) for node in texts if isinstance(node, ast.Constant)]


def test_every_folder_with_modules_is_a_package() -> None:
    """`find_packages` passes over a folder without `__init__.py`."""
    folders = {path.parent for room in ROOMS for path in (ROOT / room).rglob("*.py")}
    assert [folder for folder in folders if not (folder / "__init__.py").is_file()] == []


def test_constraints_lie_within_the_bounds_of_setup() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = dict(line.split("==") for line in lines if line and not line.startswith("#"))
    pinned = {canonicalize_name(name): version for name, version in pins.items()}
    bounds = [Requirement(text) for text in literals(ast.List) if ">=" in text or "==" in text]
    assert len(bounds) > 20
    for bound in bounds:
        assert bound.specifier.contains(pinned[canonicalize_name(bound.name)]), str(bound)


def required(name: str = "install_requires") -> list[Requirement]:
    """What `setup.py` asks for by default."""
    tree = ast.parse((ROOT / "setup.py").read_text(encoding="utf-8"))
    (found,) = (n.value for n in ast.walk(tree) if isinstance(n, ast.keyword) and n.arg == name)
    return [Requirement(text) for text in ast.literal_eval(found)]


def closure() -> set[str]:
    """The names of everything that the default installation brings, as it is installed here."""
    todo, found = required(), set[tuple[str, tuple[str, ...]]]()
    while todo:
        asked = todo.pop()
        key = canonicalize_name(asked.name), tuple(sorted(asked.extras))
        if key not in found:
            found.add(key)
            extras = ["", *asked.extras]
            needs = map(Requirement, metadata.requires(asked.name) or ())
            todo += [
                each
                for each in needs
                if not each.marker or any(each.marker.evaluate({"extra": e}) for e in extras)
            ]
    return {name for name, _ in found}


def pinned(text: str) -> dict[str, str]:
    """The versions of a file of requirements, by name."""
    found = re.findall(r"^([\w.-]+)==([^\s;]+)", text, re.MULTILINE)
    return {canonicalize_name(name): version for name, version in found}


def test_the_requirements_with_hashes_are_those_of_the_constraints() -> None:
    """Write them anew with scripts/supply_chain."""
    text = (ROOT / "deploy" / "requirements.txt").read_text(encoding="utf-8")
    hashed, pins = pinned(text), pinned((ROOT / "constraints.txt").read_text(encoding="utf-8"))
    assert sorted(closure() - hashed.keys()) == []
    assert {name: pins.get(name, version) for name, version in hashed.items()} == hashed
    blocks = re.split(r"^(?=\S+==)", text, flags=re.MULTILINE)[1:]
    assert len(blocks) == len(hashed)
    assert all(re.search(r"--hash=sha256:[0-9a-f]{64}\b", block) for block in blocks)


def test_the_bill_of_materials_is_that_of_the_requirements() -> None:
    text = (ROOT / "deploy" / "requirements.txt").read_text(encoding="utf-8")
    bill = json.loads((ROOT / "deploy" / "sbom.json").read_text(encoding="utf-8"))
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    listed = {canonicalize_name(each["name"]): each["version"] for each in bill["components"]}
    assert listed == pinned(text)
    hashes = {
        found["content"]
        for each in bill["components"]
        for reference in each["externalReferences"]
        for found in reference.get("hashes", ())
    }
    assert hashes == set(re.findall(r"sha256:([0-9a-f]{64})", text))


def licence(name: str) -> str:
    told = metadata.metadata(name).json
    written = str(told.get("license_expression") or told.get("license") or "")[:99]
    classified = [line for line in told.get("classifier", ()) if line.startswith("License")]
    return " ".join([written, *classified])


def test_the_notice_names_every_licence_with_conditions_on_source() -> None:
    conditions = re.compile(r"GPL|MPL|Mozilla|GNU|CDDL|EUPL|Eclipse|CeCILL", re.IGNORECASE)
    found = sorted(name for name in closure() if conditions.search(licence(name)))
    assert {"psycopg", "pymupdf", "python-stdnum"} <= set(found)
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
    assert [name for name in found if not re.search(rf"\b{name}\b", notice)] == []
    extras = re.findall(r"extra \[(\w+)\]", notice)
    setup = (ROOT / "setup.py").read_text(encoding="utf-8")
    assert [extra for extra in extras if f'"{extra}": [' not in setup] == []


@pytest.mark.parametrize(
    ("arguments", "program"),
    [
        (["demo", "/data"], "cryptonym"),
        (["run", "nightly.toml", "--runner=FlinkRunner"], "cryptonym"),
        (["--help"], "cryptonym"),
        ([], "cryptonym"),
        (["--id=1-1", "--provision_endpoint=localhost:1"], "boot"),
        (["--worker_pool"], "boot"),
    ],
)
def test_the_image_tells_people_from_runners(
    arguments: list[str], program: str, tmp_path: Path
) -> None:
    for name in ("cryptonym", "boot"):
        stub = tmp_path / name
        stub.write_text(f'#!/bin/sh\necho {name} "$@"\n')
        stub.chmod(0o755)
    script = (ROOT / "scripts" / "entrypoint").read_text(encoding="utf-8")
    entry = script.replace("/opt/apache/beam/boot", str(tmp_path / "boot"))
    env = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    answer = said("sh", "-c", entry, "entrypoint", *arguments, cwd=tmp_path, env=env)
    assert answer.split() == [program, *arguments]


@pytest.mark.slow
def test_the_wheel_holds_our_rooms_and_nothing_else(names: list[str]) -> None:
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == ROOMS


@pytest.mark.slow
def test_every_module_and_data_file_is_shipped(names: list[str]) -> None:
    files = [path for room in ROOMS for path in (ROOT / room).rglob("*") if path.is_file()]
    ours = {path.relative_to(ROOT).as_posix() for path in files if path.suffix in {".py", *DATA}}
    # Text to train on is of use in a checkout alone.
    registers = {name for name in ours if name.startswith("synthesis/registers/")}
    assert registers.isdisjoint(names)
    assert ours - registers - set(names) == set()


@pytest.mark.slow
def test_no_test_no_key_and_no_data_base_is_shipped(names: list[str]) -> None:
    stems = [Path(name) for name in names]
    assert not [path for path in stems if path.suffix in (".key", ".db", ".pyc", ".parquet")]
    assert not [path for path in stems if "tests" in path.parts or path.name.startswith("test_")]


@pytest.mark.slow
def test_licence_and_notice_go_along(names: list[str]) -> None:
    assert {"LICENSE", "NOTICE"} <= {Path(name).name for name in names}


@pytest.mark.slow
def test_the_demo_runs_from_the_wheel_in_an_empty_folder(installed: Path, tmp_path: Path) -> None:
    env = clean_environment(installed)
    where = "import pipeline.config.installation as i; print(i.__file__); i.check_installation()"
    python = installed / "bin" / "python"
    assert str(installed) in said(python, "-c", where, cwd=tmp_path, env=env)
    cryptonym = installed / "bin" / "cryptonym"
    said(cryptonym, "demo", "out", "--patients", "2", cwd=tmp_path, env=env)
    made = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"hospital.db", "research.db", "nightly.toml", "report.html", "truth.jsonl"} <= made
