"""Duration of checking a workflow and of proving its bounds, inside the process.

The workflows have ten and a thousand phases.

The growth is measured with the garbage collector off, as `timeit` does: it looks at all objects that there are, and
so adds a share that grows with the document and says nothing of the checks. The time of ten phases is with it.
"""

from __future__ import annotations

import gc
import tempfile
import time
from pathlib import Path

from rows import Row, emit, median

from aurora.tools.runtime.workspace import Workspace

ROUNDS = 5
SMALL, LARGE = 10, 1000
AIM_MILLISECONDS = 50
AIM_GROWTH = 2.0
"""A phase among a thousand may cost so many times what one among a hundred does."""
BASE = 100

HEAD = "aurora: 1\nname: long\nversion: '1'\nstart: p0\nphases:\n"
PHASE = """  p{index}:
    inputs:
      note: {{ {source}type: string }}
      size: {{ enum: [small, large], default: small }}
    prompt_template: "Do {{{{{{{{ note }}}}}}}} at {{{{{{{{ size }}}}}}}}"
    answer: {{ type: object, required: [note], properties: {{ note: {{ type: string }} }} }}
    next_action:
      - {{ when: "inputs.size == 'large'", then: p{index}, max: 2, else: {after} }}
      - {{ then: {after} }}
"""


def workflow(phases: int) -> str:
    """Make a workflow whose phases each read the output of the one before.

    Each phase also has a transition back.
    """
    text = HEAD
    for index in range(phases):
        source = f"from: phases.p{index - 1}.answer.note, " if index else ""
        after = f"p{index + 1}" if index + 1 < phases else "end"
        text += PHASE.format(index=index, source=source, after=after).replace("{{{{", "{{").replace("}}}}", "}}")
    return text


def seconds(workspace: Workspace, path: Path, phases: int) -> float:
    """Measure the median of some rounds, each over a text not read before."""
    taken = []
    for number in range(ROUNDS):
        path.write_text(f"{workflow(phases)}# {number}\n", encoding="utf-8")
        began = time.perf_counter()
        found = workspace.workflows.find_problems(str(path))
        workspace.workflows.prove(str(path))
        taken.append(time.perf_counter() - began)
        assert not found, found[0].heading  # noqa: S101 - a wrong document would be another measurement
    return median(taken)


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder, Workspace(Path(folder)) as workspace:
        path = Path(folder) / "long.yaml"
        seconds(workspace, path, SMALL)
        small = seconds(workspace, path, SMALL)
        gc.disable()
        base, large = (seconds(workspace, path, phases) for phases in (BASE, LARGE))
    ratio = small * 1000 / AIM_MILLISECONDS
    growth = (large / LARGE) / (base / BASE)
    emit(
        [
            Row(f"check {SMALL} phases", f"{small * 1000:.1f} ms", "50 ms", ratio, "≤ 1.00", ratio <= 1),
            Row(
                f"check {LARGE:,} phases, each, no collector",
                f"{large / LARGE * 1000:.2f} ms",
                f"{base / BASE * 1000:.2f} ms of {BASE}",
                growth,
                f"≤ {AIM_GROWTH}",
                growth <= AIM_GROWTH,
            ),
        ]
    )


if __name__ == "__main__":
    main()
