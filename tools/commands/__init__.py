"""Programs that phases run: what the person allows, and how a program is started, limited and ended."""
