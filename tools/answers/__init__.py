"""Check of an answer: what it claims about the project's files, and what it does not mention."""
