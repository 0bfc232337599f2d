"""The process that reads documents."""
