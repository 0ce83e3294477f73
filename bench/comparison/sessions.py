"""Sessions: one question to one host in a folder of its own, with the person's login or with the scripted model."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hosts.launches import LAUNCHES, Setting
from hosts.process import run_host
from hosts.project import make_environment
from hosts.server import serve_model

from .commands import COMMANDS, ENVIRONMENT
from .folders import WITHOUT
from .reports import READERS, Report, read_events
from .results import ANSWERED, TIMEOUT, Result
from .scoring import make_prompt
from .scripted import make_model

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .folders import Folders
    from .questions import Question

MAX_ANSWER = 20_000
_MAX_REASON = 300


@dataclass(frozen=True, slots=True)
class Sessions:
    """How a session is held.

    Attributes:
        host: name of the host.
        sources: digest of the sources.
        folders: of the sessions.
        programs: the folder of the host's program; None takes the one on PATH.
        is_scripted: True for the scripted model, in a home of its own.
        seconds: limit of a session.
    """

    host: str
    sources: str
    folders: Folders
    programs: Path | None
    is_scripted: bool
    seconds: float

    def ask(self, question: Question, arm: str, number: int) -> Result:
        """Ask the question in a fresh session, and remove its folder."""
        project = self.folders.copy(arm, number)
        prompt = make_prompt(question)
        command = COMMANDS[self.host](prompt, project)
        try:
            with self._make_environment(question, arm, project) as environment:
                program = shutil.which(command[0], path=environment["PATH"])
                if program is None:
                    missing = f"there is no program {command[0]}; --programs names the folder that has it"
                    return self._make_result(question, arm, missing, Report(), 0.0)
                began = time.perf_counter()
                output, code = run_host((program, *command[1:]), project, environment, self.seconds)
                seconds = time.perf_counter() - began
        finally:
            shutil.rmtree(project.parent, ignore_errors=True)
        report = READERS[self.host](read_events(output))
        return self._make_result(question, arm, _describe_end(output, code, arm, report), report, seconds)

    def _make_result(self, question: Question, arm: str, ended: str, report: Report, seconds: float) -> Result:
        return Result(
            host=self.host,
            model="scripted" if self.is_scripted else "own",
            sources=self.sources,
            arm=arm,
            ask=question.ask,
            ended=ended,
            answer=report.answer[:MAX_ANSWER],
            turns=report.turns,
            sent=report.sent,
            received=report.received,
            calls=report.calls,
            seconds=round(seconds, 1),
        )

    @contextlib.contextmanager
    def _make_environment(self, question: Question, arm: str, project: Path) -> Iterator[Mapping[str, str]]:
        """Make the environment: the person's, or one that reaches only the scripted model."""
        if not self.is_scripted:
            yield {**make_own_environment(self.programs), **ENVIRONMENT}
            return
        home = project.parent / "home"
        home.mkdir()
        with serve_model(make_model(arm, question)) as server:
            launch = LAUNCHES[self.host](Setting(home, project, server.url, question.ask))
            launch.write_files(home)
            yield {**make_environment(home, self.programs or Path()), **ENVIRONMENT, **launch.environment}


def make_own_environment(programs: Path | None) -> dict[str, str]:
    """Make the person's environment, in which `aur` is this one."""
    first = [str(programs)] if programs else []
    return {**os.environ, "PATH": os.pathsep.join([*first, str(Path(sys.executable).parent), os.environ["PATH"]])}


def _describe_end(output: str, code: int | None, arm: str, report: Report) -> str:
    if code is None:
        return TIMEOUT
    if arm == WITHOUT and report.calls:
        return "the host has Aurora in this arm, too: remove it from the configuration of its home"
    if code or not report.answer:
        return f"no answer, exit code {code}: {output.strip()[-_MAX_REASON:]}"
    return ANSWERED
