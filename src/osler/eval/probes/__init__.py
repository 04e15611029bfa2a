"""How good a doctor's memory is.

Questions about what a patient really disclosed, asked after the consultation.
"""
