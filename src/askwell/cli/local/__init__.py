"""Asking a database directly: a service of one's own in this process, without a port, for one command."""
