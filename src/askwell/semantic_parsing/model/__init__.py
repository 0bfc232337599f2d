"""What is known of a semantic model before anybody asks: facts, names, joins, sales and durations."""
