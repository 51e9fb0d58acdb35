"""What people take away - graph files in every common format."""
