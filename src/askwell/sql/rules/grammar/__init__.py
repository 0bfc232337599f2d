"""The grammar, one module a clause. Each takes a reader and a draft and yields the drafts that it may become, the most
likely first; a `DeadEnd` says that the reading goes no further."""
