"""Who may call: keys, signatures and rate limits."""
