"""Aurora's server in which every call of a tool fails, with one error code after the other.

Only the work of the tools is replaced: listing, envelopes and protocol are those of the real server. Some codes
cannot be provoked from outside (a bug in Aurora), and not every tool can fail with every code.
"""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, Any, NoReturn

from aurora.cli.entry import main
from aurora.errors import Code, Fault
from aurora.tools.mcp import calls

if TYPE_CHECKING:
    from aurora.tools.core import Project

CODES = tuple(code.value for code in Code)
_called: Counter[str] = Counter()


def describe_failure(tool: str, code: str) -> str:
    """Return the message of a failure; `tool` is the name of the tool in Aurora, with a dot."""
    return f'the call of "{tool}" failed on purpose with {code}'


def fail_call(_project: Project, name: str, _arguments: Any, **_more: Any) -> NoReturn:
    """Fail with the next code: the first call of a tool with the first, the second with the second.

    Raises:
        Fault: always.
    """
    code = CODES[_called[name] % len(CODES)]
    _called[name] += 1
    raise Fault(Code(code), describe_failure(name, code), details={"tool": name}, help="Nothing helps: this is a test.")


if __name__ == "__main__":
    calls.call_tool = fail_call
    sys.exit(main())
