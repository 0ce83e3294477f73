"""Schema of the code graph: nodes, references and links."""

from __future__ import annotations

GRAPH_SCHEMA = """
CREATE TABLE nodes (
    project bigint NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    n bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    path text COLLATE "C" NOT NULL,
    symbol text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    language text COLLATE "C" NOT NULL,
    start_line bigint NOT NULL,
    end_line bigint NOT NULL,
    parent bigint,
    PRIMARY KEY (project, n),
    UNIQUE (project, id)
);
CREATE INDEX nodes_by_name ON nodes (project, name);
CREATE INDEX nodes_by_path ON nodes (project, path, start_line);
CREATE INDEX nodes_by_symbol ON nodes (project, symbol);
CREATE INDEX nodes_by_parent ON nodes (project, parent) WHERE parent IS NOT NULL;

CREATE TABLE refs (
    project bigint NOT NULL,
    n bigint NOT NULL,
    source bigint NOT NULL,
    kind bigint NOT NULL,
    name text COLLATE "C" NOT NULL,
    via text COLLATE "C" NOT NULL,
    line bigint NOT NULL,
    linked boolean NOT NULL DEFAULT false,
    PRIMARY KEY (project, n),
    FOREIGN KEY (project, source) REFERENCES nodes (project, n) ON DELETE CASCADE
);
CREATE INDEX refs_by_name ON refs (project, name);
CREATE INDEX refs_by_source ON refs (project, source);
CREATE INDEX refs_of_methods ON refs (project, n) WHERE via = 'methods';
CREATE INDEX refs_waiting ON refs (project, n) WHERE NOT linked;

CREATE TABLE edges (
    project bigint NOT NULL,
    ref bigint NOT NULL,
    target bigint NOT NULL,
    source bigint NOT NULL,
    kind bigint NOT NULL,
    confidence double precision NOT NULL,
    how text COLLATE "C" NOT NULL,
    PRIMARY KEY (project, ref, target),
    FOREIGN KEY (project, ref) REFERENCES refs (project, n) ON DELETE CASCADE,
    FOREIGN KEY (project, target) REFERENCES nodes (project, n) ON DELETE CASCADE
);
CREATE INDEX edges_by_source ON edges (project, source, confidence DESC, kind);
CREATE INDEX edges_by_target ON edges (project, target, confidence DESC, kind);

CREATE TABLE graph_pending (
    project bigint NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    name text COLLATE "C" NOT NULL,
    PRIMARY KEY (project, name)
);
CREATE TABLE graph_gone (
    project bigint NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    path text COLLATE "C" NOT NULL,
    PRIMARY KEY (project, path)
);
CREATE TABLE graph_packed (
    project bigint NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    generation bigint NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (project, generation)
);
"""
