"""The part of COMMANDS.md that shows what the doctor says; a test runs it and holds the lines against each other."""

from __future__ import annotations

DOCTOR_SECTION = """\
## What the doctor says

`aur doctor` writes one line for each thing it looked at: `[PASS]`, `[WARN]`, `[FAIL]`, or `[SKIP]` for what hangs on
something that is missing. Below them stands what puts things right, as commands; `aur doctor --fix` does what is marked
with a star, and looks again. In a project where nothing is set up yet, with `…` for what is left out here:

```text
=== MCP Integration Checks ===
[WARN] no assistant starts Aurora in this project
[PASS] aurora_query, aurora_search and aurora_get can be loaded
…
=== Workflow Checks ===
[PASS] …
=== Memory Checks ===
[WARN] there is no memory yet: …
[SKIP] there is no memory to check yet
…
=== Project Checks ===
[WARN] the folder ".aurora" is missing
…
=== System Checks ===
[PASS] Python …
…
=== Suggested Fixes ===
- Run `aur doctor --fix`, which does this:
  * Run `aur mem index`.
…
```

`aur doctor --fix` then tells each step it took, and examines everything again; what is left needs a person:

```text
=== Fixes ===
[DONE] indexed the project: …
=== MCP Integration Checks ===
[WARN] no assistant starts Aurora in this project
…
=== Memory Checks ===
[PASS] .aurora/memory.db opens; …
[PASS] the memory passes its integrity check
…
=== Suggested Fixes ===
- Run `aur init…
…
… passed, … 0 failed, …
```"""
