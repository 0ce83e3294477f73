"""PostgreSQL storage of the memory: many projects in one database, and all of its SQL.

Needs the extra `team`. Every table has the project first in its keys, and every statement names it.
"""
