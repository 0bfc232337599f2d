"""Jobs of one record on several processes: who works on what, and how each of them tells what becomes of it.

The record is the queue (`knowledge/claims.py`). Redis carries what only those who watch need: states and events of
jobs that go on, and words between processes. Nothing is lost with it.
"""
