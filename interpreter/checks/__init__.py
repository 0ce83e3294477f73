"""What is looked at in a workflow that could be read: one module a concern, listed in the registry."""

from .registry import check

__all__ = ["check"]
