"""The languages that Aurora parses; to add one, write its rules beside the others and name them here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import c as lang_c
from . import csharp as lang_csharp
from . import go as lang_go
from . import java as lang_java
from . import javascript as lang_javascript
from . import python as lang_python
from . import ruby as lang_ruby
from . import rust as lang_rust

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .rules import Rules

LANGUAGE_RULES: Mapping[str, Rules] = {
    "c": lang_c.C,
    "cpp": lang_c.CPP,
    "csharp": lang_csharp.RULES,
    "go": lang_go.RULES,
    "java": lang_java.RULES,
    "javascript": lang_javascript.JAVASCRIPT,
    "python": lang_python.RULES,
    "ruby": lang_ruby.RULES,
    "rust": lang_rust.RULES,
    "tsx": lang_javascript.TSX,
    "typescript": lang_javascript.TYPESCRIPT,
}
