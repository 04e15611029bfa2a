"""Facts as a graph of entities, with the time for which each holds."""
