"""Events from the log become entries, receipts and a position, in atomic steps."""
