"""Coverage in a few lines: how much of a workflow was taken, and what was not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurora.cli.terminal import strip_controls

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.text import Text

_COUNTERS = (
    ("phases", "phases"),
    ("rules_true", "rules taken"),
    ("rules_false", "rules false"),
    ("bounds", "bounds used up"),
    ("error_routes", "error routes"),
)


def format_coverage(coverage: Mapping[str, Any]) -> Iterator[Text]:
    """One line of numbers, and one for each rule that lacks one side."""
    from rich.text import Text  # noqa: PLC0415 - only a person's eyes need it

    parts = [
        f"{label} {coverage[key]['taken']}/{coverage[key]['of']}" for key, label in _COUNTERS if coverage[key]["of"]
    ]
    yield Text(f"  {', '.join(parts)}")
    for name in coverage["untaken_phases"]:
        yield Text(f'  phase "{strip_controls(name)}" was not taken', style="yellow")
    for rule in coverage["rules"]:
        if rule["phase"] in coverage["untaken_phases"]:
            continue
        lacks = [word for word, count in _list_sides(rule) if count == 0]
        if lacks:
            said = strip_controls(rule.get("when", "")) or "without when"
            line = Text(
                f'  rule {rule["rule"]} of "{strip_controls(rule["phase"])}" ({said}) was never {" or ".join(lacks)}'
            )
            line.stylize("yellow")
            yield line


def _list_sides(rule: Mapping[str, Any]) -> tuple[tuple[str, int | None], ...]:
    return (("true", rule.get("true", 0)), ("false", rule.get("false")), ("spent", rule.get("otherwise")))
