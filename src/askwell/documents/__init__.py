"""Documents of words: read in a process of their own, and cut into passages that can be found and cited."""
