"""Checks that follow transitions from phase to phase: cycles, reachability, data flow."""
