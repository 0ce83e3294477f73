"""What an import statement brings into a file, read out of its text: one function a language."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from aurora.memory.model.symbols import Binding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

_COMMENT = re.compile(r"#[^\n]*")
_QUOTED = re.compile(r"""['"]([^'"\n]+)['"]""")
_FROM = re.compile(r"from\s+(\.*\s*[\w.]*)\s+import\s+(.*)", re.DOTALL)
_AS = re.compile(r"\s+as\s+")
_BRACES = re.compile(r"\{([^}]*)\}", re.DOTALL)
_NAMESPACE = re.compile(r"\*\s+as\s+([\w$]+)")
_DEFAULT = re.compile(r"^import\s+(?:type\s+)?([\w$]+)\s*(?:,|from)")
_REQUIRED = re.compile(r"""^\s*(\{[^}]*\}|[\w$]+)\s*=\s*require\(\s*['"]([^'"]+)['"]\s*\)""", re.DOTALL)
_GO = re.compile(r'(?:([\w.]+)\s+)?"([^"\n]+)"')
_GO_VERSION = re.compile(r"v\d+")
_RUBY = re.compile(r"""(require|require_relative|load)\s*\(?\s*['"]([^'"]+)['"]""")
_INCLUDE = re.compile(r"""include\s*([<"])([^>"\n]+)[>"]""")
_SHORT = 200
_MOST_USES = 200  # a tree of uses deeper or wider than this is data


def _python(text: str) -> Iterator[Binding]:
    """`import a.b as c`, and `from .m import x as y, z`."""
    text = _COMMENT.sub("", text)
    if match := _FROM.match(text):
        module = "".join(match[1].split())
        for part in match[2].strip("() \t\n").split(","):
            name, *alias = _AS.split(part.strip(" \t\n\\()"))
            if name:
                yield Binding(module, name, (alias or [name])[0])
        return
    for part in text.removeprefix("import").split(","):
        name, *alias = _AS.split(part.strip())
        if name:
            yield Binding(name, "", (alias or [name])[0])


def _javascript(text: str) -> Iterator[Binding]:
    """`import D, { a as b } from "m"`, `export … from`, `const x = require("m")`."""
    if match := _REQUIRED.match(text):
        target, module = match[1], match[2]
        if not target.startswith("{"):
            yield Binding(module, "", target)
        yield from _named(target.strip("{}") if target.startswith("{") else "", module, ":")
        return
    quoted = _QUOTED.findall(text)
    if not quoted or not text.startswith(("import", "export")):
        return
    module = quoted[-1]
    if match := _NAMESPACE.search(text):
        yield Binding(module, "", match[1])
    elif text.startswith("export") and "*" in text.split("{", 1)[0]:
        yield Binding(module, "*", "*")
    if match := _DEFAULT.match(text):
        yield Binding(module, "default", match[1])
    inside = _BRACES.search(text)
    yield from _named(inside[1] if inside else "", module, " as ")
    if not inside and text.startswith("import") and " from" not in text:
        yield Binding(module, "", "")


def _named(inside: str, module: str, by: str) -> Iterator[Binding]:
    for part in inside.split(","):
        name, _, alias = part.strip().removeprefix("type ").partition(by)
        if name.strip():
            yield Binding(module, name.strip(), alias.strip() or name.strip())


def _go(text: str) -> Iterator[Binding]:
    """`import f "a/b"`; without a name a package is called by the last part of its path that is no version."""
    for alias, module in _GO.findall(text.removeprefix("import")):
        parts = [part for part in module.split("/") if not _GO_VERSION.fullmatch(part)]
        last = parts[-1].split(".")[0].removeprefix("go-") if parts else module
        yield Binding(module, "*", "*") if alias == "." else Binding(module, "", alias or last)


def _java(text: str) -> Iterator[Binding]:
    """`import a.b.C`, `import static a.b.C.m`, `import a.b.*`."""
    name = text.removeprefix("import").strip(" ;\t\n").removeprefix("static ").strip()
    module, _, last = name.rpartition(".")
    if module:
        yield Binding(module, last, last)


def _csharp(text: str) -> Iterator[Binding]:
    """`using A.B`, `using static A.B.C`, `using X = A.B.C`."""
    text = text.strip(" ;\t\n").removeprefix("global ").removeprefix("using").strip().removeprefix("static ").strip()
    alias, equals, name = text.partition("=")
    if equals:
        module, _, last = name.strip().rpartition(".")
        yield Binding(module, last, alias.strip())
    elif text:
        yield Binding(text, "*", "*")


def _rust(text: str) -> Iterator[Binding]:
    """`use a::{b, c as d, e::*}`, and `mod name;`, which says that there is a file."""
    text = re.sub(r"^pub(\([^)]*\))?\s+", "", text.strip()).rstrip(";").strip()
    if text.startswith("mod "):
        name = text.removeprefix("mod ").strip()
        yield Binding(f"self::{name}", "", name)
        return
    body = "".join(text.removeprefix("use").replace(" as ", "@").split())
    stack, count = [("", body)], 0
    while stack and count < _MOST_USES:
        count += 1
        before, rest = stack.pop()
        head, brace, inside = rest.partition("{")
        if brace:
            stack.extend((before + head, part) for part in _split(inside.rpartition("}")[0]))
        elif rest:
            path, _, alias = (before + rest).partition("@")
            module, _, name = path.removesuffix("::self").rpartition("::")
            yield Binding(module, name, alias or name) if module else Binding(name, "", alias or name)


def _split(inside: str) -> Iterator[str]:
    """The parts between commas that stand in no deeper braces."""
    depth, start = 0, 0
    for at, sign in enumerate(inside):
        depth += (sign == "{") - (sign == "}")
        if sign == "," and not depth:
            yield inside[start:at]
            start = at + 1
    yield inside[start:]


def _c(text: str) -> Iterator[Binding]:
    if match := _INCLUDE.search(text):
        yield Binding(match[2] if match[1] == '"' else f"<{match[2]}>", "*", "*")


def _ruby(text: str) -> Iterator[Binding]:
    if match := _RUBY.match(text):
        yield Binding(f"./{match[2]}" if match[1] == "require_relative" else match[2], "*", "*")


READERS: Mapping[str, Callable[[str], Iterator[Binding]]] = {
    "c": _c,
    "cpp": _c,
    "csharp": _csharp,
    "go": _go,
    "java": _java,
    "javascript": _javascript,
    "python": _python,
    "ruby": _ruby,
    "rust": _rust,
    "tsx": _javascript,
    "typescript": _javascript,
}
"""Language -> what reads its import statements."""


def read(language: str, text: str) -> Sequence[Binding]:
    """What an import statement brings; the short ones are mostly the same in all files."""
    return _known(language, text) if len(text) <= _SHORT else tuple(READERS[language](text))


@lru_cache(maxsize=1 << 13)
def _known(language: str, text: str) -> Sequence[Binding]:
    return tuple(READERS[language](text))
