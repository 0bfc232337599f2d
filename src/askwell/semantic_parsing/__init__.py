"""Questions to SQL without a language model: a typed grammar, a chart of readings, one learned score."""
