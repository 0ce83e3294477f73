"""Git, started only here, on an isolated view of a repository without programs of its own."""
