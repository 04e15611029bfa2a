"""Structure free text into patient records with a model.

Every entry is checked against the sentence it rests on.
"""
