"""Language of a file by its name, extension or first line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

PROSE_LANGUAGES = frozenset({"markdown", "rst", "text"})
"""Languages of documents, which become knowledge (`know`); everything else is `code`."""

UNKNOWN_LANGUAGE = "plain"
"""A text file of unknown language."""

LANGUAGES_BY_EXTENSION: Mapping[str, str] = {
    ".adoc": "text",
    ".bash": "shell",
    ".bat": "batch",
    ".bib": "text",
    ".c": "c",
    ".cc": "cpp",
    ".cfg": "ini",
    ".cjs": "javascript",
    ".clj": "clojure",
    ".cmake": "cmake",
    ".conf": "conf",
    ".cpp": "cpp",
    ".cs": "csharp",
    ".css": "css",
    ".csv": "csv",
    ".cts": "typescript",
    ".cxx": "cpp",
    ".dart": "dart",
    ".dockerfile": "dockerfile",
    ".el": "lisp",
    ".erl": "erlang",
    ".ex": "elixir",
    ".exs": "elixir",
    ".fish": "shell",
    ".fs": "fsharp",
    ".gemspec": "ruby",
    ".go": "go",
    ".gql": "graphql",
    ".gradle": "groovy",
    ".graphql": "graphql",
    ".groovy": "groovy",
    ".h": "c",
    ".hcl": "hcl",
    ".hh": "cpp",
    ".hpp": "cpp",
    ".hs": "haskell",
    ".htm": "html",
    ".html": "html",
    ".hxx": "cpp",
    ".inc": "cpp",
    ".ini": "ini",
    ".ipp": "cpp",
    ".ipynb": "notebook",
    ".java": "java",
    ".jinja": "jinja",
    ".j2": "jinja",
    ".jl": "julia",
    ".js": "javascript",
    ".json": "json",
    ".json5": "json",
    ".jsonc": "json",
    ".jsonl": "json",
    ".jsx": "javascript",
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
    ".mjs": "javascript",
    ".mk": "make",
    ".ml": "ocaml",
    ".mm": "objective-c",
    ".mts": "typescript",
    ".nim": "nim",
    ".nix": "nix",
    ".org": "text",
    ".php": "php",
    ".pl": "perl",
    ".pm": "perl",
    ".properties": "properties",
    ".proto": "protobuf",
    ".ps1": "powershell",
    ".py": "python",
    ".pyi": "python",
    ".pyw": "python",
    ".r": "r",
    ".rake": "ruby",
    ".rb": "ruby",
    ".rs": "rust",
    ".rst": "rst",
    ".sass": "css",
    ".scala": "scala",
    ".scm": "lisp",
    ".scss": "css",
    ".sh": "shell",
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
    ".ts": "typescript",
    ".tsv": "csv",
    ".tsx": "tsx",
    ".txt": "text",
    ".vim": "vim",
    ".vue": "vue",
    ".xhtml": "html",
    ".xml": "xml",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".zig": "zig",
    ".zsh": "shell",
}
"""By the last extension, in lower case."""

LANGUAGES_BY_NAME: Mapping[str, str] = {
    "authors": "text",
    "brewfile": "ruby",
    "build": "starlark",
    "build.bazel": "starlark",
    "capfile": "ruby",
    "changelog": "text",
    "changes": "text",
    "cmakelists.txt": "cmake",
    "codeowners": "conf",
    "containerfile": "dockerfile",
    "contributing": "text",
    "contributors": "text",
    "copying": "text",
    "dockerfile": "dockerfile",
    "gemfile": "ruby",
    "gnumakefile": "make",
    "guardfile": "ruby",
    "history": "text",
    "install": "text",
    "jenkinsfile": "groovy",
    "justfile": "make",
    "license": "text",
    "licence": "text",
    "makefile": "make",
    "news": "text",
    "notice": "text",
    "podfile": "ruby",
    "procfile": "conf",
    "rakefile": "ruby",
    "readme": "text",
    "requirements.txt": "conf",
    "thanks": "text",
    "todo": "text",
    "vagrantfile": "ruby",
    "workspace": "starlark",
}
"""By the whole name, in lower case; takes precedence over the extension."""

_INTERPRETERS: Mapping[str, str] = {
    "ash": "shell",
    "bash": "shell",
    "bun": "typescript",
    "dash": "shell",
    "deno": "typescript",
    "ksh": "shell",
    "lua": "lua",
    "node": "javascript",
    "perl": "perl",
    "php": "php",
    "pypy": "python",
    "python": "python",
    "ruby": "ruby",
    "sh": "shell",
    "zsh": "shell",
}

_SHEBANG = re.compile(r"#![ \t]*(?:\S*/)?(?:env[ \t]+(?:-\S+[ \t]+)*(?:\S*/)?)?([A-Za-z]+)")
_CPP_PATTERN = re.compile(
    r"^[ \t]*(?:class[ \t]+\w|namespace\b|template[ \t]*<|using[ \t]+\w|(?:public|private|protected):)"
    r"|^[ \t]*#[ \t]*include[ \t]*<[a-z_]+>|\bstd::",
    re.MULTILINE,
)


def detect_language(path: str, text: str = "") -> str:
    """Detect the language of a file.

    Args:
        path: with forward slashes; only its last part counts.
        text: the content, for a `#!` line where the name is not conclusive, and to distinguish C from C++ in a `.h`.

    Returns:
        A name in lower case; `plain` when unknown.
    """
    name = path.rsplit("/", 1)[-1].lower()
    if name in LANGUAGES_BY_NAME:
        return LANGUAGES_BY_NAME[name]
    stem, dot, extension = name.rpartition(".")
    if stem and dot and (language := LANGUAGES_BY_EXTENSION.get(f".{extension}")):
        return "cpp" if extension == "h" and _CPP_PATTERN.search(text) else language
    if match := _SHEBANG.match(text):
        return _INTERPRETERS.get(match[1].lower(), UNKNOWN_LANGUAGE)
    return LANGUAGES_BY_NAME.get(stem, UNKNOWN_LANGUAGE) if stem and extension.isdigit() else UNKNOWN_LANGUAGE
