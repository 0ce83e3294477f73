"""A statement that could reach another project's rows does not run."""

from __future__ import annotations

import pytest

from aurora.faults import Code, Fault
from aurora.memory.postgres.schema import TABLES
from aurora.memory.postgres.table import scope_statement


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM chunks",
        "SELECT * FROM @chunks JOIN vectors USING (n)",
        "SELECT * FROM @chunks, vectors",
        "SELECT (SELECT count(*) FROM steps) FROM @runs",
        "SELECT * FROM chunks WHERE project = $2",
        "SELECT * FROM @chunks WHERE project = 7",
        "SELECT * FROM @chunks WHERE project != $1",
        "DELETE FROM chunks",
        "DELETE FROM chunks WHERE n = $2",
        "DELETE FROM chunks USING files WHERE chunks.project = $1",
        "DELETE FROM chunks WHERE chunks.project = $2 AND n = $1",
        "DELETE FROM chunks WHERE files.project = $1",
        "DELETE FROM chunks WHERE chunks.project = $1 AND n = $2 OR n = $3",
        "DELETE FROM chunks WHERE chunks.project = $10 AND n = $2",
        "WITH gone AS (DELETE FROM nodes WHERE nodes.project = $1 OR true RETURNING n) SELECT n FROM gone",
        "UPDATE runs SET document = $2",
        "UPDATE runs SET document = $3 WHERE run = $2",
        "UPDATE runs SET project = $2 WHERE runs.project = $1",
        "UPDATE runs SET document = (SELECT document FROM steps LIMIT 1) WHERE runs.project = $1",
        "INSERT INTO runs (run) VALUES ($2)",
        "INSERT INTO runs (project, run) VALUES ($2, $3)",
        "INSERT INTO runs (project, run) SELECT project, run FROM @runs",
        "INSERT INTO runs (project, run) SELECT $1, run FROM runs",
        "TRUNCATE runs",
        "DROP TABLE runs",
        "select * from CHUNKS",
        "SELECT * FROM aurora.chunks",
        'SELECT * FROM "chunks"',
        "SELECT * FROM @chunks WHERE n IN (TABLE vectors)",
    ],
)
def test_a_statement_over_several_projects_is_refused(sql: str) -> None:
    with pytest.raises(Fault) as caught:
        scope_statement(sql)
    assert caught.value.code is Code.INTERNAL_ERROR


@pytest.mark.parametrize("table", TABLES)
def test_a_table_is_read_and_written_in_one_project(table: str) -> None:
    mine = f"(SELECT * FROM {table} WHERE project = $1)"
    assert scope_statement(f"SELECT * FROM @{table}") == f"SELECT * FROM {mine} AS {table}"
    assert scope_statement(f"SELECT * FROM @{table}:t") == f"SELECT * FROM {mine} AS t"
    removal = f"DELETE FROM {table} WHERE {table}.project = $1 AND n = $2"
    assert scope_statement(removal) == removal
