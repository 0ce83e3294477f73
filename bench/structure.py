"""`make structure`: the figures of the code's structure, each with its bound.

It exits 1 when a figure misses its bound.

The figures need no installed package but the standard library's parser, and grimp for the import graph.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from budget import Source, measure_budgets

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = (
    "cli",
    "doctor",
    "errors",
    "system",
    "hosts",
    "interpreter",
    "memory",
    "serve",
    "tools",
    "trust",
    "ui",
    "early.py",
    "hook.py",
)

MAX_MODULES = 20
MAX_ONE_WORD_SHARE = 0.35
MAX_COMPLEXITY = 10
LINES_PER_EXCEPTION = 350
MAX_FUNCTION_LINES = 60
MAX_SUMMARY_CHARACTERS = 100

_QUESTION = re.compile(r"(What|Whether|Which|How|Who|Whose|Where|Why)\b")
_EXCEPTION = re.compile(r"#\s*(noqa|type:\s*ignore)")
_BRANCHES = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.IfExp, ast.Assert, ast.match_case)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)

Function = ast.FunctionDef | ast.AsyncFunctionDef
WITHOUT_FACE = {"aurora.system"}
"""Packages of which each module is a subject of its own: who needs files does not load git."""


@dataclass(frozen=True, slots=True)
class Module:
    """One parsed source file.

    Attributes:
        name: dotted, `aurora.memory.search.query`; a package is called like its folder.
        path: relative to the checkout.
    """

    name: str
    path: Path
    text: str
    tree: ast.Module

    @property
    def is_package(self) -> bool:
        """True for an `__init__.py`."""
        return self.path.name == "__init__.py"

    @property
    def package(self) -> str:
        """The package that the module is in; a package is in itself."""
        return self.name if self.is_package else self.name.rpartition(".")[0]

    @property
    def functions(self) -> Iterator[Function]:
        """All functions and methods, nested ones included."""
        return (node for node in ast.walk(self.tree) if isinstance(node, _FUNCTIONS))


class Figure(NamedTuple):
    """One measured figure."""

    name: str
    value: str
    bound: str
    violations: list[str]


def read_modules() -> list[Module]:
    """Parse every module of the package, new ones too, but for what git ignores."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *PACKAGES],  # noqa: S607 - the developer's own git
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    paths = sorted(Path(name) for name in listed.stdout.split("\0") if name.endswith(".py") and (ROOT / name).exists())
    return [_read_module(path) for path in paths]


def _read_module(path: Path) -> Module:
    text = (ROOT / path).read_text(encoding="utf-8")
    parts = path.with_suffix("").parts
    name = ".".join(("aurora", *(parts[:-1] if parts[-1] == "__init__" else parts)))
    return Module(name, path, text, ast.parse(text))


def measure_folders(modules: Iterable[Module]) -> Figure:
    """Count the modules in each folder, `__init__.py` included."""
    counts = Counter(str(module.path.parent) for module in modules)
    folder, most = counts.most_common(1)[0]
    over = [f"{name}: {count} modules" for name, count in counts.items() if count > MAX_MODULES]
    return Figure("modules in a folder, most", f"{most} ({folder})", f"at most {MAX_MODULES}", over)


def measure_names(modules: Iterable[Module]) -> Figure:
    """Compute the share of functions whose name is one word; special methods do not count."""
    names = [function.name for module in modules for function in module.functions]
    names = [name for name in names if not name.startswith("__")]
    one_word = [name for name in names if "_" not in name.strip("_")]
    share = len(one_word) / len(names)
    over = [f"{share:.1%} of {len(names):,} function names"] if share >= MAX_ONE_WORD_SHARE else []
    return Figure("function names of one word", f"{share:.1%}", f"below {MAX_ONE_WORD_SHARE:.0%}", over)


def measure_docstrings(modules: Iterable[Module]) -> Figure:
    """Find docstrings that begin with a question word."""
    found = [
        f"{module.path}:{line}: {summary[:80]}"
        for module in modules
        for line, summary in _list_summaries(module)
        if _QUESTION.match(summary)
    ]
    return Figure("docstrings that begin with a question word", str(len(found)), "0", found)


def measure_summaries(modules: Iterable[Module]) -> Figure:
    """Find docstrings whose first line is too long."""
    found = [
        f"{module.path}:{line}: {len(summary)} characters"
        for module in modules
        for line, summary in _list_summaries(module)
        if len(summary) > MAX_SUMMARY_CHARACTERS
    ]
    return Figure(
        f"docstrings whose first line exceeds {MAX_SUMMARY_CHARACTERS} characters", str(len(found)), "0", found
    )


def _list_summaries(module: Module) -> Iterator[tuple[int, str]]:
    """Yield the line and the first line of text of each docstring."""
    for node in ast.walk(module.tree):
        if isinstance(node, (ast.Module, ast.ClassDef, *_FUNCTIONS)):
            text = ast.get_docstring(node)
            if text:
                yield getattr(node, "lineno", 1), text.splitlines()[0]


def measure_exceptions(modules: Iterable[Module]) -> Figure:
    """Count lint exceptions against lines."""
    lines = exceptions = 0
    for module in modules:
        lines += module.text.count("\n")
        exceptions += len(_EXCEPTION.findall(module.text))
    rate = lines / max(exceptions, 1)
    over = [f"{exceptions} exceptions in {lines:,} lines"] if rate < LINES_PER_EXCEPTION else []
    return Figure("lines per lint exception", f"{rate:.0f}", f"at least {LINES_PER_EXCEPTION}", over)


def measure_complexity(modules: Iterable[Module]) -> Figure:
    """Compute the cyclomatic complexity (McCabe 1976) of each function without a stated `C901` exception."""
    found = []
    worst = 0
    for module in modules:
        lines = module.text.splitlines()
        for function in module.functions:
            if "C901" in lines[function.lineno - 1]:
                continue
            complexity = compute_complexity(function)
            worst = max(worst, complexity)
            if complexity > MAX_COMPLEXITY:
                found.append(f"{module.path}:{function.lineno}: {function.name} has {complexity}")
    return Figure("cyclomatic complexity, highest", str(worst), f"at most {MAX_COMPLEXITY}", found)


def compute_complexity(function: Function) -> int:
    """Return one more than the number of branches in a function, nested functions left out."""
    complexity = 1
    pending = list(ast.iter_child_nodes(function))
    while pending:
        node = pending.pop()
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef, ast.Lambda)):
            continue
        complexity += isinstance(node, _BRANCHES)
        if isinstance(node, ast.comprehension):
            complexity += 1
        pending.extend(ast.iter_child_nodes(node))
    return complexity


def measure_comprehensions(modules: Iterable[Module]) -> Figure:
    """Find comprehensions inside comprehensions where one of them has a condition."""
    found = []
    for module in modules:
        for outer in (node for node in ast.walk(module.tree) if isinstance(node, _COMPREHENSIONS)):
            inner = [node for node in ast.walk(outer) if isinstance(node, _COMPREHENSIONS) and node is not outer]
            if inner and any(_has_condition(node) for node in (outer, *inner)):
                found.append(f"{module.path}:{outer.lineno}")
    return Figure("nested comprehensions with a condition", str(len(found)), "0", found)


def _has_condition(node: ast.AST) -> bool:
    generators: list[ast.comprehension] = getattr(node, "generators", [])
    return any(generator.ifs for generator in generators)


def measure_functions(modules: Iterable[Module]) -> Figure:
    """Find functions that are too long; a literal table that one returns counts with it."""
    lengths = []
    for module in modules:
        for function in module.functions:
            length = (function.end_lineno or function.lineno) - function.lineno + 1
            lengths.append((length, f"{module.path}:{function.lineno}: {function.name} has {length} lines"))
    longest = max(lengths)
    over = [text for length, text in lengths if length > MAX_FUNCTION_LINES]
    return Figure("lines of the longest function", str(longest[0]), f"at most {MAX_FUNCTION_LINES}", over)


def measure_faces(modules: list[Module]) -> Figure:
    """Find imports that reach into another top package past a face; within one, a module is imported by its name."""
    packages = {module.name for module in modules if module.is_package}
    faces = {module.name for module in modules if module.is_package and "__all__" in module.text}
    known = {module.name for module in modules}
    found = []
    for module in modules:
        for node in (node for node in ast.walk(module.tree) if isinstance(node, ast.ImportFrom)):
            target = _resolve_target(module, node)
            home = target.rpartition(".")[0]
            if target not in known or target in packages or target == "aurora.cli.entry":
                continue
            if module.name.split(".")[1] != target.split(".")[1] and home in faces:
                found.append(f"{module.path}:{node.lineno}: {target}")
    return Figure("imports past a package's face", str(len(found)), "0", found)


def _resolve_target(module: Module, node: ast.ImportFrom) -> str:
    """Return the dotted name of the module that a `from … import` names."""
    if not node.level:
        return node.module or ""
    parts = module.package.split(".")
    parts = parts[: len(parts) - node.level + 1]
    return ".".join([*parts, *([node.module] if node.module else [])])


def measure_package_faces(modules: Iterable[Module]) -> Figure:
    """Find top packages whose `__init__.py` has no `__all__`, and packages without a docstring of their own."""
    found = []
    for module in modules:
        if module.is_package:
            docstring = ast.get_docstring(module.tree) or ""
            if "__all__" not in module.text and module.name.count(".") == 1 and module.name not in WITHOUT_FACE:
                found.append(f"{module.path}: no __all__")
            if len(docstring.split()) <= 2:  # noqa: PLR2004 - a name alone says nothing
                found.append(f"{module.path}: docstring {docstring!r}")
    return Figure("packages without a face", str(len(found)), "0", found)


def measure_cycles() -> Figure:
    """Find cycles between sibling modules and packages, imports for types included."""
    done = subprocess.run(
        [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    broken = [line for line in done.stdout.splitlines() if line.endswith("BROKEN") or line.startswith("- ")]
    return Figure("broken import contracts, cycles included", str(len(broken)), "0", broken)


def main() -> int:
    """Print the figures as a table, then what misses its bound; return 1 when anything does."""
    modules = read_modules()
    figures = [
        measure_folders(modules),
        measure_cycles(),
        measure_faces(modules),
        measure_package_faces(modules),
        measure_names(modules),
        measure_docstrings(modules),
        measure_summaries(modules),
        measure_exceptions(modules),
        measure_complexity(modules),
        measure_comprehensions(modules),
        measure_functions(modules),
        *(Figure(*one) for one in measure_budgets([Source(one.path, one.text, one.tree) for one in modules])),
    ]
    width = max(len(figure.name) for figure in figures)
    for figure in figures:
        mark = "missed" if figure.violations else "met"
        print(f"{figure.name:<{width}}  {figure.value:<28}  {figure.bound:<16}  {mark}")
    for figure in figures:
        if figure.violations:
            print(f"\n{figure.name} ({figure.bound}):")
            print("\n".join(f"  {text}" for text in figure.violations[:SHOWN]))
            if len(figure.violations) > SHOWN:
                print(f"  … and {len(figure.violations) - SHOWN} more")
            if "lines, files, folders" in figure.name:
                print("  Remove as much elsewhere in it, or raise its budget in bench/budget.py with a reason.")
    return int(any(figure.violations for figure in figures))


SHOWN = 20 if "--all" not in sys.argv else 10_000
"""Violations shown for each figure; `--all` shows every one."""


if __name__ == "__main__":
    sys.exit(main())
