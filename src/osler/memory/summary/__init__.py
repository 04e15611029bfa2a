"""A running structured summary of the conversation, with fuzzy recall of its turns."""
