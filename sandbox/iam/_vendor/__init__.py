"""Data of others; README.md says whose."""
