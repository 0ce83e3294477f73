"""Lab: runs of a workflow with scripted, recorded or generated answers, and what holds for all."""
