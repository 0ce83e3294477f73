"""`aur workflow run`: run a workflow with a person or a file of answers."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from aurora.cli.context import (
    build_common_options,
    reject_broken_text,
    reject_empty,
    reject_repeated_inputs,
    take_common_options,
)
from aurora.cli.exits import ExitCode
from aurora.cli.output import Output, put
from aurora.cli.parser.parameters import DescribedArgument, DescribedCommand, complete_value
from aurora.cli.project import open_workspace
from aurora.cli.render.printer import print_json, to_fields
from aurora.cli.render.step import describe_value_fault, print_refusal, select_result
from aurora.cli.trust import offer_changes
from aurora.errors import Code, Fault, did_you_mean, list_names, show_hidden
from aurora.tools import text, trust
from aurora.tools.core import DEFAULT_WORKFLOW
from aurora.tools.workflows.files import build_not_found_fault

from .loop import PendingPrompt, PersonAnswer, Walk, continue_walk, resume_walk, start_walk
from .prompt import EndOfInputError, Prompter
from .scripted import parse_typed_value, read_answers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aurora.cli.context import CommonOptions
    from aurora.interpreter import Definition
    from aurora.interpreter.run.ports import Workflows
    from aurora.tools.runtime import Workspace

    from .loop import Host
    from .scripted import ScriptedAnswers


@click.pass_context
def _run_workflow(context: click.Context, /, **given: Any) -> int:
    options = take_common_options(context, given)
    reject_empty(context, given, "name", "run", "answers")
    reject_repeated_inputs(context, given["input"])
    reject_broken_text(context, given)
    file = given["name"] if given["name"] and is_file_name(given["name"]) else None
    if given["run"] and (given["input"] or (given["name"] and not file)):
        raise click.UsageError(
            "--run continues a run with its own workflow and inputs: leave out NAME and --input", context
        )
    with open_workspace(options) as workspace:
        if workspace.read_only:
            raise Fault(
                Code.FORBIDDEN,
                "the workflow is recorded as a run, and read-only mode forbids writes",
                help="`aur workflow step` runs one phase without a run.",
            )
        return _walk_workflow(workspace, options, given)


def _walk_workflow(workspace: Workspace, options: CommonOptions, given: dict[str, Any]) -> int:
    out = _make_walk_output(options)
    file = given["name"] if given["name"] and is_file_name(given["name"]) else None
    _offer_changes(workspace, file, options)
    inputs: dict[str, Any] = {}
    asked: PendingPrompt | None = None
    of_file = load_workflow_file(workspace, file) if file else None
    known = FileWorkflows(of_file, workspace) if of_file is not None else workspace.workflows
    if given["run"]:
        walk, call, definition, asked = resume_walk(workspace, given["run"], of_file)
    else:
        definition = of_file or workspace.workflows.load(given["name"] or DEFAULT_WORKFLOW)
        inputs = dict(_parse_input(pair, definition) for pair in given["input"])
        walk, call = start_walk(definition, inputs)
    _show_notice(workspace, out)  # after the refusal of a workflow that is itself not used
    if of_file is not None:
        walk.file = given["name"]
        # The file's neighbours stand beside it and not in the
        # project, so the run has its own engine that finds them.
        walk.engine = workspace.build_engine(known)
    host = _choose_host(given["answers"], definition, known, inputs=inputs, options=options, out=out)
    try:
        continue_walk(workspace, walk, call, asked, host)
    except (EndOfInputError, KeyboardInterrupt) as error:
        return _show_interruption(walk, options, out, interrupted=isinstance(error, KeyboardInterrupt))
    except Fault as fault:
        hint = f" Continue the run with: {walk.format_command()}" if walk.run else ""
        raise Fault(fault.code, fault.message, help=f"{fault.help}{hint}".strip(), details=fault.details) from None
    return _show_outcome(walk, options, out)


def _offer_changes(workspace: Workspace, file: str | None, options: CommonOptions) -> None:
    """Ask whether to use what the person has changed."""
    if not options.json:
        offer_changes(workspace, [(Path.cwd() / Path(file).expanduser()).resolve()] if file else ())


def _show_notice(workspace: Workspace, out: Output) -> None:
    """Report what of the folder is not used."""
    if notice := trust.build_notice(workspace):
        out.line((notice, "yellow"))


def _choose_host(  # noqa: PLR0913 - what a host asks and shows
    answers: str | None,
    definition: Definition,
    known: Workflows,
    *,
    inputs: dict[str, Any],
    options: CommonOptions,
    out: Output,
) -> Host:
    """Return the answers that were given as a host, or the person."""
    if answers:
        return ScriptedHost(read_answers(answers, definition, known.load), inputs, None if options.json else out)
    return InteractiveHost(Prompter(out), inputs, out)


def _show_outcome(walk: Walk, options: CommonOptions, out: Output) -> int:
    if options.json:
        print_json(walk.to_json())
    elif walk.ended:
        show_end(walk, out)
    else:
        show_resume_hint(walk, out)
    return ExitCode.OK if walk.ended and not walk.failed else ExitCode.PROBLEMS


def _show_interruption(walk: Walk, options: CommonOptions, out: Output, *, interrupted: bool) -> int:
    show_resume_hint(walk, out)
    if options.json:
        print_json(walk.to_json())
    return ExitCode.INTERRUPTED if interrupted else ExitCode.PROBLEMS


def _make_walk_output(options: CommonOptions) -> Output:
    """Return standard output; with JSON, messages for the person go to standard error."""
    if not options.json:
        return Output()
    return Output(sys.stderr)


def _parse_input(text: str, definition: Definition) -> tuple[str, Any]:
    """Parse `name=value`, the value by the schema of the first phase with such an input.

    Raises:
        Fault: INVALID_INPUT when no phase has such an input.
    """
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise click.UsageError(f'--input takes NAME=VALUE, not "{text[:80]}"', click.get_current_context())
    flow = definition.workflow
    # The last one wins in a mapping: backwards, that is the first phase with such an input, and then the start.
    known = {one: spec for phase in reversed(flow.phases.values()) for one, spec in phase.inputs.items()}
    known |= flow.phases[flow.map_phase_names()[flow.start]].inputs
    if name not in known:
        raise Fault(
            Code.INVALID_INPUT,
            f'no phase of workflow "{flow.name}" has an input "{name[:80]}"',
            help=did_you_mean(name[:80], known) or f"inputs: {list_names(known)}",
        )
    return name, parse_typed_value(value, known[name].json_schema)


_SUFFIXES = (".yaml", ".yml")


class FileWorkflows:
    """Workflow of a file, and those that its phases run; implements `Workflows`.

    Args:
        definition: the workflow of the file.
        workspace: the open project with all workflows; those next to the file come first.
    """

    def __init__(self, definition: Definition, workspace: Workspace) -> None:
        self._definition = definition
        self._workspace = workspace

    def load(self, name: str) -> Definition:
        """Return the workflow of the file for its name, and its neighbour for any other."""
        if name == self._definition.workflow.name:
            return self._definition
        found = self._workspace.workflows.load_neighbour(self._definition.path, name)
        return _require_trusted(found, name, self._workspace)


def is_file_name(text: str) -> bool:
    """Return whether a person means a file: the name of a workflow has no dot and no folder."""
    return text.endswith(_SUFFIXES) or os.sep in text or "/" in text


def load_workflow_file(workspace: Workspace, name: str) -> Definition:
    """Load the workflow of a file that a person named.

    Raises:
        Fault: NOT_FOUND or INVALID_INPUT, as `Catalog.load_file`; FORBIDDEN for a file of an untrusted project.
    """
    path = Path.cwd() / Path(name).expanduser()
    if not os.path.lexists(path):
        raise build_not_found_fault(Path.cwd(), str(path))
    return _require_trusted(workspace.workflows.load_file(path), name, workspace)


def _require_trusted(definition: Definition, name: str, workspace: Workspace) -> Definition:
    """Return the definition; reject one of the project that the person was not shown.

    Raises:
        Fault: FORBIDDEN.
    """
    if trust.is_definition_trusted(definition, workspace):
        return definition
    is_changed = workspace.trust.is_trusted()
    reason = "and is new or changed since you trusted it" if is_changed else "which is not trusted yet"
    message = f'"{name[:200]}" belongs to this folder, {reason}, so it is not used'
    raise Fault(Code.FORBIDDEN, message, help="Run `aur trust`, which shows what the folder brings, and asks.")


_FINAL_CODES = frozenset({Code.FORBIDDEN, Code.UNAUTHORIZED, Code.UPSTREAM_ERROR, Code.INTERNAL_ERROR})
"""Codes of errors whose cause is not what the person typed."""

_RESERVED_LINES = 3
"""Lines of the terminal that a page of a prompt leaves free."""


class ScriptedHost:
    """Host that takes answers from a file and inputs from the command line.

    Args:
        scripted: the answers.
        inputs: by name.
        out: where the steps are shown; None shows nothing.
    """

    def __init__(self, scripted: ScriptedAnswers, inputs: dict[str, Any], out: Output | None) -> None:
        self._answers = scripted
        self._inputs = inputs
        self._out = out

    def provide_value(self, name: str, schema: Mapping[str, Any], asked: PendingPrompt | None) -> Any:
        """Return the next answer of the phase, or the input.

        Raises:
            Fault: NOT_FOUND for what the file lacks, INVALID_INPUT for a missing input.
        """
        if asked is not None:
            return self._answers.next_answer(asked.phase, schema)
        if name in self._inputs:
            return self._inputs[name]
        raise Fault(Code.INVALID_INPUT, f'the input "{name}" is missing', help=f"Give it with --input {name}=…")

    @staticmethod
    def ask_person(question: Mapping[str, Any]) -> None:
        """Return nothing: a file does not answer for the person."""
        del question

    def report_step(self, response: Mapping[str, Any]) -> None:
        """Show the step, unless the output is JSON."""
        if self._out is not None:
            show_step(response, self._out)

    def report_refusal(self, response: Mapping[str, Any]) -> bool:
        """Show the reason; the same answer would be rejected again."""
        if self._out is not None:
            show_refusal(response, self._out)
        return False


class InteractiveHost:
    """Host that asks a person at the terminal.

    Args:
        asker: asks for values.
        inputs: by name, what the command line gave; each is taken once.
        out: where everything is shown.
    """

    def __init__(self, asker: Prompter, inputs: dict[str, Any], out: Output) -> None:
        self._prompter = asker
        self._inputs = dict(inputs)
        self._out = out
        self._shown_prompt: PendingPrompt | None = None

    def provide_value(self, name: str, schema: Mapping[str, Any], asked: PendingPrompt | None) -> Any:
        """Return the answer of the person.

        Raises:
            EndOfInputError: the input ended.
        """
        if asked is None:
            if name in self._inputs:
                # Taken once: a phase that returns, or refuses the value, asks the person.
                return self._inputs.pop(name)
            self._prompter.print_line(f"{name}?", "bold")
            return self._prompter.ask_value(name, schema)
        if asked.single:
            # After a refused answer, the same prompt is not printed again.
            if self._shown_prompt is not asked:
                self._page_prompt(asked.prompts[0])
            self._shown_prompt = asked
            self._prompter.print_line(f"your answer to {asked.phase}", "bold")
            return self._prompter.ask_value("answer", schema)
        if asked.names:
            return self._ask_branches(asked, schema)
        answers = []
        for number, prompt in enumerate(asked.prompts, 1):
            self._page_prompt(prompt)
            self._prompter.print_line(f"your answer to {asked.phase}, {number} of {len(asked.prompts)}", "bold")
            answers.append(self._prompter.ask_value("answer", schema.get("items", {})))
        return answers

    def _ask_branches(self, asked: PendingPrompt, schema: Mapping[str, Any]) -> dict[str, Any]:
        """Ask each branch, and return the answers by branch."""
        answers = {}
        for name, prompt in zip(asked.names, asked.prompts, strict=True):
            self._page_prompt(prompt)
            self._prompter.print_line(f"your answer to {asked.phase}, {name}", "bold")
            answers[name] = self._prompter.ask_value(name, schema.get("properties", {}).get(name, {}))
        return answers

    def ask_person(self, question: Mapping[str, Any]) -> PersonAnswer | None:
        """Show the message and ask for the form; None where input or output is no terminal.

        Raises:
            EndOfInputError: the input ended.
        """
        if not (sys.stdin.isatty() and self._out.is_terminal):
            return None
        self._page_prompt(question["message"])
        if not self._ask_consent():
            return PersonAnswer(accepts=False)
        form = question["form"]
        has_fields = bool(form.get("properties"))
        return PersonAnswer(accepts=True, form=self._prompter.ask_value("answer", form) if has_fields else {})

    def _ask_consent(self) -> bool:
        """Ask until the person says plainly whether to answer: neither "no" nor a stray Enter may pass a gate."""
        while True:
            typed = self._prompter.read_line("y to answer, d to decline: ").strip().lower()
            if typed in ("y", "yes", "d", "decline"):
                return typed[0] == "y"
            self._prompter.print_line("y or d; Ctrl-C stops, and the run waits on")

    def report_step(self, response: Mapping[str, Any]) -> None:
        """Show the step; the prompt follows with the question."""
        show_step(response, self._out)

    def report_refusal(self, response: Mapping[str, Any]) -> bool:
        """Show the reason; try again where the call needs a value, or returns to an edited phase.

        An error that no value can repair, such as a folder that takes no writes, would only be repeated.
        """
        show_refusal(response, self._out)
        if response["error"]["code"] in _FINAL_CODES:
            return False
        coming = response["next_call"] or {}
        return bool(coming.get("needs") or "go_back_to" in response["error"]["details"])

    def _page_prompt(self, prompt: str) -> None:
        """Show the prompt, page by page on a terminal."""
        self._prompter.print_line("")
        lines = show_hidden(prompt).rstrip().splitlines()
        size = shutil.get_terminal_size()
        room = max(size.lines - _RESERVED_LINES, 5) if sys.stdin.isatty() and self._out.is_terminal else 0
        used = 0
        for line in lines:
            height = max(1, -(-len(line) // max(size.columns, 1)))
            if room and used and used + height > room:
                used = 0
                if self._prompter.read_line("-- more: Enter; q skips the rest -- ").strip() == "q":
                    break
            self._prompter.print_line(line)
            used += height
        self._prompter.print_line("")


def show_step(response: Mapping[str, Any], out: Output) -> None:
    """Show the progress, the result of the phase, and the next one."""
    following = response["next_action"]
    out.line(
        (response["progress"], "bold cyan"),
        (f"  {response['status']}", "red" if response["status"] == "error" else "green"),
        (put("  → ", following), "bold"),
    )
    if error := response.get("error"):
        out.line((f"  {error['code']}: {error['message']}", "red"))
    out.tree(text.summarize_fields(response.get("result")))


def show_refusal(response: Mapping[str, Any], out: Output) -> None:
    """Show the reason of a rejected call, with each fault."""
    print_refusal(to_fields(response), out, describe_value_fault, "Give other values.")


def show_end(walk: Walk, out: Output) -> None:
    """Show the path of the run, and the last result in full."""
    last = walk.last_response or {}
    prompts = last.get("prompt_template") or []
    out.line()
    out.line(("path: ", "bold"), f"{' → '.join([*walk.path, 'end'])}")
    for prompt in [prompts] if isinstance(prompts, str) else prompts:
        out.text(prompt)
    out.tree(select_result(last.get("result")))
    out.tree(last.get("output"), "output  ")
    out.text(last.get("guidance"), "dim")
    out.line((f"why: aur workflow explain {walk.run}" if walk.run else "", "dim"))


def show_resume_hint(walk: Walk, out: Output) -> None:
    """Show how to continue an interrupted run."""
    out.line()
    if not walk.run:
        out.line(("No run was started.", "bold"))
    elif walk.waits:
        out.line((f"Only you can answer this phase: {walk.format_command()} at a terminal asks you", "bold"))
    else:
        out.line((f"The run is saved. Continue with: {walk.format_command()}", "bold"))


RUN = DescribedCommand(
    "run",
    params=[
        DescribedArgument(
            ["name"],
            required=False,
            metavar="[NAME|FILE]",
            shell_complete=complete_value,
            description="The workflow, by its name or its file; by default soar.",
        ),
        click.Option(
            ["--run"], metavar="ID", shell_complete=complete_value, help="Continue this run; `last` is the newest."
        ),
        click.Option(["--input"], multiple=True, metavar="NAME=VALUE", help="An input; may be repeated."),
        click.Option(
            ["--answers"],
            metavar="JSON|FILE",
            help="Answers by phase, instead of questions: a JSON object, or a YAML or JSON file; - is standard input.",
        ),
        *build_common_options(),
    ],
    callback=_run_workflow,
    help="Run a workflow from start to end and answer its prompts yourself: one of the project by its name, or that "
    "of any file. Without NAME: soar.",
)
