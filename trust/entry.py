"""Entry of the list of trusted folders, and its form in JSON."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from .identity import FileStamp, FolderIdentity, MarkStamp
from .shown import merge_shown, read_shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .place import ProjectPlace
    from .shown import FileHashes


@dataclass(frozen=True, slots=True)
class TrustedFolder:
    """Folder that the person trusts.

    Attributes:
        root: the project's folder when it was trusted.
        repository, subfolder: as in `ProjectPlace`.
        identity: the identity at that time.
        since: the time, in ISO 8601, UTC.
        shown: the definitions that the person was shown; no other content of the folder is used.
    """

    root: str
    repository: str | None
    subfolder: str
    identity: FolderIdentity
    since: str
    shown: tuple[FileHashes, ...] = ()

    @classmethod
    def from_place(cls, place: ProjectPlace, since: str, shown: tuple[FileHashes, ...] = ()) -> TrustedFolder:
        """Return the entry of a place that is trusted now."""
        return cls(place.root, place.repository, place.subfolder, place.identity, since, shown)

    def follow(self, earlier: TrustedFolder, place: ProjectPlace) -> TrustedFolder:
        """Keep what an earlier entry of the same folder has shown; nothing of another folder at its path."""
        return replace(self, shown=merge_shown(earlier.shown, self.shown)) if earlier.covers(place) else self

    def covers(self, place: ProjectPlace) -> bool:
        """Return whether the place is this folder, or the same folder in a worktree of this repository."""
        if self.repository is None:
            return self.root == place.root and self.identity.is_same_folder(place.identity)
        if not self.has_repository_of(place) or not self.identity.is_same_repository(place.identity):
            return False
        return self.root != place.root or self.identity.folder.is_same(place.identity.folder)

    def has_repository_of(self, place: ProjectPlace) -> bool:
        """Return whether the place is at the same path of the same repository's path."""
        return self.repository is not None and (self.repository, self.subfolder) == (place.repository, place.subfolder)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object."""
        identity = self.identity
        return {
            "folder": self.root,
            "repository": self.repository,
            "subfolder": self.subfolder,
            "device": identity.device,
            "folder_stamp": list(identity.folder),
            "git_stamp": None if identity.git is None else list(identity.git),
            "mark_stamp": None if identity.mark is None else list(identity.mark),
            "since": self.since,
            "shown": self.shown,
        }

    @classmethod
    def from_json(cls, value: Any) -> TrustedFolder:
        """Return the entry of a JSON object.

        Raises:
            ValueError: it is not the object of an entry.
        """
        if not isinstance(value, dict):
            raise ValueError("an entry is not an object")  # noqa: TRY004 - a value of a file, not of a caller
        git, mark = value.get("git_stamp"), value.get("mark_stamp")
        repository = value.get("repository")
        return cls(
            root=_read_text(value, "folder"),
            repository=None if repository is None else _read_text(value, "repository"),
            subfolder=_read_text(value, "subfolder"),
            identity=FolderIdentity(
                device=_read_numbers([value.get("device")], 1)[0],
                folder=FileStamp(*_read_numbers(value.get("folder_stamp"), 2)),
                git=None if git is None else FileStamp(*_read_numbers(git, 2)),
                mark=None if mark is None else MarkStamp(*_read_numbers(mark, 2)),
            ),
            since=_read_text(value, "since"),
            shown=read_shown(value.get("shown", [])),
        )


def _read_text(value: Mapping[str, Any], key: str) -> str:
    text = value.get(key)
    if not isinstance(text, str):
        raise ValueError(f'"{key}" of an entry is not a text')  # noqa: TRY004 - as above
    return text


def _read_numbers(value: Any, count: int) -> list[int]:
    if not isinstance(value, list) or len(value) != count or any(type(number) is not int for number in value):
        raise ValueError("a stamp of an entry is not made of whole numbers")
    return value
