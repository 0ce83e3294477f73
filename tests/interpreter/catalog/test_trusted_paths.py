"""A catalog uses a project's workflows exactly while the project is trusted, and lets anyone read their files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from aurora.errors import Code, Fault
from aurora.interpreter import Catalog
from aurora.interpreter.catalog import files

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

WORKFLOW = """\
aurora: 1
name: {name}
version: {version}
start: brew
phases:
  brew:
    prompt_template: Which tea?
    answer: {{ type: object }}
    next_action: end
"""


class Switch:
    """Trust that a test gives and takes, for the whole folder or for some contents."""

    def __init__(self) -> None:
        self.is_on = False
        self.refused = b"\0"

    def is_trusted(self) -> bool:
        return self.is_on

    def stamp(self) -> tuple[bool, bytes]:
        return self.is_on, self.refused

    def is_unchanged(self, path: Path, content: bytes) -> bool:
        del path
        return self.is_on and self.refused not in content

    def is_shown(self, files: Iterable[tuple[Path, str]]) -> bool:
        return all(self.is_unchanged(path, path.read_bytes()) for path, _ in files)


@pytest.fixture
def trust() -> Switch:
    return Switch()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The workflows of a project: one that replaces `shared`, and two of its own."""
    own = tmp_path / "own"
    own.mkdir()
    (own / "shared.yaml").write_text(WORKFLOW.format(name="shared", version="2.0.0"), encoding="utf-8")
    (own / "tea.yaml").write_text(WORKFLOW.format(name="tea", version="1.0.0"), encoding="utf-8")
    (own / "green.yaml").write_text("extends: tea\nname: green\nversion: 3.0.0\n", encoding="utf-8")
    return own


@pytest.fixture
def catalog(tmp_path: Path, folder: Path, trust: Switch) -> Catalog:
    shipped = tmp_path / "shipped"
    shipped.mkdir()
    (shipped / "shared.yaml").write_text(WORKFLOW.format(name="shared", version="1.0.0"), encoding="utf-8")
    return Catalog(folder, shipped=shipped, trust=trust)


def test_the_names_and_versions_follow_the_trust_at_the_next_call(catalog: Catalog, trust: Switch) -> None:
    for _ in range(2):
        assert catalog.list_names() == ("shared",)
        assert catalog.load("shared").workflow.version == "1.0.0"
        assert [one.source for one in catalog.list_summaries()] == ["shipped"]
        trust.is_on = True
        assert catalog.load("shared").workflow.version == "2.0.0"
        assert catalog.list_names() == ("green", "shared", "tea")
        assert catalog.load("green").workflow.version == "3.0.0"
        trust.is_on = False
    assert catalog.load("shared").workflow.version == "1.0.0"


def test_the_last_good_version_of_an_untrusted_project_is_forgotten(
    catalog: Catalog, trust: Switch, folder: Path
) -> None:
    trust.is_on = True
    assert catalog.load("shared").workflow.version == "2.0.0"
    (folder / "shared.yaml").write_text("name: shared\nphases: 7\n", encoding="utf-8")
    assert catalog.load("shared").fallback_reason
    trust.is_on = False
    assert catalog.load("shared").workflow.version == "1.0.0"
    assert not catalog.load("shared").fallback_reason


def test_the_stamp_changes_with_the_trust_and_ignores_untrusted_files(
    catalog: Catalog, trust: Switch, folder: Path
) -> None:
    before = catalog.stamp_files()
    (folder / "new.yaml").write_text("name: new\n", encoding="utf-8")
    assert catalog.stamp_files() == before
    trust.is_on = True
    assert catalog.stamp_files() != before
    trust.is_on = False
    assert catalog.stamp_files() == before


@pytest.mark.parametrize("name", ["tea", "green"])
def test_a_name_that_only_the_project_has_is_forbidden(catalog: Catalog, name: str) -> None:
    for use in (catalog.load, catalog.open, catalog.find_path, catalog.find_problems, catalog.prove):
        with pytest.raises(Fault, match="not trusted yet") as caught:
            use(name)
        assert caught.value.code is Code.FORBIDDEN
    with pytest.raises(Fault) as caught:
        catalog.load("coffee")
    assert caught.value.code is Code.NOT_FOUND
    assert "tea" not in str(caught.value.details)


def test_the_file_of_a_name_is_found_only_while_it_is_not_used(catalog: Catalog, trust: Switch, folder: Path) -> None:
    assert catalog.find_untrusted_file("tea") == folder / "tea.yaml"
    assert catalog.find_untrusted_file("shared") == folder / "shared.yaml"
    assert catalog.find_untrusted_file("coffee") is None
    trust.is_on = True
    assert catalog.find_untrusted_file("tea") is None


def test_files_are_read_with_their_neighbours_without_trust(catalog: Catalog, folder: Path) -> None:
    green = folder / "green.yaml"
    assert catalog.load_file(green).workflow.version == "3.0.0"
    assert catalog.find_problems(str(green)) == ()
    assert catalog.load_with_problems(str(folder / "shared.yaml"))[0].workflow.version == "2.0.0"  # type: ignore[union-attr]
    assert catalog.prove(str(green)) is not None
    assert catalog.check_text(green.read_text(encoding="utf-8"), green) == ()
    assert catalog.list_untrusted_files() == tuple(sorted(folder.iterdir()))
    assert catalog.load("shared").workflow.version == "1.0.0"
    green.write_text("extends: tea\nname: green\nversion: 4.0.0\n", encoding="utf-8")
    assert catalog.load_file(green).workflow.version == "4.0.0"


def test_a_neighbour_that_many_phases_run_is_read_once(
    catalog: Catalog, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    phases = "".join(
        f"  p{n}:\n    workflow: tea\n    next_action: {f'p{n + 1}' if n < 49 else 'end'}\n" for n in range(50)
    )
    many = folder / "many.yaml"
    many.write_text(f"aurora: 1\nname: many\nversion: 1.0.0\nstart: p0\nphases:\n{phases}", encoding="utf-8")
    read: list[str] = []
    load = files.load_workflow

    def note(path: Path, **given: Any) -> Any:
        read.append(path.name)
        return load(path, **given)

    monkeypatch.setattr(files, "load_workflow", note)
    assert catalog.find_problems(str(many)) == ()
    assert sorted(read) == ["many.yaml", "tea.yaml"]


def test_a_folder_that_appears_later_needs_trust_too(tmp_path: Path, trust: Switch) -> None:
    catalog = Catalog(tmp_path / "late", trust=trust)
    shipped = catalog.load("soar").workflow.version
    assert catalog.list_untrusted_files() == ()
    (tmp_path / "late").mkdir()
    (tmp_path / "late" / "soar.yaml").write_text(WORKFLOW.format(name="soar", version="9.9.9"), encoding="utf-8")
    assert catalog.load("soar").workflow.version == shipped
    trust.is_on = True
    assert catalog.load("soar").workflow.version == "9.9.9"


def test_a_link_out_of_an_untrusted_folder_is_reported_and_not_read(
    catalog: Catalog, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "secret.yaml").write_text(WORKFLOW.format(name="secret", version="1.0.0"), encoding="utf-8")
    (folder / "link.yaml").symlink_to(tmp_path / "secret.yaml")
    (problem,) = catalog.find_problems(str(folder / "link.yaml"))
    assert "link to a place outside" in problem.message


def test_of_a_trusted_project_a_file_that_was_not_shown_is_left_out_and_those_that_extend_it(
    catalog: Catalog, trust: Switch
) -> None:
    trust.is_on = True
    assert catalog.list_names() == ("green", "shared", "tea")
    trust.refused = b"name: tea\n"
    assert catalog.list_names() == ("green", "shared")
    assert [path.name for path in catalog.list_untrusted_files()] == ["tea.yaml"]
    with pytest.raises(Fault, match="new or changed since the folder was trusted"):
        catalog.load("tea")
    with pytest.raises(Fault, match='"tea" is not a workflow that can be extended'):
        catalog.load("green")
    trust.refused = b"version: 2.0.0"
    assert catalog.load("shared").workflow.version == "1.0.0"
    assert catalog.load("green").workflow.version == "3.0.0"


@pytest.mark.parametrize("is_trusted", [False, True])
def test_two_files_of_one_name_are_reported_at_each_whether_the_folder_is_trusted_or_not(
    catalog: Catalog, trust: Switch, folder: Path, tmp_path: Path, *, is_trusted: bool
) -> None:
    trust.is_on = is_trusted
    twins = [folder / "tea.yaml", folder / "other.yaml"]
    copy = tmp_path / "drafts" / "tea.yaml"
    copy.parent.mkdir()
    for path in (*twins[1:], copy):
        path.write_text(WORKFLOW.format(name="tea", version="1.0.1"), encoding="utf-8")

    for own, other in (twins, twins[::-1]):
        (found,) = (one for one in catalog.find_problems(str(own)) if one.code == "E205")
        assert found.note.endswith(other.name)
    for path in (folder / "shared.yaml", copy):
        assert not [one for one in catalog.find_problems(str(path)) if one.code == "E205"]


def test_a_new_file_with_the_name_of_a_trusted_one_is_reported_and_the_trusted_one_stays_in_use(
    catalog: Catalog, trust: Switch, folder: Path
) -> None:
    trust.is_on, trust.refused = True, b"not shown"
    text = WORKFLOW.format(name="tea", version="1.0.1") + "# not shown\n"
    (folder / "other.yaml").write_text(text, encoding="utf-8")

    assert [one.code for one in catalog.find_problems(str(folder / "other.yaml")) if one.code == "E205"] == ["E205"]
    assert catalog.load("tea").workflow.version == "1.0.0"
