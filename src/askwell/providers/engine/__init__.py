"""Engines: the databases that questions are answered from.

Nothing is imported here, because the child processes that run queries import this package too and have to start fast.
`base.Engine` is the door; `factory.create_engine` builds the ones of this package.
"""
