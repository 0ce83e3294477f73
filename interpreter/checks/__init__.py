"""What is looked at in a workflow that could be read: one module a concern, listed in the registry."""

from .registry import check, check_rest

__all__ = ["check", "check_rest"]
