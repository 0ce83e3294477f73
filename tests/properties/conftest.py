"""The generator of workflows and the mistakes lie beside the tests, and are no package."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder to open workspaces in."""
    return tmp_path_factory.mktemp("project")
