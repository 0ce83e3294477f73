"""`aur workflow validate` for people and for CI: formats, standard input, folders, explanations, mending."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

Aur = Callable[..., Any]

WRONG = """\
aurora: 1
name: tea
version: 1.0.0   # the first
start: choose
phases:
  choose:
    inputs: { guests: { type: integer } }
    prompt_template: "{{ guests }}"
    answer: { type: object }
    next_action:
      - { when: "inputs.guests > 3", then: ende }
      - { then: end }
"""
RIGHT = WRONG.replace("> 3", "> `3`").replace("ende", "end")
WARNED = RIGHT.replace("guests: { type: integer }", "guests: { type: integer }, unused: { type: string }")


@pytest.fixture
def file(project: Path) -> Path:
    path = project / ".aurora" / "workflows" / "tea.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(WRONG, encoding="utf-8")
    return path


def test_a_clean_file_says_what_was_proved(aur: Aur, file: Path) -> None:
    file.write_text(RIGHT, encoding="utf-8")

    done = aur("workflow", "validate", "tea")

    assert (
        done.stdout == "tea: 1 phase, at most 2 paths and 2 calls, every path ends\n1 workflow checked, no problems\n"
    )
    assert done.returncode == 0


def test_a_warning_counts_as_an_error_only_when_that_is_asked_for(aur: Aur, file: Path) -> None:
    file.write_text(WARNED, encoding="utf-8")

    easy, strict = aur("workflow", "validate", "tea"), aur("workflow", "validate", "tea", "--strict")

    assert (easy.returncode, strict.returncode) == (0, 1)
    assert easy.stdout == strict.stdout
    assert easy.stdout.endswith("1 workflow checked, 1 warning\n")


@pytest.mark.usefixtures("file")
def test_the_formats_for_programs_hold_nothing_else(aur: Aur) -> None:
    as_json = aur("workflow", "validate", "tea", "--format", "json")
    log = aur("workflow", "validate", "tea", "--format", "sarif")
    lines = aur("workflow", "validate", "tea", "--format", "github")

    assert {as_json.returncode, log.returncode, lines.returncode} == {1}
    found = json.loads(as_json.stdout)
    assert found["errors"] == 2
    assert [(one["file"], one["line"], one["severity"], one["code"]) for one in found["problems"]] == [
        (".aurora/workflows/tea.yaml", 11, "error", "E301"),
        (".aurora/workflows/tea.yaml", 11, "error", "E251"),
    ]
    assert found["problems"][0].keys() == {"file", "line", "column", "severity", "code", "name", "message", "help"}
    assert [one["ruleId"] for one in json.loads(log.stdout)["runs"][0]["results"]] == ["E301", "E251"]
    assert [line.partition("::")[2].partition(",")[0] for line in lines.stdout.splitlines()] == [
        "error file=.aurora/workflows/tea.yaml"
    ] * 2


def test_without_a_problem_the_annotations_are_empty_and_the_sarif_log_is_whole(aur: Aur, file: Path) -> None:
    file.write_text(RIGHT, encoding="utf-8")

    assert aur("workflow", "validate", "tea", "--format", "github").stdout == ""
    log = json.loads(aur("workflow", "validate", "tea", "--format", "sarif").stdout)
    assert log["runs"][0]["results"] == []


def test_a_minus_is_standard_input(aur: Aur) -> None:
    done = aur("workflow", "validate", "-", input=WRONG)

    assert done.returncode == 1
    assert done.stdout.startswith("<stdin>:11:34: error: a number must be in backticks [E301 expression-syntax]\n")
    assert (
        '11 |       - { when: "inputs.guests > 3", then: ende }\n   |                                  ^\n'
        in done.stdout
    )
    clean = aur("workflow", "validate", "-", input=RIGHT)
    assert clean.returncode == 0
    assert clean.stdout.startswith("<stdin>: 1 phase, at most 2 paths and 2 calls, every path ends\n")


def test_standard_input_above_the_limit_is_rejected(aur: Aur) -> None:
    done = aur("workflow", "validate", "-", input=RIGHT + "# and so on\n" * 100_000)

    assert done.returncode == 1
    assert done.stderr.startswith("aur: standard input is larger than 900,000 bytes\n")


@pytest.mark.usefixtures("file")
@pytest.mark.parametrize(
    ("said", "message", "help_"),
    [
        ("./.aurora/workflows/tee.yaml", "there is no file", 'Did you mean ".aurora/workflows/tea.yaml"?'),
        ("./tea.yaml", "there is no file", 'Did you mean ".aurora/workflows/tea.yaml"?'),
        (
            "./.aurora/workflows/nowhere.yaml",
            "there is no file",
            'The workflows in that folder are ".aurora/workflows/tea.yaml".',
        ),
        (
            "./nowhere.yaml",
            "there is no file",
            "Run `aur workflow list` for all workflows with their files.",
        ),
        ("flows/*.yaml", "no file matches", "Name a folder to check all of its workflows."),
    ],
)
def test_a_file_that_is_not_there_is_answered_with_a_near_one(aur: Aur, said: str, message: str, help_: str) -> None:
    done = aur("workflow", "validate", said)

    assert done.returncode == 1
    assert done.stderr == f'aur: {message} "{said.removeprefix("./")}"\nhelp: {help_}\n'


def test_a_sarif_log_carries_what_mends_a_problem(aur: Aur, file: Path) -> None:
    log = json.loads(aur("workflow", "validate", "tea", "--format", "sarif").stdout)
    text = file.read_text(encoding="utf-8").splitlines()

    for result in reversed(log["runs"][0]["results"]):
        (change,) = result["fixes"][0]["artifactChanges"]
        (replacement,) = change["replacements"]
        region = replacement["deletedRegion"]
        line = text[region["startLine"] - 1]
        before, after = line[: region["startColumn"] - 1], line[region["endColumn"] - 1 :]
        text[region["startLine"] - 1] = f"{before}{replacement['insertedContent']['text']}{after}"
        assert change["artifactLocation"]["uri"] == ".aurora/workflows/tea.yaml"

    assert "\n".join(text) + "\n" == RIGHT


def test_what_two_workflows_share_is_told_once_to_programs(aur: Aur, file: Path) -> None:
    (file.parent / "green.yaml").write_text("aurora: 1\nname: green\nversion: 1.0.0\nextends: tea\n", encoding="utf-8")

    lines = aur("workflow", "validate", "tea", "green", "--format", "github").stdout.splitlines()

    assert len(lines) == len(set(lines)) == 2


def test_standard_input_that_is_not_text_is_rejected(aur: Aur) -> None:
    done = aur("workflow", "validate", "-", input="a\ud8ff", errors="surrogatepass")

    assert done.returncode == 1
    assert "aur: standard input is not UTF-8: byte 0xed in line 1" in done.stderr


def test_a_folder_means_the_workflows_in_it(aur: Aur, project: Path) -> None:
    folder = project / "flows"
    folder.mkdir()
    (folder / "one.yaml").write_text(RIGHT, encoding="utf-8")
    (folder / "two.yml").write_text(WRONG, encoding="utf-8")
    (folder / "notes.md").write_text("no workflow", encoding="utf-8")

    found = json.loads(aur("workflow", "validate", "flows", "--json").stdout)["files"]

    assert [(one["workflow"], one["errors"]) for one in found] == [("flows/one.yaml", 0), ("flows/two.yml", 2)]


def test_a_folder_without_workflows_is_reported(aur: Aur, project: Path) -> None:
    (project / "empty").mkdir()

    done = aur("workflow", "validate", "empty/")

    assert done.returncode == 1
    assert done.stderr.startswith('aur: there is no workflow in "empty"\n')


def test_what_cannot_be_read_in_a_folder_hides_no_other_file(aur: Aur, project: Path) -> None:
    folder = project / "flows"
    (folder / "folder.yaml").mkdir(parents=True)
    (folder / "link.yaml").symlink_to("nowhere.yaml")
    (folder / "tea.yaml").write_text(WRONG, encoding="utf-8")

    found = json.loads(aur("workflow", "validate", "flows", "--json").stdout)["files"]

    assert [(one["workflow"], [problem["code"] for problem in one["problems"]]) for one in found] == [
        ("flows/folder.yaml", ["E101"]),
        ("flows/link.yaml", ["E101"]),
        ("flows/tea.yaml", ["E301", "E251"]),
    ]


def test_a_mistake_that_two_workflows_share_is_shown_and_counted_once(aur: Aur, tmp_path: Path) -> None:
    path = tmp_path / ".aurora" / "workflows" / "soar.yaml"
    path.parent.mkdir(parents=True)
    path.write_text("extends: soar\nphases:\n  retrieve:\n    params: { budgt: 3 }\n", encoding="utf-8")

    found = aur("workflow", "validate", cwd=tmp_path)

    assert found.returncode == 1
    assert found.stdout.count('unexpected key "budgt"') == 1
    assert "soar-fast: 1 problem of another workflow, shown above\n" in found.stdout
    assert found.stdout.endswith(" checked, 1 error\n")


def test_a_file_of_another_project_is_checked_from_here(aur: Aur, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / ".git").mkdir(parents=True)
    (elsewhere / "tea.yaml").write_text(WRONG, encoding="utf-8")

    done = aur("workflow", "validate", "../elsewhere/tea.yaml")

    assert done.returncode == 1
    assert done.stdout.startswith(f"{elsewhere / 'tea.yaml'}:11:34: error: ")


@pytest.mark.parametrize("said", ["E307", "e307", "enum-literal"])
def test_a_code_is_explained_by_code_and_by_name(aur: Aur, said: str) -> None:
    done = aur("workflow", "validate", "--explain", said)

    assert done.returncode == 0
    assert done.stdout.startswith("# E307 enum-literal\n\nAn expression compares a field")
    assert "## Right" in done.stdout


def test_an_unknown_code_is_answered_with_a_suggestion(aur: Aur) -> None:
    done = aur("workflow", "validate", "--explain", "enum-litteral")

    assert done.returncode == 1
    assert done.stderr == 'aur: there is no problem "enum-litteral"\nhelp: Did you mean "enum-literal"?\n'


def test_mending_shows_each_edit_and_writes_only_them(aur: Aur, file: Path) -> None:
    file.chmod(0o640)

    done = aur("workflow", "validate", "tea", "--fix")

    assert done.stdout.splitlines()[:3] == [
        ".aurora/workflows/tea.yaml:11:34: fixed: 3 → `3` [E301 expression-syntax]",
        ".aurora/workflows/tea.yaml:11:44: fixed: ende → end [E251 unknown-target]",
        "2 problems fixed",
    ]
    assert done.returncode == 0
    assert file.read_text(encoding="utf-8") == RIGHT
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert [path.name for path in file.parent.iterdir()] == ["tea.yaml"]


def test_fixing_a_valid_file_leaves_it_unchanged(aur: Aur, file: Path) -> None:
    file.write_text(RIGHT, encoding="utf-8")
    before = file.stat().st_mtime_ns

    done = aur("workflow", "validate", "tea", "--fix")

    assert done.returncode == 0
    assert "mended" not in done.stdout
    assert file.stat().st_mtime_ns == before


def test_mending_keeps_a_byte_order_mark(aur: Aur, file: Path) -> None:
    file.write_bytes(b"\xef\xbb\xbf" + WRONG.encode())

    aur("workflow", "validate", "tea", "--fix")

    assert file.read_bytes() == b"\xef\xbb\xbf" + RIGHT.encode()


def test_mending_is_refused_when_read_only(aur: Aur, file: Path) -> None:
    done = aur("workflow", "validate", "tea", "--fix", "--read-only")

    assert done.returncode == 1
    assert "read-only" in done.stderr
    assert file.read_text(encoding="utf-8") == WRONG


def test_standard_input_is_not_fixed(aur: Aur) -> None:
    done = aur("workflow", "validate", "-", "--fix", input=WRONG)

    assert done.returncode == 1
    assert "only a file can be fixed" in done.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_file_is_reported_and_unchanged(aur: Aur, file: Path) -> None:
    file.parent.chmod(0o500)
    try:
        done = aur("workflow", "validate", "tea", "--fix")
    finally:
        file.parent.chmod(0o700)

    assert done.returncode == 1
    assert "cannot be written" in done.stderr
    assert file.read_text(encoding="utf-8") == WRONG


def test_bad_usage_is_2(aur: Aur) -> None:
    assert aur("workflow", "validate", "--format", "xml").returncode == 2
    assert aur("workflow", "validate", "--no-such-option").returncode == 2


@pytest.mark.parametrize("twin", [False, True])
def test_in_a_subfolder_places_are_those_of_the_file(aur: Aur, project: Path, file: Path, *, twin: bool) -> None:
    folder = project / "click" / "flows"
    folder.mkdir()
    (folder / "tea.yaml").write_text(WRONG, encoding="utf-8")
    if twin:
        (project / "tea.yaml").write_text(RIGHT, encoding="utf-8")

    done = aur("workflow", "validate", "tea.yaml", cwd=folder)
    mended = aur("workflow", "validate", "--fix", "tea.yaml", cwd=folder)

    assert [line.partition(" ")[0] for line in done.stdout.splitlines() if "error:" in line] == [
        "tea.yaml:11:34:",
        "tea.yaml:11:44:",
    ]
    assert mended.stdout.startswith("tea.yaml:11:34: fixed: 3 → `3`")
    assert file.read_text(encoding="utf-8") == WRONG
