"""JMESPath expressions: evaluation, explanation and unparsing."""
