"""Files of Aurora that one warm call passes through, against the budget of `bench/budget.py`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from budget import FILES_OF_A_CALL

PROGRAM = Path(__file__).with_name("traced_calls.py")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    command = [sys.executable, str(PROGRAM), str(tmp_path_factory.mktemp("calls"))]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    traced: dict[str, list[str]] = json.loads(done.stdout)
    return traced


@pytest.mark.parametrize("name", FILES_OF_A_CALL)
def test_a_warm_call_passes_through_no_more_files_than_its_budget(files: dict[str, list[str]], name: str) -> None:
    assert len(files[name]) > 15, files[name]
    assert len(files[name]) <= FILES_OF_A_CALL[name], "\n".join(files[name])
