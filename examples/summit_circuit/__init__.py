"""A game with a competition each season: leaders, one player's standing, and past seasons."""
