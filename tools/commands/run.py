"""Tool `command.run`: run one program that the person allowed, without a shell."""

from __future__ import annotations

import json
import secrets
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, StringConstraints

from aurora.errors import Code, Fault, check_cancelled, extend_time, list_names, mark_text
from aurora.system.secrets.masks import mask_json, mask_secrets
from aurora.tools.core import Example, Json, StrictModel, Tool

from .policy import MAX_SECONDS, SECTION, load_policy
from .process import MAX_PRINTED_BYTES, Launch, build_environment, find_file, parse_output, run_process

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from aurora.tools.core import Context

    from .policy import AllowedCommand, CommandPolicy
    from .process import Finished

MAX_OUTPUT_BYTES = 64_000


MAX_ARGUMENTS_CHARS = 100_000
"""Characters of all arguments together; the smallest limit of the systems is 128 kB."""


_SIGNAL_BASE = 128
"""Exit code of a program that signal N ended, less N, as shells count it."""

_SHOWN_AFTER_TIMEOUT = 2_000

_STREAMS = ("stdout", "stderr")

_NO_NUL = r"^[^\x00]*$"

Argument = Annotated[str, StringConstraints(pattern=_NO_NUL)] | int


class Params(StrictModel):
    """Settings of a phase.

    Attributes:
        seconds: the limit of the program's time; the person may have set a lower one.
        output_bytes: the bytes of standard output, and of standard error, that are kept: the first and the last half.
        parse_json: read standard output as JSON into `json`, in place of `stdout`.
    """

    seconds: int = Field(default=60, ge=1, le=MAX_SECONDS)
    output_bytes: int = Field(default=8_000, ge=200, le=MAX_OUTPUT_BYTES)
    parse_json: bool = False


class CommandInput(StrictModel):
    """Program with its arguments and its standard input."""

    program: Annotated[str, StringConstraints(min_length=1, max_length=1000, pattern=_NO_NUL)] = Field(
        description="The name that the person's configuration has."
    )
    arguments: tuple[Argument, ...] = Field(
        default=(), max_length=1000, description="Passed as they are: no shell reads them."
    )
    input: Json = Field(default=None, description="Standard input: a text as it is, any other value as JSON.")


class CommandOutput(StrictModel):
    """Outcome of a program; an exit code other than 0 is an outcome like any other."""

    exit_code: int = Field(ge=0, description="Its exit code; 128 and the number of the signal that ended it.")
    stdout: str
    stderr: str
    parsed: Json = Field(
        alias="json",
        description="Standard output as JSON, with `parse_json`; else null.",
        json_schema_extra={"x-setting": "parse_json"},
    )
    truncated: bool = Field(description="Bytes in the middle of the output are left out.")
    seconds: float = Field(ge=0)


def run_command(given: CommandInput, context: Context) -> CommandOutput:
    """Run a program in the project's folder.

    Raises:
        Fault: FORBIDDEN unless the person allowed the call; TIMEOUT; UPSTREAM_ERROR for a program that cannot be
            started, or that prints without end; INVALID_INPUT for arguments that are too long.
    """
    params: Params = context.params
    arguments = tuple(str(one) for one in given.arguments)
    if sum(map(len, arguments)) > MAX_ARGUMENTS_CHARS:
        message = f"the arguments have more than {MAX_ARGUMENTS_CHARS:,} characters together"
        raise Fault(Code.INVALID_INPUT, message, help="Pass long values as `input`.")
    command = _require_allowed(given.program, arguments, context)
    mark = secrets.token_hex(16)
    launch = Launch(
        argv=(find_file(command, context.root), *arguments),
        folder=context.root,
        environ=build_environment(command, context.root, mark),
        mark=mark,
        given=_encode_input(given.input),
        seconds=min(params.seconds, command.seconds),
        kept_bytes=params.output_bytes,
    )
    return _to_output(given.program, _run_launch(launch, given.program, context), launch.seconds, params)


def list_allowed_programs(root: Path) -> dict[str, tuple[str, ...]]:
    """Return the allowed programs of a project; none where the configuration is wrong."""
    try:
        return {"program": load_policy(root).programs}
    except Fault:
        return {"program": ()}


def _require_allowed(program: str, arguments: tuple[str, ...], context: Context) -> AllowedCommand:
    """Return the entry of the person's configuration that allows the call.

    Raises:
        Fault: FORBIDDEN.
    """
    if not context.project.trust.is_trusted():
        message = f'"{program[:80]}" is not run, because this folder is not trusted'
        raise Fault(Code.FORBIDDEN, message, help="The person runs `aur trust`, and looks at what the folder brings.")
    policy = load_policy(context.root)
    command = policy.find(program, arguments)
    if command is None:
        raise make_refusal(policy, program, arguments, context.root)
    return command


def _encode_input(value: Any) -> bytes:
    if value is None:
        return b""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.encode("utf-8", "replace")


def _run_launch(launch: Launch, program: str, context: Context) -> Finished:
    """Run the program; its time limit is added to that of the call around this one."""
    finished = None
    extend_time(launch.seconds)
    try:
        finished = run_process(launch, _build_reporter(program, launch.seconds, context))
    finally:
        extend_time((finished.seconds if finished else 0.0) - launch.seconds)
    return finished


def _build_reporter(program: str, limit: float, context: Context) -> Callable[[float], None]:
    """Return a callback that ends a cancelled call, and reports progress once a second."""
    reported = 0

    def report_time(passed: float) -> None:
        nonlocal reported
        check_cancelled()
        if int(passed) > reported:
            reported = int(passed)
            context.progress(min(passed, limit), limit, f"{program} is running")

    return report_time


def _to_output(program: str, finished: Finished, limit: float, params: Params) -> CommandOutput:
    stdout, stderr = mask_secrets(finished.stdout.to_text()), mask_secrets(finished.stderr.to_text())
    if finished.stopped:
        raise _make_stopped_fault(program, finished.stopped, limit, (stdout, stderr))
    whole = params.parse_json and not finished.stdout.is_truncated
    parsed = mask_json(parse_output(finished.stdout.to_text())) if whole else None
    code = finished.exit_code
    return CommandOutput(
        exit_code=_SIGNAL_BASE - code if code < 0 else code,
        stdout=stdout if parsed is None else "",
        stderr=stderr,
        json=parsed,
        truncated=finished.stdout.is_truncated or finished.stderr.is_truncated,
        seconds=round(finished.seconds, 3),
    )


def _make_stopped_fault(program: str, stopped: str, limit: float, texts: tuple[str, str]) -> Fault:
    ends = {name: mark_text(text[-_SHOWN_AFTER_TIMEOUT:]) for name, text in zip(_STREAMS, texts, strict=True) if text}
    if stopped == "time":
        return Fault(
            Code.TIMEOUT,
            f'"{program}" ran for {limit:g} s and was ended, with all that it had started',
            help=f"Let it do less, or set a higher `seconds` in the phase's params, at most {MAX_SECONDS}.",
            details={"program": program, "timeout_seconds": limit, **ends},
        )
    return Fault(
        Code.UPSTREAM_ERROR,
        f'"{program}" printed more than {MAX_PRINTED_BYTES // 1_000_000} MB and was ended, with all it had started',
        help="Let it print less.",
        details={"program": program, **ends},
    )


_MAX_SHOWN_ARGUMENTS = 20

_MAX_SHOWN_CHARS = 200


def make_refusal(policy: CommandPolicy, program: str, arguments: Sequence[str], root: Path) -> Fault:
    """Return the fault of a command that no entry allows.

    Args:
        policy: what the person allows in the project.
        program: the program of the call.
        arguments: its arguments.
        root: the project's folder.
    """
    if policy.file is None:
        return Fault(
            Code.FORBIDDEN,
            "no program can be allowed: there is no home folder for config.toml",
            help="Set HOME to the folder with your configuration.",
            details={"program": program[:_MAX_SHOWN_CHARS]},
        )
    lines = format_entry(program, arguments, root)
    return Fault(
        Code.FORBIDDEN,
        _describe_refusal(policy, program),
        help=f'Only the person may allow it, with these lines in "{policy.file}".',
        details={
            "program": program[:_MAX_SHOWN_CHARS],
            "arguments": [text[:_MAX_SHOWN_CHARS] for text in arguments[:_MAX_SHOWN_ARGUMENTS]],
            "file": str(policy.file),
            "lines": lines,
        },
    )


def _describe_refusal(policy: CommandPolicy, program: str) -> str:
    name = program[:_MAX_SHOWN_CHARS]
    entries = [command.describe() for command in policy.commands if command.program == program]
    if entries:
        return f'"{name}" is not allowed with these arguments; your configuration allows {list_names(entries)}'
    return f'the program "{name}" is not allowed in this project'


def format_entry(program: str, arguments: Sequence[str], root: Path) -> list[str]:
    """Return the lines of TOML that allow one call in one project.

    Args:
        program: the program.
        arguments: the arguments, which become patterns; one with `*` matches more than itself.
        root: the project's folder.
    """
    shown = [text[:_MAX_SHOWN_CHARS] for text in arguments[:_MAX_SHOWN_ARGUMENTS]]
    lines = [f"[[{SECTION}]]", f"project = {_quote(str(root))}", f"program = {_quote(program[:_MAX_SHOWN_CHARS])}"]
    return [*lines, f"arguments = [{', '.join(map(_quote, shown))}]"] if shown else lines


def _quote(text: str) -> str:
    """Return a basic string of TOML, which escapes as JSON does, and DEL too."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


TOOL = Tool(
    name="command.run",
    title="Run a program that the person allowed",
    description=(
        "Run one program in the project's folder, without a shell, and return its exit code and its output. The person "
        "allows each program and the patterns of its arguments in their own configuration; without that, every call is "
        "refused."
    ),
    input=CommandInput,
    output=CommandOutput,
    run=run_command,
    params=Params,
    family="reasoning",
    risk="write",
    idempotent=False,
    timeout=MAX_SECONDS + 30.0,
    phases=True,
    list_allowed=list_allowed_programs,
    constraints=(
        "Only programs and arguments that the person's config.toml allows, and only in a trusted project.",
        "A program is found in PATH outside of the project, or at the path that the person wrote.",
        f"Output over `output_bytes` is left out in the middle; a program ends after `seconds`, at most {MAX_SECONDS}.",
        "Processes that the program leaves running are ended with it.",
    ),
    examples=(Example("The tests of the project", {"program": "pytest", "arguments": ["-q"]}, {"seconds": 300}),),
)
