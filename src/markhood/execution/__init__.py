"""Work cut into tiles, and what runs them: threads, processes, or the machines of a cluster."""
