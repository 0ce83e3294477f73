"""The screen of the demo: a panel for each response."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Console, Group
from rich.markdown import Markdown
from rich.panel import Panel
from rich.rule import Rule
from rich.text import Text

from aurora.cli.output import format_json_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

MAX_LINES = 14
"""Lines shown of a result or a prompt; a host receives all of them."""
MAX_WIDTH = 110


class Screen:
    """The terminal, at most `MAX_WIDTH` columns wide."""

    def __init__(self) -> None:
        console = Console()
        width = min(console.width, MAX_WIDTH) if console.is_terminal else MAX_WIDTH
        self._console = Console(width=width, highlight=False, emoji=False)
        self._steps = 0

    def step(self, title: str, command: str) -> None:
        """Print a heading and the command that it stands for."""
        self._steps += 1
        self._console.print()
        self._console.print(Rule(Text.assemble((f"{self._steps}. {title}", "bold"), (f"   {command}", "cyan"))))

    def introduce(self) -> None:
        """Print what is real in the demo, and what is not."""
        self._console.print(
            "This demo has no model: the assistant's answers are [bold]scripted[/bold]. The index, the server, the "
            "protocol, the checks and the routes are real."
        )

    def served(self, tools: Sequence[tuple[str, str]]) -> None:
        """Print the tools that the assistant sees."""
        for name, title in tools:
            self._console.print(Text.assemble(("  " + name, "bold cyan"), f"  {title}"))

    def question(self, number: int, question: str, what: str) -> None:
        """Print a question."""
        self.step(f"Question {number} {what}", "aurora_query")
        self._console.print(Panel(Text(question, style="bold"), border_style="magenta"))

    def response(self, arguments: Mapping[str, Any], response: Mapping[str, Any]) -> None:
        """Print one response: the call, its result, the prompt for the host, and the next action."""
        parts = [Text(f"aurora_query({_call(arguments)})", style="cyan", overflow="ellipsis", no_wrap=True)]
        parts += self._result(response)
        parts += _prompts(response.get("prompt_template"))
        parts.append(_next(response))
        colour = "green" if response["status"] == "complete" else "red"
        timing = response["metadata"].get("duration_ms", 0)
        title = Text(f" {response['progress']} ", style=f"bold {colour}")
        self._console.print(
            Panel(Group(*parts), title=title, title_align="left", subtitle=f"{timing:g} ms", border_style=colour)
        )

    def answer(self, phase: str, answer: Any) -> None:
        """Print the scripted answer of the host."""
        count = f" ({len(answer)} answer{'' if len(answer) == 1 else 's'})" if isinstance(answer, list) else ""
        body = _cut(list(_answer_lines(answer)))
        self._console.print(
            Panel(
                Group(*body),
                title=Text(f" scripted answer to {phase}{count} ", style="bold yellow"),
                title_align="left",
                border_style="yellow",
                style="dim",
            )
        )

    def walked(self, calls: int, characters: int, seconds: float) -> None:
        """Print what the run cost."""
        text = f"{calls} calls, {characters:,} characters of responses, {seconds:.2f} s in Aurora and on the wire"
        self._console.print(Text(text, style="dim"), justify="right")

    def farewell(self, command: str) -> None:
        """Print the next step, in a project of one's own, and the command that shows the run in a browser."""
        self._console.print()
        self._console.print(Rule(Text("Next: a project of yours", style="bold")))
        self._console.print("uv tool install .      (or: pipx install .)", style="cyan")
        self._console.print("cd YOUR-PROJECT && aur init", style="cyan")
        self._console.print("Then ask your assistant: Use aurora_query to find out how … works.")
        self._console.print()
        self._console.print(Rule(Text("Or look at this run in your browser", style="bold")))
        self._console.print(command, style="cyan", soft_wrap=True)

    def _result(self, response: Mapping[str, Any]) -> Iterator[Any]:
        result = response.get("result")
        if not result:
            return
        text = result.get("text") if isinstance(result, dict) else None
        if isinstance(text, str) and text:
            yield Markdown(text)
            return
        yield from _cut([*_lines(result)])


def _lines(result: Mapping[str, Any]) -> Iterator[str]:
    """Yield a result as lines, one for each chunk, task or subgoal."""
    for key, value in result.items():
        if key == "chunks":
            yield "chunks:"
            yield from (f"  {chunk['score']:.2f}  {_place(chunk)}" for chunk in value)
        elif isinstance(value, list) and value and all(isinstance(one, dict) and "id" in one for one in value):
            yield f"{key}:"
            yield from (f"  {one['id']}: {one.get('description') or one.get('output') or ''}" for one in value)
        else:
            yield from format_json_lines({key: value})


def _answer_lines(answer: Any) -> Iterator[str]:
    if isinstance(answer, dict):
        yield from _lines(answer)
        return
    for one in answer:
        yield f"{one['status']}: {one['output']}"
        yield f"      {', '.join(one.get('citations', ()))}"


def _place(chunk: Mapping[str, Any]) -> str:
    where = f"{chunk['path']}:{chunk['lines']}" if chunk.get("path") else chunk["type"]
    return f"{where}  {chunk.get('symbol', '')}".rstrip()


def _prompts(prompts: str | list[str] | None) -> Iterator[Any]:
    if not prompts:
        return
    several = prompts if isinstance(prompts, list) else [prompts]
    more = f", and {len(several) - 1} more like it" if len(several) > 1 else ""
    yield Text(f"prompt_template{more}", style="bold")
    yield from _cut(several[0].splitlines(), "dim")


def _next(response: Mapping[str, Any]) -> Text:
    line = Text.assemble(("→ ", "bold"), (response["next_action"], "bold green"))
    if response.get("early_exit"):
        line.append("  early exit", style="bold magenta")
    fired = [rule for rule in response["metadata"].get("decision", ()) if rule["fired"]]
    if fired and fired[0].get("when"):
        line.append(f"  because {fired[0]['when']}", style="dim")
    return line


def _call(arguments: Mapping[str, Any]) -> str:
    shown = {name: value for name, value in arguments.items() if name != "answer"}
    words = [f"{name}={value!r}" for name, value in shown.items()]
    return ", ".join([*words, "answer=…"] if "answer" in arguments else words)


def _cut(lines: Sequence[str], style: str = "") -> Iterator[Text]:
    """Yield the first lines, each on one row, and the number of those left out."""
    for line in lines[:MAX_LINES]:
        yield Text(line, style=style, overflow="ellipsis", no_wrap=True)
    if len(lines) > MAX_LINES:
        yield Text(f"… {len(lines) - MAX_LINES} more lines", style="dim italic")
