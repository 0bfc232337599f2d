"""Stands in for the driver of the same name, which cannot be run here: SQLite that answers in Trino's words."""
