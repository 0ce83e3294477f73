"""Address of a database server, whose URL is secret."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Database server and the project in it.

    Attributes:
        url: connection URL with its password, never shown.
        project: name of the project.
        place: hosts and database without user, password and options.
    """

    url: str = field(repr=False)
    project: str
    place: str

    def __str__(self) -> str:
        return f"{self.place}, project {self.project}"
