"""What runs in a process that writes files of rows."""
