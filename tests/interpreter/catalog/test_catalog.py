"""The catalog lists workflows, reloads edited ones and reports broken ones."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aurora.errors import Code, Fault
from aurora.interpreter import Catalog
from aurora.interpreter.problems.render import render_problems
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurora.interpreter import Definition

GOOD = "aurora: 1\nname: {name}\nversion: '1'\nstart: a\nphases:\n  a: {{ uses: mem.stats, next_action: end }}\n"
DOCUMENTS = Path(__file__).resolve().parents[2] / "documents" / "ok"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / ".aurora" / "workflows"
    path.mkdir(parents=True)
    return path


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    with Workspace(tmp_path) as workspace:
        yield workspace.workflows


def test_the_shipped_workflows_have_neither_errors_nor_warnings(catalog: Catalog) -> None:
    assert "soar" in catalog.list_names()
    for name in catalog.list_names():
        assert render_problems(catalog.find_problems(name)) == ""


def test_without_a_project_folder_the_shipped_workflows_exist(tmp_path: Path) -> None:
    assert "soar" in Catalog(tmp_path / "nowhere").list_names()
    assert "soar" in Catalog(None).list_names()


@pytest.mark.parametrize(
    ("file", "text", "name"),
    [
        ("a.yaml", "name: said", "said"),
        ("a.yaml", "# x\nname:   'said' # why\r\n", "said"),
        ("a.yml", "{aurora: 1, name: said}", "said"),
        ("a.yaml", '"name": said\n', "said"),
        ("a.yaml", "description: |\n  name: not_this\nname: said\n", "said"),
        ("a.yaml", "name: said\nphases: [", "said"),
        ("a.yaml", "phases: [", "a"),
        ("a.yaml", "name: 12", "a"),
        ("a.yaml", "extends: soar", "soar"),
        ("a.yaml", "extends: soar\nname: said", "said"),
        ("a.yaml", "", "a"),
    ],
)
def test_a_workflow_has_the_name_in_its_file(catalog: Catalog, folder: Path, file: str, text: str, name: str) -> None:
    (folder / file).write_text(text, encoding="utf-8")
    assert name in catalog.list_names()
    assert {one.name: one.source for one in catalog.list_summaries()}[name] == "project"


def test_an_edit_is_noticed_and_changes_the_stamp(catalog: Catalog, folder: Path) -> None:
    path = folder / "mine.yaml"
    stamps = [catalog.stamp_files()]
    for title in ("one", "two", "six"):
        path.write_text(GOOD.format(name="mine") + f"title: {title}\n", encoding="utf-8")
        assert catalog.load("mine").workflow.title == title
        stamps.append(catalog.stamp_files())
    path.unlink()
    stamps.append(catalog.stamp_files())
    assert stamps[0] == stamps[-1]
    assert len(set(stamps)) == 4
    with pytest.raises(Fault):
        catalog.load("mine")


def test_an_edit_of_a_prompt_is_noticed(catalog: Catalog, folder: Path) -> None:
    (folder / "p.md").write_text("Old", encoding="utf-8")
    text = GOOD.format(name="mine").replace("uses: mem.stats", "prompt_template: p.md, answer: {}")
    (folder / "mine.yaml").write_text(text, encoding="utf-8")
    before = catalog.load("mine")
    (folder / "p.md").write_text("New", encoding="utf-8")
    after = catalog.load("mine")
    assert after.prompts["a"].text == "New"
    assert after.digest != before.digest


def test_a_change_of_any_file_of_a_workflow_is_noticed(catalog: Catalog, folder: Path) -> None:
    def load() -> Definition:
        assert catalog.load("mine") is catalog.load("mine")
        return catalog.load("mine")

    (folder / "parts").mkdir()
    (folder / "parts" / "o.json").write_text('{"type": "object"}', encoding="utf-8")
    phase = "uses: mem.stats, output: parts/o.json, prompt_template: a prompt.md, answer: {}"
    (folder / "base.yaml").write_text(GOOD.format(name="base").replace("uses: mem.stats", phase), encoding="utf-8")
    (folder / "mine.yaml").write_text("extends: base\nname: mine\n", encoding="utf-8")
    seen = [load()]
    (folder / "parts" / "o.json").write_text('{"type": "object", "minProperties": 1}', encoding="utf-8")
    seen.append(load())
    (folder / "one.txt").write_text("One", encoding="utf-8")
    (folder / "a prompt.md").symlink_to("one.txt")
    seen.append(load())
    (folder / "two.txt").write_text("Two", encoding="utf-8")
    (folder / "a prompt.md").unlink()
    (folder / "a prompt.md").symlink_to("two.txt")
    seen.append(load())
    with (folder / "base.yaml").open("a", encoding="utf-8") as base:
        base.write("title: Base\n")
    seen.append(load())
    (folder / "parts" / "unread.md").write_text("x", encoding="utf-8")
    seen.append(load())
    assert [one.prompts["a"].text for one in seen] == ["a prompt.md", "a prompt.md", "One", "Two", "Two", "Two"]
    assert len({one.digest for one in seen}) == 5
    assert seen[-1].digest == seen[-2].digest


def test_a_new_project_file_with_a_shipped_name_is_noticed(catalog: Catalog, folder: Path) -> None:
    assert catalog.load("soar").source == "shipped"
    (folder / "later.yaml").write_text(GOOD.format(name="soar"), encoding="utf-8")
    assert catalog.load("soar").source == "project"
    (folder / "later.yaml").write_text(GOOD.format(name="mine"), encoding="utf-8")
    assert catalog.load("soar").source == "shipped"
    assert catalog.load("mine").source == "project"


def test_comments_and_layout_do_not_change_the_digest(catalog: Catalog, folder: Path) -> None:
    (folder / "mine.yaml").write_text(GOOD.format(name="mine"), encoding="utf-8")
    before = catalog.load("mine").digest
    text = GOOD.format(name="mine").replace("start: a", "start:   'a' # where it begins")
    (folder / "mine.yaml").write_text(text, encoding="utf-8")
    assert catalog.load("mine").digest == before


def test_a_broken_workflow_is_listed_and_refuses_to_run_naming_its_first_problem(
    catalog: Catalog, folder: Path
) -> None:
    path = folder / "mine.yaml"
    path.write_text(GOOD.format(name="mine") + "tile: x\n", encoding="utf-8")
    assert {one.name: one.problems for one in catalog.list_summaries()}["mine"] == 1
    for ask in (catalog.open, catalog.load):
        with pytest.raises(
            Fault, match=rf'workflow "mine" has 1 error: {path}:7:1: error: unexpected key "tile"'
        ) as raised:
            ask("mine")
        assert raised.value.code is Code.INVALID_INPUT
        assert "aur workflow validate mine" in raised.value.help


def test_an_unknown_name_is_answered_with_the_near_one(catalog: Catalog) -> None:
    with pytest.raises(Fault, match='no workflow "saor"') as raised:
        catalog.load("saor")
    assert raised.value.code is Code.NOT_FOUND
    assert raised.value.help == 'Did you mean "soar"?'


@pytest.mark.parametrize("name", ["", "x" * 100_000, "a\0b", "../../none/passwd", "none.yaml", "x" * 5000 + ".yaml"])
def test_any_unknown_name_is_not_found(catalog: Catalog, name: str) -> None:
    with pytest.raises(Fault) as raised:
        catalog.find_problems(name)
    assert raised.value.code is Code.NOT_FOUND
    assert len(raised.value.message) < 300


def test_a_file_that_is_not_regular_is_reported_without_blocking(catalog: Catalog, folder: Path) -> None:
    (folder / "folder.yaml").mkdir()
    (folder / "link.yaml").symlink_to("nowhere")
    (folder / "loop.yaml").symlink_to("loop.yaml")
    os.mkfifo(folder / "pipe.yaml")
    (folder / ".#edited.yaml").symlink_to("user@host.1")
    shipped = {one.name for one in catalog.list_summaries() if one.source == "shipped"}
    told = {
        name: [one.code for one in catalog.find_problems(name)] for name in catalog.list_names() if name not in shipped
    }
    assert told == {"folder": ["E101"], "link": ["E101"], "loop": ["E101"], "pipe": ["E101"]}
    assert [one.code for one in catalog.find_problems(str(folder / "folder.yaml"))] == ["E101"]


def test_a_link_out_of_the_folder_is_reported_and_not_followed(catalog: Catalog, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.yaml").write_text(GOOD.format(name="outside"), encoding="utf-8")
    (folder / "mine.yaml").symlink_to("../../outside.yaml")
    (found,) = catalog.find_problems(str(folder / "mine.yaml"))
    assert (found.code, found.path) == ("E255", str(folder / "mine.yaml"))


def test_a_hard_link_and_a_linked_folder_are_reported_and_not_followed(tmp_path: Path) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "project" / ".aurora" / "workflows"
    outside.mkdir()
    folder.mkdir(parents=True)
    (outside / "tea.yaml").write_text(GOOD.format(name="tea"), encoding="utf-8")
    (folder / "tea.yaml").hardlink_to(outside / "tea.yaml")
    (folder / "green.yaml").write_text("extends: tea\nname: green\nversion: 2.0.0\n", encoding="utf-8")
    catalog = Catalog(folder)
    assert [one.code for one in catalog.find_problems("tea")] == ["E255"]
    assert "E255" not in {one.code for one in catalog.find_problems("green")}
    assert catalog.find_problems("green") != ()

    folder.rename(tmp_path / "moved")
    folder.symlink_to(outside)
    assert [one.code for one in Catalog(folder).find_problems("tea")] == ["E255"]


@pytest.mark.parametrize("name", ["prompts/hard.md", "sub/.git/config", "prompts/link.md"])
def test_a_prompt_of_somebody_else_is_reported_and_not_read(
    catalog: Catalog, folder: Path, tmp_path: Path, name: str
) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("the secret", encoding="utf-8")
    (folder / "prompts").mkdir()
    (folder / "prompts" / "hard.md").hardlink_to(secret)
    (folder / "prompts" / "link.md").symlink_to(secret)
    (folder / "sub" / ".git").mkdir(parents=True)
    (folder / "sub" / ".git" / "config").write_text("token = secret", encoding="utf-8")
    text = GOOD.format(name="mine").replace("uses: mem.stats", f"prompt_template: {name}, answer: {{ type: string }}")
    (folder / "mine.yaml").write_text(text, encoding="utf-8")
    found = [one for one in catalog.find_problems("mine") if one.code == "E255"]
    assert [name in one.message for one in found] == [True]


def test_a_broken_link_is_noticed_when_its_target_appears(catalog: Catalog, folder: Path) -> None:
    (folder / "mine.yaml").symlink_to("there.txt")
    assert [one.code for one in catalog.find_problems("mine")] == ["E101"]
    (folder / "there.txt").write_text(GOOD.format(name="mine"), encoding="utf-8")
    assert catalog.find_problems("mine") == ()


def test_a_prompt_that_is_a_pipe_is_reported_without_blocking(catalog: Catalog, folder: Path) -> None:
    os.mkfifo(folder / "p.md")
    text = GOOD.format(name="mine").replace("uses: mem.stats", "prompt_template: p.md, answer: {}")
    (folder / "mine.yaml").write_text(text, encoding="utf-8")
    (found,) = catalog.find_problems("mine")
    assert (found.code, found.message) == ("E254", '"p.md" cannot be read: it is not a plain file')


def test_a_file_too_big_is_never_read_whole(catalog: Catalog, folder: Path) -> None:
    with (folder / "mine.yaml").open("wb") as file:
        file.truncate(1 << 40)
    assert [one.code for one in catalog.find_problems("mine")] == ["E103"]


def test_describing_a_workflow_does_not_import_the_libraries_of_the_checks() -> None:
    program = (
        "import sys; from aurora.interpreter import Catalog; Catalog(None).open('soar'); "
        "print(sorted({'jsonschema', 'jsonschema_rs', 'jmespath', 'minijinja', 'referencing'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"


BITS = st.sampled_from(
    [
        *("{{", "}}", "{% ", "%}", "[", "]", "{", "}", "(", ")", ": ", "- ", "\n", "\t", "'", '"', "`", "|", ">"),
        *("&a ", "*a", "<<: ", "!!int ", "null", "$ref", "..", "@", "!", "&&", "||", "==", "\0", "大", "0", "9" * 400),
        *("extends: soar\n", "end"),
    ]
)
EDIT = st.tuples(st.integers(0, 100_000), st.integers(0, 30), st.one_of(BITS, st.text(max_size=3)))
EDITS = st.lists(EDIT, max_size=6)
SAMPLES = sorted(path for path in DOCUMENTS.iterdir() if path.suffix in (".yaml", ".yml"))


@settings(max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(SAMPLES), EDITS)
def test_any_edit_of_a_good_document_gives_only_problems(
    catalog: Catalog, folder: Path, sample: Path, edits: list[tuple[int, int, str]]
) -> None:
    text = sample.read_text(encoding="utf-8")
    for at, gone, new in edits:
        start = at % (len(text) + 1)
        text = text[:start] + new + text[start + gone :]
    path = folder / "edited.yaml"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    told = render_problems(catalog.find_problems(str(path)))
    told.encode()
