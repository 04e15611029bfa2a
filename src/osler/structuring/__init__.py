"""Structure free text into patient records with a model; every entry is checked against the sentence it rests on."""
