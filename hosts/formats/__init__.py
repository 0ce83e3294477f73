"""Readers and editors of JSON, TOML and YAML that keep the rest of a file."""

from typing import TYPE_CHECKING

from aurora import export_lazily

if TYPE_CHECKING:
    from .errors import ConfigFileError
    from .formats import drop_entry, is_entry_removed, put_entry, read_entries
    from .json_tree import parse_json
    from .yaml_parser import compose_yaml, parse_yaml

__all__ = [
    "ConfigFileError",
    "compose_yaml",
    "drop_entry",
    "is_entry_removed",
    "parse_json",
    "parse_yaml",
    "put_entry",
    "read_entries",
]

__getattr__ = export_lazily(
    __name__,
    {
        "errors": ["ConfigFileError"],
        "formats": ["drop_entry", "is_entry_removed", "put_entry", "read_entries"],
        "json_tree": ["parse_json"],
        "yaml_parser": ["compose_yaml", "parse_yaml"],
    },
)
