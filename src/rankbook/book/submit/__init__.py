"""What happens to an event until it is in the log: validation, the outbox, retries."""
