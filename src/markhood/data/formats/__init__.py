"""Files of observations, one module for each format, and `files`, which chooses among them."""
