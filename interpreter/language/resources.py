"""Schemas, prompts and settings of a workflow, inline or in files of its folder."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, NoReturn

from aurora.interpreter.problems import FileTooBigError, Place, UnreadableFileError, codes, find_nearest, read_file
from aurora.interpreter.schema.json_values import MAX_DEPTH, find_excess
from aurora.interpreter.schema.lint import JSON_TYPES
from aurora.interpreter.yaml import (
    Node,
    display_path,
    make_encoding_problem,
    make_map,
    read_yaml,
    resolve_relative,
    to_key_text,
)
from aurora.system.paths.read import is_linked_elsewhere
from aurora.system.paths.resolve import is_closed

from .definition import Prompt, Segment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from aurora.interpreter.problems import Problem

    from .model import Branch, Person, Workflow

    FindNode = Callable[[Sequence[str | int]], Node]

_SHIPPED = Path(__file__).resolve().parents[2] / "workflows"
_TRAILING_COMMA = re.compile(r",\s*[}\]]")

PROMPT_SUFFIXES = (".md", ".txt", ".j2", ".jinja")
PARAMS_SUFFIXES = (".yaml", ".yml")
MAX_PARAMS_FILES = 100
"""Limit of the files with settings that a workflow's file names; a file that is named again counts again."""
MAX_PARAMS_VALUES = 100_000
"""Limit of all values in them, as many as one file may have."""
MAX_INCLUDE_DEPTH = 5
"""Limit of templates that include one another."""
MAX_INCLUDES = 500
"""Limit of the includes of a workflow; each reads a file."""
MAX_EXPANDED = 1_000_000
"""Characters of a template with what it includes; a template of more than 100,000 is refused later."""
_INCLUDE = re.compile(r"""\{%-?\s*include\s+(?P<quote>["'])(?P<name>[^"'\n]{1,200})(?P=quote)\s*-?%\}""")
_PATH = re.compile(r"[^/\s]+(/[^/\s]+)*/[^/\s]+\.\w{1,8}|(\S*/)?\.[^/\s]+/\S+")
"""A path with folders that ends like a file, or with a hidden folder: surely no sentence."""
_MAX_PATH = 1_000
MAX_FILES_SCANNED = 2000
"""Limit of files to compare with a missing name; the folder can be a home folder."""


@dataclass(slots=True)
class Resources:
    """Schemas and prompts of one workflow, and their problems."""

    outputs: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    answers: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    prompts: dict[str, Prompt] = field(default_factory=dict)
    files: list[Path] = field(default_factory=list)
    hashes: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    included: int = 0
    has_refused: bool = False
    params_files: int = 0
    params_values: int = 0


def put_params_in_place(root: Node, found: Resources) -> Node:
    """Put the content of each file that `params`, or one of its values, names where its name is.

    It is done before a patch merges, so that a patch changes one value of a file like one in place. A name stays where
    its file cannot be read, which is reported.

    Args:
        root: the tree of one file.
        found: where the files and problems are added.
    """
    phases = root.get("phases") if root.kind == "map" else None
    if phases is None or phases.kind != "map":
        return root
    changed = _map_values(phases, lambda _, phase: _map_values(phase, partial(_put_phase_params, found)))
    return root if changed is phases else _map_values(root, lambda key, value: changed if key == "phases" else value)


def is_params_file(value: object) -> bool:
    """Return whether a setting is the name of a file with settings."""
    return isinstance(value, str) and value.endswith(PARAMS_SUFFIXES) and "\n" not in value and len(value) <= _MAX_PATH


def _map_values(node: Node, change: Callable[[str, Node], Node]) -> Node:
    """Return the map with its values changed; the same node when none is."""
    if node.kind != "map":
        return node
    items = tuple((key, change(to_key_text(key.value), value)) for key, value in node.items)
    if all(new is old for (_, new), (_, old) in zip(items, node.items, strict=True)):
        return node
    return make_map(node.place, items)


def _put_phase_params(found: Resources, key: str, value: Node) -> Node:
    if key != "params":
        return value
    if value.kind == "scalar" and is_params_file(value.value):
        content = _read_params(found, value)
        # the settings are a mapping also where they are missing
        return content if content.kind == "map" else make_map(value.place, ((value, content),))
    return _map_values(value, lambda _, one: _read_params(found, one) if is_params_file(one.value) else one)


def _read_params(found: Resources, node: Node) -> Node:
    """Read the tree of a file with settings; the node itself when it cannot be read."""
    found.params_files += 1
    if found.params_files > MAX_PARAMS_FILES or found.params_values > MAX_PARAMS_VALUES:
        message = f'"{node.value}" is not read: the files with settings before it have too many values'
        help_ = f"at most {MAX_PARAMS_FILES} files with {MAX_PARAMS_VALUES:,} values in all are possible"
        if not found.has_refused:
            found.problems.append(codes.TOO_BIG.make_problem(node.place, message, help=help_))
        found.has_refused = True
        return node
    text = _read_text(found, node, node.value)
    if text is None:
        return node
    path = display_path(resolve_relative(node, node.value))
    content, problems = read_yaml(text, path)
    found.problems.extend(problems)
    found.params_values += content.size if content is not None else 0
    if content is not None and content.kind == "scalar" and not any(one.path == path for one in problems):
        message = f"settings are a mapping or a list, not {json.dumps(content.value)[:40]}"
        note = f"it is named at {node.place.label}"
        found.problems.append(codes.BAD_VALUE.make_problem(content.place, message, note=note))
    return node if content is None or content.kind == "scalar" else content


def read_resources(find: FindNode, workflow: Workflow) -> Resources:
    """Read all schemas and prompts of the workflow.

    Args:
        find: finds the node at a path of the document; it is called where a file is named or included.
        workflow: the workflow.
    """
    found = Resources()
    for name, phase in workflow.phases.items():
        loc = ("phases", name)
        _add_schema(found, found.outputs, name, (find, (*loc, "output")), phase.output)
        _add_schema(found, found.answers, name, (find, (*loc, "answer")), phase.answer)
        _add_prompt(found, name, (find, (*loc, "prompt_template")), phase.prompt_template)
        if phase.branches is not None:
            _read_branches(found, find, name, phase.branches)
        if phase.person is not None:
            found.answers[name] = build_form_schema(phase.person)
            message = f'message of "{name}"'
            found.prompts[name_part(name, "person")] = Prompt(phase.person.message, message, from_file=False)
    return found


def name_part(phase: str, part: str) -> str:
    """Return the key of a branch of a phase, or of its question to the person, among prompts and answers."""
    return f"{phase}.{part}"


def build_form_schema(person: Person) -> dict[str, Any]:
    """Build the schema of the person's answer: an object with the fields of the form."""
    required = [name for name, field in person.form.items() if "default" not in field]
    fields = {"type": "object", "properties": dict(person.form), "additionalProperties": False}
    return {**fields, "required": required} if required else fields


def complete_form(person: Person, content: Any) -> Any:
    """Return the content of a form with the defaults of the fields that the person left out."""
    if not isinstance(content, dict):
        return content
    defaults = {name: field["default"] for name, field in person.form.items() if "default" in field}
    return {**defaults, **content}


def _read_branches(found: Resources, find: FindNode, phase: str, branches: Mapping[str, Branch]) -> None:
    """Read the prompts and schemas of a phase's branches; the answer to the phase has one field for each."""
    properties: dict[str, Any] = {}
    for branch, spec in branches.items():
        key, loc = name_part(phase, branch), ("phases", phase, "branches", branch)
        _add_prompt(found, key, (find, (*loc, "prompt_template")), spec.prompt_template)
        _add_schema(found, found.answers, key, (find, (*loc, "answer")), spec.answer)
        # with an id, its references start at its own root
        properties[branch] = {"$id": f"urn:aurora:{phase}:{branch}", **found.answers.get(key, {})}
    found.answers[phase] = {
        "type": "object",
        "required": list(properties),
        "properties": properties,
        "additionalProperties": False,
    }


def _add_schema(
    found: Resources,
    kept: dict[str, Mapping[str, Any]],
    key: str,
    place: tuple[FindNode, tuple[str, ...]],
    value: str | dict[str, Any] | None,
) -> None:
    schema: Mapping[str, Any] | None = value if isinstance(value, dict) else None
    if isinstance(value, str):
        schema = _read_schema(found, place[0](place[1]), value)
    if schema is not None:
        kept[key] = schema


def _add_prompt(found: Resources, key: str, place: tuple[FindNode, tuple[str, ...]], value: str | None) -> None:
    prompt = None if value is None else _read_prompt(found, place, key, value)
    if prompt is not None:
        found.prompts[key] = prompt


def _read_prompt(found: Resources, place: tuple[FindNode, tuple[str, ...]], key: str, value: str) -> Prompt | None:
    if _is_plain_prompt(value):
        return Prompt(value, f'prompt of "{key}"', from_file=False)
    node = place[0](place[1])
    if not _is_file_name(node, value):
        return _expand_prompt(found, node, value, f'prompt of "{key}"', from_file=False)
    text = _read_text(found, node, value)
    return None if text is None else _expand_prompt(found, node, text, value, from_file=True)


def _is_plain_prompt(value: str) -> bool:
    """Return whether a text is surely a prompt, and no name of a file, that includes no file."""
    return _is_text(value) and "include" not in value


def _is_text(value: str) -> bool:
    return "\n" in value or "{{" in value or "{%" in value


def _is_file_name(node: Node, value: str) -> bool:
    """Check for a file name: it ends like one, and with spaces the file must exist."""
    if _is_text(value):
        return False
    if not value.endswith(PROMPT_SUFFIXES):
        return len(value) <= _MAX_PATH and _PATH.fullmatch(value) is not None
    try:
        return " " not in value or resolve_relative(node, value).is_file()
    except (OSError, ValueError):
        return False


def _expand_prompt(found: Resources, node: Node, text: str, name: str, *, from_file: bool) -> Prompt:
    """Put the files that a template includes in the place of `{% include "FILE" %}`."""
    if "include" not in text:
        return Prompt(text, name, from_file=from_file)
    pieces: list[str] = []
    segments: list[Segment] = []
    length = 0
    for piece, source in _split_includes(found, node, Segment(0, "", text, 0), 0):
        pieces.append(piece)
        segments.append(source._replace(start=length))
        length += len(piece)
        # Hundreds of includes of large files would fill the memory before a check at the end.
        if length > MAX_EXPANDED:
            break
    return Prompt("".join(pieces)[:MAX_EXPANDED], name, from_file, tuple(segments))


def _split_includes(found: Resources, node: Node, source: Segment, depth: int) -> Iterator[tuple[str, Segment]]:
    """Split a source at its includes; yield each stretch, those of included files too, with its source."""
    text, at = source.source, 0
    for match in _INCLUDE.finditer(text):
        yield text[at : match.start()], source._replace(offset=at)
        is_own = not source.name and text == node.value
        # Only an include in the prompt's own text has a place of its own in the workflow's file.
        naming = node._replace(place=node.locate_text(*_measure(match))) if is_own else node
        included = _read_include(found, naming, match["name"], depth)
        if included:
            yield from _split_includes(found, node, Segment(0, match["name"], included, 0), depth + 1)
        at = match.end()
    yield text[at:], source._replace(offset=at)


def _measure(match: re.Match[str]) -> tuple[int, int]:
    """Return the offset and the length of an include's file name."""
    return match.start("name"), match.end("name") - match.start("name")


def _read_include(found: Resources, node: Node, name: str, depth: int) -> str:
    """Read an included file; empty when it cannot be read, which is reported."""
    found.included += 1
    if depth < MAX_INCLUDE_DEPTH and found.included <= MAX_INCLUDES:
        return (_read_text(found, node, name) or "").rstrip("\n")
    if not found.has_refused:
        found.has_refused = True
        message = f'"{name}" is one include too many, or templates include one another in a circle'
        help_ = f"at most {MAX_INCLUDES} includes, and {MAX_INCLUDE_DEPTH} within one another, are possible"
        found.problems.append(codes.MISSING_FILE.make_problem(node.place, message, help=help_))
    return ""


def _make_syntax_problem(path: str, text: str, error: json.JSONDecodeError, note: str) -> Problem:
    """Describe a JSON syntax error; a comma after the last item is named in Aurora's words.

    Versions of Python place and word that mistake, the commonest of all, in different ways.
    """
    commas = (match for match in _TRAILING_COMMA.finditer(text) if match.start() <= error.pos < match.end())
    comma = next(commas, None)
    if comma is not None:
        line = text.count("\n", 0, comma.start()) + 1
        column = comma.start() - text.rfind("\n", 0, comma.start())
        message = "this is not JSON: there is a comma after the last item"
        return codes.BAD_SCHEMA.make_problem(
            Place(path, line, column, line, column + 1), message, help="remove the comma", note=note
        )
    place = Place(path, error.lineno, error.colno, error.lineno, error.colno + 1)
    message = f"this is not JSON: {error.msg[:1].lower()}{error.msg[1:]}"
    return codes.BAD_SCHEMA.make_problem(place, message, note=note)


def _read_schema(found: Resources, node: Node, value: str) -> Mapping[str, Any] | None:
    text = _read_text(found, node, value)
    if text is None:
        return None
    path = display_path(resolve_relative(node, value))
    note = f"it is named at {node.place.label}"
    try:
        schema = json.loads(text, parse_constant=_reject_constant)
    except json.JSONDecodeError as error:
        found.problems.append(_make_syntax_problem(path, text, error, note))
        return None
    except (ValueError, RecursionError) as error:
        # how deep the parser reads differs between versions of Python
        reason = f"it is nested more than {MAX_DEPTH} deep" if isinstance(error, RecursionError) else str(error)
        found.problems.append(
            codes.BAD_SCHEMA.make_problem(Place(path, 1, 1, 1, 2), f"this is not a schema: {reason}", note=note)
        )
        return None
    if (excess := find_excess(schema)) or not isinstance(schema, dict):
        message = f"this is not a schema: {excess}" if excess else "a schema is a JSON object, `{ … }`"
        found.problems.append(codes.BAD_SCHEMA.make_problem(Place(path, 1, 1, 1, 2), message, note=note))
        return None
    return schema


def _reject_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _read_text(found: Resources, node: Node, name: str) -> str | None:
    """Read a file in the workflow's folder, or report a problem and return None."""
    place = _locate_file(found, node, name)
    if place is None:
        return None
    real, folder = place
    try:
        data = read_file(real, folder)
    except FileTooBigError as error:
        found.problems.append(codes.TOO_BIG.make_problem(node.place, f'"{name}" cannot be read: {error}'))
        return None
    except UnreadableFileError as error:
        message = f'"{name}" cannot be read: {error}'
        found.problems.append(codes.MISSING_FILE.make_problem(node.place, message, help=_suggest_file(folder, name)))
        return None
    path = resolve_relative(node, name)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        found.problems.append(make_encoding_problem(error, display_path(path)))
        return None
    found.files.append(path)
    found.hashes.append(hash_content(data))
    return text


def hash_content(content: bytes | str) -> str:
    """Hash the content of a file: SHA-256, as hexadecimal digits."""
    data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    return hashlib.sha256(data).hexdigest()


def read_own_file(path: Path, folder: Path) -> bytes | None:
    """Read a file of a workflow's folder; None where `read_resources` would refuse it.

    Args:
        path: the file.
        folder: the workflow's folder.
    """
    try:
        real, own = path.resolve(), folder.resolve()
        # The rules of the first reading hold again: the file may have become a link since.
        return None if _find_foreign(real, own) else read_file(real, own)
    except (OSError, ValueError, RuntimeError, UnreadableFileError):
        return None


def _locate_file(found: Resources, node: Node, name: str) -> tuple[Path, Path] | None:
    """Return the resolved file and the workflow's folder, or report that the file is not of this folder."""
    try:
        real, folder = resolve_relative(node, name).resolve(), resolve_relative(node, ".").resolve()
    except (OSError, ValueError, RuntimeError) as error:
        circle = isinstance(error, RuntimeError)  # a newer Python raises OSError instead
        reason = "too many levels of symbolic links" if circle else "that is not a file name"
        found.problems.append(codes.MISSING_FILE.make_problem(node.place, f'"{name}" cannot be read: {reason}'))
        return None
    if reason := _find_foreign(real, folder):
        help_ = "put the file next to the workflow, or in a folder under it"
        found.problems.append(codes.LEAVES_FOLDER.make_problem(node.place, f'"{name}" is {reason}', help=help_))
        return None
    return real, folder


def _find_foreign(real: Path, folder: Path) -> str:
    """Return why a file does not belong to the workflow; empty when it does."""
    if not real.is_relative_to(folder):
        return "outside of the workflow's folder"
    if is_closed(real.relative_to(folder).parts):
        return "in a folder of version control"
    # installers hard-link the shipped files to their caches
    if not folder.is_relative_to(_SHIPPED) and is_linked_elsewhere(real, folder):
        return "a hard link to a file outside of the workflow's folder"
    return ""


def _suggest_file(folder: Path, name: str) -> str:
    """Suggest what a wrong file name means: a type, or a file with a similar name."""
    if name in JSON_TYPES:
        return f"for a schema in place write `{{ type: {name} }}`"
    files = {found.name: found for found in islice(_iterate_files(folder), MAX_FILES_SCANNED)}
    near = find_nearest(PurePath(name).name, files)
    return f'did you mean "{files[near].as_posix()}"?' if near else ""


def _iterate_files(folder: Path) -> Iterator[PurePath]:
    try:
        for pattern in ("*", "*/*", "*/*/*"):
            for path in islice(folder.glob(pattern), MAX_FILES_SCANNED):
                found = path.relative_to(folder)
                if path.is_file() and not any(part.startswith(".") for part in found.parts):
                    yield found
    except OSError:
        return
