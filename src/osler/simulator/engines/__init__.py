"""Where consultations are held: in this process, in several, or on a Ray cluster."""
