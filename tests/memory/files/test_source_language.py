"""Which language a file is taken for."""

from __future__ import annotations

import pytest

from aurora.memory.files.language import LANGUAGES_BY_EXTENSION, LANGUAGES_BY_NAME, PROSE_LANGUAGES, detect_language
from aurora.memory.parsing.languages.registry import LANGUAGE_RULES


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
def test_the_language_is_told_by_name_extension_or_first_line(path: str, text: str, language: str) -> None:
    assert detect_language(path, text) == language


def test_every_language_with_a_grammar_has_an_extension() -> None:
    assert set(LANGUAGE_RULES) <= set(LANGUAGES_BY_EXTENSION.values())


def test_the_tables_are_in_lower_case() -> None:
    keys = [*LANGUAGES_BY_EXTENSION, *LANGUAGES_BY_NAME]
    assert keys == [key.lower() for key in keys]
    assert not PROSE_LANGUAGES & set(LANGUAGE_RULES)
