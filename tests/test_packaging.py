"""What is installed is what is in the tree: every package, every workflow, and a command that runs."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
NOT_SHIPPED = {"bench", "build", "dist", "examples", "snapshots", "tests"}


def packages_in_the_tree() -> set[str]:
    """Every folder with an `__init__.py`, and those of the data that ship, by its dotted name."""
    folders = {"aurora", "aurora.docs.reference.problems", "aurora.workflows"}
    for folder in (path for path in (ROOT / "workflows").rglob("*") if path.is_dir()):
        folders.add(".".join(("aurora", *folder.relative_to(ROOT).parts)))
    for init in ROOT.glob("*/**/__init__.py"):
        parts = init.parent.relative_to(ROOT).parts
        if parts[0] not in NOT_SHIPPED and not parts[0].startswith("."):
            folders.add(".".join(("aurora", *parts)))
    return folders


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy of the tree: what an earlier build left behind must not slip in."""
    copy = tmp_path_factory.mktemp("source") / "aurora"
    hidden = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info")
    aside = shutil.ignore_patterns(*NOT_SHIPPED)
    at_the_top = lambda folder, names: aside(folder, names) if Path(folder) == ROOT else set()  # noqa: E731 - a line
    shutil.copytree(ROOT, copy, ignore=lambda folder, names: {*hidden(folder, names), *at_the_top(folder, names)})
    target = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"),
            *("--wheel-dir", str(target), str(copy)),
        ],
        check=True,
        capture_output=True,
    )
    (made,) = target.glob("*.whl")
    return made


@pytest.fixture(scope="session")
def held(wheel: Path) -> set[str]:
    """The names of the files in the wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_no_stray_module_lies_at_the_root() -> None:
    found = {path.name for path in ROOT.glob("*.py")}
    assert found == {"__init__.py", "__main__.py", "early.py", "hook.py", "setup.py"}


@pytest.mark.slow
def test_the_wheel_holds_every_module_of_every_package(held: set[str]) -> None:
    folders = [ROOT.joinpath(*package.split(".")[1:]) for package in packages_in_the_tree()]
    modules = {f"aurora/{path.relative_to(ROOT).as_posix()}" for folder in folders for path in folder.glob("*.py")}

    assert {name for name in held if name.endswith(".py")} == modules


@pytest.mark.slow
def test_the_wheel_holds_every_workflow_with_its_prompts_and_schemas_and_every_page_of_a_problem(
    held: set[str],
) -> None:
    data = {f"aurora/{path.relative_to(ROOT).as_posix()}" for path in (ROOT / "workflows").rglob("*") if path.is_file()}

    pages = {f"aurora/{path.relative_to(ROOT)}" for path in (ROOT / "docs" / "reference" / "problems").iterdir()}

    page = {
        f"aurora/{path.relative_to(ROOT)}"
        for name in ("static", "templates")
        for path in (ROOT / "ui" / name).iterdir()
    }

    assert data
    assert page
    assert data | pages | page <= held
    assert "aurora/py.typed" in held


@pytest.mark.slow
def test_the_wheel_holds_nothing_else(held: set[str]) -> None:
    tops = {name.split("/")[1] for name in held if name.startswith("aurora/")}

    assert not tops & NOT_SHIPPED
    assert {name.split("/")[0].partition("-")[2].endswith(".dist-info") for name in held} == {True, False}


@pytest.mark.slow
def test_the_command_runs_from_an_installed_wheel(wheel: Path, tmp_path: Path) -> None:
    place = tmp_path / "fresh"
    venv.create(place, with_pip=False)
    (site,) = place.glob("lib/python*/site-packages")
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "--python",
            str(place / "bin" / "python"),
            "install",
            "--quiet",
            "--no-deps",
            str(wheel),
        ],
        check=True,
        capture_output=True,
    )
    # The dependencies are those of this environment; its editable install of Aurora does not come along.
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")

    def run(*words: str) -> str:
        done = subprocess.run(
            [place / "bin" / words[0], *words[1:]], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        return done.stdout

    assert str(place) in run("python", "-c", "import aurora; print(aurora.__file__)")
    assert "Usage: aur" in run("aur", "--help")
    assert run("aur", "workflow", "validate").endswith("checked, no problems\n")
    assert run("aur", "workflow", "validate", "--explain", "E307").startswith("# E307 enum-literal\n")
