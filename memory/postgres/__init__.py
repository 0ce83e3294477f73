"""PostgreSQL storage of the memory: many projects in one database, each in a schema of its own.

Needs the extra `team`.
"""
