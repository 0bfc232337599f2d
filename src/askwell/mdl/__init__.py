"""The semantic model: read from MDL JSON or made from a database, checked, and shown as what may be asked about.

`validation.read_manifest` is the door for JSON and `importers.manifest_from_schema` that for databases; most of the
service then works with `view.authorised_view` alone. `ddl` writes a model for prompts, `join_graph` finds joins.
"""
