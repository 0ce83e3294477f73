"""Simulation: runs of a workflow without a host, with generated or scripted values."""
