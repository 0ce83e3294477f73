"""`aur init` and `aur workflow new` trust a folder only where the person has said so, or wrote what is in it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Aur = Callable[..., Any]
Terminal = Callable[..., tuple[int, str]]

PATCH = "extends: soar\nversion: 9.9.9\n"
INIT = ("init", "--hosts", "claude-code", "--no-index")
QUESTION = "Trust this folder, and use its own workflows and agents? [y/N]"
NOTICE = "Not used: 1 workflow of this folder, because it is not trusted."
UNTRUSTED = "It is not used yet, because this folder is not trusted: run `aur trust`."


@pytest.fixture
def environment(environment: dict[str, str], tmp_path: Path, aur_program: str) -> dict[str, str]:
    """A person's, who has trusted nothing and has no assistant."""
    (tmp_path / "home").mkdir()
    kept = {name: value for name, value in environment.items() if name not in {"XDG_CONFIG_HOME", "VIRTUAL_ENV"}}
    own = {"HOME": str(tmp_path / "home"), "XDG_STATE_HOME": str(tmp_path / "state")}
    return {**kept, **own, "AURORA_TRUST": "", "NO_COLOR": "1", "PATH": f"{Path(aur_program).parent}:/usr/bin:/bin"}


@pytest.fixture
def hostile(project: Path) -> Path:
    """The project, with a workflow that a clone brought."""
    (project / ".aurora" / "workflows").mkdir(parents=True)
    (project / ".aurora" / "workflows" / "soar.yaml").write_text(PATCH, encoding="utf-8")
    return project


@pytest.fixture
def is_trusted(tmp_path: Path) -> Callable[[Path], bool]:
    """Whether the list of trusted folders has this one."""

    def find(root: Path) -> bool:
        (path,) = (*(tmp_path / "state").rglob("trusted-folders.json"), None)[:1]
        return path is not None and str(root) in path.read_text(encoding="utf-8")

    return find


@pytest.mark.parametrize("answer", ["y", "n"])
def test_init_asks_after_its_own_question(
    hostile: Path, terminal: Terminal, is_trusted: Callable[[Path], bool], answer: str
) -> None:
    code, shown = terminal(*INIT, answer=f"y\nn\n{answer}\n")  # its files, the tools, the trust
    assert code == 0
    assert shown.index("Change 4 files?") < shown.index("created .mcp.json") < shown.index(QUESTION)
    assert "replaces the shipped workflow of this name" in shown
    assert is_trusted(hostile) == (answer == "y")
    again, shown = terminal(*INIT, answer="n\n")
    assert again == 0
    assert (QUESTION in shown) == (answer == "n")


def test_init_asks_nothing_where_there_is_nothing_to_trust(terminal: Terminal) -> None:
    code, shown = terminal(*INIT, answer="y\nn\n")
    assert code == 0
    assert QUESTION not in shown


def test_yes_of_the_setup_trusts_no_clone_and_says_how(
    hostile: Path, aur: Aur, is_trusted: Callable[[Path], bool]
) -> None:
    done = aur(*INIT, "--yes")
    assert (done.returncode, f"note: {NOTICE}" in done.stdout) == (0, True)
    assert NOTICE in " ".join(json.loads(aur(*INIT, "--yes", "--json").stdout)["advice"])
    assert not is_trusted(hostile)
    done = aur(*INIT, "--yes", "--trust")
    assert (done.returncode, NOTICE in done.stdout) == (0, False)
    assert is_trusted(hostile)


@pytest.mark.parametrize("other", ["--remove", "--dry-run"])
def test_trust_goes_only_with_a_setup(hostile: Path, aur: Aur, other: str) -> None:
    del hostile
    done = aur("init", "--trust", other)
    assert (done.returncode, "--trust goes with a setup" in done.stderr) == (2, True)


def test_a_person_s_first_workflow_makes_the_folder_trusted_and_it_runs(
    project: Path, terminal: Terminal, is_trusted: Callable[[Path], bool]
) -> None:
    code, shown = terminal("workflow", "new", "haiku")
    assert code == 0
    assert "wrote .aurora/workflows/haiku.yaml" in shown
    assert "This folder is trusted from now on" in shown
    assert is_trusted(project)
    code, shown = terminal("workflow", "show", "haiku")
    assert code == 0
    code, shown = terminal("workflow", "new", "sonnet")
    assert (code, "trusted" in shown) == (0, False)


def test_a_new_workflow_beside_those_of_a_clone_trusts_nothing(
    hostile: Path, terminal: Terminal, is_trusted: Callable[[Path], bool]
) -> None:
    code, shown = terminal("workflow", "new", "haiku")
    assert (code, UNTRUSTED in shown) == (0, True)
    assert not is_trusted(hostile)


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_a_workflow_that_a_program_creates_trusts_nothing(
    project: Path, aur: Aur, is_trusted: Callable[[Path], bool], words: tuple[str, ...]
) -> None:
    done = aur("workflow", "new", "haiku", *words)
    assert done.returncode == 0
    assert UNTRUSTED in (done.stderr if words else done.stdout)
    assert not words or json.loads(done.stdout)["problems"] == 0
    assert (project / ".aurora/workflows/haiku.yaml").is_file()
    assert not is_trusted(project)


@pytest.fixture
def large(hostile: Path) -> Path:
    """The project, with a workflow that is large enough to be kept as checked."""
    phase = '  {name}:\n    title: "{title}"\n    uses: mem.stats\n    next_action: {after}\n'
    names = [f"p{index}" for index in range(300)]
    phases = (
        phase.format(name=name, title="a" * 150, after=after)
        for name, after in zip(names, [*names[1:], "end"], strict=True)
    )
    text = f"aurora: 1\nname: large\nversion: '1'\nstart: p0\nphases:\n{''.join(phases)}"
    (hostile / ".aurora" / "workflows" / "large.yaml").write_text(text, encoding="utf-8")
    return hostile


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (("trust",), "y\n"),
        (("trust",), "n\n"),
        (("trust", "--yes"), ""),
        ((*INIT, "--yes", "--trust"), ""),
        (INIT, "y\nn\ny\n"),
        ((*INIT, "--yes"), ""),
    ],
    ids=["trust y", "trust n", "trust --yes", "init --trust", "init y", "init --yes"],
)
@pytest.mark.usefixtures("large")
def test_a_large_workflow_is_checked_where_the_person_trusts_it_and_not_at_the_first_step(
    terminal: Terminal, tmp_path: Path, words: tuple[str, ...], answer: str
) -> None:
    is_trusted = answer.endswith("y\n") or words == ("trust", "--yes") or "--trust" in words
    terminal(*words, answer=answer)

    entries = [path.read_bytes() for path in (tmp_path / "state").rglob("checked-workflows/*")]
    assert sum(b'"large.yaml"' in entry for entry in entries) == is_trusted
    done, shown = terminal("workflow", "step", "p0", "--workflow", "large", "--json")
    assert (done == 0) == is_trusted, shown
