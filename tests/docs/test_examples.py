from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*/*.md"))]
DOCUMENTS = [path.relative_to(ROOT).as_posix() for path in PAGES if "```sh run" in path.read_text(encoding="utf-8")]


@pytest.mark.requirement("triads-57")
@pytest.mark.parametrize("name", DOCUMENTS)
def test_what_a_document_tells_to_do_works_as_typed_and_prints_what_is_shown(
    name: str, blocks_of: Callable[[Path], list[Any]], package: Path, shell: Callable[[str], Any]
) -> None:
    output, is_trusted = "", False
    for block in blocks_of(ROOT / name):
        place = f"{name}:{block.line}"
        if "save" in block.words:
            path = package / block.words["save"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
            if is_trusted:  # in a terminal, the next command shows what was saved, and the reader answers y
                shell("aur trust --yes")
        elif block.language == "sh" and "run" in block.words:
            done = shell(block.text)
            output = done.stdout
            is_trusted = is_trusted or "aur trust --yes" in block.text
            assert done.returncode == int(block.words.get("exit", 0)), f"{place}\n{output}"
        elif "whole" in block.words:
            assert _fits(_words(output), _words(block.text)), f"{place}\n{output}"
        elif "output" in block.words:
            _in_order(block.text, output, place)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_whole_workflow_in_a_document_is_fit_to_run_unless_it_is_called_wrong(
    name: str, blocks_of: Callable[[Path], list[Any]], package: Path, shell: Callable[[str], Any]
) -> None:
    for block in blocks_of(ROOT / name):
        path = package / block.words.get("save", ".aurora/workflows/shown.yaml")
        if "save" in block.words or _is_workflow(block):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
        if _is_workflow(block):
            done = shell(f"aur workflow validate '{path}'")
            assert done.returncode == int("wrong" in block.words), f"{name}:{block.line}\n{done.stdout}"
            if "wrong" in block.words or "save" not in block.words:
                path.unlink()


def _is_workflow(block: Any) -> bool:
    return block.language == "yaml" and block.text.startswith(("aurora:", "extends:"))


def _in_order(shown: str, output: str, place: str) -> None:
    """Every line that is shown stands in the output, in this order; a line of `…` is what was left out."""
    lines = iter(_lines(output))
    for wanted in _lines(shown):
        if wanted != "…":
            assert any(_fits(line, wanted) for line in lines), f'{place}: "{wanted}" is not in\n{output}'


def _fits(line: str, shown: str) -> bool:
    """Whether a line is the one that is shown, where `…` stands for anything."""
    return re.fullmatch(".*".join(re.escape(part) for part in shown.split("…")), line) is not None


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def _words(text: str) -> str:
    return "\n".join(_lines(text))
