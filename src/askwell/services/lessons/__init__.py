"""What a project has learnt: checked against its model, merged with what was known, listed, changed and undone."""
