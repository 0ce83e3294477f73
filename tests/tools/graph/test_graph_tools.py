"""The tools of the graph on real code: click's own sources, indexed once."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pytest

from aurora.errors import Code, Fault
from aurora.tools.runtime.dispatch import call_tool
from aurora.tools.runtime.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    root = tmp_path_factory.mktemp("graph") / "project"
    shutil.copytree(Path(click.__file__).parent, root / "click", ignore=shutil.ignore_patterns("__pycache__"))
    (root / "GUIDE.md").write_text("# Guide\n\n## Choosing\n\nSee `Choice.convert`.\n", encoding="utf-8")
    with Workspace(root) as opened:
        call_tool(opened, "mem.index", {})
        yield opened


def ids(output: dict[str, Any]) -> set[str]:
    return {link["id"] for link in output["links"]}


@pytest.mark.requirement("auditgraph-19")
def test_a_name_a_place_a_chunk_and_an_id_find_the_same_definition(project: Workspace) -> None:
    by_name = call_tool(project, "graph.node", {"name": "Choice.convert"})
    start = by_name["lines"].split("-")[0]
    for name in (by_name["id"], f"click/types.py:{start}", "Choice::convert", "click/types.py::Choice.convert"):
        assert call_tool(project, "graph.node", {"name": name}) == by_name
    for name in ("click/types.py:Choice.convert", "types.py:Choice::convert", "types.py::Choice.convert()"):
        assert call_tool(project, "graph.node", {"name": name}) == by_name
    assert call_tool(project, "graph.node", {"name": by_name["chunk"]})["id"] == by_name["id"]
    assert by_name["parent"] == "click/types.py::Choice"
    assert by_name["into"]["contains"] == 1


def test_an_ambiguous_name_is_answered_with_the_candidates(project: Workspace) -> None:
    with pytest.raises(Fault, match='"invoke" is ambiguous') as caught:
        call_tool(project, "graph.node", {"name": "invoke"})
    assert caught.value.code is Code.CONFLICT
    assert "click/core.py::Context.invoke" in caught.value.details["candidates"]


def test_the_callers_of_a_name_with_several_definitions_are_listed_by_definition(project: Workspace) -> None:
    told = call_tool(project, "graph.callers", {"name": "invoke", "limit": 50})
    called = [link["to"] for link in told["links"]]
    assert {"click/core.py::Context.invoke", "click/core.py::Command.invoke"} <= set(called)
    assert called == sorted(called, key=called.index), "one definition after the other"
    assert told["total"] >= len(called)
    assert told["note"].startswith('"invoke" has ')
    first, second = (call_tool(project, "graph.callers", {"name": "invoke", "limit": 2, "offset": at}) for at in (0, 2))
    assert [*first["links"], *second["links"]] == told["links"][:4]


def test_a_class_inside_a_function_is_a_definition_of_its_own_with_its_methods(tmp_path: Path) -> None:
    (tmp_path / "make.py").write_text(
        "class Base:\n    def run(self): ...\n\n\ndef outer():\n    class Inner(Base):\n"
        "        def run(self):\n            return helper()\n\n    def local(): ...\n    return Inner\n\n\n"
        "def helper(): ...\n",
        encoding="utf-8",
    )
    (tmp_path / "make.js").write_text(
        "function make(x) {\n  if (x) {\n    class Deep extends Shape { draw() { return go(); } }\n"
        "    return Deep;\n  }\n}\n"
        "function go() {}\nclass Shape {}\n",
        encoding="utf-8",
    )
    with Workspace(tmp_path) as workspace:
        call_tool(workspace, "mem.index", {})
        for base, inner in (("make.py::Base", "make.py::outer.Inner"), ("make.js::Shape", "make.js::make.Deep")):
            told = call_tool(workspace, "graph.implementations", {"name": base})
            assert [one["id"] for one in told["links"]] == [inner]
        for called, caller in (("helper", "make.py::outer.Inner.run"), ("go", "make.js::make.Deep.draw")):
            assert [one["id"] for one in call_tool(workspace, "graph.callers", {"name": called})["links"]] == [caller]
        members = call_tool(workspace, "graph.members", {"name": "outer"})["members"]
        assert [one["id"] for one in members] == ["make.py::outer.Inner"]
        chunk = call_tool(workspace, "mem.get", {"path": "make.py"})["chunks"][0]
        assert "class Inner(Base)" in chunk["text"], "the function is one piece as before"


def test_a_path_goes_through_calls_before_it_goes_through_a_class(tmp_path: Path) -> None:
    (tmp_path / "client.py").write_text(
        "class Client:\n    def get(self):\n        return self.request()\n\n    def request(self):\n"
        "        return self.send()\n\n    def send(self): ...\n\n    def close(self): ...\n",
        encoding="utf-8",
    )
    with Workspace(tmp_path) as workspace:
        call_tool(workspace, "mem.index", {})
        told = call_tool(workspace, "graph.path", {"start": "Client.get", "end": "Client.send"})
        assert [(one["kind"], one["id"]) for one in told["links"]] == [
            ("calls", "client.py::Client.request"),
            ("calls", "client.py::Client.send"),
        ]
        told = call_tool(workspace, "graph.path", {"start": "Client.get", "end": "Client.close"})
        assert [one["kind"] for one in told["links"]] == ["contains", "contains"]


def test_candidates_that_are_not_members_are_first(project: Workspace) -> None:
    with pytest.raises(Fault, match='"command" is ambiguous') as caught:
        call_tool(project, "graph.node", {"name": "command"})
    assert caught.value.details["candidates"] == ["click/decorators.py::command", "click/core.py::Group.command"]


def test_a_test_double_does_not_make_a_name_ambiguous(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    for place in ("load.py", "tests/test_a.py", "tests/test_b.py"):
        (tmp_path / place).write_text("def load():\n    return 1\n", encoding="utf-8")
    with Workspace(tmp_path) as opened:
        call_tool(opened, "mem.index", {})
        assert call_tool(opened, "graph.node", {"name": "load"})["id"] == "load.py::load"
        assert call_tool(opened, "graph.node", {"name": "test_b.py::load"})["id"] == "tests/test_b.py::load"


def test_a_misspelled_name_is_answered_with_similar_ones(project: Workspace) -> None:
    with pytest.raises(Fault, match='did you mean "CliRunner"') as caught:
        call_tool(project, "graph.node", {"name": "ClRunner"})
    assert caught.value.code is Code.NOT_FOUND


def test_a_path_selects_one_of_several_definitions_with_a_name(project: Workspace) -> None:
    assert call_tool(project, "graph.node", {"name": "testing.py:invoke"})["id"] == "click/testing.py::CliRunner.invoke"
    with pytest.raises(Fault, match="is ambiguous"):
        call_tool(project, "graph.node", {"name": "core.py:invoke"})
    with pytest.raises(Fault, match="has no definition"):
        call_tool(project, "graph.node", {"name": "esting.py:invoke"})


def test_a_name_without_similar_ones_is_answered_without_a_suggestion(project: Workspace) -> None:
    for name in ("nothing::waits", "🦄", "no such thing at all"):
        with pytest.raises(Fault, match="has no definition") as caught:
            call_tool(project, "graph.node", {"name": name})
        assert caught.value.details["near"] == []


@pytest.mark.requirement("aura-3")
def test_callers_are_listed_with_the_line_of_the_call(project: Workspace) -> None:
    told = call_tool(project, "graph.callers", {"name": "augment_usage_errors", "min_confidence": 1.0})
    assert "click/core.py::Context.invoke" in ids(told)
    assert all("augment_usage_errors" in link["code"] for link in told["links"])


def test_callers_of_callers_are_further_away(project: Workspace) -> None:
    asked = {"name": "click/core.py::Context._make_sub_context", "depth": 3, "limit": 50}
    steps = [link["steps"] for link in call_tool(project, "graph.callers", asked)["links"] if "steps" in link]
    assert max(steps) > 1
    assert steps == sorted(steps)


def test_callers_of_an_external_function_are_found_by_its_name(project: Workspace) -> None:
    told = call_tool(project, "graph.callers", {"name": "os.getcwd"})
    assert ids(told) == {"click/testing.py::CliRunner.isolated_filesystem"}
    assert "Not defined in this project" in told["note"]


@pytest.mark.requirement("aura-2")
def test_implementations_include_indirect_ones_and_overriding_methods(
    project: Workspace,
) -> None:
    below = ids(call_tool(project, "graph.implementations", {"name": "ParamType", "limit": 50}))
    assert {"click/types.py::Choice", "click/types.py::IntRange"} <= below
    direct = ids(call_tool(project, "graph.implementations", {"name": "ParamType", "depth": 1, "limit": 50}))
    assert "click/types.py::IntRange" not in direct
    methods = ids(call_tool(project, "graph.implementations", {"name": "ParamType.convert", "limit": 50}))
    assert "click/types.py::Choice.convert" in methods


@pytest.mark.requirement("aura-2")
def test_implementations_of_an_external_class_are_found_by_its_name(project: Workspace) -> None:
    told = call_tool(project, "graph.implementations", {"name": "Exception"})
    assert ids(told) == {"click/exceptions.py::ClickException"}
    assert told["links"][0]["kind"] == "inherits"
    assert "direct implementations were found by name" in told["note"]
    with pytest.raises(Fault, match='no definition "NoSuchClass"'):
        call_tool(project, "graph.implementations", {"name": "NoSuchClass"})


CSHARP = """\
namespace Llm;
public interface ILlmProvider { string Ask(string question); }
public class OllamaProvider : ILlmProvider { public string Ask(string question) { return question; } }
public class Stub { public string Ask(string question) { return question; } }
"""


@pytest.mark.requirement("aura-37")
def test_implementations_of_an_interface_are_found_in_csharp(tmp_path: Path) -> None:
    (tmp_path / "Providers.cs").write_text(CSHARP, encoding="utf-8")
    with Workspace(tmp_path) as opened:
        call_tool(opened, "mem.index", {})
        assert ids(call_tool(opened, "graph.implementations", {"name": "ILlmProvider"})) == {
            "Providers.cs::OllamaProvider"
        }
        overriding = call_tool(opened, "graph.implementations", {"name": "Providers.cs::ILlmProvider.Ask"})
        assert ids(overriding) == {"Providers.cs::OllamaProvider.Ask"}


@pytest.mark.requirement("auditgraph-19")
def test_pages_of_neighbors_are_complete_without_duplicates(project: Workspace) -> None:
    asked = {"name": "click/core.py::Context", "limit": 20}
    first = call_tool(project, "graph.neighbors", asked)
    found = list(first["links"])
    while len(found) < first["total"]:
        found += call_tool(project, "graph.neighbors", {**asked, "offset": len(found)})["links"]
    keys = [(link["kind"], link["direction"], link["id"], link["at"]) for link in found]
    assert len(keys) == first["total"] > 40
    assert len(set(keys)) == len(keys)


def test_filters_apply_to_neighbors(project: Workspace) -> None:
    asked = {"name": "click/types.py::Choice", "kinds": ["inherits"], "direction": "out", "min_confidence": 1.0}
    told = call_tool(project, "graph.neighbors", asked)
    assert ids(told) == {"click/types.py::ParamType"}
    assert told["links"][0]["code"].startswith("class Choice(")


@pytest.mark.requirement("auditgraph-19")
def test_a_path_is_a_chain_of_links(project: Workspace) -> None:
    way = call_tool(project, "graph.path", {"start": "GUIDE.md", "end": "click/_compat.py", "min_confidence": 0.8})
    assert way["connected"]
    assert way["links"][0]["id"].startswith("GUIDE.md::")
    assert way["links"][-1]["id"] == "click/_compat.py"
    assert all(link["at"] and link["code"] for link in way["links"])


def test_definitions_without_a_path_are_reported_as_not_connected(project: Workspace) -> None:
    asked = {"start": "GUIDE.md", "end": "click/_compat.py", "kinds": ["inherits"]}
    path = call_tool(project, "graph.path", asked)
    assert not path["connected"]
    assert "No path" in path["note"]


@pytest.mark.requirement("aura-4")
def test_members_are_in_the_order_of_the_text(project: Workspace) -> None:
    told = call_tool(project, "graph.members", {"name": "click/types.py::Choice"})
    starts = [int(member["lines"].split("-")[0]) for member in told["members"]]
    assert starts == sorted(starts)
    assert "click/types.py::Choice.convert" in {member["id"] for member in told["members"]}


def test_related_chunks_have_reasons(project: Workspace) -> None:
    told = call_tool(project, "mem.related", {"chunk": "GUIDE.md::Guide > Choosing"})
    assert ("click/types.py", "Choice.convert") in {(one["path"], one.get("symbol")) for one in told["related"]}
    assert all(one["why"] for one in told["related"])


@pytest.mark.requirement("auditgraph-19")
def test_a_diff_lists_additions_and_removals_since_a_revision(tmp_path: Path) -> None:
    file = tmp_path / "shop.py"
    file.write_text("def price():\n    return tax()\n\n\ndef tax():\n    return 1\n", encoding="utf-8")
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "first")):
        person = ("-c", "user.name=a", "-c", "user.email=a@b.c")
        subprocess.run(["git", *person, *words], cwd=tmp_path, check=True)
    file.write_text("def price():\n    return duty()\n\n\ndef duty():\n    return 1\n", encoding="utf-8")
    with Workspace(tmp_path) as workspace:
        call_tool(workspace, "mem.index", {})
        told = call_tool(workspace, "graph.diff", {})
        assert [(one["change"], one["kind"], one["id"], one.get("target", "")) for one in told["changes"]] == [
            ("added", "function", "shop.py::duty", ""),
            ("removed", "function", "shop.py::tax", ""),
            ("added", "calls", "shop.py::price", "shop.py::duty"),
            ("removed", "calls", "shop.py::price", "shop.py::tax"),
        ]
        with pytest.raises(Fault, match='no such revision: "--output=x"') as caught:
            call_tool(workspace, "graph.diff", {"against": "--output=x"})
        assert caught.value.code is Code.NOT_FOUND
        same = call_tool(workspace, "graph.diff", {"against": ".aurora/memory.db"})
        assert same["note"] == "The graphs are the same."


def test_a_tracked_file_that_an_ignore_rule_names_is_no_difference(tmp_path: Path) -> None:
    (tmp_path / "build").mkdir()
    (tmp_path / "build/release.py").write_text("def release(): ...\n", encoding="utf-8")
    (tmp_path / ".gitignore").write_text("build/\n", encoding="utf-8")
    _committed(tmp_path, "add", "-f", "build/release.py")
    with Workspace(tmp_path) as workspace:
        call_tool(workspace, "mem.index", {})
        assert call_tool(workspace, "mem.search", {"query": "release"})["hits"][0]["path"] == "build/release.py"
        assert call_tool(workspace, "graph.diff", {})["note"] == "The graphs are the same."


def _committed(folder: Path, *also: str) -> None:
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "protocol.file.allow=always")
    for words in (("init", "-q"), also, ("add", "-A"), ("commit", "-qm", "all")):
        if words:
            subprocess.run([*git, *words], cwd=folder, check=True, capture_output=True)


def test_a_diff_handles_unexported_files_and_submodules(tmp_path: Path) -> None:
    other, root = tmp_path / "other", tmp_path / "project"
    (root / "tests").mkdir(parents=True)
    other.mkdir()
    (other / "tax.py").write_text("def tax():\n    return 1\n", encoding="utf-8")
    _committed(other)
    (root / "tests" / "test_price.py").write_text("def test_price():\n    assert True\n", encoding="utf-8")
    (root / ".gitattributes").write_text("/tests export-ignore\n", encoding="utf-8")
    _committed(root, "submodule", "add", str(other), "parts/other")
    (root / "parts" / "other" / "tax.py").write_text("def duty():\n    return 1\n", encoding="utf-8")
    with Workspace(root) as workspace:
        call_tool(workspace, "mem.index", {})
        told = call_tool(workspace, "graph.diff", {})
        assert [(one["change"], one["id"]) for one in told["changes"]] == [
            ("added", "parts/other/tax.py::duty"),
            ("removed", "parts/other/tax.py::tax"),
        ]


def test_a_moved_file_is_one_change_and_compared_with_its_old_content(tmp_path: Path) -> None:
    body = "".join(f"def {name}():\n    return 1\n\n\n" for name in ("price", "tax", "rebate", "rate"))
    (tmp_path / "shop.py").write_text(body, encoding="utf-8")
    (tmp_path / "use.py").write_text("from shop import tax\n\n\ndef pay():\n    return tax()\n", encoding="utf-8")
    (tmp_path / "one.py").write_text("def main():\n    return 1\n", encoding="utf-8")
    _committed(tmp_path)
    (tmp_path / "shop.py").rename(tmp_path / "store.py")
    (tmp_path / "store.py").write_text(body.replace(" rate", " duty"), encoding="utf-8")
    (tmp_path / "use.py").write_text("from store import tax\n\n\ndef pay():\n    return tax()\n", encoding="utf-8")
    (tmp_path / "one.py").unlink()
    (tmp_path / "two.py").write_text("def main():\n    return 2\n", encoding="utf-8")
    with Workspace(tmp_path) as workspace:
        call_tool(workspace, "mem.index", {})
        told = call_tool(workspace, "graph.diff", {"limit": 3})
        later = call_tool(workspace, "graph.diff", {"offset": told["next_offset"]})
    changes = [(one["change"], one["kind"], one["id"], one.get("target", "")) for one in told["changes"]]
    assert changes[0] == ("moved", "module", "shop.py", "store.py")
    assert [*changes[1:], *((one["change"], one["kind"], one["id"], "") for one in later["changes"])] == [
        ("added", "function", "store.py::duty", ""),
        ("added", "module", "two.py", ""),
        ("added", "function", "two.py::main", ""),
        ("removed", "module", "one.py", ""),
        ("removed", "function", "one.py::main", ""),
        ("removed", "function", "store.py::rate", ""),
    ]
    assert told["counts"] == {"definitions_added": 3, "definitions_removed": 3, "files_moved": 1}


def test_without_git_the_error_suggests_a_backup(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text("def price():\n    return 1\n", encoding="utf-8")
    with Workspace(tmp_path) as workspace:
        call_tool(workspace, "mem.index", {})
    with Workspace(tmp_path) as workspace, pytest.raises(Fault, match="is not a git repository") as caught:
        call_tool(workspace, "graph.diff", {})
    assert caught.value.code is Code.NOT_FOUND
    assert "aur mem backups" in caught.value.help


def test_a_language_without_links_is_found_by_name_with_a_note(tmp_path: Path) -> None:
    (tmp_path / "call.dart").write_text("class Call {\n  body() => Call();\n}\n", encoding="utf-8")
    with Workspace(tmp_path) as opened:
        call_tool(opened, "mem.index", {})
        for tool in ("graph.callers", "graph.neighbors", "graph.implementations"):
            found = call_tool(opened, tool, {"name": "call.dart::Call"})
            assert found["note"] == "Links in dart are not indexed, only definitions: search for the name instead."


@pytest.mark.parametrize("revision", ["a\0b", "HEAD\n", "-v", "nothing"])
def test_an_invalid_revision_name_is_refused(tmp_path: Path, revision: str) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    with Workspace(tmp_path) as opened:
        call_tool(opened, "mem.index", {})
    with Workspace(tmp_path) as opened, pytest.raises(Fault, match="no such revision") as caught:
        call_tool(opened, "graph.diff", {"against": revision})
    assert caught.value.code is Code.NOT_FOUND


@pytest.mark.parametrize("tool", ["graph.neighbors", "graph.callers", "graph.members"])
def test_pages_that_follow_next_offset_are_complete(project: Workspace, tool: str) -> None:
    name = {"graph.callers": "echo"}.get(tool, "click/core.py::Context")
    key = "members" if tool == "graph.members" else "links"
    whole = call_tool(project, tool, {"name": name, "limit": 50})
    shown, offset = [], 0
    while offset is not None:
        page = call_tool(project, tool, {"name": name, "limit": 7, "offset": offset})
        shown += page[key]
        offset = page.get("next_offset")
    assert len(shown) == page["total"] > 14
    assert list(whole[key]) == shown[:50]
