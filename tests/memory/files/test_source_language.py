"""Which language a file is taken for, and what says that a program wrote it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aurora.memory.files.language import (
    PROSE_LANGUAGES,
    detect_generated_content,
    detect_language,
    load_detection_tables,
)
from aurora.memory.parsing.languages.registry import LANGUAGES


@pytest.mark.parametrize(
    ("path", "text", "language"),
    [
        ("a.py", "", "python"),
        ("src/App.JSX", "", "javascript"),
        ("a.tsx", "", "tsx"),
        ("types.d.ts", "", "typescript"),
        ("Program.cs", "", "csharp"),
        ("list.h", "#include <stdio.h>\nint a(void);\n", "c"),
        ("list.h", "#include <vector>\n", "cpp"),
        ("list.h", "namespace a {\n}\n", "cpp"),
        ("list.h", "/* the class of things */\nstruct class_info;\n", "c"),
        ("Makefile", "", "make"),
        ("docker/Dockerfile", "", "dockerfile"),
        ("CMakeLists.txt", "", "cmake"),
        ("notes.txt", "", "text"),
        ("README", "", "text"),
        ("README.md", "", "markdown"),
        ("bin/run", "#!/usr/bin/env -S python3 -u\n", "python"),
        ("bin/run", "#!/bin/sh -e\n", "shell"),
        ("bin/run", "#!/usr/bin/env node\n", "javascript"),
        ("bin/run", "#!/opt/odd/thing\n", "plain"),
        ("bin/run", "echo hello\n", "plain"),
        (".gitignore", "", "plain"),
        ("a.unknown", "", "plain"),
        ("folder.py/data", "", "plain"),
    ],
)
def test_the_language_is_detected_by_name_extension_or_first_line(path: str, text: str, language: str) -> None:
    assert detect_language(path, text) == language


def test_every_language_with_a_grammar_has_an_extension() -> None:
    assert set(LANGUAGES) <= set(load_detection_tables().extensions.values())


def test_the_tables_are_in_lower_case() -> None:
    tables = load_detection_tables()
    keys = [*tables.extensions, *tables.names, *tables.interpreters]
    assert keys == [key.lower() for key in keys]
    assert not PROSE_LANGUAGES & set(LANGUAGES)


@settings(max_examples=50)
@given(st.sampled_from(["\n", " \r\n", "\u2028", ""]), st.sampled_from(["", "# Title\n", "<!-- aurora:end -->\n"]))
def test_the_init_stamp_counts_only_at_the_end_and_its_block_only_alone(blank: str, other: str) -> None:
    stamp, block = "<!-- aur init 67e8bd1e -->", "<!-- aurora:begin -->\nx\n<!-- aurora:end -->"
    assert detect_generated_content(f"{other}{stamp}{blank}", "markdown") == "`aur init` wrote it"
    assert detect_generated_content(f"{blank}{block}{blank}", "markdown") == "`aur init` wrote it"
    assert detect_generated_content(f"{stamp}{blank}.", "markdown") is None
    assert detect_generated_content(f"{block}{blank}.", "markdown") is None
