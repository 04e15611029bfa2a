"""Consultations: one (`consultation`), from names (`build`), many (`batch`), and kept (`runs`)."""
