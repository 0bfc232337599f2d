"""What a conversation asks a language model for: turns with tools, and by which way a message is answered."""
