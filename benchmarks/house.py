"""Metrics of the source layout: full folders, single importers, duplicate class names.

    python -m benchmarks.house [ROOT] [--list WORD]

ROOT is a checkout, this one by default; another one gives the numbers of before. Importers are
product modules alone. Commands, and modules whose one importer is a command, are left out of the
share of modules with one importer. A function counts as private when its name says so, or when
nothing outside its module names it. `--list` shows what is behind a line, such as `importer`.
Prints Markdown.
"""

import argparse
import ast
import collections
import statistics
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOMS = (
    *("record", "locales", "extractors", "rules", "models"),
    *("surrogates", "synthesis", "pipeline", "evaluation"),
)
FULL = 20


@dataclass(frozen=True)
class Line:
    """A row of the table: what is counted, the count as it is shown, and what is behind it."""

    name: str
    value: str
    behind: tuple[str, ...] = ()


class Sources:
    """The product's modules of a checkout as syntax trees, and who imports whom."""

    def __init__(self, root: Path) -> None:
        paths = [path for room in ROOMS for path in sorted((root / room).rglob("*.py"))]
        self.paths = {
            ".".join(path.relative_to(root).with_suffix("").parts): path
            for path in paths
            if path.name != "__init__.py"
        }
        self.trees = {
            name: ast.parse(path.read_text(encoding="utf-8")) for name, path in self.paths.items()
        }
        self.importers: dict[str, set[str]] = {name: set() for name in self.paths}
        for name, tree in self.trees.items():
            for target in self._imported(tree):
                self.importers[target].add(name)

    def _imported(self, tree: ast.Module) -> Iterator[str]:
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                targets = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                targets = [f"{node.module}.{alias.name}" for alias in node.names]
                targets.append(node.module)
            else:
                continue
            yield from (target for target in targets if target in self.paths)

    def full_folders(self) -> Line:
        """Modules in folders of more than 20 of them."""
        counts = collections.Counter(path.parent for path in self.paths.values())
        full = [name for name, path in self.paths.items() if counts[path.parent] > FULL]
        return Line(
            f"modules in folders of more than {FULL}",
            f"{len(full)} of {len(self.paths)} ({len(full) / len(self.paths):.0%})",
            tuple(full),
        )

    def lone_importers(self) -> Line:
        """Modules that exactly one module imports."""
        counted = [name for name in self.paths if not self._serves_a_command(name)]
        alone = [name for name in counted if len(self.importers[name]) == 1]
        return Line(
            "modules with one importer",
            f"{len(alone)} of {len(counted)} ({len(alone) / len(counted):.0%})",
            tuple(f"{name} <- {next(iter(self.importers[name]))}" for name in alone),
        )

    def _serves_a_command(self, name: str) -> bool:
        importers = self.importers[name]
        return _is_command(name) or (len(importers) == 1 and _is_command(next(iter(importers))))

    def called_once(self) -> Line:
        """Private functions with one use."""
        named = collections.Counter[str]()
        for tree in self.trees.values():
            named.update(set(_names(tree)))
        private, once = 0, []
        for name, tree in self.trees.items():
            uses = collections.Counter(_names(tree))
            for function in _functions(tree):
                hidden = function.name.startswith("_")
                if hidden or (function in tree.body and named[function.name] == 1):
                    private += 1
                    once += [f"{name}.{function.name}"] * (uses[function.name] == 1)
        return Line("private functions called once", f"{len(once)} of {private}", tuple(once))

    def class_names(self) -> Line:
        """Class names that stand for different things."""
        places = collections.defaultdict(list)
        for name, tree in self.trees.items():
            for node in ast.walk(tree):
                if isinstance(node, ast.ClassDef):
                    places[node.name].append(name)
        twice = {name: where for name, where in places.items() if len(where) > 1}
        behind = tuple(f"{name}: {', '.join(where)}" for name, where in sorted(twice.items()))
        return Line("class names used more than once", str(len(twice)), behind)

    def lengths(self) -> Iterator[Line]:
        """Sizes of modules and functions."""
        modules = {
            name: len(path.read_text("utf-8").splitlines()) for name, path in self.paths.items()
        }
        functions = {
            f"{name}.{function.name}": (function.end_lineno or 0) - function.lineno + 1
            for name, tree in self.trees.items()
            for function in _functions(tree)
        }
        for what, sizes in (("module", modules), ("function", functions)):
            late = statistics.quantiles(sizes.values(), n=20)[-1]
            longest = max(sizes, key=lambda name: sizes[name])
            text = f"p95 {late:.0f}, longest {sizes[longest]} ({longest})"
            yield Line(f"lines of a {what}", text)
        yield Line("lines in total", str(sum(modules.values())))


def _is_command(name: str) -> bool:
    return name.startswith("pipeline.commands.") or name == "pipeline.cli"


def _functions(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("__"):
            yield node


def _names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.alias):
            yield node.name


def measure(root: Path) -> list[Line]:
    """Measure a checkout."""
    sources = Sources(root)
    return [
        sources.full_folders(),
        sources.lone_importers(),
        sources.called_once(),
        sources.class_names(),
        *sources.lengths(),
    ]


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.house")
    parser.add_argument("root", type=Path, nargs="?", default=Path(), help="root of a checkout")
    parser.add_argument("--list", default="", metavar="WORD", help="rows to list in full")
    options = parser.parse_args()
    print("| what | |\n| --- | --- |")
    lines = measure(options.root)
    for line in lines:
        print(f"| {line.name} | {line.value} |")
    for line in lines:
        if options.list and options.list in line.name:
            print("", *line.behind, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
