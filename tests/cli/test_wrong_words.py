"""What a person may type by mistake: nothing, a text that is not UTF-8, a page that is not there."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Protocol

import pytest

from aurora.cli.main import run_guarded

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

    class Aur(Protocol):
        def __call__(
            self,
            *arguments: str,
            cwd: Path | None = None,
            stdin: str | None = None,
            env: dict[str, str] | None = None,
        ) -> subprocess.CompletedProcess[str]: ...


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    """An empty folder."""
    folder = tmp_path / "empty"
    folder.mkdir()
    return folder


EMPTY = (
    ("mem", "index", ""),
    ("mem", "export", " "),
    ("mem", "import", ""),
    ("mem", "search", ""),
    ("runs", "show", ""),
    ("workflow", "graph", ""),
    ("workflow", "validate", ""),
    ("graph", "path", "", "x"),
    ("serve", "--listen", ""),
)


@pytest.mark.parametrize("words", EMPTY)
def test_an_empty_value_is_named_and_does_nothing(aur: Aur, empty: Path, words: tuple[str, ...]) -> None:
    done = aur(*words, cwd=empty)
    assert done.returncode == 2
    assert " is empty\n" in done.stderr
    assert list(empty.iterdir()) == []


@pytest.mark.parametrize(
    "words", [("graph", "diff"), ("mem", "consolidate", "--dry-run"), ("mem", "undo"), ("mem", "forget", "know:x")]
)
def test_a_command_for_a_memory_makes_none(aur: Aur, empty: Path, words: tuple[str, ...]) -> None:
    (empty / ".git").mkdir()
    done = aur(*words, cwd=empty)
    assert done.returncode == 1
    assert done.stderr.startswith("aur: there is no memory at ")
    assert [path.name for path in empty.iterdir()] == [".git"]


@pytest.mark.skipif(sys.platform == "win32", reason="arguments are bytes elsewhere")
@pytest.mark.parametrize(
    "words",
    [
        ("workflow", "step", "assess", "--input", "query=caf\udce9"),
        ("workflow", "run", "soar", "--input", "query=caf\udce9"),
        ("tools", "call", "caf\udce9"),
        ("mem", "add", "caf\udce9"),
    ],
)
def test_a_text_that_is_not_utf_8_is_named_as_its_bytes(aur: Aur, empty: Path, words: tuple[str, ...]) -> None:
    done = aur(*words, cwd=empty)
    assert done.returncode == 2
    assert 'caf\\xe9" is not UTF-8: type it again' in done.stderr
    assert list(empty.iterdir()) == []


def test_half_of_a_character_in_a_file_begins_no_run(aur: Aur, empty: Path) -> None:
    (empty / "inputs.json").write_text('{"query": "half \\ud800"}', encoding="utf-8")
    done = aur("workflow", "step", "assess", "--inputs", "inputs.json", cwd=empty)
    assert done.returncode == 1
    assert "half of a character" in done.stdout
    assert aur("runs", "list", cwd=empty).stdout.startswith("no run")


def test_a_page_behind_the_last_hit_says_so(aur: Aur, empty: Path) -> None:
    (empty / "parser.md").write_text("# Parser\n\nThe parser reads options.\n", encoding="utf-8")
    aur("mem", "index", cwd=empty)
    done = aur("mem", "search", "parser", "--offset", "100", cwd=empty)
    assert done.stdout.startswith("There are no further hits: the offset is past the last one.\n")


def test_the_name_of_a_file_leads_to_the_workflow_in_it(aur: Aur, empty: Path) -> None:
    aur("workflow", "new", "tea", cwd=empty)
    path = empty / ".aurora" / "workflows" / "tea.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("name: tea", "name: coffee"), encoding="utf-8")
    done = aur("workflow", "validate", "tea", cwd=empty)
    assert done.returncode == 1
    assert 'help: The file ".aurora/workflows/tea.yaml" has the `name` "coffee".' in done.stderr


def test_a_repair_of_junk_takes_the_newest_backup_and_claims_no_completeness(aur: Aur, empty: Path) -> None:
    aur("mem", "add", "Releases are tagged on Thursdays.", cwd=empty)
    (empty / ".aurora" / "memory.db").write_text("junk", encoding="utf-8")
    done = aur("mem", "repair", "--yes", cwd=empty)
    assert "-hourly-1.db: 1 remembered" in done.stdout
    assert "lost: what was written after" in done.stdout
    assert "complete" not in done.stdout
    assert "Thursdays" in aur("mem", "search", "tagged releases", cwd=empty).stdout


def test_an_interrupt_that_a_library_turned_into_an_error_is_an_interrupt(capsys: pytest.CaptureFixture[str]) -> None:
    def work() -> int:
        raise ValueError("a class cannot be built") from KeyboardInterrupt()

    assert run_guarded(work, as_json=False) == 130
    assert capsys.readouterr().err == "aur: interrupted\n"


MEANT = {
    "search foo": "`aur mem search` or `aur agents search`",
    "index": "`aur mem index`",
    "status": "`aur`",
    "config": "`aur init`",
    "explain": "`aur workflow explain`",
    "show": "`aur workflow show` or `aur runs show` or `aur agents show`",
    "install": "`aur init`",
    "uninstall": "`aur init --remove`",
    "run": "`aur workflow run` or `aur jobs run`",
    "stats": "`aur mem stats`",
    "validate": "`aur workflow validate`",
    "approve": "`aur runs approve`",
    "Callers x": "`aur graph callers`",
    "token": "`aur serve token`",
    "serch": "`aur mem search` or `aur agents search`",
    "memroy": "`aur mem`",
    "serve add": "`aur serve token add` or `aur mem add`",
    "runs explain": "`aur workflow explain`",
}


@pytest.mark.parametrize(("typed", "meant"), MEANT.items())
def test_a_command_that_people_try_names_the_one_they_mean(aur: Aur, empty: Path, typed: str, meant: str) -> None:
    done = aur(*typed.split(), cwd=empty)
    assert done.returncode == 2
    assert done.stderr.splitlines()[0].endswith(f"; did you mean {meant}?")


def test_a_word_that_resembles_none_lists_the_commands(aur: Aur, empty: Path) -> None:
    assert '; the commands are "agents", "check", "doctor"' in aur("xyzzy", cwd=empty).stderr


@pytest.mark.parametrize("words", [(), ("mem",), ("mem", "search"), ("serve", "token")])
def test_help_is_a_word_as_well_as_an_option(aur: Aur, empty: Path, words: tuple[str, ...]) -> None:
    expected = aur(*words, "--help", cwd=empty)
    first = aur("help", *words, cwd=empty)
    assert (first.returncode, first.stdout.strip()) == (0, expected.stdout.strip())
    if words != ("mem", "search"):
        assert aur(*words, "help", cwd=empty).stdout.strip() == expected.stdout.strip()


def test_a_question_needs_no_quotes(aur: Aur, empty: Path) -> None:
    (empty / "run.py").write_text("def run_tests():\n    return 1\n", encoding="utf-8")
    (empty / ".git").mkdir()
    aur("mem", "index", cwd=empty)
    quoted = aur("mem", "search", "how do I run the tests", "--json", cwd=empty)
    assert quoted.returncode == 0
    bare = aur("mem", "search", "how", "do", "I", "--json", "run", "the", "tests", cwd=empty)
    assert json.loads(bare.stdout)["hits"] == json.loads(quoted.stdout)["hits"]
    assert aur("mem", "search", cwd=empty).stderr.startswith("aur: QUERY is missing")


def test_an_error_of_a_step_is_told_once(aur: Aur, empty: Path) -> None:
    file = empty / ".aurora/workflows/mine.yaml"
    file.parent.mkdir(parents=True)
    file.write_text("aurora: 2\n", encoding="utf-8")
    for workflow in ("mine", "nope"):
        lines = aur(
            "workflow", "step", "a", "--workflow", workflow, cwd=empty, env={"AURORA_TRUST": "0"}
        ).stdout.splitlines()
        assert [line.partition(":")[0] for line in lines[1:]] == [
            "FORBIDDEN" if workflow == "mine" else "NOT_FOUND",
            "help",
        ]
