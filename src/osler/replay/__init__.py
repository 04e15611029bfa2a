"""Replaying consultations: play, verify, fork and compare them."""
