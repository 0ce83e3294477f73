"""Context of a question: chunks of the memory, and excerpts of their text as evidence."""
