"""Which pages use what in the library, read as syntax trees; nothing is run.

A page is a notebook with its package in `posenc_lib/lessons`. The catalog counts as one, too: all
encodings with their files, and the names that `dir(posenc_lib)` lists. A unit is a definition or an
assignment at the top of a file. A unit uses another if it names it. A page uses what its cells and
its package name: functions, and, by their names in texts, encodings, views and figures.
"""

import ast
import re
import tomllib
from collections import defaultdict
from functools import cache
from pathlib import Path

import nbformat

import posenc_lib as pe
from posenc_lib.encodings import base
from posenc_lib.encodings.base import Encoding
from posenc_lib.encodings.catalog import FOUND, NAMED
from posenc_lib.encodings.register import pages
from posenc_lib.views import VIEWS

from .conftest import ROOT

LIBRARY = ROOT / "posenc_lib"
CATALOG = "the catalog"
Unit = tuple[str, str]  # module, name


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


FILES = {module_of(path): path for path in LIBRARY.rglob("*.py")}


class Library:
    """The library's units, and which unit names which."""

    def __init__(self) -> None:
        self.units: dict[Unit, list[ast.stmt]] = defaultdict(list)
        self.imports: dict[
            str, dict[str, Unit]
        ] = {}  # what a name of a module stands for elsewhere
        self.run: dict[str, list[ast.stmt]] = defaultdict(list)  # statements that bind nothing
        for module, path in FILES.items():
            self._read(module, ast.parse(path.read_text(encoding="utf-8")))
        self.uses = {
            unit: self._named(unit[0], nodes) - {unit} for unit, nodes in self.units.items()
        }

    def _read(self, module: str, tree: ast.Module) -> None:
        self.imports[module] = known = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    known[alias.asname or alias.name] = (node.module or "", alias.name)
        for node in tree.body:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                continue
            bound = [node.name] if isinstance(node, (ast.FunctionDef, ast.ClassDef)) else []
            if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                bound = [
                    n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)
                ]
            for name in bound:
                self.units[module, name].append(node)
            if not bound:
                self.run[module].append(node)

    def stands_for(self, module: str, name: str) -> Unit | None:
        """Return the unit that a name of a module means."""
        seen = set()
        while (module, name) not in self.units and (module, name) not in seen:
            seen.add((module, name))
            module, name = self.imports.get(module, {}).get(name, ("", ""))
        return (module, name) if (module, name) in self.units else None

    def _named(self, module: str, nodes) -> set[Unit]:
        """Return the units that some statements name, directly or as an attribute of a module."""
        found = set()
        for node in (each for top in nodes for each in ast.walk(top)):
            if isinstance(node, ast.Name):
                found.add(self.stands_for(module, node.id))
            elif isinstance(node, ast.Attribute) and ast.unparse(node.value) == "pe":
                found.add(self.public(node.attr))
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                inside = ".".join(self.imports[module].get(node.value.id, ("", "")))
                if inside in FILES:
                    found.add(self.stands_for(inside, node.attr))
        return {unit for unit in found if unit}

    def public(self, name: str) -> Unit | None:
        """Return the unit of a name of `posenc_lib` itself."""
        return self.stands_for((pe._LIVE | pe._OF_A_PAGE).get(name, "posenc_lib"), name)

    def reached(self, roots: set[Unit]) -> set[Unit]:
        """Return these units and all that they need, however far."""
        seen: set[Unit] = set()
        todo = list(roots)
        while todo:
            unit = todo.pop()
            if unit not in seen:
                seen.add(unit)
                todo += self.uses[unit] | self._named(unit[0], self.run[unit[0]])
        return seen


LIB = Library()
SHOWING = ("explore", "figure", "playground")
SCENES = tomllib.loads((LIBRARY / "figures/scenes.toml").read_text(encoding="utf-8"))


@cache
def unit_of(name: str) -> frozenset[Unit]:
    """Return the units of a view or an encoding."""
    if name in VIEWS:
        return frozenset({(VIEWS[name].function.__module__, name)})
    kinds = [kind for kind in type(NAMED[name]).__mro__ if issubclass(kind, Encoding)]
    return frozenset((kind.__module__, kind.__name__) for kind in kinds) & LIB.units.keys()


def shown(encodings: list[str], views: list[str]) -> set[Unit]:
    """Return what a panel shows; without views its encoding's best ones, as `Spec.of` has it."""
    if encodings and not views:
        views = ["attention_row"] if len(encodings) > 1 else list(NAMED[encodings[0]].views)
    return {unit for name in (*encodings, *views) for unit in unit_of(name)}


def of_line(text: str) -> set[Unit]:
    """Return what a spec's line, or a figure's name, shows."""
    found = set()
    for panel in (SCENES[text]["line"] if text in SCENES else text).split("|"):
        encodings, _, views = panel.partition(";")[0].partition(":")
        named = [name for name in re.findall(r"\w+", encodings) if name in NAMED]
        found |= shown(named, [name for name in re.findall(r"\w+", views) if name in VIEWS])
    return found


def of_call(call: ast.Call) -> set[Unit]:
    """Return what a call names by texts: encodings, and views where it shows any."""
    named = [text for text in texts(call) if text in NAMED]
    found = {unit for name in named for unit in unit_of(name)}
    if ast.unparse(call.func).removeprefix("pe.") in SHOWING and call.args:
        what = texts(call.args[0])
        given = [k.value for k in call.keywords if k.arg == "views"]
        views = [name for part in given for name in texts(part) if name in VIEWS]
        encodings = [name for name in what if name in NAMED]
        found |= shown(encodings, views)
        for line in what:
            found |= of_line(line) if line not in NAMED else set()
    return found


def texts(tree: ast.AST) -> list[str]:
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


def of_code(code: str) -> set[Unit]:
    """Return what some lines of a notebook name."""
    lines = [line for line in code.splitlines() if not line.lstrip().startswith(("%", "!"))]
    found: set[Unit | None] = set()
    for node in ast.walk(ast.parse("\n".join(lines))):
        if isinstance(node, ast.Call):
            found |= of_call(node)
        elif isinstance(node, ast.Attribute) and ast.unparse(node.value) == "pe":
            found.add(LIB.public(node.attr))
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("posenc_lib"):
            module = pe._MOVED.get(node.module, node.module)
            for alias in node.names:
                found.add(
                    LIB.public(alias.name)
                    if module == "posenc_lib"
                    else LIB.stands_for(module, alias.name)
                )
    return {unit for unit in found if unit}


def of_notebook(path: Path) -> set[Unit]:
    """Return what a notebook names: in its code, in code of its texts, and as figures there."""
    found = set()
    for cell in nbformat.read(path, as_version=4).cells:
        shown = (
            [cell.source]
            if cell.cell_type == "code"
            else re.findall(r"```python\n(.*?)```", cell.source, re.S)
        )
        for code in shown:
            found |= of_code(code)
        if cell.cell_type == "markdown":
            for command in re.findall(r"figures make (\w+)", cell.source):
                found |= of_line(command)
    return found


@cache
def users() -> dict[Unit, set[str]]:
    """Return the pages that use each unit."""
    found: dict[Unit, set[str]] = defaultdict(set)
    packages = {
        page: {
            unit for unit in LIB.units if f"{unit[0]}.".startswith(f"posenc_lib.lessons.{page}.")
        }
        for page in pages()
    }
    roots = {page: units for page, units in packages.items() if page != "training"}
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        page = f"lesson_{path.stem[:2]}" if path.stem[:2].isdigit() else path.stem
        roots[page] = roots.get(page, set()) | of_notebook(path)
    files = {type(FOUND[name]).__module__ for name in FOUND}
    roots[CATALOG] = {unit for unit in LIB.units if unit[0] in files}
    roots[CATALOG] |= {unit for name in pe.__all__ if (unit := LIB.public(name))}
    kinds = [kind for kind in vars(base).values() if isinstance(kind, type)]
    best = {view for kind in kinds if issubclass(kind, Encoding) for view in kind.views}
    roots[CATALOG] |= {unit for view in best for unit in unit_of(view)}
    for page, units in roots.items():
        for unit in LIB.reached(units):
            found[unit].add(page)
    return found
