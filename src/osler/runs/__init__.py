"""What a run is: its plan, transcripts and events, and the file that holds them."""
