"""A motor sport championship: a total of points, then countback over the places."""
