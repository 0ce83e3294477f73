"""Texts that hosts read: slash commands, skills, rules and notes."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .find import AssistantText, find_texts
    from .locations import TEXT_LOCATIONS, TextLocation

__all__ = ["TEXT_LOCATIONS", "AssistantText", "TextLocation", "find_texts"]

__getattr__ = export_lazily(
    __name__,
    {
        "find": ["AssistantText", "find_texts"],
        "locations": ["TEXT_LOCATIONS", "TextLocation"],
    },
)
