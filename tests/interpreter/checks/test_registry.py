"""The registry of checks lists every check that a module declares."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from aurora.interpreter import checks
from aurora.interpreter.checks.registry import CHECKS
from aurora.interpreter.checks.view import Check


def _find_declared_checks() -> list[Check]:
    folder = Path(str(checks.__file__)).parent
    modules = (path.relative_to(folder).with_suffix("") for path in folder.rglob("*.py") if path.stem != "__init__")
    loaded = [import_module(f"{checks.__name__}.{'.'.join(module.parts)}") for module in modules]
    return list({id(one): one for module in loaded for one in vars(module).values() if isinstance(one, Check)}.values())


def test_every_declared_check_is_in_the_registry_once() -> None:
    declared = _find_declared_checks()

    assert len(declared) > 1
    assert sorted(map(id, CHECKS)) == sorted(map(id, declared))


def test_checks_of_single_phases_are_local() -> None:
    is_local = {check.find_problems.__name__: check.is_local for check in CHECKS}

    assert is_local["check_reserved_names"]
    assert not is_local["check_cycles"]
