"""Comparison of a played case with its expectations, and their update in its file."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aurora.interpreter.language.build import find_key
from aurora.interpreter.problems import UnreadableFileError, read_file
from aurora.interpreter.schema.json_values import format_json_path

from .script import is_taken

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from aurora.interpreter.yaml import Node

    from .cases import Case, Expectation
    from .script import ScriptResult

NO_VALUE = "nothing"


_MAX_DIFFERENCES = 20


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference between the expected and the actual value.

    Attributes:
        where: `path[3]`, `steps.verify[1].result.verdict`, `snapshot[2].result`.
        loc: the path in the case to the expectation; for a snapshot the case itself.
        expected, actual: both values, as JSON; the text `nothing` where there is none.
    """

    where: str
    loc: tuple[str | int, ...]
    expected: Any
    actual: Any


def snapshot_response(response: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of a response that are the same in every run."""
    run = response.get("run")
    error = response.get("error")
    seen = {
        "phase": response["phase"],
        "status": response["status"] if is_taken(response) else "refused",
        "result": response.get("result"),
        "prompt": response.get("prompt_template"),
        "next_action": response.get("next_action"),
        "error": {"code": error["code"], "message": error["message"]} if error else None,
    }
    return {key: _mask_run_id(value, run) for key, value in seen.items() if value is not None}


def find_differences(case: Case, played: ScriptResult, recorded: Sequence[Any] | None) -> list[Difference]:
    """Find the differences, at most twenty.

    Args:
        case: the case with its expectations.
        played: the result of playing it.
        recorded: the snapshot; None when there is none yet.
    """
    return list(_compare_case(case, played, recorded))[:_MAX_DIFFERENCES]


def _compare_case(case: Case, played: ScriptResult, recorded: Sequence[Any] | None) -> Iterator[Difference]:
    expect = case.expect
    if played.status != expect.status:
        actual = f"{played.status} ({played.reason})" if played.reason else played.status
        yield Difference("status", ("expect", "status"), expect.status, actual)
    if expect.path is not None:
        yield from _compare_paths(expect.path, played.path)
    taken = [response for response in played.responses if is_taken(response)]
    yield from _compare_last_step(expect, snapshot_response(taken[-1]) if taken else {})
    for phase, expected in expect.steps.items():
        visits = [snapshot_response(response) for response in taken if response["phase"] == phase]
        yield from _compare_visits(phase, expected, visits)
    if expect.snapshot and recorded is not None:
        yield from _compare_snapshots(recorded, [snapshot_response(response) for response in played.responses])


def _compare_last_step(expect: Expectation, last: Mapping[str, Any]) -> Iterator[Difference]:
    if expect.next_action is not None and last.get("next_action") != expect.next_action:
        actual = last.get("next_action", NO_VALUE)
        yield Difference("next_action", ("expect", "next_action"), expect.next_action, actual)
    if expect.result is not None:
        yield from _compare_fields(expect.result, last.get("result"), ("expect", "result"), 1)


def _compare_visits(
    phase: str, expected: Sequence[Mapping[str, Any]], visits: Sequence[Mapping[str, Any]]
) -> Iterator[Difference]:
    """Compare the visits of one phase with the expectations, in order."""
    for number, wanted in enumerate(expected):
        loc = ("expect", "steps", phase, *((number,) if len(expected) > 1 else ()))
        if number >= len(visits):
            yield Difference(_format_location(loc), loc, f"visit {number + 1}", f"{len(visits)} visits")
        else:
            yield from _compare_step(wanted, visits[number], loc)


def _compare_paths(expected: Sequence[Any], actual: Sequence[Any]) -> Iterator[Difference]:
    """Yield the first difference of two paths; those after it follow from it."""
    for index in range(max(len(expected), len(actual))):
        wanted = expected[index] if index < len(expected) else NO_VALUE
        came = actual[index] if index < len(actual) else NO_VALUE
        if wanted != came:
            yield Difference(f"path[{index}]", ("expect", "path", index), wanted, came)
            return


def _compare_step(
    wanted: Mapping[str, Any], seen: Mapping[str, Any], loc: tuple[str | int, ...]
) -> Iterator[Difference]:
    for key, value in wanted.items():
        here = (*loc, key)
        if key == "result":
            yield from _compare_fields(value, seen.get("result"), here, 1)
        elif key == "prompt":
            text = _join_prompts(seen.get("prompt"))
            parts = [value] if isinstance(value, str) else value
            yield from (Difference(_format_location(here), here, part, text) for part in parts if part not in text)
        elif key == "error":
            code = seen.get("error", {}).get("code", NO_VALUE)
            if code != value:
                yield Difference(_format_location(here), here, value, code)
        elif seen.get(key, NO_VALUE) != value:
            yield Difference(_format_location(here), here, value, seen.get(key, NO_VALUE))


def _join_prompts(prompt: Any) -> str:
    """Return a prompt, or the prompts of items or branches one below the other, as one text."""
    if isinstance(prompt, dict):
        prompt = list(prompt.values())
    return "\n".join(prompt) if isinstance(prompt, list) else prompt or ""


def _compare_fields(wanted: Any, actual: Any, loc: tuple[str | int, ...], depth: int) -> Iterator[Difference]:
    """Compare values; an object may have more fields than expected, a list may not."""
    if isinstance(wanted, dict) and isinstance(actual, dict):
        for name, value in wanted.items():
            yield from _compare_fields(value, actual.get(name, NO_VALUE), (*loc, name), depth + 1)
    elif isinstance(wanted, list) and isinstance(actual, list) and len(wanted) == len(actual):
        for index, value in enumerate(wanted):
            yield from _compare_fields(value, actual[index], (*loc, index), depth + 1)
    # For Python, `True == 1`; in JSON they differ.
    elif wanted != actual or isinstance(wanted, bool) is not isinstance(actual, bool):
        yield Difference(_format_location(loc), loc, wanted, actual)


def _compare_snapshots(recorded: Sequence[Any], actual: Sequence[Any]) -> Iterator[Difference]:
    for index in range(max(len(recorded), len(actual))):
        if index >= len(recorded) or index >= len(actual):
            sides = [side[index]["phase"] if index < len(side) else NO_VALUE for side in (recorded, actual)]
            yield Difference(f"snapshot[{index}]", (), *sides)
            return
        for key in sorted({*recorded[index], *actual[index]}):
            wanted, came = recorded[index].get(key, NO_VALUE), actual[index].get(key, NO_VALUE)
            for one in _find_deep_differences(wanted, came, ()):
                yield Difference(f"snapshot{format_json_path((index, key, *one[0]), '')}", (), one[1], one[2])


def _find_deep_differences(
    wanted: Any, came: Any, at: tuple[str | int, ...]
) -> Iterator[tuple[tuple[str | int, ...], Any, Any]]:
    """Find the innermost differences of two values."""
    if isinstance(wanted, dict) and isinstance(came, dict):
        for name in sorted({*wanted, *came}):
            yield from _find_deep_differences(wanted.get(name, NO_VALUE), came.get(name, NO_VALUE), (*at, name))
    elif isinstance(wanted, list) and isinstance(came, list) and len(wanted) == len(came):
        for index, value in enumerate(wanted):
            yield from _find_deep_differences(value, came[index], (*at, index))
    elif wanted != came:
        yield at, wanted, came


def _format_location(loc: tuple[str | int, ...]) -> str:
    return format_json_path(loc[1:], "").lstrip(".")


def _mask_run_id(value: Any, run: str | None) -> Any:
    """Replace the run's id, which differs in every run, by `RUN`."""
    if run is None:
        return value
    if isinstance(value, str):
        return value.replace(run, "RUN")
    if isinstance(value, dict):
        return {key: _mask_run_id(inner, run) for key, inner in value.items()}
    return [_mask_run_id(inner, run) for inner in value] if isinstance(value, list) else value


SNAPSHOT_FOLDER = "snapshots"


_MAX_WIDTH = 110

_PLAIN_SCALAR = re.compile(r"[A-Za-z_][\w-]*")


def locate_snapshot(case: Case) -> Path:
    """Return the path of a case's snapshot, in a folder next to its file."""
    slug = re.sub(r"[^a-z0-9]+", "-", case.name.lower()).strip("-")[:80] or "case"
    return case.path.parent / SNAPSHOT_FOLDER / case.path.stem / f"{slug}.json"


def read_snapshot(case: Case) -> list[Any] | None:
    """Read the snapshot of a case; None when there is no valid one."""
    try:
        data = json.loads(read_file(locate_snapshot(case)))
    except (UnreadableFileError, ValueError, RecursionError):
        return None
    return data if isinstance(data, list) and all(isinstance(one, dict) for one in data) else None


def format_snapshot(views: Sequence[Any]) -> str:
    """Format a snapshot as its file contains it."""
    return json.dumps(views, indent=2, ensure_ascii=False) + "\n"


def set_expected_path(text: str, case: Case, path: Sequence[Any]) -> str:
    """Return the text of a case file with this expected path; all else is unchanged."""
    lines = text.splitlines(keepends=True)
    flow = "[" + ", ".join(_format_item(one) for one in path) + "]"
    expect = case.node.get("expect")
    if expect is None or expect.kind != "map" or not expect.items:
        return _insert_expect(lines, case.node, flow, path)
    said = expect.get("path")
    if said is not None:
        key = find_key(expect, ("path",)).place
        return _replace_text(
            lines,
            _find_offset(lines, key.line, key.column),
            _find_end(lines, said),
            _format_path(flow, path, key.column),
        )
    first = expect.items[0][0].place
    start = _find_offset(lines, first.line, first.column)
    if _is_flow(lines, expect):
        return _replace_text(lines, start, start, f"path: {flow}, ")
    indent = " " * (first.column - 1)
    return _replace_text(lines, start, start, f"{_format_path(flow, path, first.column)}\n{indent}")


def _insert_expect(lines: list[str], case: Node, flow: str, path: Sequence[Any]) -> str:
    """Insert an `expect` at the end of the case."""
    column = case.items[0][0].place.column
    indent = " " * (column - 1)
    said = f"expect:\n{indent}  {_format_path(flow, path, column + 2)}"
    empty = case.get("expect")
    if empty is not None:
        key = find_key(case, ("expect",)).place
        return _replace_text(lines, _find_offset(lines, key.line, key.column), _find_end(lines, empty), said)
    end = max(_find_end(lines, value) for _, value in case.items)
    after = "".join(lines)[end:].partition("\n")[0]  # a comment at the end of the line stays in place
    return _replace_text(lines, end + len(after), end + len(after), f"\n{indent}{said}")


def _replace_text(lines: list[str], start: int, end: int, new: str) -> str:
    text = "".join(lines)
    return text[:start] + new + text[end:]


def _find_offset(lines: list[str], line: int, column: int) -> int:
    return sum(len(one) for one in lines[: line - 1]) + column - 1


def _is_flow(lines: list[str], node: Node) -> bool:
    return lines[node.place.line - 1][node.place.column - 1 : node.place.column] in ("[", "{")


def _find_end(lines: list[str], node: Node) -> int:
    """Find the end of a node's text; a block ends with its last member."""
    last = node.children[-1] if node.children else node.items[-1][1] if node.items else None
    if last is not None and not _is_flow(lines, node):
        return _find_end(lines, last)
    end = _find_offset(lines, node.place.end_line, node.place.end_column)
    text = "".join(lines)
    return len(text[:end].rstrip()) if node.style in ("|", ">") else end


def _format_path(flow: str, path: Sequence[Any], column: int) -> str:
    """Format `path: …` on one line if it fits, else with a line per phase."""
    if column + len("path: ") + len(flow) <= _MAX_WIDTH:
        return f"path: {flow}"
    indent = " " * (column + 1)
    return "path:" + "".join(f"\n{indent}- {_format_item(one)}" for one in path)


def _format_item(one: Any) -> str:
    if isinstance(one, dict):
        return ", ".join(f"{_format_item(phase)}: {code}" for phase, code in one.items())
    return one if _PLAIN_SCALAR.fullmatch(one) else json.dumps(one, ensure_ascii=False)
