"""Pictures of a workflow: what is drawn, and how each format says it."""

from .dot import dot
from .drawing import draw
from .mermaid import mermaid
from .page import page
from .picture import Picture, picture

__all__ = ["Picture", "dot", "draw", "mermaid", "page", "picture"]
