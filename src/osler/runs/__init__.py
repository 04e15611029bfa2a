"""A run: its plan, transcripts and events, and the file that stores them."""
