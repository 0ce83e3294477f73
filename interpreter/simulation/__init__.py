"""Workflows walked without a host: whatever they need is made from their schemas, or taken from a script."""

from .coverage import Coverage, items
from .paths import Path
from .simulate import Bounds, Simulation, simulate
from .unreached import Suspect

__all__ = ["Bounds", "Coverage", "Path", "Simulation", "Suspect", "items", "simulate"]
