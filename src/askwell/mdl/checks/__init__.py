"""What the parts of a manifest have to mean together: one file for each kind of part."""
