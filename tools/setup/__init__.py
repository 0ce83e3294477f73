"""Tools that set up a project for its assistants, and that check it."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .doctor import MCPFunctionalChecks

__all__ = ["MCPFunctionalChecks"]

__getattr__ = export_lazily(__name__, {"doctor": ["MCPFunctionalChecks"]})
