from __future__ import annotations

import re
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from aurora.interpreter.run import execute as performing
from aurora.interpreter.run import next_call as fitting
from aurora.interpreter.schema import json_values as values
from aurora.interpreter.yaml import builder as reader
from aurora.memory.files import read as files

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("cli", "doctor", "errors", "system", "hosts", "interpreter", "memory", "serve", "tools")


@pytest.mark.parametrize(
    ("page", "told"),
    [
        ("docs/reference/language.md", f"at most {performing.MAX_PROMPT_CHARACTERS:,} characters"),
        ("docs/reference/language.md", f"a depth of {reader.MAX_DEPTH}, to {reader.MAX_NODES:,} values"),
        ("docs/reference/memory.md", f"Files over {files.MAX_BYTES:,} bytes"),
        ("docs/reference/memory.md", f"over {files.MAX_DATA_BYTES:,} bytes"),
        (
            "docs/reference/steps.md",
            f"at most {values.MAX_CHARACTERS:,} characters, and be nested at most {values.MAX_DEPTH} deep",
        ),
    ],
)
def test_a_page_states_a_bound_as_the_code_has_it(page: str, told: str) -> None:
    assert told in (ROOT / page).read_text(encoding="utf-8").replace("\n", " ")


def test_a_response_is_as_short_as_its_page_states() -> None:
    assert "at most 19,000 characters" in (ROOT / "docs/reference/steps.md").read_text(encoding="utf-8")
    assert fitting.MAX_RESPONSE_CHARACTERS <= 19_000


def test_the_evidence_on_the_page_is_what_soar_shows() -> None:
    phases = YAML(typ="safe").load(ROOT / "workflows/soar.yaml")["phases"]
    page = (ROOT / "docs/reference/memory.md").read_text(encoding="utf-8").replace("\n", " ")
    plan, tasks = (phases[phase]["params"]["evidence"] for phase in ("decompose", "collect"))

    assert f"up to {plan['chunks']} excerpts with {plan['chars']:,} characters at `decompose`" in page
    told = f"up to {tasks['chunks']} for each task with {tasks['chars']:,} characters for all tasks at `collect`"
    assert told in page


def test_the_reference_lists_every_environment_variable() -> None:
    code = "\n".join(
        path.read_text(encoding="utf-8") for package in PACKAGES for path in (ROOT / package).rglob("*.py")
    )
    read = set(re.findall(r"\"(AURORA_[A-Z_]+|READ_ONLY)\"", code))
    page = (ROOT / "docs" / "reference" / "environment.md").read_text(encoding="utf-8")

    assert {"AURORA_DB", "AURORA_LOG", "READ_ONLY"} <= read
    assert [name for name in sorted(read) if f"\n| `{name}` | " not in page] == []


def test_the_design_page_describes_every_package() -> None:
    text = (ROOT / "docs/development/design.md").read_text(encoding="utf-8")
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")} | {"workflows"}

    assert [package for package in sorted(packages) if f"\n| `{package}/` | " not in text] == []


def test_the_call_of_the_design_page_names_what_is_there() -> None:
    text = (ROOT / "docs/development/design.md").read_text(encoding="utf-8")
    followed = text.partition("## One call")[2].partition("\n## ")[0]
    steps = re.findall(r"`([\w/]+\.py)` `(?:(\w+)\.)?(\w+)`", followed)
    missing = [
        (path, owner, name)
        for path, owner, name in steps
        for word in filter(None, (owner, name))
        if not re.search(
            rf"^ *(?:async )?(?:def|class) {word}\b", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE
        )
    ]

    assert len(steps) > 12
    assert missing == []
    assert text.count("\n") <= 150


def test_contributing_lists_every_target_of_the_makefile() -> None:
    targets = re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")

    assert [target for target in targets if target != "help" and f"\n| `make {target}` | " not in text] == []


def test_every_path_that_contributing_names_exists() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    paths = re.findall(r"`((?:cli|docs|hosts|interpreter|memory|tests|tools|workflows)/[\w/.]*)`", text)

    assert len(paths) > 20
    assert [path for path in paths if not (ROOT / path).exists() and "NAME" not in path] == []
