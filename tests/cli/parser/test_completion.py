"""A shell completes the names of workflows, phases, runs, tools and assistants."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.shell_completion import ShellComplete

from aurora.cli.main import AUR
from aurora.tools.runtime import Workspace

TEA = """\
aurora: 1
name: tea
version: 1.0.0
start: choose
phases:
  # a comment
  choose:
    prompt_template: Which tea?
    next_action: serve
  serve:
    prompt_template: Serve it.
    next_action: end
"""
GREEN = "extends: tea\nname: green\nphases:\n  taste:\n    prompt_template: Taste it.\n    next_action: end\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a project with two workflows, an odd file name and a run."""
    folder = tmp_path / ".aurora" / "workflows"
    folder.mkdir(parents=True)
    (folder / "tea.yaml").write_text(TEA, encoding="utf-8")
    (folder / "green.yaml").write_text(GREEN, encoding="utf-8")
    (folder / "x $(id).yaml").write_text("nothing: true\n", encoding="utf-8")
    with Workspace(tmp_path) as workspace:
        workspace.memory.journal.create("abcd1234", "tea", {}, [])
    monkeypatch.chdir(tmp_path)
    return tmp_path


def complete(*words: str) -> dict[str, str]:
    """Return the completions of the last word with their types."""
    found = ShellComplete(AUR, {}, "aur", "_AUR_COMPLETE").get_completions(list(words[:-1]), words[-1])
    return {item.value: item.type for item in found}


CASES: list[tuple[tuple[str, ...], set[str]]] = [
    (("workflow", "show", "t"), {"tea"}),
    (("workflow", "show", "so"), {"soar", "soar-fast"}),
    (("workflow", "show", "x"), set()),
    (("workflow", "new", "--from", "gr"), {"green"}),
    (("jobs", "run", "maint"), {"maintenance"}),
    (("workflow", "step", "--workflow", "tea", ""), {"choose", "serve"}),
    (("workflow", "step", "--workflow", "green", ""), {"choose", "serve", "taste"}),
    (("workflow", "step", "--workflow", "none", ""), set()),
    (("workflow", "step", "ass"), {"assess"}),
    (("workflow", "step", "--run", ""), {"abcd1234", "last"}),
    (("workflow", "run", "--run", "a"), {"abcd1234"}),
    (("runs", "show", "l"), {"last"}),
    (("workflow", "explain", "a"), {"abcd1234"}),
    (("tools", "show", "command."), {"command.run"}),
    (("tools", "call", "mem.st"), {"mem.stats"}),
    (("logs", "--tool", "mem.st"), {"mem.stats"}),
    (("hosts", "status", "--hosts", "cod"), {"codex"}),
    (("init", "--hosts", "cod"), {"codex"}),
    (("init", "--hosts", "codex,gem"), {"codex,gemini"}),
    (("init", "--hosts", "codex,cod"), set()),
    (("tools", "list", "--risk", "h"), {"high"}),
]


@pytest.mark.parametrize(("words", "names"), CASES, ids=[" ".join(words) for words, _ in CASES])
def test_names_are_completed(here: Path, words: tuple[str, ...], names: set[str]) -> None:
    del here
    assert set(complete(*words)) == names


def test_a_workflow_may_also_be_a_file(here: Path) -> None:
    del here
    assert complete("workflow", "validate", "te") == {"tea": "plain"}
    assert complete("workflow", "run", "./te") == {"./te": "file"}


@pytest.mark.skipif(not shutil.which("bash"), reason="there is no bash")
@pytest.mark.parametrize(("words", "names"), [("workflow run te", "tea"), ("workflow run so", "soar soar-fast")])
def test_bash_offers_the_names(here: Path, aur_program: str, words: str, names: str) -> None:
    """The script that click makes for bash forgets names that an item for files follows."""
    script = f"""
        eval "$(_AUR_COMPLETE=bash_source aur)"
        COMP_WORDS=(aur {words}); COMP_CWORD=3; _aur_completion aur; echo "${{COMPREPLY[*]}}"
    """
    path = {"PATH": f"{Path(aur_program).parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "--norc", "-c", script],
        cwd=here,
        env={**os.environ, **path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == (f"{names}\n", "")


def test_a_folder_without_a_project_completes_what_is_shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    assert set(complete("workflow", "show", "s")) == {"soar", "soar-fast"}
    assert set(complete("runs", "show", "")) == {"last"}
    assert not (tmp_path / ".aurora").exists()


def test_a_damaged_memory_offers_no_run_and_says_nothing(here: Path) -> None:
    (here / ".aurora" / "memory.db").write_bytes(b"no database" * 1000)

    assert complete("runs", "show", "") == {"last": "plain"}


def test_the_project_in_the_line_counts(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "other").mkdir()
    monkeypatch.chdir("/")

    assert set(complete("--project", str(here), "workflow", "show", "te")) == {"tea"}


def test_the_program_completes_for_a_shell(aur: Any, here: Path) -> None:
    request = {"_AUR_COMPLETE": "bash_complete", "COMP_WORDS": "aur workflow show te", "COMP_CWORD": "3"}

    done = aur(cwd=here, env=request)

    assert (done.returncode, done.stdout, done.stderr) == (0, "plain,tea\n", "")
