"""Each hostile input has the outcome that its case states."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

PROGRAM = Path(__file__).resolve().parents[2] / "bench" / "hostile.py"


def load_program() -> Any:
    spec = importlib.util.spec_from_file_location("hostile", PROGRAM)
    assert spec is not None
    assert spec.loader is not None
    program = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = program  # its dataclasses look it up
    spec.loader.exec_module(program)
    return program


HOSTILE = load_program()
CASES = HOSTILE.load_cases()


@pytest.fixture(scope="session")
def memory(tmp_path_factory: pytest.TempPathFactory, aur_program: str) -> Path:
    """Return a memory with one fact, which each case gets a copy of."""
    made: Path = HOSTILE.prepare_memory(tmp_path_factory.mktemp("hostile") / "memory", (aur_program,))
    return made


@pytest.mark.skipif(sys.platform == "win32", reason="the cases make links, pipes and names that Windows has not")
@pytest.mark.parametrize("case", CASES, ids=[f"{case.guarantee}-{case.name}" for case in CASES])
def test_a_hostile_input_has_the_outcome_that_its_case_states(
    case: Any, memory: Path, tmp_path: Path, aur_program: str
) -> None:
    assert HOSTILE.run_case(case, tmp_path / "case", memory, (aur_program,)) == []
    shutil.rmtree(tmp_path / "case", ignore_errors=True)


def test_each_case_has_a_name_of_its_own() -> None:
    names = [case.name for case in HOSTILE.load_cases()]

    assert len(names) == len(set(names))
