"""How good a doctor's memory is.

It is asked after the consultation about what the patient really disclosed.
"""
