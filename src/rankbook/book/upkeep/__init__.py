"""Checking and mending: verify, rebuild, repair, doctor and backup."""
