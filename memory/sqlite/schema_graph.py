"""Schema of the code graph: nodes, references and links."""

from __future__ import annotations

# A reference contains everything that its own file says about it (`via`), so linking it again needs only the nodes of
# its name. `graph_pending` contains names whose references need linking, `graph_gone` files whose nodes need removal
# unless they are written again first; both are filled in the same transaction, so a kill loses nothing.
GRAPH_SCHEMA = """
CREATE TABLE IF NOT EXISTS nodes (
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    path TEXT NOT NULL,
    symbol TEXT NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    language TEXT NOT NULL,
    start_line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    parent INTEGER
) STRICT;
CREATE INDEX IF NOT EXISTS nodes_by_name ON nodes (name);
CREATE INDEX IF NOT EXISTS nodes_by_path ON nodes (path, start_line);
CREATE INDEX IF NOT EXISTS nodes_of_files ON nodes (path) WHERE symbol = '';
CREATE INDEX IF NOT EXISTS nodes_of_go ON nodes (kind) WHERE language = 'go';
CREATE INDEX IF NOT EXISTS nodes_by_parent ON nodes (parent) WHERE parent IS NOT NULL;

CREATE TABLE IF NOT EXISTS refs (
    n INTEGER PRIMARY KEY,
    source INTEGER NOT NULL REFERENCES nodes (n) ON DELETE CASCADE,
    kind INTEGER NOT NULL,
    name TEXT NOT NULL,
    via TEXT NOT NULL,
    line INTEGER NOT NULL,
    linked INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX IF NOT EXISTS refs_by_name ON refs (name);
CREATE INDEX IF NOT EXISTS refs_by_source ON refs (source);
CREATE INDEX IF NOT EXISTS refs_of_methods ON refs (n) WHERE via = 'methods';
CREATE INDEX IF NOT EXISTS refs_waiting ON refs (n) WHERE NOT linked;

CREATE TABLE IF NOT EXISTS edges (
    ref INTEGER NOT NULL REFERENCES refs (n) ON DELETE CASCADE,
    target INTEGER NOT NULL REFERENCES nodes (n) ON DELETE CASCADE,
    source INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    confidence REAL NOT NULL,
    how TEXT NOT NULL,
    PRIMARY KEY (ref, target)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS edges_by_source ON edges (source, confidence DESC, kind);
CREATE INDEX IF NOT EXISTS edges_by_target ON edges (target, confidence DESC, kind);

CREATE TABLE IF NOT EXISTS graph_pending (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS graph_gone (path TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS graph_packed (
    generation INTEGER PRIMARY KEY,
    body BLOB NOT NULL
) STRICT;
CREATE TRIGGER IF NOT EXISTS nodes_gone BEFORE DELETE ON nodes BEGIN
    INSERT OR IGNORE INTO graph_pending (name) VALUES (OLD.name);
END;
CREATE TRIGGER IF NOT EXISTS files_gone AFTER DELETE ON files BEGIN
    INSERT OR IGNORE INTO graph_gone (path) VALUES (OLD.path);
END;
"""
