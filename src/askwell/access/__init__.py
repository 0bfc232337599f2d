"""Who calls, and what they may do: keys, what is known of a person, limits, and the log of who asked what."""
