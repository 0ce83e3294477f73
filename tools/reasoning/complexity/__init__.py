"""Assessment of a query's complexity by an additive score."""
