"""Places and the estimators that run there: a table made of the sources, and the docs held against it."""
