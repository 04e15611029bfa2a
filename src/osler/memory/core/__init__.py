"""What every memory is made of: words, vectors, facts and their rendering as text."""
