from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from aurora.cli.main import main
from aurora.cli.manual.commands_md import DOCTOR_SECTION, build_manual
from aurora.tools.core.registry import DEFAULT_TOOLS, ToolRegistry

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "COMMANDS.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^## aur (.+)$", TEXT, re.MULTILINE)
EXAMPLES = [
    line for block in re.findall(r"^```sh\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL) for line in block.splitlines()
]


def test_the_commands_are_described_as_they_are_now() -> None:
    assert build_manual() == TEXT, "say `make commands`"


def test_the_page_begins_with_the_commands_and_has_at_most_40_kb() -> None:
    assert len(TEXT.encode()) <= 40_000
    assert TEXT.index("## aur ") < TEXT.index("## For assistants")


def test_the_same_declarations_give_the_same_bytes() -> None:
    assert build_manual() == build_manual()


def test_the_help_of_every_command_names_the_described_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert len(COMMANDS) > 10
    for section in re.split(r"^## aur ", TEXT, flags=re.MULTILINE)[1:]:
        words, _, body = section.partition("\n## ")[0].partition("\n")
        assert main([*words.split(), "--help"]) == 0
        told = capsys.readouterr().out
        assert f"Usage: aur {words}" in told
        assert [name for name in re.findall(r"^- `(--[a-z-]+)", body, re.MULTILINE) if name not in told] == []


@pytest.mark.requirement("prd-57", "prd-58")
@pytest.mark.parametrize(("number", "option"), [(0, "")])
def test_the_doctor_says_what_is_shown(number: int, option: str, package: Path, shell: Callable[[str], Any]) -> None:
    told = shell(f"aur doctor {option} --project {package}").stdout
    here = 0
    for line in re.findall(r"```text\n(.*?)\n```", DOCTOR_SECTION, re.DOTALL)[number].splitlines():
        found = re.compile(".*".join(map(re.escape, line.split("…")))).search(told, here)
        assert found, f"{line}\n{told}"
        here = found.end()


@pytest.fixture
def type_line(
    package: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[str], str]:
    """Run a line in this process, which is faster than a hundred of its own, and return what it prints."""
    for name in os.environ.keys() - environment.keys():
        monkeypatch.delenv(name)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(package)

    def run(line: str) -> str:
        program, *words = shlex.split(line, comments=True)
        code = main(words)
        shown = capsys.readouterr()
        assert (program, code) == ("aur", 0), f"{line}\n{shown.out}{shown.err}"
        return shown.out

    return run


@pytest.mark.requirement("prd-55")
def test_every_example_works_as_typed(package: Path, type_line: Callable[[str], str]) -> None:
    shutil.copy(ROOT / "README.md", package)
    reviewer = package / ".claude" / "agents" / "reviewer.md"
    reviewer.parent.mkdir(parents=True)
    reviewer.write_text("---\nname: reviewer\ndescription: Reviews code.\n---\nRead it twice.\n", encoding="utf-8")
    type_line("aur trust --yes")
    type_line("aur mem index")
    begun = json.loads(type_line("aur workflow step assess --input query='What is a type?' --json"))
    for line in EXAMPLES:
        typed = re.sub(
            r"(?<=aur runs show )\w+|(?<=aur runs (?:export|status) )\w+", begun["run"], line
        )  # a run has another name every time
        if typed.startswith("aur mem undo"):  # the restoring above has left nothing that could be taken back
            added = json.loads(type_line("aur mem add 'It rained.' --json"))
            type_line(f"aur mem forget {added['id']}")
        type_line(typed)


def test_every_command_of_the_readme_exists() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = "\n".join(line.split(" | ")[0] for line in readme.splitlines() if line.startswith("| `aur"))
    listed = re.findall(r"`aur ([a-z]+(?: [a-z]+)?)", rows)

    assert listed
    assert [words for words in listed if words not in COMMANDS] == []


@pytest.mark.requirement("prd-54")
def test_the_three_tools_of_the_server_are_described() -> None:
    described = re.findall(r"^\| `(aurora_\w+)` \| `aur [\w ]+` \| .+ \|$", TEXT, re.MULTILINE)
    assert described == [ToolRegistry().find(name).mcp for name in DEFAULT_TOOLS]


@pytest.mark.requirement("prd-56")
def test_each_removed_tool_has_its_command_or_the_tool_of_the_assistant() -> None:
    table = dict(re.findall(r"^\| `(aurora_\w+)` \| (.+) \|$", TEXT, re.MULTILINE))
    commands = {
        "aurora_index": "aur mem index",
        "aurora_related": "aur mem related",
        "aurora_list_agents": "aur agents list",
        "aurora_search_agents": "aur agents search",
    }
    for removed, command in commands.items():
        assert table[removed] == f"`{command}`"
        assert command.removeprefix("aur ") in COMMANDS
    for removed in ("aurora_context", "aurora_show_agent"):
        assert "assistant's own tool for reading files" in table[removed]
