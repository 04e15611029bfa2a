"""Running consultations.

`consultation` runs one, `build` makes its participants, and `batch` runs many at once.
"""
