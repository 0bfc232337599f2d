"""From a question to the part of the model and of the knowledge that it needs, in one graph."""
