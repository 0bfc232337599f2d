"""Values that never leave: what prompts may hold, tokens in the place of values, and the way back."""
