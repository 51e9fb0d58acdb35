"""What people have (arrays, data frames, files), turned into packed samples with names and levels."""
