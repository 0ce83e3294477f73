"""Places of the pushed projects of a server, and their recovery before it listens."""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING

from aurora.faults import Fault
from aurora.serve.indexer import Indexer
from aurora.serve.signals import exit_on_sigterm

from .endpoint import map_projects
from .project import BASE
from .publisher import make_write_fault

if TYPE_CHECKING:
    from pathlib import Path

    from aurora.serve.settings import ServeSettings

PUSH_FOLDER = "pushes"


def place_pushes(settings: ServeSettings, state_folder: Path) -> ServeSettings:
    """Give each pushed project its folder below the state folder."""
    projects = {
        name: one.model_copy(update={"folder": str(state_folder / PUSH_FOLDER / name / BASE)}) if one.push else one
        for name, one in settings.projects.items()
    }
    return settings.model_copy(update={"projects": projects})


def recover_pushes(settings: ServeSettings) -> None:
    """Make the folders of pushed projects, and complete interrupted pushes.

    What cannot be completed is reported on standard error.

    Args:
        settings: the placed settings.

    Raises:
        Fault: UPSTREAM_ERROR when a folder cannot be made.
    """
    indexer = Indexer(settings.projects)
    with exit_on_sigterm():
        for name, project in map_projects(settings.projects).items():
            try:
                project.prepare()
                project.recover(functools.partial(indexer.index, name))
            except OSError as error:
                raise make_write_fault(error) from error
            except Fault as fault:
                sys.stderr.write(f"aur: project {name}: {fault.message}; the next push or start goes on\n")
