"""What runs inside a query process: one database file, opened read-only, locked down, and killable at any moment.

Only the standard library and the database's own driver may be imported here: a child has to start in about a tenth of
a second and stay small, and it must hold nothing of the service's that a hostile query could reach.
"""
