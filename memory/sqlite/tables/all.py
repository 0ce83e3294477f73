"""All the tables, as they are seen inside one transaction."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import apsw

    from aurora.memory.sqlite.integrity import Whole

    from .chunks import Chunks
    from .damage import Damage
    from .files import Files
    from .links import Links
    from .meta import Facts
    from .nodes import Nodes
    from .postings import Words
    from .records import Records
    from .references import References
    from .runs import Runs
    from .sizes import Amounts
    from .usage import Uses
    from .vectors import Vectors


class Tables:
    """What the engine asks of its database, by what it asks about.

    Whoever has one is inside a transaction: all answers are of one moment, and what is written is written together.
    Each part is loaded when it is first asked for: a search from the command line has a fifth of a second for all.
    """

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def tune(self) -> None:
        """Look at what the tables are like now that much was written, so that questions find the shortest way."""
        self._db.pragma("optimize")

    @cached_property
    def facts(self) -> Facts:
        """What the memory knows of itself."""
        from .meta import Facts  # noqa: PLC0415 - as the class says

        return Facts(self._db)

    @cached_property
    def files(self) -> Files:
        """The files of the project."""
        from .files import Files  # noqa: PLC0415 - as the class says

        return Files(self._db)

    @cached_property
    def chunks(self) -> Chunks:
        """Pieces of files, and records."""
        from .chunks import Chunks  # noqa: PLC0415 - as the class says

        return Chunks(self._db)

    @cached_property
    def vectors(self) -> Vectors:
        """What chunks mean."""
        from .vectors import Vectors  # noqa: PLC0415 - as the class says

        return Vectors(self._db)

    @cached_property
    def whole(self) -> Whole:
        """Whether the file is a database at all."""
        from aurora.memory.sqlite.integrity import Whole  # noqa: PLC0415 - as the class says

        return Whole(self._db)

    @cached_property
    def words(self) -> Words:
        """Which words stand where."""
        from .postings import Words  # noqa: PLC0415 - as the class says

        return Words(self._db)

    @cached_property
    def nodes(self) -> Nodes:
        """What is defined."""
        from .nodes import Nodes  # noqa: PLC0415 - as the class says

        return Nodes(self._db)

    @cached_property
    def links(self) -> Links:
        """What refers to what."""
        from .links import Links  # noqa: PLC0415 - as the class says

        return Links(self._db)

    @cached_property
    def references(self) -> References:
        """What is referred to by name."""
        from .references import References  # noqa: PLC0415 - as the class says

        return References(self._db)

    @cached_property
    def runs(self) -> Runs:
        """Runs and their steps."""
        from .runs import Runs  # noqa: PLC0415 - as the class says

        return Runs(self._db)

    @cached_property
    def uses(self) -> Uses:
        """When chunks were read."""
        from .usage import Uses  # noqa: PLC0415 - as the class says

        return Uses(self._db)

    @cached_property
    def records(self) -> Records:
        """What no file holds, and how it can be taken back."""
        from .records import Records  # noqa: PLC0415 - as the class says

        return Records(self._db)

    @cached_property
    def amounts(self) -> Amounts:
        """How much there is of everything."""
        from .sizes import Amounts  # noqa: PLC0415 - as the class says

        return Amounts(self._db)

    @cached_property
    def damage(self) -> Damage:
        """What is wrong, and how it is mended."""
        from .damage import Damage  # noqa: PLC0415 - as the class says

        return Damage(self._db)
