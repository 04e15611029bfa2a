"""Running consultations: a single one (`consultation`), building its participants (`build`), many at once (`batch`)."""
