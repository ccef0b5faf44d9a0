"""A typing site: best results of all time and of the day, overall and by mode."""
