"""python -m examples.summit_circuit"""

from examples.summit_circuit.story import main

main()
