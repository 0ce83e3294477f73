"""Lines that several views share."""

from __future__ import annotations

from .blocks import Line

MORE = Line(("more: --offset {next_offset}", "dim"))
"""How to read on where a page ends."""

NOTE = Line(("{note}", "yellow"))
