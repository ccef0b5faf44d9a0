"""python -m examples.typing"""

from examples.typing.story import main

main()
