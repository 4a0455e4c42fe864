"""Real processes under faults: what was accepted ends once, in one visible state, whatever dies on the way."""
