"""Help texts name installations that work: no registry has the package."""

from __future__ import annotations

from pathlib import Path

import pytest

import aurora
from aurora.system.programs import describe_extra_install, describe_upgrade

ROOT = Path(aurora.__file__).parent
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
    "docs",
)


def test_an_extra_comes_from_the_clone() -> None:
    assert "in the folder of Aurora's clone, run `pip install '.[team]'`" in describe_extra_install("team")
    assert "`uv tool install --force .`" in describe_upgrade()


@pytest.mark.parametrize("package", PACKAGES)
def test_no_text_installs_the_package_from_a_registry(package: str) -> None:
    files = [path for path in (ROOT / package).rglob("*") if path.suffix in {".py", ".md"}]
    assert files
    wrong = [
        str(path) for path in files if "install" in (text := path.read_text("utf-8")) and "aurora-workflows" in text
    ]
    assert wrong == []
