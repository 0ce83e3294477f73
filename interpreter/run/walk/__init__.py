"""The walk of one call: from the answer that it brings to the next phase that must wait."""

from .record import WalkPorts
from .walk import Walk
from .work import PhaseWork, PhaseWorker

__all__ = ["PhaseWork", "PhaseWorker", "Walk", "WalkPorts"]
