"""Networks of variables with any number of levels: a table an edge."""
