"""How deep a suite looks: `make quick` a little, `make test` further, `make soak` all the way.

A suite is chosen by its Hypothesis profile (`pytest --hypothesis-profile soak`), and `test` is the
default. The profile is known before any test is imported, so sizes may be computed there.
"""

import os

from hypothesis import settings

# Suite -> examples of a Hypothesis test that asks for no number of its own.
EXAMPLES = {"quick": 10, "test": 25, "soak": 200}
WHOLE = 100


def register():
    """Register a profile for each suite, and load the one of `make test`.

    With CI=true the examples are the same in every run, so that a failure is of the change at hand.
    """
    fixed = os.environ.get("CI") == "true"
    for name, examples in EXAMPLES.items():
        settings.register_profile(
            name, deadline=None, max_examples=examples, derandomize=fixed, print_blob=True
        )
    settings.load_profile("test")


def scaled(whole, least=1):
    """The suite's share of a number of examples or rounds: a quarter in `test`, twice in `soak`."""
    return max(least, whole * settings.default.max_examples // WHOLE)


def soaks():
    """Whether this is `make soak`, where nothing is left out."""
    return settings.default.max_examples >= EXAMPLES["soak"]
