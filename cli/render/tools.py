"""Views of one tool, and of the texts that are generated from all of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from aurora.cli.output import put

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aurora.cli.output import Output

    from .printer import Fields


def print_tool(tool: Fields, out: Output) -> None:
    """Print one tool: where it can be used, its examples, and its fields in words."""
    out.line((f"{tool['uses']}  {tool['title']}", "bold"))
    out.text(tool["description"], wraps=True)
    out.line()
    for label, value in _list_facts(tool):
        out.line((f"{label:11}", "dim"), value)
    for name in ("input", "params", "output"):
        schema = tool[f"{name}_schema"]
        required = set(schema["required"] or ())
        out.line((name, "bold"), apart=True)
        for field, spec in (schema["properties"] or {}).items():
            description = put("  ", spec["description"])
            out.line(f"  {field}: {_describe_type(spec)}{' (required)' if field in required else ''}{description}")
        if not schema["properties"]:
            out.line("  nothing")
    out.line(("--json shows the full schemas.", "dim"), apart=True)


def _list_facts(tool: Fields) -> Iterator[tuple[str, str]]:
    yield "command", tool["command"] or f"none: {tool['no_command']}"
    yield "over MCP", tool["mcp"] or f"not offered: {tool['not_over_mcp']}"
    yield "aliases", ", ".join(map(_describe_alias, tool["aliases"])) or "none"
    yield "family", tool["family"]
    yield "risk", f"{tool['risk']}, {'idempotent' if tool['idempotent'] else 'not idempotent'}"
    use = f"a phase may use it: `uses: {tool['uses']}`"
    yield "phases", use if tool["phases"] else "only a job may use it" if tool["jobs"] else "no phase may use it"
    for constraint in tool["constraints"]:
        yield "holds", constraint
    for example in tool["examples"]:
        yield "example", f"{json.dumps(example['arguments'], ensure_ascii=False)}  # {example['title']}"


def _describe_alias(alias: Fields) -> str:
    """Describe an alias with its own names of arguments: `find_callers (methodName for name)`."""
    names = [f"{name} for {own}" for name, own in alias["arguments"].items()]
    names += [f"{name} changes nothing: {reason}" for name, reason in alias["unused"].items()]
    return f"{alias['name']} ({'; '.join(names)})" if names else str(alias["name"])


def _describe_type(spec: Mapping[str, Any]) -> str:
    """Return the type in words: `string`, `list of string`, `one of a, b`."""
    if "$ref" in spec:
        return str(spec["$ref"]).rpartition("/")[2]
    if "anyOf" in spec:
        return " or ".join(_describe_type(branch) for branch in spec["anyOf"])
    if "enum" in spec:
        return "one of " + ", ".join(str(one) for one in spec["enum"])
    if spec.get("type") == "array" and "items" in spec:
        return f"list of {_describe_type(spec['items'])}"
    return str(spec.get("type", spec.get("const", "value")))


def print_generated(output: Mapping[str, Any], out: Output) -> None:
    """Print a text, or a JSON document as a file stores it: indented, plain ASCII, a newline at its end."""
    document = output.get("document", output)
    out.raw(output["text"] if "text" in output else json.dumps(document, indent=2, ensure_ascii=True) + "\n")


def print_answer_check(output: Fields, out: Output) -> None:
    """Print what is wrong with an answer, line by line, what may be, and what it does not mention."""
    counts = ", ".join(f"{count} {kind}" for kind, count in output["checked"].items())
    wrong = output["wrong"] or ()
    out.line((f"{len(wrong)} wrong" if wrong else "nothing wrong", "red" if wrong else "green"), f"; checked {counts}")
    _print_claims("wrong", wrong, out)
    _print_claims("to look at", output["unsure"] or (), out)
    lie_in = output["lie_in"] or {}
    out.line(("compare: these lines lie in" if lie_in else "", "bold"), apart=True)
    for place, symbol in lie_in.items():
        out.text(f"{place}  {symbol}", wraps=True, indent="  ")
    places = output["not_mentioned"] or ()
    out.line(("not mentioned" if places else "", "bold"), apart=True)
    for one in places:
        out.text(
            f"{one['place']}{put(' ', one['symbol'])}: {one['why']}{put(': ', one['text'])}", wraps=True, indent="  "
        )
    for part in output["open"] or ():
        out.text(f"open: {part}", wraps=True, indent="  ")
    out.line((output["note"], "yellow"))


def _print_claims(title: str, claims: Sequence[Fields], out: Output) -> None:
    out.line((title if claims else "", "bold"), apart=True)
    for one in claims:
        said = "" if one["said"].partition(" at ")[0] in one["message"] else f", {one['said']}"
        out.text(f"line {one['line']}{said}: {one['message']}{put(': ', one['text'])}", wraps=True, indent="  ")


VIEWS = {
    "answer.check": print_answer_check,
    "tools.adapters": print_generated,
    "tools.manifest": print_generated,
    "tools.reference": print_generated,
    "tools.show": print_tool,
    "tools.skill": print_generated,
}
