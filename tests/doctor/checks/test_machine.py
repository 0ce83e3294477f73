"""Installations and machines that lack something: packages really gone, a file of another user, old versions."""

from __future__ import annotations

import json
import os
import shutil
import site
import subprocess
import sys
import tempfile
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import aurora
from aurora.doctor.servers import check_tools
from aurora.doctor.system import report_disk_space, report_python, report_sqlite
from aurora.memory.database import list_expected_objects

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from aurora.doctor import DoctorContext

SHOWN = {
    "mcp.tools.others",
    "memory.grammars.missing",
    "memory.meaning.absent",
    "memory.meaning.empty",
    "project.rights.foreign",
    "system.python.old",
    "system.space.little",
    "system.space.none",
    "system.sqlite.old",
}
"""Codes of the findings that the tests below produce."""
WEIGHTS = "weights/l2_supercat_256.safetensors"


@pytest.fixture
def installation(tmp_path: Path) -> Callable[..., Path]:
    """Create a second installation from links to this one's packages, without the named ones."""

    def make(*without: str) -> Path:
        folder = tmp_path / "site"
        folder.mkdir()
        (folder / "aurora").symlink_to(Path(aurora.__file__).parent)
        for path in (
            path for place in site.getsitepackages() if Path(place).is_dir() for path in Path(place).iterdir()
        ):
            if path.name not in {*without, "aurora", "__pycache__"} and not (folder / path.name).exists():
                (folder / path.name).symlink_to(path)
        return folder

    return make


def examined(folder: Path, check: str, root: Path) -> list[dict[str, Any]]:
    """Run the doctor of that installation; its Python searches packages nowhere else."""
    done = subprocess.run(
        [sys.executable, "-S", "-m", "aurora", "doctor", "--only", check, "--json"],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout, done.stderr
    return [one for group in json.loads(done.stdout)["groups"] for one in group["findings"]]


def test_a_grammar_that_is_not_installed_is_named_and_the_others_load(
    bare: Any, installation: Callable[..., Path]
) -> None:
    missing, rest = examined(installation("tree_sitter_rust"), "memory.grammars", bare.root)
    assert (missing["kind"], missing["status"]) == ("memory.grammars.missing", "warn")
    assert missing["message"].startswith("rust cannot be parsed, and is read as plain text: ModuleNotFoundError")
    assert "Reinstall Aurora" in missing["steps"][0]
    assert rest["status"] == "pass"
    assert "rust" not in rest["message"]


def weightless(folder: Path) -> Path:
    """Where the weights of the embeddings belong in an installation that has all of its package but them."""
    spec = find_spec("wordllama")
    assert spec is not None
    assert spec.origin is not None
    package = Path(spec.origin).parent
    shutil.copytree(package, folder / "wordllama", ignore=shutil.ignore_patterns("*.safetensors", "__pycache__"))
    return folder / "wordllama" / WEIGHTS


def test_missing_weights_leave_the_search_by_terms(bare: Any, installation: Callable[..., Path]) -> None:
    folder = installation("wordllama")
    assert not weightless(folder).exists()
    (told,) = examined(folder, "memory.meaning", bare.root)
    assert (told["kind"], told["status"]) == ("memory.meaning.absent", "fail")
    assert "search uses terms only: FileNotFoundError" in told["message"]
    assert "Reinstall Aurora" in told["steps"][0]


def test_empty_weights_are_reported(bare: Any, installation: Callable[..., Path]) -> None:
    folder = installation("wordllama")
    weights = weightless(folder)
    rows = 128_256
    shape = {"dtype": "F16", "shape": [rows, 256], "data_offsets": [0, rows * 512]}
    header = json.dumps({"embedding.weight": shape}).encode()
    weights.parent.mkdir(exist_ok=True)
    with weights.open("wb") as file:
        file.write(len(header).to_bytes(8, "little") + header)
        file.truncate(8 + len(header) + rows * 512)
    (told,) = examined(folder, "memory.meaning", bare.root)
    assert (told["kind"], told["status"]) == ("memory.meaning.empty", "fail")


@pytest.fixture
def shared() -> Iterator[Path]:
    """Create a folder that every user can read."""
    folder = Path(tempfile.mkdtemp(prefix="shop-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


AS_ANOTHER = """
import json, os, sys
from pathlib import Path
from aurora.doctor import DoctorContext
from aurora.doctor.project import check_permissions, fix_permissions

context = DoctorContext(Path(sys.argv[1]), None)
os.setgroups([])
os.setgid(int(sys.argv[2]))
os.setuid(int(sys.argv[2]))
found = [(one.kind, one.status, one.message, one.remedy.steps) for one in check_permissions(context)]
print(json.dumps([found, list(fix_permissions(context))]))
"""
"""The check in a process of another user, who may be unable to read the installation."""


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root may give a file to another user")
@pytest.mark.parametrize(("given", "foreign"), [((".", ".aurora"), ".aurora/memory.db"), ((".",), ".aurora")])
def test_files_of_another_user_are_reported_with_the_command_that_changes_their_owner(
    shared: Path, given: tuple[str, ...], foreign: str
) -> None:
    nobody = 65534
    (shared / ".aurora").mkdir()
    (shared / ".aurora/.gitignore").write_text("*\n", encoding="utf-8")
    (shared / ".aurora/memory.db").touch()
    (shared / ".aurora/memory.db").chmod(0o646)
    for name in given:
        os.chown(shared / name, nobody, nobody)
    done = subprocess.run(
        [sys.executable, "-c", AS_ANOTHER, str(shared), str(nobody)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    told, mended = json.loads(done.stdout)
    assert told == [
        [
            "project.rights.foreign",
            "fail",
            f"{foreign} belongs to another user",
            [f'Run `sudo chown -R "$USER" {foreign}`.'],
        ]
    ]
    assert mended == []


class Others:
    """The equipment of an installation whose files are of two editions."""

    def __init__(self, whole: Any) -> None:
        self._whole = whole

    def offered(self) -> tuple[str, ...]:
        return (*self._whole.offered()[:2], "aurora_fetch")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._whole, name)


@pytest.mark.requirement("prd-13", "prd-41")
def test_an_installation_that_offers_other_tools_is_reported(context: DoctorContext) -> None:
    assert list(check_tools(context)) == []
    (told,) = check_tools(replace(context, equipment=Others(context.equipment)))
    assert told.kind == "mcp.tools.others"
    assert "aurora_fetch, and not aurora_query, aurora_search, aurora_get" in told.message


@pytest.mark.parametrize(
    ("finding", "kind", "status", "said"),
    [
        (
            report_python((3, 10, 14), "/usr/bin/python3"),
            "system.python.old",
            "fail",
            "Python 3.10.14 at /usr/bin/python3",
        ),
        (report_python((3, 11, 0), "/usr/bin/python3"), "", "pass", "Python 3.11.0 at /usr/bin/python3"),
        (report_sqlite("3.37.2", list_expected_objects), "system.sqlite.old", "fail", "SQLite 3.37.2 is too old"),
        (report_sqlite("3.38.0", list_expected_objects), "", "pass", "SQLite 3.38.0 creates a database of"),
        (report_disk_space(19_999_999, Path("/disk")), "system.space.none", "fail", "20 MB are free"),
        (report_disk_space(150_000_000, Path("/disk")), "system.space.little", "warn", "150 MB are free"),
        (report_disk_space(1_000_000_000, Path("/disk")), "", "pass", "1,000 MB are free"),
        (report_disk_space(9_000_000_000, Path("/disk")), "", "pass", "there is enough disk space"),
    ],
)
def test_the_facts_of_a_machine_are_judged(finding: Any, kind: str, status: str, said: str) -> None:
    assert (finding.kind, finding.status.value) == (kind, status)
    assert finding.message.startswith(said)
    assert bool(kind) is (finding.remedy is not None)
