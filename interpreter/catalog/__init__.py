"""The catalog of workflows: files, fixes, suppressions and new workflows."""
