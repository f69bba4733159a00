"""From one round to the verdicts of every rule that has something to say about it."""
