"""Checking and repairing: verify, rebuild, repair, doctor and backup."""
