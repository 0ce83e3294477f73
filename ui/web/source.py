"""Projects that a page shows, and the person who looks at it; whoever authenticates provides both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from aurora.faults import Code, Fault

if TYPE_CHECKING:
    from collections.abc import MutableMapping, Sequence
    from contextlib import AbstractContextManager
    from typing import Any

    from aurora.tools.core import Project

_KEY = "aurora.visitor"
"""Key of the visitor in the scope of a request."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """Person who looks at the page.

    Attributes:
        name: as the journal names who answered; may be empty.
        csrf: secret of the session, which each form sends back.
        refusal: why this person may change nothing, and what they can do instead; empty when they may.
        admin_refusal: why this person may neither change the memory nor run the doctor; empty when they may.
        sign_out: the address of the form that ends the session, without a host; empty without one.
    """

    name: str
    csrf: str
    refusal: str = ""
    admin_refusal: str = ""
    sign_out: str = ""


@dataclass(frozen=True, slots=True)
class ListedProject:
    """Project in the list.

    Attributes:
        name: the part of the address that names it: letters, digits, "-", "_" and ".".
        title: its name for the person.
        place: the folder or the repository, for the person.
    """

    name: str
    title: str
    place: str = ""


class ProjectSource(Protocol):
    """Projects of a page: one, or many."""

    def list_projects(self, visitor: Visitor) -> Sequence[ListedProject]:
        """List the projects that this person may see."""
        ...

    def open_project(self, name: str, visitor: Visitor) -> AbstractContextManager[Project]:
        """Open a project for one request.

        Raises:
            Fault: NOT_FOUND for a name that this person may not see, as for one that does not exist.
        """
        ...


def set_visitor(scope: MutableMapping[str, Any], visitor: Visitor) -> None:
    """Put the person into the scope of an authenticated request."""
    scope[_KEY] = visitor


def get_visitor(scope: MutableMapping[str, Any]) -> Visitor:
    """Return the person of an authenticated request.

    Raises:
        Fault: FORBIDDEN when nobody has authenticated the request.
    """
    visitor = scope.get(_KEY)
    if not isinstance(visitor, Visitor):
        raise Fault(Code.FORBIDDEN, "this page needs a session", help="Open the address that `aur ui` prints.")
    return visitor
