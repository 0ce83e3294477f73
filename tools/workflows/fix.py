"""workflow.fix: what can be mended without a doubt is mended in the file; then everything is checked."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault
from aurora.faults.cancellation import lasting
from aurora.interpreter.catalog.fix import mend
from aurora.interpreter.problems.files import Unreadable, read_file
from aurora.interpreter.yaml.display_path import shown
from aurora.tools.core.declaration import Example, Strict, Tool

from .files import targets
from .validate import ValidateInput, ValidateOutput, validate

if TYPE_CHECKING:
    from aurora.interpreter.problems.problem import Problem
    from aurora.interpreter.yaml.edit import Edit
    from aurora.tools.core.context import Context

_MARK = b"\xef\xbb\xbf"


class Edited(Strict):
    """One edit that was made: `new` in place of `old`. Its place is the one at which it was made."""

    path: str
    line: int
    column: int
    old: str
    new: str
    code: str
    name: str


class FixOutput(ValidateOutput):
    """The edits that were made, and what is left."""

    edits: tuple[Edited, ...]


def fix(given: ValidateInput, context: Context) -> FixOutput:
    """Mend the files, then check them.

    Raises:
        Fault: INVALID_INPUT for a text that stands in no file, CONFLICT when somebody else writes the file meanwhile,
            FORBIDDEN when it cannot be written, and whatever `validate` raises.
    """
    if given.text is not None:
        raise Fault(Code.INVALID_INPUT, "only a file can be mended", help="Name the file instead of piping it.")
    catalog = context.project.workflows
    edits: list[Edit] = []
    for called, asked in targets(given.files, context):
        context.progress(len(edits), None, called)
        path = Path(asked) if asked.endswith((".yaml", ".yml")) or os.path.isfile(asked) else catalog.path(asked)  # noqa: PTH113 - as in the catalog
        if path.resolve().is_relative_to(context.root):  # what came with the program is not ours to write
            edits += _mended(path, context)
    left = validate(given, context)
    made = tuple(
        Edited(path=e.path, line=e.line, column=e.column, old=e.old, new=e.new, code=e.code, name=e.name) for e in edits
    )
    return FixOutput(**dict(left), edits=made)


def _mended(path: Path, context: Context) -> tuple[Edit, ...]:
    try:
        data = read_file(path)
        text = data.removeprefix(_MARK).decode("utf-8")
    except (Unreadable, UnicodeDecodeError):
        return ()  # the check tells

    def check(edited: str) -> tuple[Problem, ...]:
        context.progress(0, None, shown(path))  # ends the work, the file untouched, once nobody waits for it
        return context.project.workflows.problems_in(edited, path)

    done = mend(text, shown(path), check)
    context.progress(0, None, shown(path))
    if done.edits:
        mark = _MARK if data.startswith(_MARK) else b""
        _write(path.resolve(), data, mark + done.text.encode("utf-8"))
    return done.edits


def _write(path: Path, before: bytes, after: bytes) -> None:
    """Whole or not at all, with the rights that the file had."""
    made: str | None = None
    try:
        handle, made = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(after)
        shutil.copymode(path, made)
        if read_file(path) != before:
            raise Fault(Code.CONFLICT, f'"{shown(path)}" changed while it was being mended', help="Say it again.")
        with lasting():
            os.replace(made, path)  # noqa: PTH105 - atomic
        made = None
    except (OSError, Unreadable) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise Fault(
            Code.FORBIDDEN,
            f'"{shown(path)}" cannot be written: {reason}',
            help="Give yourself permission to write the file and its folder.",
        ) from None
    finally:
        if made is not None:
            os.unlink(made)  # noqa: PTH108 - as it was made


TOOL = Tool(
    name="workflow.fix",
    title="Mend workflows",
    description="Mend in workflow files what can be mended without a doubt, and tell what is left.",
    input=ValidateInput,
    output=FixOutput,
    run=fix,
    family="workflow",
    risk="write",
    idempotent=True,
    timeout=120.0,
    examples=(Example("All that would be used", {}),),
)
