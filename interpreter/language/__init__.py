"""The workflow language: models, loader, prompts and the schema for editors."""
