"""The demonstration: sample data, a tour, and pages."""
