"""What holds of every run of a workflow: its paths, the longest of them, that it ends, how long its prompts are."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

from aurora.interpreter.checks.rules.decisions import never_taken
from aurora.interpreter.checks.view import View

from .path_count import Walks, Way

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.interpreter.language.definition import Definition
    from aurora.interpreter.run.ports import Toolbox

CHARACTERS_PER_TOKEN = 4
"""English prose and code in the tokenizers of today's models, roughly; an estimate and no count."""

_TAG = re.compile(r"\{%.*?%\}|\{\{.*?\}\}|\{#.*?#\}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Proof:
    """What was proved of a workflow without errors.

    Attributes:
        phases: how many there are.
        paths: how many ways lead from the start to an end, each round of a bounded edge counted; failures left out.
            None when there are too many to count.
        longest_run_calls: the calls of the longest run, failures taken into account; None when that cannot be told.
        always_ends: whether every run comes to an end.
        prompt_tokens: by phase about how many tokens its own words have, without what is filled in.
        worst_path_tokens: the most of these that one run can take; None when that cannot be told.
    """

    phases: int
    paths: int | None
    longest_run_calls: int | None
    always_ends: bool
    prompt_tokens: Mapping[str, int]
    worst_path_tokens: int | None


def proof(definition: Definition, tools: Toolbox | None) -> Proof:
    """What holds of every run of the definition, which must be without errors."""
    view = View(definition, tools)
    walks = _walks(view)
    tokens = {name: prompt_tokens(prompt.text) for name, prompt in definition.prompts.items()}
    rounds = {name: phase.for_each.max if phase.for_each else 1 for name, phase in view.phases.items()}
    return Proof(
        phases=len(view.phases),
        paths=walks.count() if walks else None,
        longest_run_calls=walks.longest(lambda _: 1) if walks else None,
        always_ends=_ends(view),
        prompt_tokens=tokens,
        worst_path_tokens=walks.longest(lambda name: tokens.get(name, 0) * rounds[name]) if walks else None,
    )


def longest_run(definition: Definition) -> int | None:
    """The calls of the longest run; None when that cannot be told."""
    return proof(definition, None).longest_run_calls


def path_count(definition: Definition) -> int | None:
    """How many ways lead from the start to an end; None when there are too many to count."""
    return proof(definition, None).paths


def prompt_tokens(text: str) -> int:
    """About how many tokens the template's own words have."""
    return ceil(len(_TAG.sub("", text).strip()) / CHARACTERS_PER_TOKEN)


def _walks(view: View) -> Walks | None:
    start = view.target(view.definition.workflow.start)
    if start is None:
        return None
    never = never_taken(view)
    ways: dict[str, list[Way]] = {name: [] for name in view.phases}
    for name, index, rule, _ in view.rules():
        if (name, index) not in never:
            instead = view.target(rule.else_) if rule.else_ else None
            ways[name].append(Way(view.target(rule.then), rule.max, instead))
    for arrow in view.arrows():
        if arrow.kind == "on_error":
            ways[arrow.source].append(Way(arrow.target, fails=True))
    return Walks(start, ways)


def _ends(view: View) -> bool:
    """Every way back is bounded: the edges that may be taken without end go round nowhere."""
    never = never_taken(view)
    left = dict.fromkeys(view.phases, 0)
    into: dict[str, list[str]] = {name: [] for name in view.phases}
    for arrow in view.arrows():
        if arrow.target is not None and not arrow.bounded and (arrow.source, arrow.rule) not in never:
            into[arrow.target].append(arrow.source)
            left[arrow.source] += 1
    todo = [name for name, count in left.items() if not count]
    for name in todo:
        for source in into[name]:
            left[source] -= 1
            if not left[source]:
                todo.append(source)
    return len(todo) == len(left)
