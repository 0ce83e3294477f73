"""Signatures of definitions, and the first line of their documentation."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from aurora.memory.parsing.languages import read_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurora.memory.parsing import Definition

_MAX_CHARS = 200
_COMMENT_MARKERS = "/*#!<>-= \t"
_TAG_PATTERN = re.compile(r"</?[a-z]+[^<>]*>")  # <summary> in C#, <p> in Java
_STRING_PREFIXES = b"\"'rRbBuUfF"  # the first byte of a string
_STRING_START = re.compile(r"""[rRbBuUfF]{0,2}("{3}|'{3}|"|')""")
_STRING_ENDS = ('"' * 3, "'" * 3, '"', "'")


def extract_signature(source: bytes, made: Definition) -> str:
    """Extract a definition up to its body, on one line: `def raw_decode(self, s, idx=0)`."""
    start = made.signature_start
    end = made.body.start_byte if made.body is not None else made.node.end_byte
    if made.body is None or end <= start:
        end = source.find(b"\n", start, made.node.end_byte)
        end = made.node.end_byte if end < 0 else end
    raw = source[start : min(end, start + 4 * _MAX_CHARS)].decode("utf-8", "ignore")
    return " ".join(raw.split())[:_MAX_CHARS].removesuffix("=>").rstrip(" {:=")


def extract_doc(lines: Sequence[str], source: bytes, made: Definition, *, docstring: bool) -> str:
    """Extract the first line of its docstring, else of the comment above it; empty without either."""
    if docstring and made.body is not None and (text := _read_docstring(made, source)):
        return text
    for row in range(made.start, made.head):
        text = _TAG_PATTERN.sub("", lines[row]).strip(_COMMENT_MARKERS)
        if text and not lines[row].lstrip().startswith(("@", "#[", "[")):
            return text[:_MAX_CHARS]
    return ""


def extract_module_doc(lines: Sequence[str], start: int, end: int) -> str:
    """Extract the first line of the string at the start of a file."""
    for row in range(start, min(end, start + 3) + 1):
        if (match := _STRING_START.match(lines[row])) and (text := _strip_end(lines[row][match.end() :].strip())):
            return text[:_MAX_CHARS]
    return ""


def _strip_end(text: str) -> str:
    """Strip the quotation marks at the end of a string."""
    end = next((end for end in _STRING_ENDS if text.endswith(end)), "")
    return text.removesuffix(end).rstrip()


def _read_docstring(made: Definition, source: bytes) -> str:
    """Read the first line of text of the string at the start of the body."""
    body = made.body
    if (
        body is None
        or source[body.start_byte : body.start_byte + 1] not in _STRING_PREFIXES
        or not body.named_child_count
    ):
        return ""
    first = body.named_child(0)
    text = first.named_child(0) if first is not None and first.type == "expression_statement" else None
    if text is None or text.type != "string":
        return ""
    content = next((child for child in text.named_children if child.type == "string_content"), None)
    for line in read_text(content, source)[: 4 * _MAX_CHARS].splitlines():
        if line.strip():
            return line.strip()[:_MAX_CHARS]
    return ""
