"""The memory bench: replay published conversations into memories, and measure what they recall."""
