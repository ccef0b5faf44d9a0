"""Reads: views of rankings, pages, scores, periods and bundles."""
