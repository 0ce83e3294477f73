"""Context for the hooks of assistants, and the thread that answers them."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .context import MAX_TOKENS, HookContext, find_file_context, find_prompt_context, find_session_context
    from .listener import HookListener, remove_note, write_note

__all__ = [
    "MAX_TOKENS",
    "HookContext",
    "HookListener",
    "find_file_context",
    "find_prompt_context",
    "find_session_context",
    "remove_note",
    "write_note",
]

__getattr__ = export_lazily(
    __name__,
    {
        "context": ["MAX_TOKENS", "HookContext", "find_file_context", "find_prompt_context", "find_session_context"],
        "listener": ["HookListener", "remove_note", "write_note"],
    },
)
