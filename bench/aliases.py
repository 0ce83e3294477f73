"""Time to resolve an alias, against a look-up in a bare dictionary."""

from __future__ import annotations

import timeit

from rows import Row, emit, median

from aurora.tools.core.aliases import ALIASES, resolve_alias

ROUNDS = 21
CALLS = 20_000
AIM_NANOSECONDS = 1_000


def main() -> None:
    """Measure, first one side and then the other in every round."""
    bare = dict(ALIASES)
    names = [*ALIASES, "mem.search", "no_such_tool"]

    def resolving() -> None:
        for name in names:
            resolve_alias(name)

    def looking_up() -> None:
        for name in names:
            bare.get(name, name)

    each = CALLS // len(names)
    ours, theirs = [], []
    for _ in range(ROUNDS):
        ours.append(timeit.timeit(resolving, number=each) / (each * len(names)) * 1e9)
        theirs.append(timeit.timeit(looking_up, number=each) / (each * len(names)) * 1e9)
    mine, yard = median(ours), median(theirs)
    emit(
        [
            Row(
                "resolving an alias",
                f"{mine:.0f} ns",
                f"a bare dictionary: {yard:.0f} ns",
                mine / yard,
                f"< {AIM_NANOSECONDS:,} ns",
                mine < AIM_NANOSECONDS,
            )
        ]
    )


if __name__ == "__main__":
    main()
