from __future__ import annotations

import re
from pathlib import Path

import pytest

from aurora.interpreter.run import execute as performing
from aurora.interpreter.run import truncate as fitting
from aurora.interpreter.schema import validate as values
from aurora.interpreter.yaml import builder as reader
from aurora.memory.files import read as files

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("cli", "doctor", "faults", "hosts", "interpreter", "memory", "tools")


@pytest.mark.parametrize(
    ("page", "told"),
    [
        ("docs/reference/language.md", f"at most {performing.MAX_PROMPT_CHARACTERS:,} characters"),
        ("docs/reference/language.md", f"a depth of {reader.MAX_DEPTH}, and to {reader.MAX_NODES:,} values"),
        ("docs/reference/memory.md", f"Files over {files.MAX_BYTES:,} bytes"),
        ("docs/reference/memory.md", f"over {files.MAX_DATA_BYTES:,} bytes"),
        (
            "docs/reference/steps.md",
            f"at most {values.MAX_CHARACTERS:,} characters, and be nested at most {values.MAX_DEPTH} deep",
        ),
    ],
)
def test_a_bound_is_told_as_it_is(page: str, told: str) -> None:
    assert told in (ROOT / page).read_text(encoding="utf-8").replace("\n", " ")


def test_a_response_is_as_short_as_is_told() -> None:
    assert "at most 19,000 characters" in (ROOT / "docs/reference/steps.md").read_text(encoding="utf-8")
    assert fitting.MAX_RESPONSE_CHARACTERS <= 19_000


def test_every_variable_of_the_environment_is_in_the_readme() -> None:
    code = "\n".join(path.read_text(encoding="utf-8") for room in ROOMS for path in (ROOT / room).rglob("*.py"))
    read = set(re.findall(r"\"(AURORA_[A-Z_]+|READ_ONLY)\"", code))
    readme = (ROOT / "README.md").read_text(encoding="utf-8")

    assert {"AURORA_DB", "AURORA_LOG", "READ_ONLY"} <= read
    assert [name for name in sorted(read) if f"\n| `{name}` | " not in readme] == []


def test_every_room_is_described() -> None:
    text = (ROOT / "docs/development/design.md").read_text(encoding="utf-8")
    rooms = {path.parent.name for path in ROOT.glob("*/__init__.py")} | {"workflows"}

    assert [room for room in sorted(rooms) if f"\n| `{room}/` | " not in text] == []


def test_every_word_of_the_makefile_is_told_to_contributors() -> None:
    words = re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")

    assert [word for word in words if word != "help" and f"\n| `make {word}` | " not in text] == []


def test_every_path_that_contributors_are_sent_to_exists() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    paths = re.findall(r"`((?:cli|docs|hosts|interpreter|memory|tests|tools|workflows)/[\w/.]*)`", text)

    assert len(paths) > 20
    assert [path for path in paths if not (ROOT / path).exists() and "NAME" not in path] == []
