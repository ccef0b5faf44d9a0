"""Measurements, run by hand and by `make bench`. Nothing here is a test."""
