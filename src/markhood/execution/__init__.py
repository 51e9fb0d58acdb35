"""Work cut into tiles, and the threads that run them."""
