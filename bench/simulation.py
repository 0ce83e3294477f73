"""Duration of a simulation of every path of a workflow.

The workflows have a hundred and a thousand phases in a row.

The garbage collector is off, for the reason that `validation` gives.
"""

from __future__ import annotations

import gc
import tempfile
import time
from pathlib import Path

from rows import Row, emit

from aurora.interpreter.simulation import simulate_workflow
from aurora.tools.runtime.workspace import Workspace

BASE, LARGE = 100, 1000
AIM_GROWTH = 2.0
"""A phase among a thousand may cost so many times what one among a hundred does."""

HEAD = "aurora: 1\nname: row\nversion: '1'\nstart: p0\nphases:\n"
PHASE = """  p{index}:
    inputs:
      note: {{ {source}type: string }}
    prompt_template: "Do {{{{ note }}}}"
    answer: {{ type: object, required: [note], properties: {{ note: {{ type: string }} }} }}
    next_action: {after}
"""


def workflow(phases: int) -> str:
    """Make a row of phases that each read the output of the one before."""
    text = HEAD
    for index in range(phases):
        source = f"from: phases.p{index - 1}.answer.note, " if index else ""
        text += PHASE.format(index=index, source=source, after=f"p{index + 1}" if index + 1 < phases else "end")
    return text


def seconds(workspace: Workspace, phases: int) -> float:
    """Measure the seconds of a simulation, without reading and checking the file."""
    path = workspace.root / "row.yaml"
    path.write_text(workflow(phases), encoding="utf-8")
    definition = workspace.workflows.load_file(path)
    began = time.perf_counter()
    found = simulate_workflow(definition, workspace.tools, every=True)
    taken = time.perf_counter() - began
    assert found.is_successful, found.unreached  # noqa: S101 - a walk that is cut would be another measurement
    return taken


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder, Workspace(Path(folder)) as workspace:
        seconds(workspace, BASE)
        gc.disable()
        base, large = (seconds(workspace, phases) for phases in (BASE, LARGE))
    growth = (large / LARGE) / (base / BASE)
    emit(
        [
            Row(
                f"walk {LARGE:,} phases, each, no collector",
                f"{large / LARGE * 1000:.2f} ms",
                f"{base / BASE * 1000:.2f} ms of {BASE}",
                growth,
                f"≤ {AIM_GROWTH}",
                growth <= AIM_GROWTH,
            )
        ]
    )


if __name__ == "__main__":
    main()
