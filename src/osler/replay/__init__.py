"""Consultations looked at again: played, held again with the recorded answers, forked, laid side by side."""
