"""Whether each part of the service is there and does what it is configured for: one small function a part.

`askwell doctor` takes its time and tells the operator everything; `/health/ready` is asked every few seconds, by
anybody, and gets the cheap form, which holds no address, path or name of a table.
"""
