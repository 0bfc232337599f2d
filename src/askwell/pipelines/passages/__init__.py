"""Finding passages of documents: a question goes in, the passages that may answer it come out."""
