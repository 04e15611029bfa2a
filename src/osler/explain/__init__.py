"""Find out why consultations were lost: the run's own doctor concludes again from ever more."""
