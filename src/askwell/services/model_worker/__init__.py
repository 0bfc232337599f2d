"""What runs inside a process that reads models: it holds nothing of the service's, and can be killed at any moment."""
