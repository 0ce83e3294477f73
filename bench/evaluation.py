"""Processor time of the rules of workflows and of the shipped prompts, against the libraries alone.

Both sides run in turns, and the least of several rounds counts, so that a busy machine changes little.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jmespath
import minijinja
from rows import Row, emit

from aurora.interpreter.expressions import compile_expression
from aurora.interpreter.templates import render_template

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS, CALLS = 9, 300
AIM_RULES = 1.3
"""A rule may take so many times what the library takes."""
PROMPTS = Path(__file__).resolve().parent.parent / "workflows" / "soar" / "prompts"

CHUNKS = [
    {"id": f"c{number}", "path": f"src/file_{number}.py", "lines": "1-40", "symbol": "run", "preview": "x = 1\n" * 20}
    for number in range(40)
]
RESULT = {
    "chunks": CHUNKS,
    "patterns": [],
    "agents": [{"name": "reader", "description": "reads"}] * 8,
    "faults": [],
    "total": 40,
    "verdict": "CLOSE",
    "least": 1,
    "most": 8,
}
SCOPE: dict[str, Any] = {
    "complexity": "SIMPLE",
    "score": 0.5,
    "query": "How does it work?",
    "chunks": CHUNKS,
    "feedback": "",
    "result": RESULT,
    "inputs": {"sure": True, "query": "How does it work?"},
    "phases": {"review": {"answer": {"ok": True, "remarks": []}, "visits": 2}},
}
RULES = (
    "complexity == 'SIMPLE'",
    "length(chunks) > `0`",
    "phases.review.answer.ok && !inputs.sure",
    "score >= `0.5` || length(phases.review.answer.remarks) == `0`",
    "inputs.query != null",
    "chunks[?lines == '1-40'].id",
    "{chunks: chunks, query: inputs.query}",
)


def measure_seconds(one: Callable[[], object], other: Callable[[], object]) -> tuple[float, float]:
    """Return the processor time of one call of each."""
    least = [float("inf"), float("inf")]
    for _ in range(ROUNDS):
        for index, work in enumerate((one, other)):
            began = time.process_time()
            for _ in range(CALLS):
                work()
            least[index] = min(least[index], (time.process_time() - began) / CALLS)
    return least[0], least[1]


def measure_rules() -> Row:
    """Compare the worst rule with the library."""
    worst = (0.0, 0.0, 1.0)
    for text in RULES:
        ours, library = compile_expression(text), jmespath.compile(text)
        own, alone = measure_seconds(lambda run=ours.evaluate: run(SCOPE), lambda run=library.search: run(SCOPE))
        worst = max(worst, (own / alone, own, alone))
    ratio, own, alone = worst
    return Row(
        "a rule, bounded, the slowest of several", f"{own * 1e6:.1f} µs", f"{alone * 1e6:.1f} µs", ratio,
        f"at most {AIM_RULES} times", ratio <= AIM_RULES,
    )  # fmt: skip


def measure_prompt(name: str) -> Row:
    """Compare a shipped prompt with the library."""
    text = (PROMPTS / name).read_text(encoding="utf-8")
    library = minijinja.Environment(
        undefined_behavior="strict",
        trim_blocks=True,
        lstrip_blocks=True,
        fuel=200_000,
        finalizer=lambda _: NotImplemented,  # the call for each printed value, without the count
    )
    own, alone = measure_seconds(
        lambda: render_template(text, SCOPE, name), lambda: library.render_str(text, name, **SCOPE)
    )
    return Row(
        f"the prompt {name} over 40 chunks, bounded", f"{own * 1e3:.3f} ms", f"{alone * 1e3:.3f} ms", own / alone
    )


if __name__ == "__main__":
    emit([measure_rules(), measure_prompt("decompose.md")])
