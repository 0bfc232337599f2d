"""Embedders: texts to unit vectors. `base` is the door, `factory` reads the configuration, one vendor a file."""
