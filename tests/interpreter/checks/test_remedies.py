"""The help of a problem names what would be right."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from aurora.interpreter.catalog.catalog import Catalog

if TYPE_CHECKING:
    from pathlib import Path

FLOW = """\
aurora: 2
name: w
version: 1.0.0
start: a
vars: { most: 3 }
output: { text: { from: phases.b.answer, type: array } }
phases:
  a:
    inputs: { files: { type: integer } }
    person: { message: "Change {{ files }}?", form: { sure: { type: boolean } } }
    next_action: b
  b:
    inputs: { parts: { type: array, items: { type: string }, default: [] } }
    for_each: { in: inputs.parts, as: part, max: 2 }
    prompt_template: "Do {{ part }}"
    answer: { type: string }
    next_action: end
"""


@pytest.mark.parametrize(
    ("right", "wrong", "help_"),
    [
        ("in: inputs.parts", "in: parts", "write `inputs.parts`"),
        ("from: phases.b.answer,", "from: b.answer,", "write `phases.b.answer`"),
        ("in: inputs.parts", "in: most", "write `vars.most`"),
        ("{ from: phases.b.answer, type: array }", "phases.b.answer", "for example `{ from: phases.b.answer }`"),
        ("{ type: boolean }", "boolean", "for example `{ type: boolean }`"),
        ("{ type: boolean }", "yes or no", "for example `{ type: string }`"),
        ("part, max: 2", "part max: 2", 'put a "," before "max" if it is a key, or the whole value in quotes'),
    ],
)
def test_the_help_names_what_would_be_right(tmp_path: Path, right: str, wrong: str, help_: str) -> None:
    assert right in FLOW
    catalog = Catalog(None)
    assert not [one for one in catalog.check_text(FLOW, tmp_path / "w.yaml") if one.severity == "error"]
    found = catalog.check_text(FLOW.replace(right, wrong), tmp_path / "w.yaml")
    assert help_ in [problem.help for problem in found]
