"""Commands of the server over HTTP, and of its tokens."""
