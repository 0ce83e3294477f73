"""Consistency of cases: what one value says of tests of it, and of what is inside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aurora.interpreter.checks.expressions import OTHER_TEXT, build_node_key, to_field_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from aurora.interpreter.checks.expressions import ExpressionSite, Operand


@dataclass(frozen=True, slots=True)
class ContainsTest:
    """A test `contains(TEXT, 'part')`: its key, that of the text, and the part."""

    key: str
    subject: str
    part: str


def find_contains_tests(site: ExpressionSite, operands: Mapping[str, Operand]) -> tuple[ContainsTest, ...]:
    """Find the operands that test whether a text, which is no list, contains a literal."""
    found = []
    for key, operand in operands.items():
        tree = operand.tree
        if tree["type"] != "function_expression" or tree["value"] != "contains":
            continue
        subject, part = tree["children"]
        path = to_field_path(subject)
        schema = (site.find_schema(path) if path else None) or {}
        if part["type"] == "literal" and isinstance(part["value"], str) and schema.get("type") == "string":
            found.append(ContainsTest(key, build_node_key(subject), part["value"]))
    return tuple(found)


def is_consistent(case: Mapping[str, Any], tests: Iterable[ContainsTest]) -> bool:
    """Return whether a text can exist that gives all tests their values in this case."""
    taken: dict[str, list[str]] = {}
    for test in tests:
        text = case.get(test.subject)
        if isinstance(text, str) and text != OTHER_TEXT and case[test.key] is not (test.part in text):
            return False
        if case[test.key] is True:
            taken.setdefault(test.subject, []).append(test.part)
    return not any(
        case[test.key] is False and any(test.part in part for part in taken.get(test.subject, ())) for test in tests
    )
