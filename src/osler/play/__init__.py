"""Playing the doctor or the patient in a consultation, at the terminal or on the page."""
