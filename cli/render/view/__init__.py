"""Declared terminal views: blocks that print a tool's output from templates."""

from .blocks import Blank, Block, Cell, Each, JsonTree, Line, Passage, Raw, Report, Table, View, When
from .common import MORE, NOTE
from .template import Item, Joined, Part, choose_style, look_up

__all__ = [
    "MORE",
    "NOTE",
    "Blank",
    "Block",
    "Cell",
    "Each",
    "Item",
    "Joined",
    "JsonTree",
    "Line",
    "Part",
    "Passage",
    "Raw",
    "Report",
    "Table",
    "View",
    "When",
    "choose_style",
    "look_up",
]
