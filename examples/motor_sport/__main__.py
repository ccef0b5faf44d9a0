"""python -m examples.motor_sport [YEAR]"""

import sys

from examples.motor_sport.story import main

sys.exit(main(sys.argv[1:]))
