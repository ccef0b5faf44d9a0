"""Programs to read and run: python -m examples.typing, .summit_circuit, .motor_sport."""
