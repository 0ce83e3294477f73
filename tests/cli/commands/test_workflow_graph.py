"""`aur workflow graph`: a picture that shows every phase and way, and marks what is wrong."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

if TYPE_CHECKING:
    from pathlib import Path

Aur = Callable[..., Any]

BROKEN = """aurora: 1
name: broken
version: 1.0.0
start: first
phases:
  first:
    title: "<b> & \\"quotes\\""
    uses: no.such.tool
    next_action:
      - { when: "a == 'x'", then: second, max: 2, else: first }
      - { then: nowhere }
  second:
    prompt_template: Say it.
    answer: { type: object }
    nonsense: 1
    next_action: end
"""


def _drawn(svg: str) -> str:
    return " ".join(ET.fromstring(svg).itertext())  # noqa: S314 - our own drawing


def test_a_drawing_names_every_phase_and_every_condition_of_the_shipped_workflow(aur: Aur) -> None:
    svg = aur("workflow", "graph", "soar", "--format", "svg").stdout

    words = _drawn(svg)
    for phase in ("assess", "retrieve", "decompose", "verify", "route", "collect", "synthesize", "record", "respond"):
        assert f'id="phase-{phase}"' in svg
    assert "complexity == 'SIMPLE'" in words
    assert "verdict == 'RETRY' · at most 2 times" in words
    assert "fails → respond" in words


@pytest.mark.parametrize("form", ["mermaid", "dot", "svg", "html"])
def test_the_same_workflow_is_drawn_the_same_to_the_byte(aur: Aur, form: str) -> None:
    first, second = (
        aur("workflow", "graph", "soar", "--format", form, env={"PYTHONHASHSEED": seed}).stdout for seed in ("1", "2")
    )

    assert first == second != ""


def test_a_broken_workflow_is_drawn_as_far_as_it_can_be_read_with_its_problems_marked(aur: Aur, project: Path) -> None:
    (project / "broken.yaml").write_text(BROKEN, encoding="utf-8")

    done = aur("workflow", "graph", "broken.yaml", "--format", "svg")

    assert done.returncode == 0
    words = _drawn(done.stdout)
    assert '<b> & "quotes"' in words
    assert "✗ E" in words
    assert "→ nowhere" in words


def test_a_file_with_nothing_to_draw_is_refused_with_a_way_on(aur: Aur, project: Path) -> None:
    (project / "empty.yaml").write_text("[", encoding="utf-8")

    done = aur("workflow", "graph", "empty.yaml")

    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    assert "aur workflow validate" in done.stderr


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_graphviz_takes_the_text_for_it(aur: Aur) -> None:
    text = aur("workflow", "graph", "soar", "--format", "dot").stdout

    drawn = subprocess.run(["dot", "-Tsvg"], input=text, capture_output=True, text=True, check=True, timeout=60)

    assert "assess" in drawn.stdout
