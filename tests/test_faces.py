"""Every package's face: the names in `__all__`, the lazy mapping and the imports for types agree."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest

from aurora import export_lazily

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("cli", "doctor", "hosts", "interpreter", "memory", "serve", "tools", "trust")
FRESH_IMPORTS = """
import json, sys
from importlib import import_module

loaded = {}
for package in json.loads(sys.argv[1]):
    for name in [name for name in sys.modules if name.partition(".")[0] == "aurora"]:
        del sys.modules[name]
    import_module(package)
    loaded[package] = sorted(name for name in sys.modules if name.partition(".")[0] == "aurora")
print(json.dumps(loaded))
"""
"""Import each package as a process of its own would, without the cost of one each."""


class Face(NamedTuple):
    """What an `__init__.py` states: its names, the lazy mapping, and its imports for types, by module."""

    exported: list[str]
    lazy: dict[str, list[str]]
    typed: dict[str, list[str]]


def read_face(package: str) -> Face:
    tree = ast.parse(locate_face(package).read_text(encoding="utf-8"))
    exported: list[str] = []
    lazy: dict[str, list[str]] = {}
    typed: dict[str, list[str]] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            if node.targets[0].id == "__all__":
                exported = ast.literal_eval(node.value)
            elif node.targets[0].id == "__getattr__" and isinstance(node.value, ast.Call):
                lazy = ast.literal_eval(node.value.args[1])
        elif isinstance(node, ast.If):
            for inner in node.body:
                if isinstance(inner, ast.ImportFrom) and inner.level == 1:
                    typed[inner.module or ""] = [alias.asname or alias.name for alias in inner.names]
    return Face(exported, lazy, typed)


def locate_face(package: str) -> Path:
    return ROOT.joinpath(*package.split(".")[1:], "__init__.py")


def list_packages() -> list[str]:
    faces = (path for name in PACKAGES for path in (ROOT / name).rglob("__init__.py"))
    return sorted(".".join(("aurora", *path.parent.relative_to(ROOT).parts)) for path in faces)


FACES = {package: read_face(package) for package in list_packages()}
LAZY = [package for package, face in FACES.items() if face.lazy]


@pytest.fixture(scope="module")
def loaded_by_face() -> dict[str, list[str]]:
    """The modules of Aurora that each lazy face loads when it is imported first."""
    done = subprocess.run(
        [sys.executable, "-c", FRESH_IMPORTS, json.dumps(LAZY)], capture_output=True, text=True, check=True
    )
    loaded: dict[str, list[str]] = json.loads(done.stdout)
    return loaded


def test_each_top_package_has_a_lazy_face_and_others_are_imported_by_module() -> None:
    assert {f"aurora.{name}" for name in PACKAGES} - {"aurora.tools"} <= {*LAZY}
    assert len(LAZY) < len(FACES) / 2


@pytest.mark.parametrize("package", FACES)
def test_every_exported_name_resolves(package: str) -> None:
    face = import_module(package)

    assert [name for name in getattr(face, "__all__", ()) if not hasattr(face, name)] == []


@pytest.mark.parametrize("package", FACES)
def test_a_face_lists_each_name_once(package: str) -> None:
    exported = FACES[package].exported

    assert len(exported) == len(set(exported))


@pytest.mark.parametrize("package", FACES)
def test_the_docstring_of_a_face_says_more_than_its_name(package: str) -> None:
    docstring = import_module(package).__doc__ or ""

    assert len(docstring.split()) > 2


@pytest.mark.parametrize("package", LAZY)
def test_a_lazy_face_lists_exactly_the_names_of_its_mapping(package: str) -> None:
    face = FACES[package]
    mapped = [name for names in face.lazy.values() for name in names]

    assert sorted(mapped) == sorted(face.exported)


@pytest.mark.parametrize("package", LAZY)
def test_the_type_checker_sees_each_name_in_the_module_that_the_mapping_names(package: str) -> None:
    face = FACES[package]

    typed = {(module, name) for module, names in face.typed.items() for name in names}
    lazy = {(module, name) for module, names in face.lazy.items() for name in names}
    assert typed == lazy


@pytest.mark.parametrize("package", LAZY)
def test_a_lazy_name_is_the_very_object_of_its_module(package: str) -> None:
    face = import_module(package)

    for module, names in FACES[package].lazy.items():
        home = import_module(f"{package}.{module}")
        assert [name for name in names if getattr(face, name) is not getattr(home, name)] == []


@pytest.mark.parametrize("package", LAZY)
def test_importing_a_lazy_face_loads_only_the_faces_around_it(
    package: str, loaded_by_face: dict[str, list[str]]
) -> None:
    parts = package.split(".")

    assert loaded_by_face[package] == [".".join(parts[:length]) for length in range(1, len(parts) + 1)]


@pytest.mark.parametrize("package", LAZY)
def test_an_unknown_name_is_an_attribute_error_that_names_the_package(package: str) -> None:
    with pytest.raises(AttributeError) as caught:
        import_module(package).__getattr__("no_such_name")

    assert str(caught.value) == f"module '{package}' has no attribute 'no_such_name'"


def test_a_name_is_resolved_once_and_then_kept_by_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "tea_room"
    package.mkdir()
    (package / "__init__.py").write_text(
        "from aurora import export_lazily\n__getattr__ = export_lazily(__name__, {'pot': ['brew', 'LEAVES']})\n",
        encoding="utf-8",
    )
    (package / "pot.py").write_text("LEAVES = ['oolong']\n\n\ndef brew():\n    return LEAVES\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    face = import_module("tea_room")
    try:
        assert "tea_room.pot" not in sys.modules
        assert "brew" not in vars(face)
        assert face.brew() is face.LEAVES
        assert {"brew", "LEAVES"} <= vars(face).keys()
    finally:
        sys.modules.pop("tea_room.pot", None)
        sys.modules.pop("tea_room")


def test_a_module_that_lacks_a_promised_name_is_an_attribute_error_of_that_module() -> None:
    get_attribute = export_lazily("aurora.errors", {"fault": ["no_such_function"]})

    with pytest.raises(AttributeError, match=r"aurora\.errors\.fault.*no_such_function"):
        get_attribute("no_such_function")


def test_a_face_hides_the_names_that_its_modules_do_not_export() -> None:
    get_attribute = export_lazily("aurora.errors", {"fault": ["find_nearest"]})

    assert get_attribute("find_nearest")("soer", ["soar"]) == "soar"
    with pytest.raises(AttributeError, match="MIN_SIMILARITY"):
        get_attribute("MIN_SIMILARITY")
