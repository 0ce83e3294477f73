"""Pushed project: the base that all see, and each person's own view of it."""

from __future__ import annotations

import hashlib
import re
import secrets
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aurora.faults import Code, Fault
from aurora.faults.secrets import has_secret
from aurora.trust import lock_exclusively

from .manifest import Manifest
from .repository import prepare_repository, prepare_worktree, remove_worktree
from .store import PRIVATE_FOLDER, PublishedTree, TreeStore
from .tree import write_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

BASE = "base"
_IDENTIFIER = re.compile(r"[0-9a-f]{64}")
_BEGIN_AGAIN = "Push again; nothing was changed."


@dataclass(frozen=True)
class PushedProject:
    """Pushed project in a folder of the server's own.

    What a person sends stays in that person's store until it is published, so that naming the hash of another person's
    content gives nobody that content.

    Attributes:
        folder: its folder: `base` has the shared files, `people` a folder for each person.
        branch: the branch whose commits become the base; empty for any.
    """

    folder: Path
    branch: str = ""

    @property
    def base(self) -> Path:
        """Folder with the files of the base."""
        return self.folder / BASE

    @property
    def shared(self) -> TreeStore:
        """Store of the base."""
        return TreeStore(self.folder / "shared")

    def get_store(self, person: str) -> TreeStore:
        """Return the store of a person, whose identity may have any characters."""
        return TreeStore(self.folder / "people" / hashlib.sha256(person.encode("utf-8", "replace")).hexdigest()[:32])

    def find_view(self, person: str) -> Path | None:
        """Return the folder of a person's own view; None for a person who sees the base."""
        store = self.get_store(person)
        name = store.find_ready_name()
        return store.folder / name if name else None

    def prepare(self) -> None:
        """Make the folders of a project that nobody has pushed to.

        Raises:
            OSError: they cannot be made.
        """
        self.folder.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
        if self.shared.read_published() is None:
            self.base.mkdir(exist_ok=True)
            prepare_repository(self.base, Manifest())

    def begin(self, person: str, manifest: Manifest) -> list[str]:
        """Keep the manifest of a push, and return the hashes whose contents the person has to send."""
        store = self.get_store(person)
        store.write_person(person)
        store.add_incoming(manifest)
        return self._find_missing(store, manifest)

    def add_contents(self, person: str, identifier: str, contents: Mapping[str, bytes]) -> None:
        """Store contents that a push asked for.

        Raises:
            Fault: NOT_FOUND for an unknown push; INVALID_INPUT for a content that it does not have, or with another
                hash; FORBIDDEN for one with a secret.
        """
        store = self.get_store(person)
        known = store.read_incoming_sizes(identifier) if _IDENTIFIER.fullmatch(identifier) else None
        if known is None:
            raise _make_unknown_fault()
        for sha256, data in contents.items():
            size = known.find(sha256)
            if size is None:
                message = "a content was sent that the manifest of the push does not have"
                raise Fault(Code.INVALID_INPUT, message, help=_BEGIN_AGAIN)
            if len(data) != size or hashlib.sha256(data).hexdigest() != sha256:
                raise Fault(Code.INVALID_INPUT, "a content has another hash than was announced", help=_BEGIN_AGAIN)
            if (wrong := _describe_bad_text(data)) is not None:
                raise self._name_file(person, identifier, sha256, wrong)
            store.add_content(sha256, data)

    def finish(self, person: str, identifier: str, index: Callable[[Path], None]) -> dict[str, Any]:
        """Publish a push, write its files and index them.

        A repeated call goes on, or returns the result again.

        Args:
            person: who pushes.
            identifier: of the manifest.
            index: indexes a folder; raises a fault.

        Returns:
            The commit, the number of files, and whether they are the base or the person's own view.

        Raises:
            Fault: NOT_FOUND for an unknown push, CONFLICT while contents are missing; nothing was published then. Those
                of `index`: the push is published, and the next call or start goes on.
            OSError: a file cannot be written.
        """
        store = self.get_store(person)
        with lock_exclusively(self.folder / "lock"):
            done = store.read_result(identifier)
            if done is None or (store.folder / "incoming" / f"{identifier}.json").exists():
                done = self._publish(store, self._read_incoming(person, identifier))
                store.write_result(identifier, done)
                store.remove_incoming(identifier)
            self._complete(store, index)
        return done

    def recover(self, index: Callable[[Path], None]) -> None:
        """Complete interrupted pushes: write and index each published tree, and remove the others.

        Raises:
            Fault: those of `index`.
            OSError: a file cannot be written.
        """
        self.prepare()
        with lock_exclusively(self.folder / "lock"):
            for store in self.list_stores():
                self._complete(store, index)
            self._complete(self.shared, index)

    def list_stores(self) -> list[TreeStore]:
        """Return the stores of all people."""
        people = self.folder / "people"
        return [TreeStore(folder) for folder in sorted(people.iterdir())] if people.is_dir() else []

    def replace_base(self, manifest: Manifest, index: Callable[[Path], None]) -> None:
        """Publish a base whose contents are here; the caller has the lock of the project."""
        self.shared.publish(PublishedTree(BASE, manifest))
        self._complete(self.shared, index)

    def remove_store(self, store: TreeStore) -> None:
        """Remove all that a person has pushed and not published as the base; the caller has the lock."""
        store.withdraw()
        for tree in list(store.folder.glob("tree-*")):
            remove_worktree(self.base, tree)
        shutil.rmtree(store.folder, ignore_errors=True)

    def _publish(self, store: TreeStore, manifest: Manifest) -> dict[str, Any]:
        """Publish a manifest as the base or as a view; the rename in `TreeStore.publish` commits it."""
        if missing := self._find_missing(store, manifest):
            message = f"{len(missing):,} contents of the push have not been sent"
            raise Fault(Code.CONFLICT, message, help=_BEGIN_AGAIN)
        is_base = manifest.is_clean and self.branch in {"", manifest.branch}
        files = manifest.files.values()
        if is_base:
            self.shared.take_contents(files, store)
            self.shared.publish(PublishedTree(BASE, manifest))
            store.withdraw()
        else:
            store.take_contents(files, self.shared)
            before = store.read_published()
            store.publish(PublishedTree(before.name if before else f"tree-{secrets.token_hex(8)}", manifest))
        return {"is_base": is_base, "commit": manifest.commit, "files": len(files)}

    def _complete(self, store: TreeStore, index: Callable[[Path], None]) -> None:
        """Write and index the base and a person's view; remove unpublished views."""
        self._complete_tree(self.shared, self.base, index)
        if store == self.shared:
            return
        published = store.read_published()
        for tree in list(store.folder.glob("tree-*")):
            if published is None or tree.name != published.name:
                remove_worktree(self.base, tree)
        if published is None:
            store.remove_unused()
        else:
            self._complete_tree(store, store.folder / published.name, index)

    def _complete_tree(self, store: TreeStore, tree: Path, index: Callable[[Path], None]) -> None:
        published = store.read_published()
        if published is None or store.is_indexed(published):
            return
        manifest = published.manifest
        write_tree(tree, {path: store.find_content(file.sha256) for path, file in manifest.files.items()})
        if tree == self.base:
            prepare_repository(tree, manifest)
        else:
            prepare_worktree(self.base, tree, manifest)
        index(tree)
        store.mark_indexed(published)
        store.remove_unused()

    def _read_incoming(self, person: str, identifier: str) -> Manifest:
        is_known = _IDENTIFIER.fullmatch(identifier)
        found = self.get_store(person).read_incoming(identifier) if is_known else None
        if found is None:
            raise _make_unknown_fault()
        return found

    def _name_file(self, person: str, identifier: str, sha256: str, wrong: Fault) -> Fault:
        """Return the fault of a content with the path of its file, for which the manifest is read."""
        files = self._read_incoming(person, identifier).files
        path = next((path for path, file in files.items() if file.sha256 == sha256), "")
        return Fault(wrong.code, f'the file "{path}" {wrong.message}', help=wrong.help)

    def _find_missing(self, store: TreeStore, manifest: Manifest) -> list[str]:
        """Return the hashes that are neither in the person's store nor in the published base."""
        published = self.shared.read_published()
        known = {file.sha256 for file in published.manifest.files.values()} if published is not None else set()
        wanted = {file.sha256 for file in manifest.files.values()}
        return sorted(
            one for one in wanted if not (store.has_content(one) or (one in known and self.shared.has_content(one)))
        )


def _make_unknown_fault() -> Fault:
    return Fault(Code.NOT_FOUND, "the server does not know this push", help=_BEGIN_AGAIN)


def _describe_bad_text(data: bytes) -> Fault | None:
    """Describe a content that is no text or has a secret, without the secret; None for any other."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return Fault(Code.INVALID_INPUT, "is not UTF-8", help=_BEGIN_AGAIN)
    if has_secret(text):
        message = "has a password, key or token in it, and was not stored"
        return Fault(Code.FORBIDDEN, message, help="Use the version of Aurora that the server has: it masks them.")
    return None
