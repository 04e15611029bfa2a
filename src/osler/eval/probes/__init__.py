"""How good a doctor's memory is: questions about what a patient really disclosed, asked after the consultation."""
