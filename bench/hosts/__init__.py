"""Real hosts with a scripted model: launches, APIs, the model itself, and the figures of a walk."""
