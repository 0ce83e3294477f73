"""Kinds of problems of a workflow document, their pages, and how many are listed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from aurora.errors import Code, Fault

from .problem import Place, Problem, did_you_mean, sort_problems, to_safe_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .problem import Fix, Severity


@dataclass(frozen=True, slots=True)
class ProblemKind:
    """One kind of problem, with its code, name and severity."""

    code: str
    name: str
    severity: Severity = "error"

    def make_problem(
        self,
        place: Place,
        message: str,
        *,
        help: str = "",  # noqa: A002 - the wire's key
        note: str = "",
        fix: Fix | None = None,
    ) -> Problem:
        """Create a problem of this kind at a place."""
        end = place.end_column if place.end_line == place.line else place.column + 1
        return Problem(
            path=place.path,
            line=place.line,
            column=place.column,
            end_column=max(end, place.column + 1),
            severity=self.severity,
            code=self.code,
            name=self.name,
            message=to_safe_line(message),
            help=to_safe_line(help),
            note=to_safe_line(note),
            fix=fix,
        )


# Load: 1xx
UNREADABLE = ProblemKind("E101", "unreadable")
ENCODING = ProblemKind("E102", "encoding")
TOO_BIG = ProblemKind("E103", "too-big")
SYNTAX = ProblemKind("E104", "syntax")
DUPLICATE_KEY = ProblemKind("E105", "duplicate-key")
UNKNOWN_TAG = ProblemKind("E106", "unknown-tag")
UNUSED_ANCHOR = ProblemKind("W107", "unused-anchor", "warning")
MORE_PROBLEMS = ProblemKind("W108", "more-problems", "warning")
CUT_TEXT = ProblemKind("W109", "cut-text", "warning")
ODD_NUMBER = ProblemKind("W110", "odd-number", "warning")
# Structure: 2xx
BAD_VALUE = ProblemKind("E201", "bad-value")
UNEXPECTED_KEY = ProblemKind("E202", "unexpected-key")
MISSING_KEY = ProblemKind("E203", "missing-key")
BAD_ID = ProblemKind("E204", "bad-id")
NAME_CLASH = ProblemKind("E205", "name-clash")
RESERVED_NAME = ProblemKind("E206", "reserved-name")
NEWER_LANGUAGE = ProblemKind("E207", "newer-language")
MEANINGLESS_COMBINATION = ProblemKind("E208", "meaningless-combination")
NO_EFFECT = ProblemKind("W209", "no-effect", "warning")
LOST_ITEMS = ProblemKind("W210", "lost-items", "warning")
ASKS_FORBIDDEN = ProblemKind("W211", "asks-forbidden", "warning")
# References: 25x
UNKNOWN_TARGET = ProblemKind("E251", "unknown-target")
UNKNOWN_TOOL = ProblemKind("E252", "unknown-tool")
BAD_PARAMS = ProblemKind("E253", "bad-params")
MISSING_FILE = ProblemKind("E254", "missing-file")
LEAVES_FOLDER = ProblemKind("E255", "leaves-folder")
BAD_SCHEMA = ProblemKind("E256", "bad-schema")
UNKNOWN_BASE = ProblemKind("E257", "unknown-base")
UNKNOWN_ARGUMENT = ProblemKind("E258", "unknown-argument")
PATCHES_NOTHING = ProblemKind("E259", "patches-nothing")
FORBIDDEN_TOOL = ProblemKind("E260", "forbidden-tool")
UNKNOWN_WORKFLOW = ProblemKind("E261", "unknown-workflow")
NESTED_WORKFLOWS = ProblemKind("E262", "nested-workflows")
UNMET_REQUIREMENT = ProblemKind("E263", "unmet-requirement")
NOT_ALLOWED_HERE = ProblemKind("W264", "not-allowed-here", "warning")
STILL_NEEDED = ProblemKind("E266", "still-needed")
SUSPECT_SCHEMA = ProblemKind("W265", "suspect-schema", "warning")
# Expressions: 3xx
EXPRESSION_SYNTAX = ProblemKind("E301", "expression-syntax")
UNKNOWN_FUNCTION = ProblemKind("E302", "unknown-function")
UNKNOWN_FIELD = ProblemKind("E303", "unknown-field")
FIELD_FOR_STRING = ProblemKind("E304", "field-for-string")
OPERAND_TYPES = ProblemKind("E305", "operand-types")
NOT_BOOLEAN = ProblemKind("E306", "not-boolean")
ENUM_LITERAL = ProblemKind("E307", "enum-literal")
NEGATED_PATH = ProblemKind("E308", "negated-path")
CONSTANT_TEST = ProblemKind("W309", "constant-test", "warning")
MAY_BE_NULL = ProblemKind("W310", "may-be-null", "warning")
ARGUMENT_TYPE = ProblemKind("E311", "argument-type")
OWN_ANSWER = ProblemKind("E312", "own-answer")
MIXED_OPERATORS = ProblemKind("W313", "mixed-operators", "warning")
FREE_TEXT = ProblemKind("W314", "free-text", "warning")
NEGATED_NULL = ProblemKind("W315", "negated-null", "warning")
# Control flow: 4xx
UNREACHABLE = ProblemKind("E401", "unreachable")
UNBOUNDED_CYCLE = ProblemKind("E402", "unbounded-cycle")
MAX_WITHOUT_ELSE = ProblemKind("E403", "max-without-else")
SHADOWED_RULE = ProblemKind("E404", "shadowed-rule")
NO_DEFAULT_RULE = ProblemKind("W405", "no-default-rule", "warning")
NO_END = ProblemKind("E406", "no-end")
ERROR_LOOP = ProblemKind("E407", "error-loop")
GATE_BYPASS = ProblemKind("W408", "gate-bypass", "warning")
# Data flow: 5xx
UNKNOWN_SOURCE = ProblemKind("E501", "unknown-source")
READ_BEFORE_WRITTEN = ProblemKind("W502", "read-before-written", "warning")
ALWAYS_THERE = ProblemKind("W503", "always-there", "warning")
UNREAD_ANSWER = ProblemKind("W504", "unread-answer", "warning")
SCHEMA_MISFIT = ProblemKind("E505", "schema-misfit")
MAY_NOT_FIT = ProblemKind("W506", "may-not-fit", "warning")
# Prompts: 6xx
TEMPLATE_SYNTAX = ProblemKind("E601", "template-syntax")
TEMPLATE_VARIABLE = ProblemKind("E602", "template-variable")
UNUSED_INPUT = ProblemKind("W603", "unused-input", "warning")
UNFENCED_TEXT = ProblemKind("W604", "unfenced-text", "warning")
# Comments: 9xx
BAD_IGNORE = ProblemKind("W901", "bad-ignore", "warning")
UNUSED_IGNORE = ProblemKind("W902", "unused-ignore", "warning")


MAX_PROBLEMS = 200
"""Problems of one workflow that are listed."""


def limit_problems(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Keep the first problems, errors before warnings, and report how many more there are.

    Returns:
        At most `MAX_PROBLEMS` of them in the order of the file, and then one more warning with the number of the rest.
        There is an error among them if there was one before.
    """
    found = sort_problems(problems)
    if len(found) <= MAX_PROBLEMS:
        return found
    errors = [problem for problem in found if problem.severity == "error"]
    warnings = [problem for problem in found if problem.severity != "error"]
    kept = sort_problems((errors + warnings)[:MAX_PROBLEMS])
    last, rest, rest_errors = kept[-1], len(found) - len(kept), max(0, len(errors) - MAX_PROBLEMS)
    message = f"{rest:,} more problems are not listed, {rest_errors:,} of them errors"
    place = Place(last.path, last.line, last.column, last.line, last.end_column)
    return (*kept, MORE_PROBLEMS.make_problem(place, message, help="fix those above, and validate again"))


PAGES_FOLDER = Path(__file__).resolve().parents[2] / "docs" / "reference" / "problems"


@cache
def list_kinds() -> dict[str, ProblemKind]:
    """Map every code to its kind of problem."""
    return {kind.code: kind for kind in globals().values() if isinstance(kind, ProblemKind)}


def find_kind(code: str) -> ProblemKind | None:
    """Find the kind of a code or a name, ignoring case."""
    word = code.strip().lower()
    return next((kind for kind in list_kinds().values() if word in (kind.code.lower(), kind.name)), None)


def read_page(code: str) -> str:
    """Read the page of a code, in Markdown.

    Args:
        code: the code or its name, `E307` or `enum-literal`.

    Raises:
        Fault: NOT_FOUND when there is no such code.
    """
    kind = find_kind(code)
    if kind is None:
        known = [word for one in list_kinds().values() for word in (one.code, one.name)]
        raise Fault(
            Code.NOT_FOUND,
            f'there is no problem "{code[:80]}"',
            help=did_you_mean(code[:80], known) or "the code of a problem is in brackets after it, as in [E307 …]",
            details={"codes": sorted(list_kinds())},
        )
    return (PAGES_FOLDER / f"{kind.code}.md").read_text(encoding="utf-8")


def summarize_page(code: str) -> str:
    """Return the first paragraph of the page, on one line.

    Raises:
        Fault: as `read_page` does.
    """
    return " ".join(read_page(code).split("\n\n")[1].split())
