"""The process that loads CSV files which somebody sent."""
