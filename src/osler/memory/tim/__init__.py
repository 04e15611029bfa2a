"""Think-in-Memory: thoughts instead of transcripts."""
