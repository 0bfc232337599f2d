"""Whole results as files: rows are kept on disk as they come, and a process of its own writes the file."""
