"""Judges of what a doctor concluded.

A model reads the answer and fills in a form, and code makes the verdict of it.
"""
