"""Page of limits: each number is the constant of the code."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from aurora.interpreter.catalog import paths
from aurora.interpreter.expressions import error as expressions
from aurora.interpreter.expressions import meter as budget
from aurora.interpreter.language import loader, model
from aurora.interpreter.problems import codes as limits
from aurora.interpreter.problems import render as files
from aurora.interpreter.run import execute, frames, refusals, response, rules, walk
from aurora.interpreter.schema import json_values, validate, work
from aurora.interpreter.schema import validator as regex
from aurora.interpreter.templates import engine, worker
from aurora.interpreter.templates import tags as templates
from aurora.interpreter.yaml import node as yaml
from aurora.tools.commands import policy, run
from aurora.tools.commands import process as programs
from aurora.tools.core import arguments
from aurora.tools.mcp import responses
from aurora.tools.runs import jobs
from aurora.tools.runtime import dispatch as runtime

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "limits.md"
ROW = re.compile(r"^\| (?P<name>[^|]+) \| (?P<value>[\d,]+) \|", re.MULTILINE)


def bound(owner: Any, field: str) -> int:
    """Return the largest value or length that a field of the language allows."""
    found = [
        getattr(one, name)
        for one in owner.model_fields[field].metadata
        for name in ("max_length", "le")
        if getattr(one, name, None) is not None
    ]
    assert len(found) == 1, (owner, field, found)
    return int(found[0])


LIMITS: dict[str, float] = {
    "size of a file": files.MAX_BYTES,
    "depth of its values": yaml.MAX_DEPTH,
    "values, after aliases are expanded": yaml.MAX_NODES,
    "characters, after aliases are expanded": yaml.MAX_CHARACTERS,
    "anchors": yaml.MAX_ANCHORS,
    "keys merged with `<<`": yaml.MAX_MERGED_KEYS,
    "workflow files of a project": paths.MAX_FILES,
    "all workflow files of a project": paths.MAX_TOTAL_BYTES,
    "workflows that extend one another": loader.MAX_BASES,
    "problems of a file that are shown": limits.MAX_PROBLEMS,
    "phases": bound(model.Workflow, "phases"),
    "rules of a phase": bound(model.Phase, "next_action"),
    "aliases of a phase": bound(model.Phase, "aliases"),
    "`max` of a rule": bound(model.Rule, "max"),
    "`say` of a rule": bound(model.Rule, "say"),
    "branches of a phase": bound(model.Phase, "branches"),
    "fields of a `form`": bound(model.Person, "form"),
    "`tokens` of `budget`": bound(model.Budget, "tokens"),
    "`vars`": bound(model.Workflow, "vars"),
    "fields of `output`": bound(model.Workflow, "output"),
    "length in a workflow": model.Expression.__metadata__[0].max_length,
    "brackets inside each other": expressions.MAX_BRACKETS,
    "depth": expressions.MAX_DEPTH,
    "steps of one evaluation": budget.MAX_STEPS,
    "characters read in one evaluation": budget.MAX_CHARACTERS,
    "size of the result": budget.MAX_RESULT,
    "length of a template": templates.MAX_CHARACTERS,
    "tags": templates.MAX_TAGS,
    "operators and brackets of a tag": templates.MAX_OPERATORS,
    "blocks inside each other": templates.MAX_BLOCKS,
    "printed text": engine.MAX_PRINTED,
    "memory of a template with a process of its own": worker.MAX_MEMORY,
    "time of a template with a process of its own": worker.MAX_SECONDS,
    "length of a `pattern`": regex.MAX_LENGTH,
    "comparisons of one value": work.MAX_VISITS,
    "comparisons of all parts of a value": work.MAX_WORK,
    "the same where the schema refers to itself": work.MAX_COUNTED,
    "errors of a value that are shown": validate.MAX_FAULTS,
    "depth of a value that a caller sends": json_values.MAX_DEPTH,
    "size of the arguments of a call": arguments.MAX_BYTES,
    "items of `for_each`": model.MAX_ITEMS,
    "prompts in one response of `for_each`": bound(model.ForEach, "max"),
    "prompts of a step together": execute.MAX_PROMPT_CHARACTERS,
    "the same with the schema of the answer, as JSON": execute.MAX_ASKED_CHARACTERS,
    "workflows inside each other": frames.MAX_DEPTH,
    "steps in one call": walk.MAX_STEPS_PER_CALL,
    "refused answers to one prompt": refusals.MAX_REFUSALS,
    "rules in the trace of a decision": rules.MAX_TRACE_RULES,
    "steps of a call in its response": response.MAX_PASSED,
    "size of a response": responses.MAX_RESPONSE_CHARS,
    "steps of a job": jobs.MAX_STEPS,
    "concurrent calls of one server": runtime.MAX_CONCURRENT_CALLS,
    "time of a program": policy.MAX_SECONDS,
    "output that is kept, of each stream": run.MAX_OUTPUT_BYTES,
    "output that is printed": programs.MAX_PRINTED_BYTES,
    "arguments together": run.MAX_ARGUMENTS_CHARS,
    "length of a pattern in your configuration": policy.MAX_PATTERN_CHARS,
    "size of your configuration": policy.MAX_CONFIG_BYTES,
}


def test_every_limit_of_the_page_is_that_of_the_code() -> None:
    rows = ROW.findall(PAGE.read_text(encoding="utf-8"))
    assert len({name for name, _ in rows}) == len(rows)
    assert {name: int(value.replace(",", "")) for name, value in rows} == LIMITS
