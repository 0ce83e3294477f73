"""Comparison of a host's answers with and without Aurora, with the host's own model and the person's own login.

Each session costs what the host's model costs. Each invocation asks at most `--limit` questions, twice each.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import tempfile
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click
from comparison.commands import COMMANDS
from comparison.figures import HEADINGS, compute_figures, format_figure
from comparison.folders import ARMS, WITH, Folders, compute_digest
from comparison.questions import read_questions
from comparison.results import Result, append_result, read_results, select_results
from comparison.scoring import make_prompt
from comparison.sessions import Sessions, make_own_environment

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from comparison.questions import Question

QUESTIONS = Path(__file__).resolve().parent / "comparison" / "questions.yaml"
MAX_FAILURES = 3
WIDTHS = (16, 6, 10, 10, 11, 1)

Done = dict[tuple[str, str], Result]
Session = tuple["Question", str]


def read_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("host", choices=COMMANDS)
    parser.add_argument("results", type=Path, help="a file of JSON lines, which is continued")
    parser.add_argument(
        "--limit", type=int, default=1, help="questions to ask now, each twice; 0 prints the table (default 1)"
    )
    parser.add_argument("--seconds", type=float, default=600, help="limit of a session (default 600)")
    parser.add_argument("--questions", type=Path, default=QUESTIONS, help="another file of questions")
    parser.add_argument(
        "--sources", type=Path, help="the sources the questions are about (default: the installed Click)"
    )
    parser.add_argument("--programs", type=Path, help="the folder with the host's program (default: on PATH)")
    parser.add_argument(
        "--scripted", action="store_true", help="a scripted model instead of the own; its answers mean nothing"
    )
    parser.add_argument("--dry-run", action="store_true", help="print the sessions, and start none")
    return parser.parse_args()


def plan_sessions(questions: Iterable[Question], done: Done) -> Iterator[tuple[Session, ...]]:
    """Plan the missing sessions, question by question; the order of the arms alternates."""
    for number, question in enumerate(questions):
        order = ARMS if number % 2 == 0 else tuple(reversed(ARMS))
        if missing := tuple((question, arm) for arm in order if (question.ask, arm) not in done):
            yield missing


def print_plan(plan: list[Session], host: str) -> None:
    """Print the command of each session."""
    for question, arm in plan:
        print(f"[{arm}] {shlex.join(COMMANDS[host](make_prompt(question), Path('FOLDER')))}\n")


def hold_sessions(plan: list[Session], sessions: Sessions, path: Path) -> bool:
    """Ask the questions, and append each result; stop after some failures in a row.

    Returns:
        False if it has stopped.
    """
    failures = 0
    for number, (question, arm) in enumerate(plan, 1):
        result = sessions.ask(question, arm, number)
        append_result(path, result)
        print(f"{number}/{len(plan)}  {arm:<8} {result.seconds:6.1f} s  {question.ask}\n    {result.ended}", flush=True)
        failures = 0 if result.counts else failures + 1
        if failures == MAX_FAILURES:
            print(
                f"{MAX_FAILURES} sessions in a row have failed; correct the cause, and run this again", file=sys.stderr
            )
            return False
    return True


def print_table(questions: tuple[Question, ...], done: Done) -> None:
    """Print the table of all pairs so far."""
    used = [bool(one.calls) for (_, arm), one in done.items() if arm == WITH and one.calls is not None]
    rows = [HEADINGS, *(format_figure(figure) for figure in compute_figures(questions, done))]
    for cells in rows:
        print("  ".join(cell.rjust(width) for cell, width in zip(cells, WIDTHS, strict=True)))
    print(f"the host called Aurora in {sum(used)} of {len(used)} sessions with it")


def run_plan(given: argparse.Namespace, plan: list[Session], sources: Path, digest: str) -> bool:
    """Make the folders and hold the sessions; False if too many have failed.

    Raises:
        RuntimeError: `git` or `aur init` has failed.
    """
    programs = given.programs and given.programs.resolve()
    with tempfile.TemporaryDirectory(prefix="comparison-", ignore_cleanup_errors=True) as root:
        folders = Folders(Path(root).resolve(), make_own_environment(programs))
        folders.create(sources, given.host)
        sessions = Sessions(given.host, digest, folders, programs, given.scripted, given.seconds)
        return hold_sessions(plan, sessions, given.results)


def main() -> int:
    """Compare, and print the table; the exit code is 1 if sessions failed in a row."""
    given = read_arguments()
    sources = (given.sources or Path(click.__file__).parent).resolve()
    try:
        questions = read_questions(given.questions, sources)
        scope = (given.host, "scripted" if given.scripted else "own", compute_digest(sources))
        missing = plan_sessions(questions, select_results(read_results(given.results), *scope))
        plan = [session for pair in islice(missing, max(0, given.limit)) for session in pair]
        if given.dry_run:
            print_plan(plan, given.host)
            return 0
        is_complete = not plan or run_plan(given, plan, sources, scope[-1])
        if given.scripted:
            print("The scripted model answered: these figures say nothing about any real model.")
        print_table(questions, select_results(read_results(given.results), *scope))
    except (OSError, RuntimeError, ValueError) as error:
        sys.exit(str(error))
    return 0 if is_complete else 1


if __name__ == "__main__":
    sys.exit(main())
