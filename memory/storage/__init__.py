"""Storage of the memory: its tables, which are written once, and the protocol of an open database.

`memory.sqlite` and `memory.postgres` open one, and translate what they say differently.
"""
