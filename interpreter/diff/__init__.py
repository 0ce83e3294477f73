"""Two editions of a workflow held against each other: what changed in what they do, and not in how they are written."""

from .change import Change
from .comparison import Comparison, compare

__all__ = ["Change", "Comparison", "compare"]
