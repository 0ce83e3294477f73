"""A fault of a template."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aurora.interpreter.problems import ProblemKind


@dataclass(frozen=True, slots=True)
class TemplateFault:
    """A fault of a template, at a span of its characters."""

    kind: ProblemKind
    span: tuple[int, int]
    message: str
    help: str = ""
