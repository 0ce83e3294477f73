"""One face for every form of file: read its entries, put one in, take one out; and never harm the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import json_edit, toml_edit, yaml_edit
from .errors import ConfigFileError
from .json_tree import parse_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.hosts.host import Host

BYTE_ORDER_MARK = "\ufeff"
"""The byte-order mark that some editors put first."""


def read_entries(host: Host, text: str) -> dict[str, Any]:
    """The servers that a host's file names.

    Args:
        host: whose file it is.
        text: the file's whole text.

    Raises:
        Broken: the host could not read it either.
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
    """The text with the entry in it, all else as it was.

    Raises:
        Broken: as `read_entries` does, or when the file is written in a way that nothing can be added to.
    """
    mark, text = _split_mark(text)
    if not text.strip():
        return mark + build_file(host, name, entry)
    if host.form == "toml":
        made = toml_edit.put_entry(text, host.keys, name, entry)
    elif host.form == "yaml":
        made = yaml_edit.put_entry(text, host.keys, name, entry)
    else:
        made = json_edit.put_entry(text, host.keys, name, entry, host.form)
    try:
        _check_only_entry_changed(host, name, text, made)
    except ConfigFileError:
        raise ConfigFileError(
            "it is written in a way to which nothing can be added safely",
            help=f'Add "{name}" yourself, as `aur init --hosts {host.name} --dry-run` shows it in an empty folder.',
        ) from None
    return mark + made


def drop_entry(host: Host, text: str, name: str) -> str | None:
    """The text without the entry; None when nothing is left that a new file would not hold.

    Raises:
        Broken: as `put_entry` does.
    """
    mark, text = _split_mark(text)
    if name not in read_entries(host, text):
        return mark + text
    if host.form == "toml":
        made = toml_edit.drop_entry(text, host.keys, name)
        empty = toml_edit.has_no_entries(made, host.fresh)
    elif host.form == "yaml":
        made = yaml_edit.drop_entry(text, host.keys, name)
        empty = yaml_edit.has_no_entries(made, host.fresh)
    else:
        made = json_edit.drop_entry(text, host.keys, name, host.form)
        empty = json_edit.has_no_entries(made, host.fresh, host.form)
    _check_only_entry_changed(host, name, text, made)
    return None if empty else mark + made


def is_entry_removed(host: Host, before: str, after: str, name: str) -> bool:
    """Whether `after` says all that `before` says but for the entry, and that no more."""
    try:
        _check_only_entry_changed(host, name, _split_mark(before)[1], _split_mark(after)[1])
        return name not in read_entries(host, after)
    except ConfigFileError:
        return False


def build_file(host: Host, name: str, entry: Mapping[str, Any]) -> str:
    """The text of a file with this entry alone."""
    if host.form == "toml":
        return toml_edit.build_file(host.keys, name, entry, host.fresh)
    if host.form == "yaml":
        return yaml_edit.build_file(host.keys, name, entry, host.fresh)
    return json_edit.build_file(host.keys, name, entry, host.fresh)


def _split_mark(text: str) -> tuple[str, str]:
    return (BYTE_ORDER_MARK, text[1:]) if text.startswith(BYTE_ORDER_MARK) else ("", text)


def _check_only_entry_changed(host: Host, name: str, before: str, after: str) -> None:
    """Make sure that an edit left everything else as it was: the last guard before a person's file is written."""
    if repr(_load_other_values(host, name, before)) != repr(
        _load_other_values(host, name, after)
    ):  # a NaN is not even equal to itself
        raise ConfigFileError("an edit would change what is not Aurora's")


def _load_other_values(host: Host, name: str, text: str) -> Any:
    """All that the text says, but for the entry and for what is empty without it."""
    if host.form == "toml":
        whole: Any = toml_edit.load_toml(text)
    elif host.form == "yaml":
        whole = yaml_edit.load_yaml(text) or {}
    else:
        whole = parse_json(text, host.form).value
    return _prune_path(whole, [*host.keys, name])


def _prune_path(value: Any, path: list[str]) -> Any:
    if isinstance(value, list):
        return [one for one in value if not (isinstance(one, dict) and one.get("name") == path[0])]
    if not isinstance(value, dict) or path[0] not in value:
        return value
    others = {key: one for key, one in value.items() if key != path[0]}
    inner = _prune_path(value[path[0]], path[1:]) if len(path) > 1 else None
    return {**others, path[0]: inner} if inner else others
