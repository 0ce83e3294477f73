"""The run of a workflow: engine, walk of a call, journal and responses."""
