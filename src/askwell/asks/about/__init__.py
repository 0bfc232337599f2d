"""Questions about the service or the data as a whole, answered in words without a language model."""
