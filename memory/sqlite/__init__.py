"""The memory's database on SQLite: its file, its tables, and every word of SQL.

An engine on another database is a package beside this one with the same doors: a `Store` that lends `Tables`, and what
belongs to its own way of keeping bytes (here: backups, salvage, and whether the file is whole).
"""
