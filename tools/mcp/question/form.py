"""Form of an elicitation: the message and the schema in the terms that the protocol allows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.tools.runs import PersonQuestion

_COMMON = ("type", "title", "description", "default")
_KEYWORDS: Mapping[str, tuple[str, ...]] = {
    "string": (*_COMMON, "minLength", "maxLength", "enum"),
    "number": (*_COMMON, "minimum", "maximum"),
    "integer": (*_COMMON, "minimum", "maximum"),
    "boolean": _COMMON,
}
"""Keywords of the protocol's primitive schemas by type; the engine checks the others when the reply arrives."""
_FORMATS = frozenset({"email", "uri", "date", "date-time"})


def build_message(question: PersonQuestion, refused: str = "") -> str:
    """Build the text that the person sees: the question, who asks, and what was wrong with the last reply."""
    wrong = f"The last reply did not fit: {refused[:500]}\n\n" if refused else ""
    return f"{wrong}{question.message}\n\n(workflow {question.workflow}, run {question.run})"


def build_requested_schema(form: Mapping[str, Any]) -> dict[str, Any]:
    """Build the schema of the form from the answer's, without keywords that the protocol does not have."""
    fields = {name: _select_keywords(field) for name, field in form.get("properties", {}).items()}
    return {"type": "object", "properties": fields, "required": list(form.get("required", ()))}


def _select_keywords(field: Mapping[str, Any]) -> dict[str, Any]:
    kind = str(field.get("type", "string"))
    selected = {name: field[name] for name in _KEYWORDS.get(kind, _COMMON) if name in field}
    if field.get("format") in _FORMATS and kind == "string":
        selected["format"] = field["format"]
    return {"type": kind, **selected}
