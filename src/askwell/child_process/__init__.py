"""Child processes: work that may be killed at any moment runs in one, with limits of its own.

`pool` is the service's side, `child` the process's, `limits` what the operating system holds it to, and `wire` how the
two talk. A kind of work only says what it runs (`pool.ChildKind`).
"""
