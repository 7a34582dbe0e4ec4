"""Data of others, with their licences; see README.md here."""
