"""One face for every form of file: read its entries, put one in, take one out; and never harm the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import json_edit, toml_edit, yaml_edit
from .errors import Broken
from .json_tree import parse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.hosts.host import Host

MARK = "\ufeff"
"""The byte-order mark that some editors put first."""


def read_entries(host: Host, text: str) -> dict[str, Any]:
    """The servers that a host's file names.

    Args:
        host: whose file it is.
        text: the file's whole text.

    Raises:
        Broken: the host could not read it either.
    """
    text = text.removeprefix(MARK)
    if not text.strip():
        return {}
    if host.form == "toml":
        return toml_edit.read(text, host.keys)
    if host.form == "yaml":
        return yaml_edit.read(text, host.keys)
    return json_edit.read(text, host.keys, host.form)


def put_entry(host: Host, text: str, name: str, entry: Mapping[str, Any]) -> str:
    """The text with the entry in it, all else as it was.

    Raises:
        Broken: as `read_entries` does, or when the file is written in a way that nothing can be added to.
    """
    mark, text = _split(text)
    if not text.strip():
        return mark + fresh_file(host, name, entry)
    if host.form == "toml":
        made = toml_edit.put(text, host.keys, name, entry)
    elif host.form == "yaml":
        made = yaml_edit.put(text, host.keys, name, entry)
    else:
        made = json_edit.put(text, host.keys, name, entry, host.form)
    try:
        _same_but_for(host, name, text, made)
    except Broken:
        raise Broken(
            "it is written in a way to which nothing can be added safely",
            help=f'Add "{name}" yourself, as `aur init --hosts {host.name} --dry-run` shows it in an empty folder.',
        ) from None
    return mark + made


def drop_entry(host: Host, text: str, name: str) -> str | None:
    """The text without the entry; None when nothing is left that a new file would not hold.

    Raises:
        Broken: as `put_entry` does.
    """
    mark, text = _split(text)
    if name not in read_entries(host, text):
        return mark + text
    if host.form == "toml":
        made = toml_edit.drop(text, host.keys, name)
        empty = toml_edit.bare(made, host.fresh)
    elif host.form == "yaml":
        made = yaml_edit.drop(text, host.keys, name)
        empty = yaml_edit.bare(made, host.fresh)
    else:
        made = json_edit.drop(text, host.keys, name, host.form)
        empty = json_edit.bare(made, host.fresh, host.form)
    _same_but_for(host, name, text, made)
    return None if empty else mark + made


def is_without(host: Host, before: str, after: str, name: str) -> bool:
    """Whether `after` says all that `before` says but for the entry, and that no more."""
    try:
        _same_but_for(host, name, _split(before)[1], _split(after)[1])
        return name not in read_entries(host, after)
    except Broken:
        return False


def fresh_file(host: Host, name: str, entry: Mapping[str, Any]) -> str:
    """The text of a file with this entry alone."""
    if host.form == "toml":
        return toml_edit.fresh(host.keys, name, entry, host.fresh)
    if host.form == "yaml":
        return yaml_edit.fresh(host.keys, name, entry, host.fresh)
    return json_edit.fresh(host.keys, name, entry, host.fresh)


def _split(text: str) -> tuple[str, str]:
    return (MARK, text[1:]) if text.startswith(MARK) else ("", text)


def _same_but_for(host: Host, name: str, before: str, after: str) -> None:
    """Make sure that an edit left everything else as it was: the last guard before a person's file is written."""
    if repr(_rest(host, name, before)) != repr(_rest(host, name, after)):  # a NaN is not even equal to itself
        raise Broken("an edit would change what is not Aurora's")


def _rest(host: Host, name: str, text: str) -> Any:
    """All that the text says, but for the entry and for what is empty without it."""
    if host.form == "toml":
        whole: Any = toml_edit.loaded(text)
    elif host.form == "yaml":
        whole = yaml_edit.loaded(text) or {}
    else:
        whole = parse(text, host.form).value
    return _pruned(whole, [*host.keys, name])


def _pruned(value: Any, path: list[str]) -> Any:
    if isinstance(value, list):
        return [one for one in value if not (isinstance(one, dict) and one.get("name") == path[0])]
    if not isinstance(value, dict) or path[0] not in value:
        return value
    others = {key: one for key, one in value.items() if key != path[0]}
    inner = _pruned(value[path[0]], path[1:]) if len(path) > 1 else None
    return {**others, path[0]: inner} if inner else others
