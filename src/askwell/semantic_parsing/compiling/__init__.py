"""From grounded readings to SQL in the dialect of the database."""
