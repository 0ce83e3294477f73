"""Hosts of a run: a person at the terminal, a file of answers."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING, Any

from aurora.faults import Code, Fault, show_hidden

from .loop import PersonAnswer
from .render import show_refusal, show_step

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console

    from .loop import PendingPrompt
    from .prompt import Prompter
    from .scripted import ScriptedAnswers

_FINAL_CODES = frozenset({Code.FORBIDDEN, Code.UNAUTHORIZED, Code.UPSTREAM_ERROR, Code.INTERNAL_ERROR})
"""Codes of errors whose cause is not what the person typed."""
_RESERVED_LINES = 3
"""Lines of the terminal that a page of a prompt leaves free."""


class ScriptedHost:
    """Host that takes answers from a file and inputs from the command line.

    Args:
        scripted: the answers.
        inputs: by name.
        console: where the steps are shown; None shows nothing.
    """

    def __init__(self, scripted: ScriptedAnswers, inputs: dict[str, Any], console: Console | None) -> None:
        self._answers = scripted
        self._inputs = inputs
        self._console = console

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
        if self._console is not None:
            show_step(response, self._console)

    def report_refusal(self, response: Mapping[str, Any]) -> bool:
        """Show the reason; the same answer would be rejected again."""
        if self._console is not None:
            show_refusal(response, self._console)
        return False


class InteractiveHost:
    """Host that asks a person at the terminal.

    Args:
        asker: asks for values.
        inputs: by name, what the command line gave; each is taken once.
        console: where everything is shown.
    """

    def __init__(self, asker: Prompter, inputs: dict[str, Any], console: Console) -> None:
        self._prompter = asker
        self._inputs = dict(inputs)
        self._console = console
        self._shown_prompt: PendingPrompt | None = None

    def provide_value(self, name: str, schema: Mapping[str, Any], asked: PendingPrompt | None) -> Any:
        """Return the answer of the person.

        Raises:
            EndOfInputError: the input ended.
        """
        if asked is None:
            if name in self._inputs:
                return self._inputs.pop(name)
            self._prompter.print_line(f"{name}?", "bold")
            return self._prompter.ask_value(name, schema)
        if asked.single:
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
        if not (sys.stdin.isatty() and self._console.is_terminal):
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
        show_step(response, self._console)

    def report_refusal(self, response: Mapping[str, Any]) -> bool:
        """Show the reason; try again where the call needs a value, or returns to an edited phase.

        An error that no value can repair, such as a folder that takes no writes, would only be repeated.
        """
        show_refusal(response, self._console)
        if response["error"]["code"] in _FINAL_CODES:
            return False
        coming = response["next_call"] or {}
        return bool(coming.get("needs") or "go_back_to" in response["error"]["details"])

    def _page_prompt(self, prompt: str) -> None:
        """Show the prompt, page by page on a terminal."""
        self._prompter.print_line("")
        lines = show_hidden(prompt).rstrip().splitlines()
        size = shutil.get_terminal_size()
        room = max(size.lines - _RESERVED_LINES, 5) if sys.stdin.isatty() and self._console.is_terminal else 0
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
