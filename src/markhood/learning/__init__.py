"""One road from a request to a result, for all doors."""
