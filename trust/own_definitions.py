"""The workflows and agents that a project brings, which wait for the person's trust."""

from __future__ import annotations

import re
from dataclasses import dataclass

_PLAIN_NAME = re.compile(r"[A-Za-z0-9_.-]{1,40}")
_MOST_NAMES = 5


@dataclass(frozen=True, slots=True)
class OwnDefinitions:
    """Files of a project that define its own workflows and agents.

    Attributes:
        workflows: paths of the workflow files, relative to the project.
        agents: paths of the agents' files, relative to the project.
        complete: False when there are more files than were counted.
        is_changed: the folder is trusted, and these are new or changed since the person was shown what it brings.
    """

    workflows: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    complete: bool = True
    is_changed: bool = False

    def __bool__(self) -> bool:
        return bool(self.workflows or self.agents)

    def count_files(self) -> str:
        """Describe the numbers, as `2 workflows and 1 agent`; no name, which a hostile clone may choose."""
        numbers = ((len(self.workflows), "workflow"), (len(self.agents), "agent"))
        text = " and ".join(f"{number:,} {noun}{'s' * (number != 1)}" for number, noun in numbers if number)
        return text if self.complete else f"at least {text}"

    @property
    def reason(self) -> str:
        """Reason why the files are not used, after a comma."""
        return "new or changed since it was trusted" if self.is_changed else "because it is not trusted"

    def describe_files(self) -> str:
        """Describe the files for a person, as `1 workflow (soar.yaml)`, without names of unusual characters."""
        names = [path.rpartition("/")[2] for path in (*self.workflows, *self.agents)]
        shown = [name for name in names if _PLAIN_NAME.fullmatch(name)][:_MOST_NAMES]
        left = len(names) - len(shown)
        listed = ", ".join([*shown, *([f"{left:,} more"] if left else [])])
        return f"{self.count_files()} ({listed})" if shown else self.count_files()
