"""The command of a tool: its words on the command line and what its arguments mean there."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Switch(NamedTuple):
    """An option that passes the same input to another tool.

    Attributes:
        tool: the name of that tool.
        help: the option's line of help.
    """

    tool: str
    help: str


class Command(NamedTuple):
    """A tool's command; its options, their types and their help come from the tool's input model.

    Attributes:
        words: what a person types after `aur`: `mem search`.
        help: one line for the list of commands.
        arguments: the fields of the input that are positional arguments; all others are options.
        joins_words: the one argument is a text of a person, who need not put it in quotes.
        files: the fields of the input that are file paths, relative to the shell's working directory.
        places: the fields of the input that may be a file, a line of one, or a node of the graph in one.
        opened_place: the field of ids that may be `PATH` or `PATH:LINES` instead, which fills `path` and `lines`.
        path_pattern: the field of a pattern of paths.
        locates_project: a path in `files` may belong to another project, and selects it.
        stdin_text: the field that receives standard input when one of the files is `-`.
        stdin_file: the field of `files` for which `-` means standard input of any size.
        stdout_file: the field of `files` for which `-` means standard output, as when it is omitted.
        switches: name of an option -> the tool that it selects.
        question: a question that a person answers before it runs, or answers in advance with `--yes`.
        question_field: the field without whose value nothing is asked; empty: it is always asked.
        argument_help: field -> its description for a person, where it means something else to an assistant.
        interrupted: what Ctrl-C leaves, and how to continue.
        is_listed: False leaves it out of the list of commands in the help.
        verbose: help of the option `-v`, with which the terminal view shows more; empty for a command without it.
    """

    words: str
    help: str
    arguments: tuple[str, ...] = ()
    joins_words: bool = False
    files: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    opened_place: str = ""
    path_pattern: str = ""
    locates_project: bool = False
    stdin_text: str = ""
    stdin_file: str = ""
    stdout_file: str = ""
    switches: Mapping[str, Switch] = MappingProxyType({})
    is_listed: bool = True
    verbose: str = ""
    question: str = ""
    question_field: str = ""
    argument_help: Mapping[str, str] = MappingProxyType({})
    interrupted: str = ""
