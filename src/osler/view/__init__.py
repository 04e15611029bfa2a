"""A web page to look at runs and to play, from a small server or as files that open from disk."""
