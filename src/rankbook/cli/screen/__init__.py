"""Tables, cells and progress bars on the terminal."""
