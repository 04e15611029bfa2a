"""Running consultations.

A single one (`consultation`), building its participants (`build`), many at once (`batch`).
"""
