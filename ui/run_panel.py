"""Panel of a run: one step with its rules and values, or the rules of one way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aurora.errors import Fault
from aurora.tools import runs

from .run_list import State, describe_step_state
from .workflows import parse_way

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aurora.interpreter import Definition
    from aurora.memory import RunRow, StepRow
    from aurora.tools.runs import ExplainedRule, ShownStep

    from .request import PageRequest


_MAX_VALUE = 2_500
"""Characters of one value in the panel."""
_MAX_VALUES = 16_000
"""Characters of all values in the panel; what is left has a link to its whole text."""
_MAX_RULES = 40
_MAX_PARTS = 12
_MAX_VISITS = 40


@dataclass(frozen=True, slots=True)
class PanelRow:
    """Value by its name; `whole` is the address of the whole text when it is cut."""

    name: str
    origin: str
    text: str
    whole: str


@dataclass(frozen=True, slots=True)
class PanelPart:
    """Part of a step: inputs, prompt, answer, result."""

    name: str
    rows: Sequence[PanelRow]
    is_open: bool


@dataclass(frozen=True, slots=True)
class PanelRule:
    """Rule with its verdict, its place in the file, and the values that it read."""

    number: str
    when: str
    then: str
    verdict: str
    fired: bool
    chosen: bool
    place: str
    parts: Sequence[tuple[str, str]]
    note: str


@dataclass(frozen=True, slots=True)
class Visit:
    """Visit of the phase, as a link."""

    seq: int
    chosen: bool


@dataclass(frozen=True, slots=True)
class Panel:
    """Panel of the chosen step.

    Attributes:
        title: the phase, or the way.
        subtitle: the title of the phase.
        step: the number of the step; 0 when the run did not go there.
        facts: short facts, as the tokens.
        rules: those of the step; of a way, its own are marked.
        parts: the values.
        visits: the steps of the same phase, when there are several.
        note: what a reader must know.
    """

    title: str
    subtitle: str
    step: int
    state: State | None
    facts: Sequence[str]
    say: str
    error: str
    rules: Sequence[PanelRule]
    parts: Sequence[PanelPart]
    visits: Sequence[Visit]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """Part of a run that is chosen by the address.

    Attributes:
        step: the number of the step; 0 for none.
        phase: the phase.
        way: the two phases of a way.
    """

    step: int
    phase: str
    way: tuple[str, str] | None


def resolve_choice(
    query: Mapping[str, str], steps: Sequence[StepRow], step: int, definition: Definition | None
) -> Choice:
    """Resolve what an address chooses; without anything, the last step."""
    way = parse_way(query.get("way", ""))
    phase = way[0] if way else query.get("phase", "")[:120]
    if 1 <= step <= len(steps):
        return Choice(step, steps[step - 1].phase.partition("/")[0], way)
    if phase:
        visits = [one.seq for one in steps if one.phase.partition("/")[0] == phase and not _is_answer(one)]
        names = definition.workflow.map_phase_names() if definition is not None else {}
        # Of a phase that ran several times, the visit that took the chosen way.
        taken = [seq for seq in visits if way and _read_target(steps, seq, names) == way[1]]
        return Choice((taken or visits or [0])[-1], phase, way)
    return Choice(len(steps), steps[-1].phase.partition("/")[0] if steps else "", None)


def _is_answer(step: StepRow) -> bool:
    return step.document.get("kind") == "answer"


def _find_deciding(steps: Sequence[StepRow], seq: int) -> int:
    """Find the step that decided on what came after a phase: its own, or that of the answer to its prompt."""
    first = steps[seq - 1]
    for step in steps[seq - 1 :]:
        if step is not first and not (step.phase == first.phase and _is_answer(step)):
            break
        if step.document.get("edge"):
            return step.seq
    return seq


def _read_target(steps: Sequence[StepRow], seq: int, names: Mapping[str, str]) -> str:
    """Read the phase that came after a phase; empty when nothing is decided."""
    token = str((steps[_find_deciding(steps, seq) - 1].document.get("edge") or {}).get("token", ""))
    return names.get(token, token)


def build_panel(
    page: PageRequest, row: RunRow, steps: Sequence[StepRow], choice: Choice, definition: Definition | None
) -> Panel:
    """Build the panel of the chosen step."""
    known = definition.workflow.phases.get(choice.phase) if definition is not None else None
    title = f"{choice.way[0]} → {choice.way[1]}" if choice.way else choice.phase
    subtitle = known.title if known else ""
    if not choice.step:
        return Panel(title, subtitle, 0, None, (), "", "", (), (), (), "This run did not come here.")
    wait = runs.find_wait(page.project, row.workflow, steps[-1].document)
    shown = runs.describe_step(steps, choice.step - 1, wait=wait)
    try:
        rules, note = _explain_rules(page, row, steps, choice, definition), ""
    except Fault as fault:  # another program wrote the run
        rules, note = [], fault.message
    document = steps[choice.step - 1].document
    return Panel(
        title=title if choice.way else shown.phase,
        subtitle=subtitle,
        step=choice.step,
        state=describe_step_state("asking" if shown.waits and not shown.waits.person else shown.status, shown.result),
        facts=_list_facts(shown, document),
        say=runs.format_value(shown.say, _MAX_VALUE) if shown.say else "",
        error=_describe_error(shown),
        rules=rules,
        parts=_build_parts(page, row.run, shown, document),
        visits=_list_visits(steps, shown.phase, choice.step),
        note=runs.describe_wait(shown.waits.model_dump()) if shown.waits else note,
    )


def _list_visits(steps: Sequence[StepRow], phase: str, chosen: int) -> Sequence[Visit]:
    """List the last visits of a phase; none when there is only one."""
    visits = [one.seq for one in steps if one.phase == phase and not _is_answer(one)]
    return [Visit(seq, seq == chosen) for seq in visits[-_MAX_VISITS:]] if len(visits) > 1 else ()


def _list_facts(shown: ShownStep, document: Mapping[str, Any]) -> list[str]:
    facts = [shown.kind] if shown.kind else []
    facts += [f"{shown.duration_ms:g} ms"] if shown.duration_ms is not None else []
    facts += [f"{document['tokens']:,} tokens"] if document.get("tokens") else []
    facts += ["early exit"] if shown.early_exit else []
    if shown.by:
        facts.append(f"answered by {shown.by.get('who') or 'a person'} ({shown.by.get('how', '')})")
    return facts


def _describe_error(shown: ShownStep) -> str:
    error = shown.error or {}
    return runs.format_value(f"{error.get('code', '')}: {error.get('message', '')}", _MAX_VALUE) if error else ""


def _explain_rules(
    page: PageRequest, row: RunRow, steps: Sequence[StepRow], choice: Choice, definition: Definition | None
) -> list[PanelRule]:
    explained = runs.explain_one_step(row, steps, _find_deciding(steps, choice.step), page.context)
    names = definition.workflow.map_phase_names() if definition is not None else {}
    target = choice.way[1] if choice.way else None
    return [
        _describe_rule(rule, page.relate(rule.place), chosen=names.get(rule.then, rule.then) == target)
        for rule in explained.rules[:_MAX_RULES]
    ]


def _describe_rule(rule: ExplainedRule, place: str, *, chosen: bool) -> PanelRule:
    parts = [
        (part.part, part.note if part.state != "known" and part.note else runs.format_value(part.value, 300))
        for part in rule.parts
        if part.state != "skipped"
    ]
    fired = rule.verdict in {"fired", "spent"}
    return PanelRule(
        number="" if not rule.rule else str(rule.rule),
        when=rule.when or rule.key or "always",
        then=rule.then,
        verdict=rule.verdict,
        fired=fired,
        chosen=chosen,
        place=place,
        parts=parts[:_MAX_PARTS],
        note=rule.note,
    )


def _build_parts(page: PageRequest, run: str, shown: ShownStep, document: Mapping[str, Any]) -> list[PanelPart]:
    """Build the parts with as much of each value as fits."""
    room = _MAX_VALUES
    parts = []
    for name, value in list_values(shown, document).items():
        fields = value if isinstance(value, dict) else {} if value is None else {"": value}
        rows = []
        for key, one in fields.items():
            text = runs.format_value(one, 10**9)
            # The first values take the room; each of the others keeps 200 characters, so that all are seen.
            most = min(_MAX_VALUE, max(room, 200))
            is_cut = len(text) > most
            room -= min(len(text), most)
            whole = page.link("runs", run, "steps", str(shown.seq), name) if is_cut else ""
            origin = shown.origins.get(key, "") if name == "inputs" else ""
            rows.append(PanelRow(str(key), origin, text[:most] + ("…" if is_cut else ""), whole))
        if rows:
            parts.append(PanelPart(name, rows, name in {"prompt", "answer", "result"}))
    return parts


def list_values(shown: ShownStep, document: Mapping[str, Any]) -> dict[str, Any]:
    """List the values of a step by the names of their parts."""
    return {
        "inputs": shown.inputs,
        "arguments": shown.arguments,
        "result": shown.result,
        "prompt": _read_prompt(document),
        "answer": shown.answer,
    }


def _read_prompt(document: Mapping[str, Any]) -> Any:
    response = document.get("response") or {}
    prompt = response.get("prompt_template")
    if prompt is None and isinstance(response.get("person"), dict):
        prompt = response["person"].get("message")
    if isinstance(prompt, list):
        return {str(number): one for number, one in enumerate(prompt, 1)}
    return prompt
