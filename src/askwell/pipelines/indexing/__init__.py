"""From the record to the index: documents, their vectors, and the section that is swapped in."""
