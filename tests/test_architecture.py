"""The house rules, read from the syntax trees: who may import whom, and what may stand where."""

import ast
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def rooms_table() -> dict[str, tuple[set[str], set[str]]]:
    """Room -> (what of ours it may import, third parties), as `CONTRIBUTING.md` tells people.

    A dotted name allows that module alone.
    """
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1:4] for line in text.splitlines() if line.startswith("| `")]
    named = [[re.findall(r"`([\w.]+)`", cell) for cell in row] for row in rows]
    return {room: (set(ours), set(others)) for (room,), ours, others in named}


TABLE = rooms_table()
ROOMS = tuple(TABLE)
DOWNHILL = {room: ours for room, (ours, _) in TABLE.items()}
THIRD_PARTIES = {room: others for room, (_, others) in TABLE.items()}

COMPOSITION_ROOT = ("pipeline.cli", "pipeline.night.demo", "pipeline.commands")
"""Put the program together: may import every room, and no other module imports them."""

LIBRARY = "cryptonym"
"""What other programs import: its package says the names."""

BOUNDARIES = {
    "pipeline.notes.error_boundary": "one note fails, the others go on",
}
"""Module -> why it may catch everything."""

HIDDEN_IMPORTS = {
    **{
        ("extractors.extractor", f"extractors.pdf.{name}"): "a site may leave PyMuPDF out"
        for name in ("mupdf_reader", "ocr")
    },
    ("extractors.pdf.ocr", "tesserocr"): "ten megabytes that most documents do not need",
    ("pipeline.state.schema_version", "pipeline.state.migrations.upgrade"): (
        "Alembic, which only a database of another version needs"
    ),
    **{
        ("surrogates.keys.locators", name): "an extra, for who keeps keys in such a service"
        for name in (
            *("boto3", "botocore.exceptions", "hvac", "google.api_core"),
            *("google.auth.exceptions", "google.cloud"),
        )
    },
    (
        "pipeline.warehouse.parquet_source",
        "pyarrow.dataset",
    ): "imports pandas where it is there, for what only folders of files need",
    **{
        ("pipeline.warehouse.parquet_source", name): "an extra, for who has Delta tables"
        for name in ("deltalake", "deltalake.exceptions")
    },
    (
        "models.language.training.training",
        "models.language.training.differential_privacy",
    ): "opacus is an extra, and slow to import",
    **{
        ("models.language.networks.gpt", name): "an extra, and slow to import"
        for name in ("peft", "peft.tuners.lora")
    },
    ("models.language.networks.pretrained", "peft"): "an extra, and slow to import",
    **{
        (name, "models.language.networks.pretrained"): (
            "only a pretrained writer needs transformers, which takes seconds to import"
        )
        for name in (
            "models.language.training.serialization",
            "models.language.training.training",
            "pipeline.synthetic.generator_training",
        )
    },
    (
        "models.tagger.runtime",
        "models.tagger.encoders.onnx_encoder",
    ): "runs on PyTorch alone where ONNX is not",
    (
        "models.tagger.runtime",
        "models.tagger.encoders.openvino_encoder",
    ): "OpenVINO is an extra",
    (
        "pipeline.notes.worker_resources",
        "models.tagger.loading",
    ): "only a night with a tagger needs its runtime, which takes a second to import",
    **{
        ("pipeline.quality.drift", name): "half a second to import, for what five nights need"
        for name in ("scipy.special", "scipy.stats")
    },
    (
        "pipeline.quality.reevaluation",
        "scipy.stats",
    ): "a second to import, in each worker, for what only a night after two audits needs",
    (
        "models.tagger.loading",
        "models.tagger.runtime",
    ): "torch is an extra, and takes seconds to import",
    ("models.tagger.loading", "torch"): "an extra, which is asked for a GPU where it is installed",
}
"""(module, imported) -> why the import may hide in a function; `COMPOSITION_ROOT` may always."""

ENVIRONMENT_READERS: dict[str, str] = {
    "pipeline.notes.worker_resources": "resolves `env:NAME`, so that no file need hold a password",
    "models.tagger.quantization": "tells NNCF to tell its makers nothing",
    "pipeline.spark.connection": "looks for Java where Spark will",
    "pipeline.spark.cluster": "shows CUDA the GPUs of a task",
    "pipeline.night.supervisor": "hands it on to the workers, with a bound on their threads",
}
"""Module -> why it may read the environment; `COMPOSITION_ROOT` may always."""

FULLEST_FOLDER = 20
"""Files of a folder, `__init__.py` and `py.typed` aside."""

DEEPEST = 3
DEEPER = {"pipeline.state.migrations.versions": "where Alembic looks for the steps it takes"}
"""Folder -> why it may lie deeper."""

FORBIDDEN_NAMES = {"common", "core", "utils", "util", "base", "helpers", "misc"}
CATCHES_ALL = {"Exception", "BaseException"}


@dataclass(frozen=True)
class Module:
    """One source file under its dotted name."""

    name: str
    source: str
    is_package: bool = False

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.source)

    @property
    def room(self) -> str:
        return room_of(self.name)


Modules = Mapping[str, Module]


def room_of(name: str) -> str:
    """The room a dotted name lies in, or its first part where it lies in none."""
    parts = name.split(".")
    inner = ".".join(parts[:2])
    return inner if inner in ROOMS else parts[0]


def imports(module: Module, modules: Modules) -> Iterator[tuple[str, ast.AST]]:
    """Every module that a module imports, ours by their full dotted name."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield (inner if inner in modules else node.module or "."), node


def allowed(target: str, room: str) -> bool:
    """Whether a room may import a module of ours."""
    places = DOWNHILL[room] | {room}
    return room_of(target) in places or target in places


def is_root(name: str) -> bool:
    """Whether a module puts the program together, or lies in a package that does."""
    return any(f"{name}.".startswith(f"{root}.") for root in COMPOSITION_ROOT)


def uphill(modules: Modules) -> Iterator[str]:
    for module in modules.values():
        if is_root(module.name):
            continue
        for target, _ in imports(module, modules):
            ours = room_of(target) in ROOMS
            if ours and (is_root(target) or not allowed(target, module.room)):
                yield f"{module.name} imports {target}"


def strangers(modules: Modules) -> Iterator[str]:
    for module in modules.values():
        for target, _ in imports(module, modules):
            top = target.split(".")[0]
            known = room_of(target) in ROOMS or top in sys.stdlib_module_names
            if not known and top not in THIRD_PARTIES[module.room]:
                yield f"{module.name} imports {target}"


def cycles(modules: Modules) -> Iterator[str]:
    """Modules that import themselves by way of others."""
    edges = {
        name: {target for target, _ in imports(module, modules) if target in modules}
        for name, module in modules.items()
    }
    for start in sorted(edges):
        if start in reached(edges[start], edges):
            yield f"{start} imports itself by way of others"


def relative_imports(modules: Modules) -> Iterator[str]:
    for module in modules.values():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ImportFrom) and node.level:
                yield f"{module.name}:{node.lineno}"


def lazy_annotations(modules: Modules) -> Iterator[str]:
    for module in modules.values():
        for target, node in imports(module, modules):
            if target == "__future__" and "annotations" in ast.unparse(node):
                yield module.name


def vague_names(modules: Modules) -> Iterator[str]:
    for name in modules:
        if FORBIDDEN_NAMES & set(name.split(".")):
            yield name


def hidden_imports(modules: Modules) -> Iterator[str]:
    for module in modules.values():
        if is_root(module.name):
            continue
        top = set(module.tree.body)
        for target, node in imports(module, modules):
            if node not in top and (module.name, target) not in HIDDEN_IMPORTS:
                yield f"{module.name} imports {target} in a function or branch"


def broad_handlers(modules: Modules) -> Iterator[str]:
    for module in modules.values():
        for node in ast.walk(module.tree):
            if module.name not in BOUNDARIES and CATCHES_ALL & _caught(node):
                yield f"{module.name}:{getattr(node, 'lineno', 0)}"


def _caught(node: ast.AST) -> set[str]:
    """The names of what an `except` or a `suppress(...)` catches; a bare one catches all."""
    if isinstance(node, ast.ExceptHandler):
        last = node.body[-1]
        if isinstance(last, ast.Raise) and last.exc is None:
            return set()  # it cleans up and lets the error pass
        names = ast.walk(node.type) if node.type else ()
        return {n.id for n in names if isinstance(n, ast.Name)} if node.type else CATCHES_ALL
    if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("suppress"):
        return {ast.unparse(argument) for argument in node.args}
    return set()


def environment_readers(modules: Modules) -> Iterator[str]:
    for module in modules.values():
        if is_root(module.name) or module.name in ENVIRONMENT_READERS:
            continue
        for node in ast.walk(module.tree):
            names = {node.attr} if isinstance(node, ast.Attribute) else set()
            if isinstance(node, ast.ImportFrom) and node.module == "os":
                names = {alias.name for alias in node.names}
            if names & {"environ", "environb", "getenv", "getenvb"}:
                yield f"{module.name}:{getattr(node, 'lineno', 0)}"


def undocumented(modules: Modules) -> Iterator[str]:
    for module in modules.values():
        if module.is_package:
            continue
        if not ast.get_docstring(module.tree):
            yield module.name
        for node in module.tree.body:
            if not isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            if not node.name.startswith("_") and not ast.get_docstring(node):
                yield f"{module.name}.{node.name}"


def full_packages(modules: Modules) -> Iterator[str]:
    for module in modules.values():
        if module.is_package and module.source.strip() and module.name != LIBRARY:
            yield module.name


def folder_cycles(modules: Modules) -> Iterator[str]:
    """Folders that import themselves by way of other folders, within a room and between rooms."""
    folders: dict[str, set[str]] = {}
    for module in modules.values():
        if module.is_package:
            continue
        targets = {target for target, _ in imports(module, modules) if target in modules}
        places = {target.rpartition(".")[0] for target in targets}
        folders.setdefault(module.name.rpartition(".")[0], set()).update(places)
    for start, targets in sorted(folders.items()):
        if start in reached(targets - {start}, folders):
            yield f"{start} imports itself by way of other folders"


def repeated_class_names(modules: Modules) -> Iterator[str]:
    """A class name stands for one thing in all rooms."""
    places: dict[str, list[str]] = {}
    for module in modules.values():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(module.name)
    for name, where in sorted(places.items()):
        if len(where) > 1:
            yield f"{name}: {', '.join(where)}"


def deep_folders(modules: Modules) -> Iterator[str]:
    for module in modules.values():
        folder = module.name if module.is_package else module.name.rpartition(".")[0]
        if folder.count(".") + 1 > DEEPEST and folder not in DEEPER:
            yield module.name


def reached(starts: Iterable[str], edges: Mapping[str, set[str]]) -> set[str]:
    """What can be reached from some places along edges, themselves among it."""
    seen: set[str] = set()
    waiting = list(starts)
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += edges.get(name, set())
    return seen


Rule = Callable[[Modules], Iterator[str]]
RULES: tuple[Rule, ...] = (
    uphill,
    strangers,
    cycles,
    relative_imports,
    lazy_annotations,
    vague_names,
    hidden_imports,
    broad_handlers,
    environment_readers,
    undocumented,
    full_packages,
    folder_cycles,
    deep_folders,
    repeated_class_names,
)


def our_modules() -> dict[str, Module]:
    """Every source file of the rooms on disk."""
    tops = sorted({room.split(".")[0] for room in ROOMS})
    modules = {}
    for path in (path for top in tops for path in sorted((ROOT / top).rglob("*.py"))):
        parts = path.relative_to(ROOT).with_suffix("").parts
        is_package = parts[-1] == "__init__"
        name = ".".join(parts[:-1] if is_package else parts)
        modules[name] = Module(name, path.read_text(encoding="utf-8"), is_package)
    return modules


OURS = our_modules()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_house_keeps_its_rules(rule: Rule) -> None:
    assert sorted(rule(OURS)) == []


def test_no_folder_is_too_full() -> None:
    places = [ROOT / name for name in (*sorted({room.split(".")[0] for room in ROOMS}), "tests")]
    places += [ROOT / "benchmarks"]
    files: dict[str, int] = {}
    for path in (path for place in places for path in place.rglob("*") if path.is_file()):
        if path.name not in ("__init__.py", "py.typed") and path.suffix != ".pyc":
            folder = str(path.parent.relative_to(ROOT))
            files[folder] = files.get(folder, 0) + 1
    assert {folder: count for folder, count in files.items() if count > FULLEST_FOLDER} == {}


def test_every_room_was_looked_at() -> None:
    assert {module.room for module in OURS.values()} == set(ROOMS)


@pytest.mark.parametrize("room", ROOMS)
def test_the_table_allows_nothing_that_is_not_used(room: str) -> None:
    targets = {
        target
        for module in OURS.values()
        if module.room == room and not is_root(module.name)
        for target, _ in imports(module, OURS)
    }
    ours = {room_of(target) for target in targets} | targets
    assert DOWNHILL[room] <= ours
    assert THIRD_PARTIES[room] <= {target.split(".")[0] for target in targets}


def test_exceptions_to_the_rules_are_still_needed() -> None:
    used = {(m.name, target) for m in OURS.values() for target, _ in imports(m, OURS)}
    assert set(HIDDEN_IMPORTS) <= used
    assert set(ENVIRONMENT_READERS) | set(BOUNDARIES) <= set(OURS)
    assert set(DEEPER) <= set(OURS)
    for table in (BOUNDARIES, HIDDEN_IMPORTS, ENVIRONMENT_READERS, DEEPER):
        assert all(table.values())


def house(**sources: str) -> dict[str, Module]:
    """A made-up house: dots in names are written as two underscores."""
    modules = {name.replace("__", "."): text for name, text in sources.items()}
    return {name: Module(name, text) for name, text in modules.items()}


BAD: list[tuple[Rule, dict[str, str]]] = [
    (uphill, {"record__x": "import rules.dates"}),
    (uphill, {"record__x": "from rules import dates", "rules__dates": ""}),
    (uphill, {"rules__x": "from surrogates.keys.keys import MasterKey"}),
    (uphill, {"pipeline__x": "from pipeline.beam.worker import build"}),
    (uphill, {"pipeline__x": "def f():\n    from pipeline.beam import graph"}),
    (uphill, {"pipeline__x": "from synthesis.fictional.people.records import Patient"}),
    (uphill, {"pipeline__x": "from pipeline import cli", "pipeline__cli": ""}),
    (uphill, {"pipeline__night__x": "from pipeline.synthetic.letter_masking import Terms"}),
    (uphill, {"pipeline__night__x": "import pipeline.training.tagger"}),
    (uphill, {"pipeline__beam__x": "import pipeline.training.tagger"}),
    (uphill, {"evaluation__x": "import pipeline.release.released_notes"}),
    (uphill, {"evaluation__x": "from pipeline.state.ledger import Ledger"}),
    (strangers, {"record__x": "import regex"}),
    (strangers, {"pipeline__x": "import apache_beam as beam"}),
    (strangers, {"rules__x": "try:\n    import spacy\nexcept ImportError:\n    spacy = None"}),
    (cycles, {"rules__a": "import rules.b", "rules__b": "from rules.a import x"}),
    (
        cycles,
        {"rules__a": "import rules.b", "rules__b": "import rules.c", "rules__c": "import rules.a"},
    ),
    (relative_imports, {"rules__a": "from . import b"}),
    (relative_imports, {"rules__a": "from ..record.span import Span"}),
    (lazy_annotations, {"rules__a": "from __future__ import annotations"}),
    (vague_names, {"pipeline__utils": ""}),
    (vague_names, {"pipeline__core__x": ""}),
    (hidden_imports, {"rules__a": "def f():\n    import json"}),
    (hidden_imports, {"rules__a": "if True:\n    import json"}),
    (broad_handlers, {"rules__a": "try:\n    x\nexcept Exception:\n    pass"}),
    (broad_handlers, {"rules__a": "try:\n    x\nexcept:\n    pass"}),
    (broad_handlers, {"rules__a": "try:\n    x\nexcept (OSError, BaseException) as e:\n    pass"}),
    (broad_handlers, {"rules__a": "try:\n    x\nexcept Exception:\n    raise Failed from None"}),
    (broad_handlers, {"rules__a": "with suppress(Exception):\n    x"}),
    (broad_handlers, {"rules__a": "with contextlib.suppress(OSError, Exception):\n    x"}),
    (environment_readers, {"rules__a": "import os\nx = os.environ['A']"}),
    (environment_readers, {"rules__a": "from os import getenv"}),
    (undocumented, {"rules__a": "x = 1"}),
    (undocumented, {"rules__a": '"""Sign."""\ndef f(): ...'}),
    (undocumented, {"rules__a": '"""Sign."""\nclass C: ...'}),
    (
        folder_cycles,
        {"rules__a__x": "import rules.b.y", "rules__b__y": "import rules.a.z", "rules__a__z": ""},
    ),
    (
        folder_cycles,
        {"rules__x": "import rules.b.y", "rules__b__y": "import rules.z", "rules__z": ""},
    ),
    (deep_folders, {"rules__a__b__c__d": ""}),
    (repeated_class_names, {"rules__a": "class C: ...", "models__a": "class C: ..."}),
]


@pytest.mark.parametrize(("rule", "sources"), BAD)
def test_a_broken_rule_is_seen(rule: Rule, sources: dict[str, str]) -> None:
    assert list(rule(house(**sources)))


def test_a_package_says_nothing() -> None:
    assert list(full_packages({"rules": Module("rules", "from rules import dates", True)}))
    assert not list(full_packages({"rules": Module("rules", "", True)}))


def test_a_sound_house_passes() -> None:
    sound = house(
        record__span='"""Spans."""\nimport json\nclass Span:\n    """A span."""',
        rules__dates='"""Dates."""\nimport hyperscan\nfrom record.span import Span\ndef _f(): ...',
        pipeline__night__engine='"""E."""\nfrom rules import dates\nimport pipeline.state.ledger',
        pipeline__state__ledger='"""Ledger."""\nimport sqlalchemy.exc\ntry: ...\nexcept: raise',
        pipeline__notes__error_boundary='"""Boundary."""\ntry: ...\nexcept Exception: ...',
        pipeline__beam__graph='"""Graph."""\nimport apache_beam\nfrom pipeline.night import engine',
        pipeline__cli='"""CLI."""\nimport os\nos.environ\ndef _f():\n    import synthesis.x',
        evaluation__leaks='"""Leaks."""\nimport models.tagger.scheme',
    )
    assert [problem for rule in RULES for problem in rule(sound)] == []
