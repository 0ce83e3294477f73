"""Editor of the hosts' configuration files in any format; entries of other programs stay as they are."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Protocol

from . import edit_json, edit_toml, edit_yaml
from .files import ConfigFileError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .host import FileFormat, Host

BYTE_ORDER_MARK = "\ufeff"
"""Byte-order mark that some editors write."""


class _Editor(Protocol):
    """Module that edits one format; `keys` lead to the entries."""

    def load_values(self, text: str, form: FileFormat, /) -> Any:
        """Load the whole text."""

    def read_entries(self, text: str, keys: Sequence[str], form: FileFormat, /) -> dict[str, Any]:
        """Read the entries by name."""

    def put_entry(
        self, text: str, keys: Sequence[str], name: str, entry: Mapping[str, Any], form: FileFormat, /
    ) -> str:
        """Insert or update an entry."""

    def drop_entry(self, text: str, keys: Sequence[str], name: str, form: FileFormat, /) -> str:
        """Remove an entry, and the parents that it leaves empty."""

    def build_file(
        self, keys: Sequence[str], name: str, entry: Mapping[str, Any], besides: Mapping[str, Any], /
    ) -> str:
        """Create the text of a file with only this entry, besides what a new file has."""


_EDITORS: dict[str, _Editor] = {"toml": edit_toml, "yaml": edit_yaml}


def read_entries(host: Host, text: str) -> dict[str, Any]:
    """Read the server entries of a host's file, from its whole text.

    Raises:
        ConfigFileError: the file is invalid, also for the host.
    """
    text = text.removeprefix(BYTE_ORDER_MARK)
    return _get_editor(host).read_entries(text, host.keys, host.form) if text.strip() else {}


def put_entry(host: Host, text: str, name: str, entry: Mapping[str, Any]) -> str:
    """Insert or update the entry; keep everything else as it is.

    Raises:
        ConfigFileError: as `read_entries` does, or if an entry cannot be added to the file safely.
    """
    mark, text = _split_mark(text)
    editor = _get_editor(host)
    if not text.strip():
        return mark + editor.build_file(host.keys, name, entry, host.fresh)
    result = editor.put_entry(text, host.keys, name, entry, host.form)
    try:
        _check_only_entry_changed(host, name, text, result)
    except ConfigFileError:
        raise ConfigFileError(
            "its layout does not allow a safe edit",
            help=f'Add "{name}" by hand; `aur init --hosts {host.name} --dry-run` in an empty folder shows the entry.',
        ) from None
    return mark + result


def drop_entry(host: Host, text: str, name: str) -> str | None:
    """Remove the entry; return None if only the content of a new file is left.

    Raises:
        ConfigFileError: as `put_entry` does.
    """
    mark, text = _split_mark(text)
    if name not in read_entries(host, text):
        return mark + text
    result = _get_editor(host).drop_entry(text, host.keys, name, host.form)
    _check_only_entry_changed(host, name, text, result)
    return None if _is_new_file(host, result) else mark + result


def is_entry_removed(host: Host, name: str, before: str, after: str) -> bool:
    """Check that `after` equals `before` without the entry."""
    try:
        _check_only_entry_changed(host, name, _split_mark(before)[1], _split_mark(after)[1])
        return name not in read_entries(host, after)
    except ConfigFileError:
        return False


def _get_editor(host: Host) -> _Editor:
    return _EDITORS.get(host.form, edit_json)


def _split_mark(text: str) -> tuple[str, str]:
    return (BYTE_ORDER_MARK, text[1:]) if text.startswith(BYTE_ORDER_MARK) else ("", text)


def _is_new_file(host: Host, text: str) -> bool:
    """Check whether a text has the defaults of a new file only, and no comment."""
    values = _get_editor(host).load_values(text, host.form)
    if host.form in _EDITORS:
        return "#" not in text and values in ({}, dict(host.fresh))
    return values in ({}, dict(host.fresh)) and "".join(text.split()) == "".join(json.dumps(values).split())


def _check_only_entry_changed(host: Host, name: str, before: str, after: str) -> None:
    """Raise an error if an edit changed anything but the entry.

    The editors splice text; a mistake of theirs would be one in a person's file, so the values are compared as well.
    """
    path = [*host.keys, name]
    kept = [_prune_path(_get_editor(host).load_values(text, host.form), path) for text in (before, after)]
    if repr(kept[0]) != repr(kept[1]):  # a NaN is not equal to itself
        raise ConfigFileError("an edit would change more than Aurora's entry")


def _prune_path(value: Any, path: list[str]) -> Any:
    """Return the values without the entry and without emptied parents."""
    if isinstance(value, list):
        return [item for item in value if not (isinstance(item, dict) and item.get("name") == path[0])]
    if not isinstance(value, dict) or path[0] not in value:
        return value
    others = {key: item for key, item in value.items() if key != path[0]}
    inner = _prune_path(value[path[0]], path[1:]) if len(path) > 1 else None
    return {**others, path[0]: inner} if inner else others
