"""Pictures of a workflow: what is drawn, and how each format says it."""

from .dot import dot
from .html import page
from .layout import Picture, picture
from .mermaid import mermaid
from .svg import draw

__all__ = ["Picture", "dot", "draw", "mermaid", "page", "picture"]
