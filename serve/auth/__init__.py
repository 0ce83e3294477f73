"""Authentication: tokens of Aurora's own, and JSON Web Tokens of an identity provider."""
