"""Detection of a file's language by its name, its extension or its first line."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from aurora.memory.parsing.languages import LANGUAGES, load_language

if TYPE_CHECKING:
    from collections.abc import Mapping

PROSE_LANGUAGES = frozenset({"markdown", "rst", "text"})
"""Languages of documents: their chunks have the type `know`, all others `code`."""

UNKNOWN_LANGUAGE = "plain"
"""A text file in an unknown language."""

_EXTENSIONS: Mapping[str, str] = {
    ".adoc": "text",
    ".bat": "batch",
    ".bib": "text",
    ".cfg": "ini",
    ".clj": "clojure",
    ".cmake": "cmake",
    ".conf": "conf",
    ".css": "css",
    ".csv": "csv",
    ".dart": "dart",
    ".dockerfile": "dockerfile",
    ".el": "lisp",
    ".erl": "erlang",
    ".ex": "elixir",
    ".exs": "elixir",
    ".fish": "fish",
    ".fs": "fsharp",
    ".gql": "graphql",
    ".gradle": "groovy",
    ".graphql": "graphql",
    ".groovy": "groovy",
    ".hcl": "hcl",
    ".hs": "haskell",
    ".htm": "html",
    ".html": "html",
    ".ini": "ini",
    ".ipynb": "notebook",
    ".jinja": "jinja",
    ".j2": "jinja",
    ".jl": "julia",
    ".json": "json",
    ".json5": "json",
    ".jsonc": "json",
    ".jsonl": "json",
    ".kt": "kotlin",
    ".kts": "kotlin",
    ".less": "css",
    ".lisp": "lisp",
    ".lua": "lua",
    ".m": "objective-c",
    ".markdown": "markdown",
    ".md": "markdown",
    ".mdc": "markdown",
    ".mdx": "markdown",
    ".mk": "make",
    ".ml": "ocaml",
    ".mm": "objective-c",
    ".nim": "nim",
    ".nix": "nix",
    ".org": "text",
    ".pl": "perl",
    ".pm": "perl",
    ".properties": "properties",
    ".proto": "protobuf",
    ".ps1": "powershell",
    ".r": "r",
    ".rst": "rst",
    ".sass": "css",
    ".scala": "scala",
    ".scm": "lisp",
    ".scss": "css",
    ".sol": "solidity",
    ".sql": "sql",
    ".svelte": "svelte",
    ".svg": "xml",
    ".swift": "swift",
    ".tcl": "tcl",
    ".tex": "latex",
    ".text": "text",
    ".tf": "hcl",
    ".thrift": "thrift",
    ".toml": "toml",
    ".tsv": "csv",
    ".txt": "text",
    ".vim": "vim",
    ".vue": "vue",
    ".xhtml": "html",
    ".xml": "xml",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".zig": "zig",
    ".zsh": "zsh",
}
"""Languages without a grammar by the last extension, in lower case."""

_NAMES: Mapping[str, str] = {
    "authors": "text",
    "build": "starlark",
    "build.bazel": "starlark",
    "changelog": "text",
    "changes": "text",
    "cmakelists.txt": "cmake",
    "codeowners": "conf",
    "containerfile": "dockerfile",
    "contributing": "text",
    "contributors": "text",
    "copying": "text",
    "dockerfile": "dockerfile",
    "gnumakefile": "make",
    "history": "text",
    "install": "text",
    "jenkinsfile": "groovy",
    "justfile": "make",
    "license": "text",
    "licence": "text",
    "makefile": "make",
    "news": "text",
    "notice": "text",
    "procfile": "conf",
    "readme": "text",
    "requirements.txt": "conf",
    "thanks": "text",
    "todo": "text",
    "workspace": "starlark",
}
"""Languages without a grammar by the whole file name, in lower case."""

_INTERPRETERS: Mapping[str, str] = {
    "fish": "fish",
    "lua": "lua",
    "perl": "perl",
    "zsh": "zsh",
}

_SHEBANG = re.compile(r"#![ \t]*(?:\S*/)?(?:env[ \t]+(?:-\S+[ \t]+)*(?:\S*/)?)?([A-Za-z]+)")


class DetectionTables(NamedTuple):
    """The languages by extension, by file name and by interpreter, those with a grammar included.

    Attributes:
        extensions: the last extension, in lower case with the dot.
        names: the whole file name, in lower case; it is looked up before the extension.
        interpreters: the command of a `#!` line, without its version.
        overrides: languages that claim another one's extension when their pattern is in the text.
    """

    extensions: dict[str, str]
    names: dict[str, str]
    interpreters: dict[str, str]
    overrides: dict[str, tuple[re.Pattern[str], str]]


@cache
def load_detection_tables() -> DetectionTables:
    """Load the tables, with the rows that the languages with a grammar declare."""
    tables = DetectionTables(dict(_EXTENSIONS), dict(_NAMES), dict(_INTERPRETERS), {})
    for language in map(load_language, LANGUAGES):
        tables.extensions.update(dict.fromkeys(language.extensions, language.name))
        tables.names.update(dict.fromkeys(language.file_names, language.name))
        tables.interpreters.update(dict.fromkeys(language.interpreters, language.name))
        for extension, pattern in language.shared_extensions.items():
            tables.overrides[extension] = (pattern, language.name)
    return tables


def detect_language(path: str, text: str = "") -> str:
    """Detect the language of a file.

    Args:
        path: with forward slashes; only its last part counts.
        text: the content, for a `#!` line where the name decides nothing, and to tell C from C++ in a `.h`.

    Returns:
        A name in lower case; `plain` for an unknown language.
    """
    tables = load_detection_tables()
    name = path.rsplit("/", 1)[-1].lower()
    if name in tables.names:
        return tables.names[name]
    stem, dot, extension = name.rpartition(".")
    if stem and dot and (language := tables.extensions.get(f".{extension}")):
        pattern, other = tables.overrides.get(f".{extension}", (None, language))
        return other if pattern is not None and pattern.search(text) else language
    if match := _SHEBANG.match(text):
        return tables.interpreters.get(match[1].lower(), UNKNOWN_LANGUAGE)
    return tables.names.get(stem, UNKNOWN_LANGUAGE) if stem and extension.isdigit() else UNKNOWN_LANGUAGE
