"""Python imports this by itself where the chaos run put its folder on the path: it makes faults possible at named steps."""

import os

if os.environ.get("CHAOS_ORDERS"):
    from tests.chaos import steps

    steps.install()
