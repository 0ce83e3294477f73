"""The problems that a workflow document can have: code, name and severity, one line each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .problem import Place, Problem, readable

if TYPE_CHECKING:
    from .problem import Fix, Severity


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of problem; calling it with a place and a message makes a `Problem`."""

    code: str
    name: str
    severity: Severity = "error"

    def at(
        self,
        place: Place,
        message: str,
        *,
        help: str = "",  # noqa: A002 - the wire's key
        note: str = "",
        fix: Fix | None = None,
    ) -> Problem:
        """A problem of this kind at this place."""
        end = place.end_column if place.end_line == place.line else place.column + 1
        return Problem(
            path=place.path,
            line=place.line,
            column=place.column,
            end_column=max(end, place.column + 1),
            severity=self.severity,
            code=self.code,
            name=self.name,
            message=readable(message),
            help=readable(help),
            note=readable(note),
            fix=fix,
        )


# Load: 1xx
UNREADABLE = Kind("E101", "unreadable")
ENCODING = Kind("E102", "encoding")
TOO_BIG = Kind("E103", "too-big")
SYNTAX = Kind("E104", "syntax")
DUPLICATE_KEY = Kind("E105", "duplicate-key")
UNKNOWN_TAG = Kind("E106", "unknown-tag")
UNUSED_ANCHOR = Kind("W107", "unused-anchor", "warning")
# Structure: 2xx
BAD_VALUE = Kind("E201", "bad-value")
UNEXPECTED_KEY = Kind("E202", "unexpected-key")
MISSING_KEY = Kind("E203", "missing-key")
BAD_ID = Kind("E204", "bad-id")
CLASH = Kind("E205", "name-clash")
RESERVED = Kind("E206", "reserved-name")
NEWER_LANGUAGE = Kind("E207", "newer-language")
COMBINATION = Kind("E208", "meaningless-combination")
# References: 25x
UNKNOWN_TARGET = Kind("E251", "unknown-target")
UNKNOWN_TOOL = Kind("E252", "unknown-tool")
BAD_PARAMS = Kind("E253", "bad-params")
MISSING_FILE = Kind("E254", "missing-file")
LEAVES_FOLDER = Kind("E255", "leaves-folder")
BAD_SCHEMA = Kind("E256", "bad-schema")
UNKNOWN_BASE = Kind("E257", "unknown-base")
UNKNOWN_ARGUMENT = Kind("E258", "unknown-argument")
PATCHES_NOTHING = Kind("E259", "patches-nothing")
# Expressions: 3xx
EXPRESSION_SYNTAX = Kind("E301", "expression-syntax")
UNKNOWN_FUNCTION = Kind("E302", "unknown-function")
UNKNOWN_FIELD = Kind("E303", "unknown-field")
FIELD_FOR_STRING = Kind("E304", "field-for-string")
OPERAND_TYPES = Kind("E305", "operand-types")
NOT_BOOLEAN = Kind("E306", "not-boolean")
ENUM_LITERAL = Kind("E307", "enum-literal")
NEGATED_PATH = Kind("E308", "negated-path")
CONSTANT_TEST = Kind("W309", "constant-test", "warning")
MAY_BE_NULL = Kind("W310", "may-be-null", "warning")
ARGUMENT_TYPE = Kind("E311", "argument-type")
# Control flow: 4xx
UNREACHABLE = Kind("E401", "unreachable")
UNBOUNDED_CYCLE = Kind("E402", "unbounded-cycle")
MAX_WITHOUT_ELSE = Kind("E403", "max-without-else")
SHADOWED_RULE = Kind("E404", "shadowed-rule")
NO_DEFAULT = Kind("W405", "no-default-rule", "warning")
NO_END = Kind("E406", "no-end")
ERROR_LOOP = Kind("E407", "error-loop")
# Data flow: 5xx
UNKNOWN_SOURCE = Kind("E501", "unknown-source")
UNWRITTEN = Kind("W502", "read-before-written", "warning")
ALWAYS_THERE = Kind("W503", "always-there", "warning")
UNREAD = Kind("W504", "unread-answer", "warning")
MISFIT = Kind("E505", "schema-misfit")
MAY_MISFIT = Kind("W506", "may-not-fit", "warning")
# Prompts: 6xx
TEMPLATE_SYNTAX = Kind("E601", "template-syntax")
TEMPLATE_VARIABLE = Kind("E602", "template-variable")
UNUSED_INPUT = Kind("W603", "unused-input", "warning")
UNFENCED = Kind("W604", "unfenced-text", "warning")
# Comments: 9xx
BAD_IGNORE = Kind("W901", "bad-ignore", "warning")
UNUSED_IGNORE = Kind("W902", "unused-ignore", "warning")
