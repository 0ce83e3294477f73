"""Views of a pushed project: the base and each person's own, to list and to drop."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from aurora.faults import Code, Fault, did_you_mean
from aurora.trust import lock_exclusively

from .manifest import Manifest
from .project import BASE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from .project import PushedProject
    from .store import TreeStore


class PushedView(NamedTuple):
    """View of a pushed project.

    Attributes:
        who: `base`, or the identity of a person; of an unknown person, the name of their folder.
        manifest: its files.
        at: when it was published, in seconds since 1970.
    """

    who: str
    manifest: Manifest
    at: float


def list_views(project: PushedProject, people: Iterable[str] = ()) -> list[PushedView]:
    """List the base, if it has files, and the views of people.

    Args:
        project: the project.
        people: identities that may have a view; the store of an older version does not record whose it is.
    """
    found = [_read_view(BASE, project.shared)]
    known = {project.get_store(person).folder.name: person for person in people}
    found += [
        _read_view(store.read_person() or known.get(store.folder.name, store.folder.name), store)
        for store in project.list_stores()
    ]
    return [view for view in found if view is not None and (view.who != BASE or view.manifest.files)]


def drop_view(
    project: PushedProject, who: str, index: Callable[[Path], None], people: Iterable[str] = ()
) -> PushedView:
    """Drop the base or the view of a person.

    The base is empty until the next push; a person without a view sees the base. Facts, patterns and runs stay. A
    repeated call completes an interrupted one.

    Args:
        project: the project.
        who: as `list_views` returns it.
        index: indexes a folder.
        people: as for `list_views`.

    Raises:
        Fault: NOT_FOUND for a view that does not exist; those of `index`.
        OSError: a file cannot be changed.
    """
    people = tuple(people)
    with lock_exclusively(project.folder / "lock"):
        views = {view.who: view for view in list_views(project, people)}
        dropped = views.get(who)
        if dropped is None:
            help_ = did_you_mean(who, views) or "`aur serve view list` lists the views."
            raise Fault(Code.NOT_FOUND, f'there is no view "{who[:80]}"', help=help_)
        if who == BASE:
            project.replace_base(Manifest(), index)
        else:
            folders = {store.folder.name: store for store in project.list_stores()}
            own = project.get_store(who)
            project.remove_store(own if own.folder.name in folders else folders[who])
    return dropped


def _read_view(who: str, store: TreeStore) -> PushedView | None:
    published = store.read_published()
    return PushedView(who, published.manifest, store.read_publish_time()) if published is not None else None
