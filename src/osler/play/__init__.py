"""A person in a chair of a consultation: the same room for the terminal and the page."""
