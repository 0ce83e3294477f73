-- A memory of version 2, dumped from one that was made by the program as it was then.

BEGIN TRANSACTION;

-- accesses
CREATE TABLE accesses (id TEXT NOT NULL, at REAL NOT NULL, PRIMARY KEY (id, at)) STRICT, WITHOUT ROWID;

-- chunks
CREATE TABLE chunks (
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    type TEXT NOT NULL CHECK (type IN ('code', 'know', 'reas')),
    path TEXT REFERENCES files (path) ON DELETE CASCADE,
    start_line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    symbol TEXT NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    language TEXT NOT NULL,
    text TEXT NOT NULL,
    metadata TEXT NOT NULL
) STRICT;
INSERT INTO chunks VALUES(1,'know:b843ad2b071d','know','README.md',1,3,'Größe','grösse','section','markdown','# Größe

How the header is read: by `HeaderReader`.','{}');
INSERT INTO chunks VALUES(2,'code:b08bf71ab549','code','reader.py',1,1,'','','module','python','"""Reads what others wrote."""','{"doc":"Reads what others wrote."}');
INSERT INTO chunks VALUES(3,'code:a976e7ab64c4','code','reader.py',4,6,'HeaderReader','headerreader','class','python','class HeaderReader:
    def read_header(self, lines):
        return [line.strip() for line in lines]','{"signature":"class HeaderReader","defines":["HeaderReader.read_header"]}');
INSERT INTO chunks VALUES(4,'reas:15039128d623','reas',NULL,0,0,'pool','pool','solution','','Raise the zanzibar limit.','{}');
INSERT INTO chunks VALUES(5,'know:ef4d1d41a4de','know',NULL,0,0,'keys','keys','fact','','Keys rotate every ninety days.','{}');
CREATE INDEX chunks_by_name ON chunks (name) WHERE name != '';
CREATE INDEX chunks_by_path ON chunks (path, type);
CREATE INDEX chunks_by_type ON chunks (type, language);
CREATE TRIGGER fact_kept AFTER INSERT ON chunks WHEN NEW.path IS NULL BEGIN
    INSERT OR IGNORE INTO remembered (id, at) VALUES (NEW.id, unixepoch('subsec'));
END;
CREATE TRIGGER facts_gone AFTER DELETE ON chunks WHEN OLD.path IS NULL BEGIN
    DELETE FROM docs WHERE first_n = OLD.n;
END;

-- docs
CREATE TABLE docs (
    first_n INTEGER PRIMARY KEY,
    last_n INTEGER NOT NULL,
    type TEXT NOT NULL,
    path TEXT UNIQUE REFERENCES files (path) ON DELETE CASCADE,
    body_length INTEGER NOT NULL,
    name_length INTEGER NOT NULL,
    path_length INTEGER NOT NULL,
    lengths BLOB NOT NULL
) STRICT;
INSERT INTO docs VALUES(1,1,'know','README.md',10,1,2,X'0A00');
INSERT INTO docs VALUES(2,3,'code','reader.py',21,9,2,X'04001100');
INSERT INTO docs VALUES(4,4,'reas',NULL,4,1,0,X'0400');
INSERT INTO docs VALUES(5,5,'know',NULL,5,1,0,X'0500');

-- edges
CREATE TABLE edges (
    ref INTEGER NOT NULL REFERENCES refs (n) ON DELETE CASCADE,
    target INTEGER NOT NULL REFERENCES nodes (n) ON DELETE CASCADE,
    source INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    confidence REAL NOT NULL,
    how TEXT NOT NULL,
    PRIMARY KEY (ref, target)
) STRICT, WITHOUT ROWID;
INSERT INTO edges VALUES(1,4,2,4,0.8,'unique name');
CREATE INDEX edges_by_source ON edges (source, confidence DESC, kind);
CREATE INDEX edges_by_target ON edges (target, confidence DESC, kind);

-- facts
CREATE TABLE facts (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO facts VALUES('generation','4');
INSERT INTO facts VALUES('graph_generation','1');
INSERT INTO facts VALUES('graph_packages','');
INSERT INTO facts VALUES('index_state','complete');
INSERT INTO facts VALUES('indexed_at','2026-11-21T15:42:21.459243Z');
INSERT INTO facts VALUES('root','/project');

-- files
CREATE TABLE files (
    path TEXT PRIMARY KEY,
    language TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    parsed INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO files VALUES('README.md','markdown',54,1700000000000000000,'10c053dd3f7549e6826461d29442361b39634225568c1ff55d3d8ff70a8bd6ef',1);
INSERT INTO files VALUES('reader.py','python',135,1700000000000000000,'1dfd65228ebc560f480d97718c27116b67eea683c4e625051029028da73109ac',1);
CREATE TRIGGER files_gone AFTER DELETE ON files BEGIN
    INSERT OR IGNORE INTO graph_gone (path) VALUES (OLD.path);
END;

-- graph_gone
CREATE TABLE graph_gone (path TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

-- graph_packed
CREATE TABLE graph_packed (
    generation INTEGER PRIMARY KEY,
    body BLOB NOT NULL
) STRICT;

-- graph_pending
CREATE TABLE graph_pending (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

-- nodes
CREATE TABLE nodes (
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
INSERT INTO nodes VALUES(1,'README.md','README.md','','README','module','markdown',1,4,NULL);
INSERT INTO nodes VALUES(2,'README.md::Größe','README.md','Größe','Größe','section','markdown',1,3,1);
INSERT INTO nodes VALUES(3,'reader.py','reader.py','','reader','module','python',1,7,NULL);
INSERT INTO nodes VALUES(4,'reader.py::HeaderReader','reader.py','HeaderReader','HeaderReader','class','python',4,6,3);
INSERT INTO nodes VALUES(5,'reader.py::HeaderReader.read_header','reader.py','HeaderReader.read_header','read_header','method','python',5,6,4);
CREATE INDEX nodes_by_name ON nodes (name);
CREATE INDEX nodes_by_parent ON nodes (parent) WHERE parent IS NOT NULL;
CREATE INDEX nodes_by_path ON nodes (path, start_line);
CREATE TRIGGER nodes_gone BEFORE DELETE ON nodes BEGIN
    INSERT OR IGNORE INTO graph_pending (name) VALUES (OLD.name);
END;
CREATE INDEX nodes_of_files ON nodes (path) WHERE symbol = '';
CREATE INDEX nodes_of_go ON nodes (kind) WHERE language = 'go';

-- postings
CREATE TABLE postings (
    segment INTEGER NOT NULL,
    term TEXT NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (segment, term)
) STRICT, WITHOUT ROWID;
INSERT INTO postings VALUES(1,'by',X'01000000010000');
INSERT INTO postings VALUES(1,'clas',X'03000000010000');
INSERT INTO postings VALUES(1,'def',X'03000000010000');
INSERT INTO postings VALUES(1,'for',X'03000000010000');
INSERT INTO postings VALUES(1,'größe',X'01000000010100');
INSERT INTO postings VALUES(1,'head',X'0100000003000000020200030000');
INSERT INTO postings VALUES(1,'headerread',X'0100000003000000010100020000');
INSERT INTO postings VALUES(1,'how',X'01000000010000');
INSERT INTO postings VALUES(1,'in',X'03000000010000');
INSERT INTO postings VALUES(1,'is',X'01000000010000');
INSERT INTO postings VALUES(1,'line',X'03000000040000');
INSERT INTO postings VALUES(1,'md',X'01000000000001');
INSERT INTO postings VALUES(1,'other',X'02000000010000');
INSERT INTO postings VALUES(1,'py',X'0200000003000000000000000101');
INSERT INTO postings VALUES(1,'read',X'010000000200000003000000020102000003008181');
INSERT INTO postings VALUES(1,'read_head',X'03000000010100');
INSERT INTO postings VALUES(1,'readm',X'01000000000081');
INSERT INTO postings VALUES(1,'return',X'03000000010000');
INSERT INTO postings VALUES(1,'self',X'03000000010000');
INSERT INTO postings VALUES(1,'strip',X'03000000010000');
INSERT INTO postings VALUES(1,'the',X'01000000010000');
INSERT INTO postings VALUES(1,'what',X'02000000010000');
INSERT INTO postings VALUES(1,'wrot',X'02000000010000');
INSERT INTO postings VALUES(2,'limit',X'04000000010000');
INSERT INTO postings VALUES(2,'pool',X'04000000000100');
INSERT INTO postings VALUES(2,'rais',X'04000000010000');
INSERT INTO postings VALUES(2,'the',X'04000000010000');
INSERT INTO postings VALUES(2,'zanzibar',X'04000000010000');
INSERT INTO postings VALUES(3,'day',X'05000000010000');
INSERT INTO postings VALUES(3,'ever',X'05000000010000');
INSERT INTO postings VALUES(3,'key',X'05000000010100');
INSERT INTO postings VALUES(3,'ninet',X'05000000010000');
INSERT INTO postings VALUES(3,'rotat',X'05000000010000');

-- refs
CREATE TABLE refs (
    n INTEGER PRIMARY KEY,
    source INTEGER NOT NULL REFERENCES nodes (n) ON DELETE CASCADE,
    kind INTEGER NOT NULL,
    name TEXT NOT NULL,
    via TEXT NOT NULL,
    line INTEGER NOT NULL,
    linked INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO refs VALUES(1,2,4,'HeaderReader','on:',3,1);
INSERT INTO refs VALUES(2,5,0,'strip','on:line',6,1);
CREATE INDEX refs_by_name ON refs (name);
CREATE INDEX refs_by_source ON refs (source);
CREATE INDEX refs_of_methods ON refs (n) WHERE via = 'methods';
CREATE INDEX refs_waiting ON refs (n) WHERE NOT linked;

-- remembered
CREATE TABLE remembered (id TEXT PRIMARY KEY, at REAL NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO remembered VALUES('know:ef4d1d41a4de',1795275741.618);
INSERT INTO remembered VALUES('reas:15039128d623',1795275741.617);

-- runs
CREATE TABLE runs (
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    run TEXT NOT NULL UNIQUE,
    workflow TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    document TEXT NOT NULL
) STRICT;

-- segments
CREATE TABLE segments (segment INTEGER PRIMARY KEY AUTOINCREMENT, postings INTEGER NOT NULL) STRICT;
INSERT INTO segments VALUES(1,28);
INSERT INTO segments VALUES(2,5);
INSERT INTO segments VALUES(3,5);

-- steps
CREATE TABLE steps (
    run TEXT NOT NULL REFERENCES runs (run) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    phase TEXT NOT NULL,
    at TEXT NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (run, seq)
) STRICT;

-- undo
CREATE TABLE undo (
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    action TEXT NOT NULL,
    summary TEXT NOT NULL,
    document TEXT NOT NULL
) STRICT;

-- vectors
CREATE TABLE vectors (
    n INTEGER PRIMARY KEY REFERENCES chunks (n) ON DELETE CASCADE,
    type TEXT NOT NULL,
    body BLOB NOT NULL
) STRICT;

INSERT INTO main.sqlite_sequence VALUES ('chunks', 5);
INSERT INTO main.sqlite_sequence VALUES ('nodes', 5);
INSERT INTO main.sqlite_sequence VALUES ('segments', 3);

-- Database header
pragma user_version=2;
pragma application_id=1096110657;

COMMIT TRANSACTION;
