"""Where documents are searched by words and by vector. `base` is the door, one implementation a file."""
