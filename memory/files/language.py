"""Language of a file by its name, extension or first line, and whether a program generated it."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from aurora.memory.parsing.languages import LANGUAGES, load_language

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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
    ".fish": "fish",
    ".fs": "fsharp",
    ".gql": "graphql",
    ".gradle": "groovy",
    ".graphql": "graphql",
    ".groovy": "groovy",
    ".hcl": "hcl",
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
    ".less": "css",
    ".lisp": "lisp",
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
    ".scm": "lisp",
    ".scss": "css",
    ".sol": "solidity",
    ".sql": "sql",
    ".svelte": "svelte",
    ".svg": "xml",
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
    # Before the extension: CMakeLists.txt and requirements.txt are no prose.
    if name in tables.names:
        return tables.names[name]
    stem, dot, extension = name.rpartition(".")
    if stem and dot and (language := tables.extensions.get(f".{extension}")):
        pattern, other = tables.overrides.get(f".{extension}", (None, language))
        return other if pattern is not None and pattern.search(text) else language
    if match := _SHEBANG.match(text):
        return tables.interpreters.get(match[1].lower(), UNKNOWN_LANGUAGE)
    return tables.names.get(stem, UNKNOWN_LANGUAGE) if stem and extension.isdigit() else UNKNOWN_LANGUAGE


LOCK_FILES = frozenset(
    {
        ".terraform.lock.hcl",
        "bun.lock",
        "cargo.lock",
        "composer.lock",
        "deno.lock",
        "flake.lock",
        "gemfile.lock",
        "go.sum",
        "gradle.lockfile",
        "mix.lock",
        "npm-shrinkwrap.json",
        "package-lock.json",
        "package.resolved",
        "packages.lock.json",
        "pdm.lock",
        "pipfile.lock",
        "pnpm-lock.yaml",
        "podfile.lock",
        "poetry.lock",
        "pubspec.lock",
        "uv.lock",
        "yarn.lock",
    }
)
"""File names in lower case."""

GENERATED_SUFFIXES = (
    ".min.js",
    ".min.mjs",
    ".min.css",
    ".js.map",
    ".css.map",
    ".bundle.js",
    "_pb2.py",
    "_pb2_grpc.py",
    ".pb.go",
)

_HEAD_LINES = 20
_HEAD_CHARS = 4_000
_BLOCK_COMMENTS = {"/*": "*/", "<!--": "-->", '"""': '"""', "'''": "'''"}
_COMMENT = re.compile(r"\s*(?:#|//|/\*|\*|--|;|<!--|%|\"{3}|'{3}|@rem\b)", re.IGNORECASE)
_GENERATED_MARK = re.compile(
    r"@generated\b|\bdo not (?:edit|modify)\b|\bcode generated (?:by|from)\b|"
    r"\b(?:auto-?generated|automatically generated|machine generated) (?:by|from|file|code|using)\b|<auto-generated",
    re.IGNORECASE,
)
_INIT_STAMP = re.compile(r"(?:<!--|#) aur init [0-9a-f]{8}(?: -->)?\Z")
_INIT_STAMP_CHARS = 40
_INIT_BLOCK = re.compile(r"<!-- aurora:begin(?:(?!aurora:end)[\s\S])*<!-- aurora:end -->\Z")
"""A file of `aur init`, or one with nothing but its block: it would match every question about Aurora."""
EXPORT_PREFIX = '{"aurora":"memory"'
"""Prefix of an export of a memory; its records are in the memory that it came from or goes to."""
_LONG_LINE = 500
_LONG_PARAGRAPH = 20_000
_MIN_LENGTH = 5_000  # characters; a short file may have one long line


def detect_generated_name(path: str) -> str | None:
    """Detect a generated file by its name; return the reason or None."""
    name = path.rsplit("/", 1)[-1].lower()
    if name in LOCK_FILES:
        return "a lock file"
    ending = next((end for end in GENERATED_SUFFIXES if name.endswith(end)), None)
    return f'its name ends in "{ending}"' if ending else None


def detect_generated_content(text: str, language: str) -> str | None:
    """Detect a generated file by its content; return the reason or None.

    In documents only the length of lines counts, since they may describe generated files.
    """
    bare = text.strip()
    # Only at the end, or alone: a document may quote the stamp, and notes of a person may surround the block.
    if _INIT_STAMP.search(bare, max(0, len(bare) - _INIT_STAMP_CHARS)) or _INIT_BLOCK.match(bare):
        return "`aur init` wrote it"
    if text.startswith(EXPORT_PREFIX):
        return "`aur mem export` wrote it"
    limit = _LONG_PARAGRAPH if language in PROSE_LANGUAGES else _LONG_LINE
    if len(text) > _MIN_LENGTH and _count_long_line_chars(text, limit) > len(text) // 2:
        return f"minified: more than half of it is in lines of over {limit:,} characters"
    if language in PROSE_LANGUAGES:
        return None
    # Generators mark the head. Further down such words are those of a file that handles generated code, like this
    # one.
    for number, line in enumerate(_iter_head_comments(text), 1):
        if match := _GENERATED_MARK.search(line):
            return f'line {number} says "{match[0]}"'
    return None


def _count_long_line_chars(text: str, limit: int) -> int:
    """Count the characters in lines longer than `limit`; skip many short lines at once."""
    long = start = 0
    while start < len(text):
        end = text.rfind("\n", start, start + limit + 1)
        if end < 0:
            end = text.find("\n", start + limit)
            end = end if end >= 0 else len(text)
            long += end - start if end - start > limit else 0
        start = end + 1
    return long


def _iter_head_comments(text: str) -> Iterator[str]:
    """Yield the comment lines at the beginning of a file, up to its first code."""
    inside: str | None = None  # end sign of the open comment
    for line in text[:_HEAD_CHARS].split("\n", _HEAD_LINES)[:_HEAD_LINES]:
        if inside is None and line.strip() and not _COMMENT.match(line):
            return
        yield line
        opening = next((sign for sign in _BLOCK_COMMENTS if line.lstrip().startswith(sign)), None)
        rest = line.split(opening, 1)[1] if inside is None and opening else line
        inside = inside or (_BLOCK_COMMENTS[opening] if opening else None)
        if inside is not None and inside in rest:
            inside = None
