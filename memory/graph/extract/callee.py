"""Parser of callees and declarations.

A call's text has a receiver and a name, a declaration's has a variable and a type.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aurora.memory.parsing.languages import Language

_DOTTED = re.compile(r"(?:([\w.]+)\.)?([A-Za-z_]\w*)")
_LAST = re.compile(r"([A-Za-z_$][\w$]*[!?]?)$")
_PLAIN = re.compile(r"[\w$.@]+")
_CONSTRUCTED = re.compile(r"(?:new\.?)?((?:[\w$]+\.)*[A-Z][\w$]*)\(.*\)", re.DOTALL)
_ARGUMENTS = re.compile(r"<[^<>()]*>(?=$|\.)")
MAX_CALLEE_CHARS = 160
"""The most characters, at the end of an expression, that are read to find the callee."""

_TYPE = re.compile(r"[\w.]+")
_WRAPPER_TYPES = frozenset({"Optional", "Box", "Arc", "Rc", "Annotated", "Final", "ClassVar"})
_IGNORED_TYPES = frozenset(
    {"var", "let", "const", "final", "auto", "int", "str", "bool", "float", "bytes", "dict", "list"}
)

_SELF_PREFIX = re.compile(r"^(?:self\.|this(?:\.|->)|@)")


@lru_cache(maxsize=1 << 14)
def split_callee(text: str) -> tuple[str, str]:
    """Split a callee into its receiver and its name.

    The receiver has dots and no blanks; the name of another expression is empty.

    The receiver `Foo(1)` becomes `Foo()`; a receiver that is no plain name becomes `?`.
    """
    # Most callees match here, and the rest of this function would return the same.
    if len(text) <= MAX_CALLEE_CHARS and (match := _DOTTED.fullmatch(text)):
        return match[1] or "", match[2]
    text = (
        "".join(text[-MAX_CALLEE_CHARS:].split())
        .replace("->", ".")
        .replace("?.", ".")
        .replace("::", ".")
        .replace("\\", ".")
    )
    while "<" in text and (shorter := _ARGUMENTS.sub("", text)) != text:
        text = shorter.replace("..", ".").rstrip(".")
    match = _LAST.search(text)
    if match is None:
        return "", ""
    name, before = match[1], text[: match.start()]
    if not before:
        return "", name
    if not before.endswith("."):
        return "?", name
    receiver = before[:-1]
    if _PLAIN.fullmatch(receiver) or receiver in {"super()", "super"}:
        return receiver, name
    made = _CONSTRUCTED.fullmatch(receiver)
    return f"{made[1]}()" if made else "?", name


def is_called_on_value(text: str) -> bool:
    """Return whether a name is called on a value, `task.run()`, and not reached by a path, `task::run()`."""
    text = "".join(text[-MAX_CALLEE_CHARS:].split())
    text = text.rpartition("::<")[0] if text.endswith(">") else text
    return text[: match.start()].endswith(".") if (match := _LAST.search(text)) else False


def parse_binding(language: Language, text: str) -> tuple[str, str] | None:
    """Parse a declaration into its variable and type; an attribute of the object itself begins with a dot.

    None for a container type, which says nothing of its items, and for a function that is called.
    """
    return None if text.islower() else _match_binding(language, text)  # a type begins with a capital


@lru_cache(maxsize=1 << 13)
def _match_binding(language: Language, text: str) -> tuple[str, str] | None:
    for pattern in language.graph.bindings:
        if (match := pattern.match(text)) and (type_ := _parse_type(match["t"])):
            own = "." if match.groupdict().get("own") else ""
            return own + _SELF_PREFIX.sub(".", match["v"]), type_
    return None


def _parse_type(text: str) -> str:
    """Parse the class out of a type: `Foo | None`, `Optional[Foo]`, `&mut Foo` and `*Foo` are `Foo`."""
    names: list[str] = _TYPE.findall(text.replace("::", "."))
    while names and names[0] in _WRAPPER_TYPES:
        names.pop(0)
    if not names or names[0] in _IGNORED_TYPES or not names[0].rpartition(".")[2][:1].isupper():
        return ""
    is_container = "[" in text and text.partition("[")[0].strip() == names[0]
    return "" if is_container else names[0]
