"""What Askwell proposes by itself: questions to ask, relationships to add, and descriptions of models."""
