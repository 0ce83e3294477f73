"""Backups of the database, their restore, and the recovery of a damaged one."""
