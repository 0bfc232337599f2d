"""Word lists of English business questions, as data. Nothing here computes."""
