"""Where packed bits are kept: in memory, or in folders of files that are mapped."""
