"""The memory bench: replay conversations of published data sets into memories, and measure what they recall."""
