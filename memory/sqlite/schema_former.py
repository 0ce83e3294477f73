"""Objects of the schema that older versions of Aurora created."""

from __future__ import annotations


def _name_table(name: str, sql: str) -> tuple[str, str, str, str]:
    return "table", name, name, sql


_WORDS = ("code_words", "prose_words")
"""Full-text indexes of version 1; SQLite keeps each in tables of its own."""

FORMER_INDEXES: tuple[tuple[str, str, str, str], ...] = (
    ("index", "edges_by_source", "edges", "CREATE INDEX edges_by_source ON edges (source, kind)"),
    ("index", "edges_by_target", "edges", "CREATE INDEX edges_by_target ON edges (target, kind)"),
)
"""Indexes of version 2 that no migration replaces."""

FORMER_OBJECTS: tuple[tuple[str, str, str, str], ...] = (
    _name_table(
        "code_words",
        "CREATE VIRTUAL TABLE code_words USING fts5 ( symbol, path, text, content = '', contentless_delete = 1, "
        "tokenize = \"unicode61 tokenchars '_'\" )",
    ),
    _name_table(
        "prose_words",
        "CREATE VIRTUAL TABLE prose_words USING fts5 ( symbol, path, text, content = '', contentless_delete = 1, "
        "tokenize = 'porter unicode61' )",
    ),
    *(
        _name_table(f"{name}_{part}", f"CREATE TABLE '{name}_{part}'{columns}")
        for name in _WORDS
        for part, columns in (
            ("data", "(id INTEGER PRIMARY KEY, block BLOB)"),
            ("idx", "(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID"),
            ("docsize", "(id INTEGER PRIMARY KEY, sz BLOB, origin INTEGER)"),
            ("config", "(k PRIMARY KEY, v) WITHOUT ROWID"),
        )
    ),
    (
        "trigger",
        "chunks_gone",
        "chunks",
        (
            "CREATE TRIGGER chunks_gone AFTER DELETE ON chunks BEGIN "
            "DELETE FROM code_words WHERE OLD.type = 'code' AND rowid = OLD.n; "
            "DELETE FROM prose_words WHERE OLD.type != 'code' AND rowid = OLD.n; END"
        ),
    ),
    (
        "trigger",
        "fact_kept",
        "chunks",
        (
            "CREATE TRIGGER fact_kept AFTER INSERT ON chunks WHEN NEW.path IS NULL BEGIN "
            "INSERT OR IGNORE INTO remembered (id, at) VALUES (NEW.id, unixepoch('subsec')); END"
        ),
    ),
    _name_table(
        "segments",
        "CREATE TABLE segments (segment INTEGER PRIMARY KEY AUTOINCREMENT, postings INTEGER NOT NULL) STRICT",
    ),
    *(
        _name_table("postings", f"CREATE TABLE postings ({columns}, body BLOB NOT NULL, {key}) STRICT, WITHOUT ROWID")
        for columns, key in (
            ("segment INTEGER NOT NULL, term TEXT NOT NULL", "PRIMARY KEY (segment, term)"),
            ("term TEXT NOT NULL, segment INTEGER NOT NULL", "PRIMARY KEY (term, segment)"),
        )
    ),
)
"""Tables and triggers of versions 1 and 2 that a migration removes or replaces."""
