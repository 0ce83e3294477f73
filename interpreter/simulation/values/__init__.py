"""Generated values: schemas, constants of expressions, branch distance."""
