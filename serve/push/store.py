"""Store of one pushed tree: its contents by hash, the manifests that arrive, and the published one."""

from __future__ import annotations

import contextlib
import json
import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from aurora.faults import write_atomically

from .manifest import Manifest, PushedFile
from .sizes import ContentSizes

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

MAX_INCOMING = 2
"""Pushes of one person that may be under way; the oldest one has to begin again after that."""
MAX_INCOMING_SECONDS = 24 * 3600
PRIVATE_FILE, PRIVATE_FOLDER = 0o600, 0o700
_NANOSECONDS = 10**9


class PublishedTree(NamedTuple):
    """Published tree.

    Attributes:
        name: the name of its folder.
        manifest: the files in it.
    """

    name: str
    manifest: Manifest


@dataclass(frozen=True)
class TreeStore:
    """Store of one tree, in a folder that nothing else writes.

    Attributes:
        folder: its path; it need not exist.
    """

    folder: Path

    def add_incoming(self, manifest: Manifest) -> None:
        """Keep the manifest of a push that begins; forget those of old ones."""
        self.remove_incoming(manifest.id)
        listed = sorted(self._list_incoming(), key=_read_time)
        too_many = listed[: max(0, len(listed) + 1 - MAX_INCOMING)]
        for path in listed:
            if path in too_many or time.time() - _read_time(path) > MAX_INCOMING_SECONDS:
                self.remove_incoming(path.stem)
        sizes = ContentSizes.from_files(manifest.files.values())
        write_atomically(self.folder / "incoming" / f"{manifest.id}.sizes", sizes.data, PRIVATE_FILE)
        self._write(f"incoming/{manifest.id}", manifest.to_json())

    def read_incoming(self, identifier: str) -> Manifest | None:
        """Return the manifest of a push that has begun; None for an unknown one."""
        found = self._read(f"incoming/{identifier}")
        return Manifest.restore(found) if found is not None else None

    def read_incoming_sizes(self, identifier: str) -> ContentSizes | None:
        """Return the contents of a push that has begun, without its paths; None for an unknown one."""
        with contextlib.suppress(FileNotFoundError):
            return ContentSizes((self.folder / "incoming" / f"{identifier}.sizes").read_bytes())
        return None

    def remove_incoming(self, identifier: str) -> None:
        """Forget a push that has ended."""
        for ending in ("json", "sizes"):
            (self.folder / "incoming" / f"{identifier}.{ending}").unlink(missing_ok=True)

    def read_published(self) -> PublishedTree | None:
        """Return the published tree; None without one."""
        found = self._read("published")
        return PublishedTree(found["name"], Manifest.restore(found["manifest"])) if found else None

    def find_ready_name(self) -> str:
        """Return the folder's name of a published tree that was written and indexed before; empty without one.

        Each request asks, so this does not read the manifest.
        """
        found = self._read("indexed") if (self.folder / "published.json").exists() else None
        return str(found["name"]) if found else ""

    def write_person(self, person: str) -> None:
        """Record whose store this is."""
        if self.read_person() != person:
            self._write("person", {"person": person})

    def read_person(self) -> str:
        """Return whose store this is; empty where nobody has recorded it."""
        found = self._read("person")
        return str(found["person"]) if found else ""

    def read_publish_time(self) -> float:
        """Return when the published tree was published, in seconds since 1970; 0 without one."""
        return _read_time(self.folder / "published.json")

    def publish(self, tree: PublishedTree) -> None:
        """Replace the published tree: the one rename that commits a push."""
        self._write("published", {"name": tree.name, "manifest": tree.manifest.to_json()})

    def withdraw(self) -> None:
        """Publish nothing any more."""
        for name in ("indexed", "published"):  # in this order: the next tree has another name
            (self.folder / f"{name}.json").unlink(missing_ok=True)

    def is_indexed(self, tree: PublishedTree) -> bool:
        """Return True when this tree has been written and indexed."""
        return bool(self._read("indexed") == {"name": tree.name, "id": tree.manifest.id})

    def mark_indexed(self, tree: PublishedTree) -> None:
        """Record that this tree has been written and indexed."""
        self._write("indexed", {"name": tree.name, "id": tree.manifest.id})

    def read_result(self, identifier: str) -> dict[str, Any] | None:
        """Return the result of the last push that ended, if it is this one."""
        found = self._read("result")
        return found["result"] if found and found["id"] == identifier else None

    def write_result(self, identifier: str, result: dict[str, Any]) -> None:
        """Record the result of a push, so that a client which missed the answer gets it."""
        self._write("result", {"id": identifier, "result": result})

    def find_content(self, sha256: str) -> Path:
        """Return the path of a content, which need not exist."""
        return self.folder / "contents" / sha256[:2] / sha256

    def has_content(self, sha256: str) -> bool:
        """Return True when the content is here."""
        return self.find_content(sha256).exists()

    def add_content(self, sha256: str, data: bytes) -> None:
        """Store a content whose hash has been checked.

        Its time of change has the second of its arrival, and nanoseconds of its hash: files of equal size and time are
        equal then, which indexing relies on.

        Raises:
            OSError: it cannot be written; nothing of it stays.
        """
        path = self.find_content(sha256)
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(f"{sha256}.{os.getpid()}.{time.monotonic_ns()}")
        try:
            partial.write_bytes(data)
            at = int(time.time()) * _NANOSECONDS + int(sha256[:15], 16) % _NANOSECONDS
            os.utime(partial, ns=(at, at))
            partial.replace(path)
        except OSError:
            partial.unlink(missing_ok=True)
            raise

    def take_contents(self, files: Iterable[PushedFile], other: TreeStore) -> None:
        """Take the contents that are only in another store, as hard links: a content never changes.

        Raises:
            OSError: one of them is in neither store.
        """
        for file in files:
            path = self.find_content(file.sha256)
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                with contextlib.suppress(FileExistsError):
                    path.hardlink_to(other.find_content(file.sha256))

    def remove_unused(self) -> None:
        """Remove the contents that neither the published tree nor a push under way has."""
        published = self.read_published()
        manifests = [self.read_incoming(path.stem) for path in self._list_incoming()]
        manifests.append(published.manifest if published is not None else None)
        used = {file.sha256 for one in manifests if one is not None for file in one.files.values()}
        for path in (self.folder / "contents").glob("??/*"):
            if path.name not in used:
                path.unlink(missing_ok=True)

    def _list_incoming(self) -> list[Path]:
        return list((self.folder / "incoming").glob("*.json"))

    def _read(self, name: str) -> Any:
        """Return the JSON value of a file of state; None without one."""
        try:
            return json.loads((self.folder / f"{name}.json").read_bytes())
        except (FileNotFoundError, ValueError):
            return None

    def _write(self, name: str, value: object) -> None:
        """Replace the JSON value of a file of state, atomically and durably."""
        write_atomically(self.folder / f"{name}.json", json.dumps(value).encode(), PRIVATE_FILE)


def _read_time(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
