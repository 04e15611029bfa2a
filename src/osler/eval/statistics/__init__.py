"""What the numbers of a comparison are worth: intervals, tests and corrections, with patients as the units.

The mean is always that of all trials, and trials of one patient are never taken for independent of each other.
"""

from osler.eval.statistics.comparison import Paired, PairedTest, Trial, paired
from osler.eval.statistics.intervals import (
    Interval,
    ValuesByPatient,
    bootstrap_mean,
    clustered_standard_error,
    mean,
    mean_interval,
    wilson,
)
from osler.eval.statistics.multiple_tests import holm
from osler.eval.statistics.repeated_trials import PassHatK, pass_hat_k

__all__ = [
    "Interval",
    "Paired",
    "PairedTest",
    "PassHatK",
    "Trial",
    "ValuesByPatient",
    "bootstrap_mean",
    "clustered_standard_error",
    "holm",
    "mean",
    "mean_interval",
    "paired",
    "pass_hat_k",
    "wilson",
]
