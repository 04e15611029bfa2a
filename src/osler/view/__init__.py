"""A page to look at runs: a small server on this machine, or the same as files that open from disk."""
