"""Validation of JSON values, and checks of JSON Schemas."""
