"""All the tables, as they are seen inside one transaction."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import apsw

    from aurora.memory.sqlite.integrity import IntegrityQueries

    from .chunks import ChunkTable
    from .damage import DamageQueries
    from .files import FileTable
    from .links import LinkTable
    from .meta import MetaTable
    from .nodes import NodeTable
    from .postings import PostingTable
    from .records import RecordTable
    from .references import ReferenceTable
    from .runs import RunTable
    from .sizes import SizeQueries
    from .usage import UsageTable
    from .vectors import VectorTable


class Tables:
    """What the engine asks of its database, by what it asks about.

    Whoever has one is inside a transaction: all answers are of one moment, and what is written is written together.
    Each part is loaded when it is first asked for: a search from the command line has a fifth of a second for all.
    """

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def optimize(self) -> None:
        """Look at what the tables are like now that much was written, so that questions find the shortest way."""
        self._db.pragma("optimize")

    @cached_property
    def meta(self) -> MetaTable:
        """What the memory knows of itself."""
        from .meta import MetaTable  # noqa: PLC0415 - as the class says

        return MetaTable(self._db)

    @cached_property
    def files(self) -> FileTable:
        """The files of the project."""
        from .files import FileTable  # noqa: PLC0415 - as the class says

        return FileTable(self._db)

    @cached_property
    def chunks(self) -> ChunkTable:
        """Pieces of files, and records."""
        from .chunks import ChunkTable  # noqa: PLC0415 - as the class says

        return ChunkTable(self._db)

    @cached_property
    def vectors(self) -> VectorTable:
        """What chunks mean."""
        from .vectors import VectorTable  # noqa: PLC0415 - as the class says

        return VectorTable(self._db)

    @cached_property
    def integrity(self) -> IntegrityQueries:
        """Whether the file is a database at all."""
        from aurora.memory.sqlite.integrity import IntegrityQueries  # noqa: PLC0415 - as the class says

        return IntegrityQueries(self._db)

    @cached_property
    def postings(self) -> PostingTable:
        """Which words stand where."""
        from .postings import PostingTable  # noqa: PLC0415 - as the class says

        return PostingTable(self._db)

    @cached_property
    def nodes(self) -> NodeTable:
        """What is defined."""
        from .nodes import NodeTable  # noqa: PLC0415 - as the class says

        return NodeTable(self._db)

    @cached_property
    def links(self) -> LinkTable:
        """What refers to what."""
        from .links import LinkTable  # noqa: PLC0415 - as the class says

        return LinkTable(self._db)

    @cached_property
    def references(self) -> ReferenceTable:
        """What is referred to by name."""
        from .references import ReferenceTable  # noqa: PLC0415 - as the class says

        return ReferenceTable(self._db)

    @cached_property
    def runs(self) -> RunTable:
        """Runs and their steps."""
        from .runs import RunTable  # noqa: PLC0415 - as the class says

        return RunTable(self._db)

    @cached_property
    def usage(self) -> UsageTable:
        """When chunks were read."""
        from .usage import UsageTable  # noqa: PLC0415 - as the class says

        return UsageTable(self._db)

    @cached_property
    def records(self) -> RecordTable:
        """What no file holds, and how it can be taken back."""
        from .records import RecordTable  # noqa: PLC0415 - as the class says

        return RecordTable(self._db)

    @cached_property
    def sizes(self) -> SizeQueries:
        """How much there is of everything."""
        from .sizes import SizeQueries  # noqa: PLC0415 - as the class says

        return SizeQueries(self._db)

    @cached_property
    def damage(self) -> DamageQueries:
        """What is wrong, and how it is mended."""
        from .damage import DamageQueries  # noqa: PLC0415 - as the class says

        return DamageQueries(self._db)
