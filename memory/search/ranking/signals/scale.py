"""Scaling of signal values to 0..1."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]


def scale_to_max(values: Floats) -> Floats:
    """Divide the values by their maximum."""
    greatest = values.max(initial=0.0)
    return values / greatest if greatest > 0 else values
