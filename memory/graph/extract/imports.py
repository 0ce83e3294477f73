"""What an import statement brings into a file, read out of its text: one function a language."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from aurora.memory.model import ImportBinding

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
_MAX_CACHED_CHARS = 200
_MAX_USES = 200  # a tree of uses deeper or wider than this is data


def _read_python(text: str) -> Iterator[ImportBinding]:
    """`import a.b as c`, and `from .m import x as y, z`."""
    text = _COMMENT.sub("", text)
    if match := _FROM.match(text):
        module = "".join(match[1].split())
        for part in match[2].strip("() \t\n").split(","):
            name, *alias = _AS.split(part.strip(" \t\n\\()"))
            if name:
                yield ImportBinding(module, name, (alias or [name])[0])
        return
    for part in text.removeprefix("import").split(","):
        name, *alias = _AS.split(part.strip())
        if name:
            yield ImportBinding(name, "", (alias or [name])[0])


def _read_javascript(text: str) -> Iterator[ImportBinding]:
    """`import D, { a as b } from "m"`, `export … from`, `const x = require("m")`."""
    if match := _REQUIRED.match(text):
        target, module = match[1], match[2]
        if not target.startswith("{"):
            yield ImportBinding(module, "", target)
        yield from _read_names(target.strip("{}") if target.startswith("{") else "", module, ":")
        return
    quoted = _QUOTED.findall(text)
    if not quoted or not text.startswith(("import", "export")):
        return
    module = quoted[-1]
    if match := _NAMESPACE.search(text):
        yield ImportBinding(module, "", match[1])
    elif text.startswith("export") and "*" in text.split("{", 1)[0]:
        yield ImportBinding(module, "*", "*")
    if match := _DEFAULT.match(text):
        yield ImportBinding(module, "default", match[1])
    inside = _BRACES.search(text)
    yield from _read_names(inside[1] if inside else "", module, " as ")
    if not inside and text.startswith("import") and " from" not in text:
        yield ImportBinding(module, "", "")


def _read_names(inside: str, module: str, by: str) -> Iterator[ImportBinding]:
    for part in inside.split(","):
        name, _, alias = part.strip().removeprefix("type ").partition(by)
        if name.strip():
            yield ImportBinding(module, name.strip(), alias.strip() or name.strip())


def _read_go(text: str) -> Iterator[ImportBinding]:
    """`import f "a/b"`; without a name a package is called by the last part of its path that is no version."""
    for alias, module in _GO.findall(text.removeprefix("import")):
        parts = [part for part in module.split("/") if not _GO_VERSION.fullmatch(part)]
        last = parts[-1].split(".")[0].removeprefix("go-") if parts else module
        yield ImportBinding(module, "*", "*") if alias == "." else ImportBinding(module, "", alias or last)


def _read_java(text: str) -> Iterator[ImportBinding]:
    """`import a.b.C`, `import static a.b.C.m`, `import a.b.*`."""
    name = text.removeprefix("import").strip(" ;\t\n").removeprefix("static ").strip()
    module, _, last = name.rpartition(".")
    if module:
        yield ImportBinding(module, last, last)


def _read_csharp(text: str) -> Iterator[ImportBinding]:
    """`using A.B`, `using static A.B.C`, `using X = A.B.C`."""
    text = text.strip(" ;\t\n").removeprefix("global ").removeprefix("using").strip().removeprefix("static ").strip()
    alias, equals, name = text.partition("=")
    if equals:
        module, _, last = name.strip().rpartition(".")
        yield ImportBinding(module, last, alias.strip())
    elif text:
        yield ImportBinding(text, "*", "*")


def _read_rust(text: str) -> Iterator[ImportBinding]:
    """`use a::{b, c as d, e::*}`, and `mod name;`, which says that there is a file."""
    text = re.sub(r"^pub(\([^)]*\))?\s+", "", text.strip()).rstrip(";").strip()
    if text.startswith("mod "):
        name = text.removeprefix("mod ").strip()
        yield ImportBinding(f"self::{name}", "", name)
        return
    body = "".join(text.removeprefix("use").replace(" as ", "@").split())
    stack, count = [("", body)], 0
    while stack and count < _MAX_USES:
        count += 1
        before, rest = stack.pop()
        head, brace, inside = rest.partition("{")
        if brace:
            stack.extend((before + head, part) for part in _split_uses(inside.rpartition("}")[0]))
        elif rest:
            path, _, alias = (before + rest).partition("@")
            module, _, name = path.removesuffix("::self").rpartition("::")
            yield ImportBinding(module, name, alias or name) if module else ImportBinding(name, "", alias or name)


def _split_uses(inside: str) -> Iterator[str]:
    """The parts between commas that stand in no deeper braces."""
    depth, start = 0, 0
    for at, sign in enumerate(inside):
        depth += (sign == "{") - (sign == "}")
        if sign == "," and not depth:
            yield inside[start:at]
            start = at + 1
    yield inside[start:]


def _read_include(text: str) -> Iterator[ImportBinding]:
    if match := _INCLUDE.search(text):
        yield ImportBinding(match[2] if match[1] == '"' else f"<{match[2]}>", "*", "*")


def _read_ruby(text: str) -> Iterator[ImportBinding]:
    if match := _RUBY.match(text):
        yield ImportBinding(f"./{match[2]}" if match[1] == "require_relative" else match[2], "*", "*")


IMPORT_READERS: Mapping[str, Callable[[str], Iterator[ImportBinding]]] = {
    "c": _read_include,
    "cpp": _read_include,
    "csharp": _read_csharp,
    "go": _read_go,
    "java": _read_java,
    "javascript": _read_javascript,
    "python": _read_python,
    "ruby": _read_ruby,
    "rust": _read_rust,
    "tsx": _read_javascript,
    "typescript": _read_javascript,
}
"""Language -> what reads its import statements."""


def read_imports(language: str, text: str) -> Sequence[ImportBinding]:
    """What an import statement brings; the short ones are mostly the same in all files."""
    return _read_cached(language, text) if len(text) <= _MAX_CACHED_CHARS else tuple(IMPORT_READERS[language](text))


@lru_cache(maxsize=1 << 13)
def _read_cached(language: str, text: str) -> Sequence[ImportBinding]:
    return tuple(IMPORT_READERS[language](text))
