"""The lines of an import, each checked: all that is wrong is told at once, by line."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from aurora.faults import Fault
from aurora.faults.suggest import did_you_mean, quoted
from aurora.memory.model.json_columns import clean, dumped
from aurora.memory.model.rows import identify

from .export import FORMAT, VERSION
from .file import LONGEST
from .secret_check import secret_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

DEEPEST = 500
_TYPES = ("code", "know", "reas")
_WORDS = {
    str: "a text",
    dict: "an object",
    list: "a list",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    type(None): "null",
}
SHAPES: Mapping[str, Mapping[str, tuple[type, ...]]] = {
    "chunk": {
        "id": (str,),
        "type": (str,),
        "kind": (str,),
        "symbol": (str,),
        "language": (str,),
        "text": (str,),
        "metadata": (dict,),
        "at": (float, int, type(None)),
    },
    "accesses": {"id": (str,), "at": (list,)},
    "run": {"run": (str,), "workflow": (str,), "created_at": (str,), "updated_at": (str,), "document": (dict,)},
    "step": {"run": (str,), "seq": (int,), "phase": (str,), "at": (str,), "document": (dict,)},
}
"""Kind of record -> its fields and what each may be."""
_OPTIONAL: Mapping[str, Mapping[str, Any]] = {
    "chunk": {"id": None, "language": "", "metadata": {}, "at": None, "symbol": "", "kind": "fact"}
}
"""What whoever writes lines by hand may leave out."""


class Wrong(NamedTuple):
    """What is wrong with a line, counted from 1."""

    line: int
    message: str


@dataclass(slots=True)
class Read:
    """What the lines said so far."""

    chunks: dict[str, dict[str, Any]] = field(default_factory=dict)
    accesses: dict[str, tuple[float, ...]] = field(default_factory=dict)
    runs: dict[str, dict[str, Any]] = field(default_factory=dict)
    steps: dict[str, dict[int, dict[str, Any]]] = field(default_factory=dict)
    passed_over: int = 0
    newer: int | None = None
    wrong: list[Wrong] = field(default_factory=list)
    seen: dict[tuple[Any, ...], int] = field(default_factory=dict)
    """Where each thing was said first."""


class _Bad(Exception):  # noqa: N818 - not an error of ours: a finding
    """A line that is not taken."""


def read(lines: Iterable[bytes]) -> Read:
    """Read and check every line; `wrong` and `newer` of what is returned say whether it may be used."""
    out = Read()
    promised: int | None = None
    count = number = 0
    for number, raw in enumerate(lines, 1):
        try:
            if number == 1:
                promised = _head(_document(raw.removeprefix(b"\xef\xbb\xbf")), out)
                if out.newer is not None:
                    return out
            elif raw.strip():
                count += 1
                _take(_document(raw), number, out)
        except _Bad as bad:
            out.wrong.append(Wrong(number, str(bad)))
            if number == 1:
                return out  # what has no head is no export, and each further line would be told too
    if not number:
        out.wrong.append(Wrong(1, "the file is empty"))
    elif promised is not None and promised != count and not out.wrong:
        said = f"the head promises {promised} lines, and {count} follow: a part is missing, or too much"
        out.wrong.append(Wrong(1, said))
    _check_steps(out)
    return out


def _document(raw: bytes) -> dict[str, Any]:
    if len(raw) > LONGEST:
        raise _Bad(f"the line is longer than {LONGEST:,} bytes")
    try:
        document = json.loads(raw.rstrip(b"\r\n").decode("utf-8"), parse_constant=_no_constant)
    except UnicodeDecodeError as error:
        raise _Bad(f"byte 0x{raw[error.start]:02x} is not UTF-8") from None
    except RecursionError:
        raise _Bad(f"it is nested more than {DEEPEST} deep") from None
    except json.JSONDecodeError as error:
        raise _Bad(f"it is not JSON ({error.msg}, at character {error.pos + 1})") from None
    except ValueError as error:  # a number that is none, or of too many digits
        raise _Bad(f"it is not JSON ({error})") from None
    if not isinstance(document, dict):
        raise _Bad(f"it is {_WORDS[type(document)]} where an object was expected")
    if _depth_exceeds(document):
        raise _Bad(f"it is nested more than {DEEPEST} deep")
    return document


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no number in JSON")


def _depth_exceeds(document: Any) -> bool:
    level = [document]
    for _ in range(DEEPEST):
        level = [
            inner
            for one in level
            for inner in (one.values() if isinstance(one, dict) else one)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return False
    return True


def _head(document: dict[str, Any], out: Read) -> int | None:
    version, promised = document.get("version"), document.get("lines")
    if document.get("aurora") != FORMAT or type(version) is not int:
        raise _Bad(f'no export begins so; its first line is {{"aurora":"{FORMAT}","version":{VERSION}}}')
    if version > VERSION:
        out.newer = version
    elif version < 1:
        raise _Bad(f"there is no version {version}")
    if promised is not None and type(promised) is not int:
        raise _Bad(f'"lines" must be a whole number, and is {_WORDS[type(promised)]}')
    return promised


def _take(document: dict[str, Any], number: int, out: Read) -> None:
    kind = document.pop("record", None)
    if kind == "code":
        out.passed_over += 1
        return
    if not isinstance(kind, str) or kind not in SHAPES:
        known = quoted([*SHAPES, "code"])
        near = did_you_mean(kind, SHAPES) if isinstance(kind, str) else ""
        said = f'there is no record "{kind[:40]}"; {near}' if near else f'"record" must be one of {known}'
        raise _Bad(said)
    given = _fields(kind, document)
    if found := secret_of(document):
        raise _Bad(f"it holds {found.rule}, and the memory keeps no secrets")
    _KEEP[kind](given, number, out)


def _fields(kind: str, document: dict[str, Any]) -> dict[str, Any]:
    shape, defaults = SHAPES[kind], _OPTIONAL.get(kind, {})
    for name in document:
        if name not in shape:
            raise _Bad(f'unexpected key "{name[:40]}" in a "{kind}"; expected one of {quoted([*shape, "record"])}')
    given = {**defaults, **document}
    for name, types in shape.items():
        if name not in given:
            raise _Bad(f'a "{kind}" has no "{name}"')
        value = given[name]
        if (name in document or value is not None) and type(value) not in types:
            raise _Bad(f'"{name}" must be {_WORDS[types[0]]}, and is {_WORDS[type(value)]}')
        if isinstance(value, str) and not _is_whole(value):
            raise _Bad(f'"{name}" holds half a character (a lone surrogate)')
        if isinstance(value, dict):
            try:
                dumped(value)
            except Fault as fault:
                raise _Bad(f'"{name}": {fault.message}') from None
    return given


def _is_whole(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _moment(value: Any) -> float:
    if type(value) not in {int, float}:
        raise _Bad(f'"at" must be a number, and is {_WORDS[type(value)]}')
    try:
        at = float(value)
    except OverflowError:
        at = math.inf
    if not math.isfinite(at):
        raise _Bad('"at" is no moment')
    return at


def _once(key: tuple[Any, ...], number: int, what: str, out: Read) -> None:
    first = out.seen.setdefault(key, number)
    if first != number:
        raise _Bad(f"{what} was said in line {first} already")


def _keep_chunk(given: dict[str, Any], number: int, out: Read) -> None:
    if given["type"] not in _TYPES:
        raise _Bad(f'there is no chunk type "{given["type"][:40]}"; use one of {quoted(_TYPES)}')
    for name in ("kind", "symbol", "text"):
        given[name] = clean(given[name])
    if not given["text"].strip():
        raise _Bad('"text" is empty')
    own = identify(given["type"], given["kind"], given["symbol"], " ".join(given["text"].split()))
    if given["id"] is not None and given["id"] != own:
        raise _Bad(f'the id "{given["id"][:40]}" does not fit what it names, which is "{own}"; it may be left out')
    given["id"] = own
    given["at"] = None if given["at"] is None else _moment(given["at"])
    _once(("chunk", own), number, f'"{own}"', out)
    out.chunks[own] = given


def _keep_accesses(given: dict[str, Any], number: int, out: Read) -> None:
    times = tuple(sorted({_moment(one) for one in given["at"]}))
    _once(("accesses", given["id"]), number, f'when "{given["id"][:40]}" was used', out)
    out.accesses[given["id"]] = times


def _keep_run(given: dict[str, Any], number: int, out: Read) -> None:
    _once(("run", given["run"]), number, f'run "{given["run"][:40]}"', out)
    out.runs[given["run"]] = given
    out.steps.setdefault(given["run"], {})


def _keep_step(given: dict[str, Any], number: int, out: Read) -> None:
    if given["run"] not in out.runs:
        raise _Bad(f'no line above tells of the run "{given["run"][:40]}"')
    _once(("step", given["run"], given["seq"]), number, f'step {given["seq"]} of run "{given["run"][:40]}"', out)
    out.steps[given["run"]][given["seq"]] = given


_KEEP = {"chunk": _keep_chunk, "accesses": _keep_accesses, "run": _keep_run, "step": _keep_step}


def _check_steps(out: Read) -> None:
    for run, steps in out.steps.items():
        if sorted(steps) != list(range(1, len(steps) + 1)):
            said = f'the steps of run "{run[:40]}" do not count from 1 without a gap'
            out.wrong.append(Wrong(out.seen["run", run], said))
