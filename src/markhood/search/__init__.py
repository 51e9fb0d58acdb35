"""From scores to neighbourhoods to a graph - screen, grow and shrink blankets, combine, climb."""
