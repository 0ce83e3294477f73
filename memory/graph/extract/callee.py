"""Takes the text of what is called apart, and the text of a declaration that says which type a variable has."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_DOTTED = re.compile(r"(?:([\w.]+)\.)?([A-Za-z_]\w*)")
_LAST = re.compile(r"([A-Za-z_$][\w$]*[!?]?)$")
_PLAIN = re.compile(r"[\w$.@]+")
_CONSTRUCTED = re.compile(r"(?:new\.?)?((?:[\w$]+\.)*[A-Z][\w$]*)\(.*\)", re.DOTALL)
_ARGUMENTS = re.compile(r"<[^<>()]*>(?=$|\.)")
MAX_CALLEE_CHARS = 160
"""More of the end of an expression is not looked at to see what is called."""

_TYPE = re.compile(r"[\w.]+")
_WRAPPER_TYPES = frozenset({"Optional", "Box", "Arc", "Rc", "Annotated", "Final", "ClassVar"})
_IGNORED_TYPES = frozenset(
    {"var", "let", "const", "final", "auto", "int", "str", "bool", "float", "bytes", "dict", "list"}
)

_WITH_AS = re.compile(r"(?P<t>[\w.]+)\(.*\)\s+as\s+(?P<v>\w+)$", re.DOTALL)
_BINDING_PATTERNS: Mapping[str, tuple[re.Pattern[str], ...]] = {
    "python": (
        _WITH_AS,
        re.compile(r"""(?P<v>(?:self\.)?\w+)\s*:\s*["']?(?P<t>[^="']+)"""),
        re.compile(r"(?P<v>(?:self\.)?\w+)\s*=\s*(?P<t>[\w.]+)\("),
    ),
    "javascript": (
        re.compile(r"(?:private |public |protected |readonly )*(?P<v>(?:this\.)?[\w$]+)\s*[?!]?\s*:\s*(?P<t>[\w.$]+)"),
        re.compile(r"(?P<v>(?:this\.)?[\w$]+)\s*=\s*new\s+(?P<t>[\w.$]+)"),
    ),
    "go": (
        re.compile(r"(?P<v>\w+)(?:\s*,\s*\w+)?\s*:=\s*(?:[\w]+\.)?New(?P<t>[A-Z]\w*)\("),
        re.compile(r"(?P<v>\w+)(?:\s*,\s*\w+)?\s*:=\s*&?(?P<t>[\w.]+)\{"),
        re.compile(r"(?P<v>\w+)\s+\*?(?P<t>[\w.]+)$"),
    ),
    "rust": (
        re.compile(
            r"(?:let\s+)?(?:pub(?:\([^)]*\))?\s+)?(?:mut\s+)?(?P<v>\w+)\s*:\s*&?(?:'\w+\s+)?(?:mut\s+)?(?P<t>[\w:<]+)"
        ),
        re.compile(r"let\s+(?:mut\s+)?(?P<v>\w+)\s*=\s*(?P<t>[\w:]*?[A-Z]\w*)(?:::\w+\(|\s*\{)"),
    ),
    "java": (
        re.compile(r"(?:[\w@]+\s+)*?var\s+(?P<v>\w+)\s*=\s*new\s+(?P<t>[\w.]+)"),
        re.compile(r"(?:(?:@?[\w]+)\s+)*?(?P<t>[\w.]*[A-Z][\w]*)(?:<[^=]*>)?\s*[&*?]*\s*(?P<v>\w+)\s*(?:$|[=;({,])"),
    ),
    "ruby": (re.compile(r"(?P<v>@?\w+)\s*=\s*(?P<t>[\w:]+)\.new\b"),),
}
_BINDING_FAMILIES = {"typescript": "javascript", "tsx": "javascript", "csharp": "java", "cpp": "java", "c": "java"}
_SELF_PREFIX = re.compile(r"^(?:self\.|this\.|@)")


@lru_cache(maxsize=1 << 14)
def split_callee(text: str) -> tuple[str, str]:
    """The receiver, without blanks and with dots, and the name that is called on it; no name for what has none.

    A receiver that is made on the spot, `Foo(1)`, is given as `Foo()`; one that is no plain name as `?`.
    """
    if len(text) <= MAX_CALLEE_CHARS and (
        match := _DOTTED.fullmatch(text)
    ):  # as most are, and all that follows changes nothing
        return match[1] or "", match[2]
    text = "".join(text[-MAX_CALLEE_CHARS:].split()).replace("?.", ".").replace("->", ".").replace("::", ".")
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
    """Whether a name of Rust's is called on a value, `task.run()`, and not reached by a path, `task::run()`."""
    text = "".join(text[-MAX_CALLEE_CHARS:].split())
    text = text.rpartition("::<")[0] if text.endswith(">") else text
    return text[: match.start()].endswith(".") if (match := _LAST.search(text)) else False


def parse_binding(language: str, text: str) -> tuple[str, str] | None:
    """The variable and the type that a declaration gives it; an attribute of the object itself begins with a dot.

    A type that is a container says nothing of the variable, and a function that is called is no type.
    """
    return None if text.islower() else _match_binding(language, text)  # a type begins with a capital


@lru_cache(maxsize=1 << 13)
def _match_binding(language: str, text: str) -> tuple[str, str] | None:
    text = text.replace("::", ".") if language == "cpp" else text
    for pattern in _BINDING_PATTERNS[_BINDING_FAMILIES.get(language, language)]:
        if (match := pattern.match(text)) and (type_ := _parse_type(match["t"])):
            return _SELF_PREFIX.sub(".", match["v"]), type_
    return None


def _parse_type(text: str) -> str:
    """The class in a type: `Foo | None`, `Optional[Foo]`, `&mut Foo` and `*Foo` are `Foo`."""
    names: list[str] = _TYPE.findall(text.replace("::", "."))
    while names and names[0] in _WRAPPER_TYPES:
        names.pop(0)
    if not names or names[0] in _IGNORED_TYPES or not names[0].rpartition(".")[2][:1].isupper():
        return ""
    is_container = "[" in text and text.partition("[")[0].strip() == names[0]
    return "" if is_container else names[0]
