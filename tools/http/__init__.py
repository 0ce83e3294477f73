"""HTTP: guards of an ASGI application, and the server that runs one on a socket."""
