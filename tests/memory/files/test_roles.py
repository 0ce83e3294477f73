"""The role of a file is known by its path and by the files next to it."""

from __future__ import annotations

import pytest

from aurora.memory.files import FileRoles, find_asked_roles


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("tests/a.py", "test"),
        ("vendor/a.go", "vendored"),
        ("app/static/jquery-3.5.1.js", "vendored"),
        ("docs_src/app.py", "example"),
        ("benches/spawn.rs", "example"),
        ("priv/static/phoenix.js", "generated"),
        ("api/service_pb2.py", "generated"),
        ("CHANGES.rst", "changelog"),
        ("doc/whats-new.rst", "changelog"),
        ("CHANGELOG", "changelog"),
        ("docs/Classes/Request.html", "documentation"),
        ("types/web.d.ts", "declaration"),
        ("web/compat/six.py", "old"),
    ],
)
def test_a_path_tells_the_role(path: str, role: str) -> None:
    assert role in FileRoles([path]).get_roles(path)


@pytest.mark.parametrize(
    "path",
    ["src/history_view.py", "src/changeset.py", "src/exampleset.py", "lib/document.py", "src/newsletter.py", "v1/a.py"],
)
def test_a_name_that_only_resembles_one_has_no_role(path: str) -> None:
    assert FileRoles([path]).get_roles(path) == ()


def test_a_version_is_old_next_to_a_newer_one() -> None:
    roles = FileRoles(["api/v1/a.py", "api/v2/b.py"])
    assert roles.get_roles("api/v1/a.py") == ("old",)
    assert roles.get_roles("api/v2/b.py") == ()


def test_a_version_is_old_when_most_of_its_files_exist_outside_of_it() -> None:
    roles = FileRoles(["lib/v1/fields.py", "lib/v1/main.py", "lib/fields.py", "lib/main.py"])
    assert roles.get_roles("lib/v1/main.py") == ("old",)


def test_a_version_with_one_namesake_outside_is_not_old() -> None:
    roles = FileRoles(["src/v4/index.ts", "src/v4/core.ts", "src/v4/parse.ts", "src/index.ts"])
    assert roles.get_roles("src/v4/core.ts") == ()


def test_a_question_about_a_role_is_recognized() -> None:
    assert find_asked_roles("which example shows the benchmark") == {"example"}
    assert find_asked_roles("the tests of the deprecated API") == {"test", "old"}
    assert find_asked_roles("how does the session follow a redirect") == frozenset()
