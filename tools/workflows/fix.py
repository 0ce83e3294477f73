"""workflow.fix: what can be mended without a doubt is mended in the file; then everything is checked."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault, write_atomically
from aurora.interpreter.catalog import apply_fixes
from aurora.interpreter.problems import UnreadableFileError, read_file
from aurora.interpreter.yaml import display_path
from aurora.tools.core import Example, StrictModel, Tool

from .files import resolve_targets
from .validate import ValidateInput, ValidateOutput, validate_workflows

if TYPE_CHECKING:
    from aurora.interpreter.problems import Problem
    from aurora.interpreter.yaml import Edit
    from aurora.tools.core import Context

_BOM = b"\xef\xbb\xbf"


class AppliedEdit(StrictModel):
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

    edits: tuple[AppliedEdit, ...]


def fix_workflows(given: ValidateInput, context: Context) -> FixOutput:
    """Mend the files, then check them.

    Raises:
        Fault: INVALID_INPUT for a text that stands in no file, CONFLICT when somebody else writes the file meanwhile,
            FORBIDDEN when it cannot be written, and whatever `validate` raises.
    """
    if given.text is not None:
        raise Fault(Code.INVALID_INPUT, "only a file can be mended", help="Name the file instead of piping it.")
    catalog = context.project.workflows
    edits: list[Edit] = []
    for called, asked in resolve_targets(given.files, context):
        context.progress(len(edits), None, called)
        path = Path(asked) if asked.endswith((".yaml", ".yml")) or os.path.isfile(asked) else catalog.find_path(asked)  # noqa: PTH113 - as in the catalog
        if path.resolve().is_relative_to(context.root):  # what came with the program is not ours to write
            edits += _fix_file(path, context)
    left = validate_workflows(given, context)
    made = tuple(
        AppliedEdit(path=e.path, line=e.line, column=e.column, old=e.old, new=e.new, code=e.code, name=e.name)
        for e in edits
    )
    return FixOutput(**dict(left), edits=made)


def _fix_file(path: Path, context: Context) -> tuple[Edit, ...]:
    try:
        data = read_file(path)
        text = data.removeprefix(_BOM).decode("utf-8")
    except (UnreadableFileError, UnicodeDecodeError):
        return ()  # the check tells

    def check_text(edited: str) -> tuple[Problem, ...]:
        context.progress(0, None, display_path(path))  # ends the work, the file untouched, once nobody waits for it
        return context.project.workflows.check_text(edited, path)

    done = apply_fixes(text, display_path(path), check_text)
    context.progress(0, None, display_path(path))
    if done.edits:
        mark = _BOM if data.startswith(_BOM) else b""
        _replace_file(path.resolve(), data, mark + done.text.encode("utf-8"))
    return done.edits


def _replace_file(path: Path, before: bytes, after: bytes) -> None:
    """Replace a file atomically, unless it changed meanwhile."""

    def check_unchanged() -> None:
        if read_file(path) != before:
            raise Fault(
                Code.CONFLICT,
                f'"{display_path(path)}" changed while it was being fixed',
                help="Run the command again.",
            )

    try:
        write_atomically(path, after, check=check_unchanged)
    except (OSError, UnreadableFileError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise Fault(
            Code.FORBIDDEN,
            f'"{display_path(path)}" cannot be written: {reason}',
            help="Change the permissions of the file and its folder.",
        ) from None


TOOL = Tool(
    name="workflow.fix",
    title="Mend workflows",
    description="Mend in workflow files what can be mended without a doubt, and tell what is left.",
    input=ValidateInput,
    output=FixOutput,
    run=fix_workflows,
    family="workflow",
    risk="write",
    idempotent=True,
    timeout=120.0,
    examples=(Example("All that would be used", {}),),
)
