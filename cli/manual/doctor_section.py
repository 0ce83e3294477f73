"""Section of COMMANDS.md on the output of `aur doctor`; a test compares it with a real run."""

from __future__ import annotations

DOCTOR_SECTION = """\
## The output of the doctor

`aur doctor` prints one line per check: `[PASS]`, `[WARN]`, `[FAIL]`, or `[SKIP]` where the check depends on something
that is missing. The fixes follow as commands; `aur doctor --fix` applies those marked with a star, and checks again. In
a project that is not set up yet, with `…` for omitted text:

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

`aur doctor --fix` reports each step and checks everything again; the rest needs a person:

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
