"""Networks of binary variables: one coupling an edge."""
