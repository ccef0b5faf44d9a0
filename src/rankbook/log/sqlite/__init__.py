"""The log in SQLite."""
