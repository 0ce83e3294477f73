"""Whoever still holds the id of a record that was merged away finds the record that took it over."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from .sqlite.rows import ask

if TYPE_CHECKING:
    from collections.abc import Sequence

    import apsw

_HEIRS = """
SELECT taken.value, heir.id
FROM chunks AS heir, json_each(heir.metadata, '$.merged') AS taken
WHERE heir.path IS NULL AND taken.value IN (SELECT value FROM json_each(?1)) AND taken.value != heir.id
ORDER BY heir.id DESC
"""


def heirs(db: apsw.Connection, ids: Sequence[str]) -> dict[str, str]:
    """Of these ids, those that a consolidation merged away, each with the id of the record that is kept.

    What was merged is noted in the metadata of what is kept, and goes from heir to heir; when the consolidation is
    taken back, or the heir forgotten, nothing is found.
    """
    return dict(ask(db, _HEIRS, (json.dumps(list(ids)),)))
