"""The sample shop: a small trading company's database, its semantic model, and questions with known answers."""
