"""Consultations that were held: print, verify and fork them."""
