"""Comparison of a played case with its expectations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aurora.interpreter.schema.json_values import format_json_path

from .play import is_taken

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from .case import Case, Expectation
    from .play import ScriptResult

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
