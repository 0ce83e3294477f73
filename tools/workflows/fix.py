"""`workflow.fix`: apply the safe fixes to workflow files, then check them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from aurora.faults import Code, Fault, choose_write_remedy
from aurora.faults.paths.write import write_inside
from aurora.interpreter.catalog.fix import apply_fixes
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
    """Applied edit, `new` in place of `old`, at its place when it was applied."""

    path: str
    line: int
    column: int
    old: str
    new: str
    code: str
    name: str


class FixOutput(ValidateOutput):
    """Applied edits, and the problems that are left."""

    edits: tuple[AppliedEdit, ...]


def fix_workflows(given: ValidateInput, context: Context) -> FixOutput:
    """Fix workflow files, then check them.

    Raises:
        Fault: INVALID_INPUT for a text without a file, CONFLICT when another process changes the file at the same
            time, FORBIDDEN when it cannot be written, and the faults of `validate`.
    """
    if given.text is not None:
        raise Fault(Code.INVALID_INPUT, "only a file can be fixed", help="Name the file instead of piping its text.")
    catalog = context.project.workflows
    edits: list[Edit] = []
    for label, target in resolve_targets(given.files, context):
        context.progress(len(edits), None, label)
        is_path = target.endswith((".yaml", ".yml")) or os.path.isfile(target)  # noqa: PTH113 - Path.is_file raises for a name that is too long
        path = Path(target) if is_path else catalog.find_path(target)
        if path.resolve().is_relative_to(context.root):  # a shipped workflow is not fixed
            edits += _fix_file(path, context)
    remaining = validate_workflows(given, context)
    return FixOutput(**dict(remaining), edits=tuple(map(AppliedEdit.from_value, edits)))


def _fix_file(path: Path, context: Context) -> tuple[Edit, ...]:
    try:
        data = read_file(path)
        text = data.removeprefix(_BOM).decode("utf-8")
    except (UnreadableFileError, UnicodeDecodeError):
        return ()  # the check reports it

    def check_text(edited: str) -> tuple[Problem, ...]:
        context.progress(0, None, display_path(path))  # stops after a cancellation, with the file unchanged
        return context.project.workflows.check_text(edited, path, limited=False)

    done = apply_fixes(text, display_path(path), check_text)
    context.progress(0, None, display_path(path))
    if done.edits:
        mark = _BOM if data.startswith(_BOM) else b""
        _replace_file(context.root, path.resolve(), data, mark + done.text.encode("utf-8"))
    return done.edits


def _replace_file(root: Path, path: Path, before: bytes, after: bytes) -> None:
    """Replace a file atomically, unless it changed meanwhile."""

    def check_unchanged() -> None:
        if read_file(path) != before:
            raise Fault(
                Code.CONFLICT,
                f'"{display_path(path)}" changed while it was being fixed',
                help="Run the command again.",
            )

    try:
        write_inside(root, path.relative_to(root).as_posix(), after, check=check_unchanged)
    except (OSError, UnreadableFileError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise Fault(
            Code.FORBIDDEN,
            f'"{display_path(path)}" cannot be written: {reason}',
            help=choose_write_remedy(error, "Change the permissions of the file and its folder."),
        ) from None


TOOL = Tool(
    name="workflow.fix",
    title="Fix workflows",
    description="Apply the safe fixes to workflow files, and list the problems that are left.",
    input=ValidateInput,
    output=FixOutput,
    run=fix_workflows,
    family="workflow",
    risk="write",
    idempotent=True,
    timeout=120.0,
    examples=(Example("All that would be used", {}),),
)
