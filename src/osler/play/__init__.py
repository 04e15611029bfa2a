"""A person in a role of a consultation: the same room for the terminal and the page."""
