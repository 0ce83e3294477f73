"""Lines that several views share."""

from __future__ import annotations

from .blocks import Line

MORE = Line(("more: --offset {next_offset}", "dim"))
"""The line that tells the option to continue after a page."""

NOTE = Line(("{note}", "yellow"))
