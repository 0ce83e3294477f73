"""Readers and editors of all configuration file formats.

No edit changes the entries of other programs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import json_edit, toml_edit, yaml_edit
from .errors import ConfigFileError
from .json_tree import parse_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.hosts.host import Host

BYTE_ORDER_MARK = "\ufeff"
"""Byte-order mark that some editors write."""


def read_entries(host: Host, text: str) -> dict[str, Any]:
    """Read the server entries of a host's file.

    Args:
        host: the host of the file.
        text: the whole text of the file.

    Raises:
        ConfigFileError: the file is invalid, also for the host.
    """
    text = text.removeprefix(BYTE_ORDER_MARK)
    if not text.strip():
        return {}
    if host.form == "toml":
        return toml_edit.read_entries(text, host.keys)
    if host.form == "yaml":
        return yaml_edit.read_entries(text, host.keys)
    return json_edit.read_entries(text, host.keys, host.form)


def put_entry(host: Host, text: str, name: str, entry: Mapping[str, Any]) -> str:
    """Insert or update the entry; keep everything else as it is.

    Raises:
        ConfigFileError: as `read_entries` does, or if an entry cannot be added to the file safely.
    """
    mark, text = _split_mark(text)
    if not text.strip():
        return mark + build_file(host, name, entry)
    if host.form == "toml":
        result = toml_edit.put_entry(text, host.keys, name, entry)
    elif host.form == "yaml":
        result = yaml_edit.put_entry(text, host.keys, name, entry)
    else:
        result = json_edit.put_entry(text, host.keys, name, entry, host.form)
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
    if host.form == "toml":
        result = toml_edit.drop_entry(text, host.keys, name)
        empty = toml_edit.has_no_entries(result, host.fresh)
    elif host.form == "yaml":
        result = yaml_edit.drop_entry(text, host.keys, name)
        empty = yaml_edit.has_no_entries(result, host.fresh)
    else:
        result = json_edit.drop_entry(text, host.keys, name, host.form)
        empty = json_edit.has_no_entries(result, host.fresh, host.form)
    _check_only_entry_changed(host, name, text, result)
    return None if empty else mark + result


def is_entry_removed(host: Host, name: str, before: str, after: str) -> bool:
    """Check that `after` equals `before` without the entry."""
    try:
        _check_only_entry_changed(host, name, _split_mark(before)[1], _split_mark(after)[1])
        return name not in read_entries(host, after)
    except ConfigFileError:
        return False


def build_file(host: Host, name: str, entry: Mapping[str, Any]) -> str:
    """Create the text of a file with only this entry."""
    if host.form == "toml":
        return toml_edit.build_file(host.keys, name, entry, host.fresh)
    if host.form == "yaml":
        return yaml_edit.build_file(host.keys, name, entry, host.fresh)
    return json_edit.build_file(host.keys, name, entry, host.fresh)


def _split_mark(text: str) -> tuple[str, str]:
    return (BYTE_ORDER_MARK, text[1:]) if text.startswith(BYTE_ORDER_MARK) else ("", text)


def _check_only_entry_changed(host: Host, name: str, before: str, after: str) -> None:
    """Raise an error if an edit changed anything but the entry.

    This is the last check before a user's file is written.
    """
    if repr(_load_other_values(host, name, before)) != repr(
        _load_other_values(host, name, after)
    ):  # a NaN is not equal to itself
        raise ConfigFileError("an edit would change more than Aurora's entry")


def _load_other_values(host: Host, name: str, text: str) -> Any:
    """Load the whole text without the entry and without emptied parents."""
    if host.form == "toml":
        whole: Any = toml_edit.load_toml(text)
    elif host.form == "yaml":
        whole = yaml_edit.load_yaml(text) or {}
    else:
        whole = parse_json(text, host.form).value
    return _prune_path(whole, [*host.keys, name])


def _prune_path(value: Any, path: list[str]) -> Any:
    if isinstance(value, list):
        return [item for item in value if not (isinstance(item, dict) and item.get("name") == path[0])]
    if not isinstance(value, dict) or path[0] not in value:
        return value
    others = {key: item for key, item in value.items() if key != path[0]}
    inner = _prune_path(value[path[0]], path[1:]) if len(path) > 1 else None
    return {**others, path[0]: inner} if inner else others
