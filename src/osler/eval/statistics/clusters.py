"""Values of several trials per patient: what of them a mean and its error need."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

ValuesByPatient = Mapping[str, Sequence[float]]
Array = npt.NDArray[np.float64]

# No score comes near it, and squares and sums of what lies below it cannot overflow.
_LARGEST = 1e100


@dataclass(frozen=True)
class Clusters:
    """Each patient's total and number of values, in the patients' order by name.

    The order makes a seeded result independent of the order in which consultations ended.
    """

    totals: Array
    sizes: Array

    @classmethod
    def of(cls, values_by_patient: ValuesByPatient) -> Clusters:
        """Sum up each patient; patients without values are not there."""
        groups = [values for _, values in sorted(values_by_patient.items()) if len(values)]
        for value in (value for values in groups for value in values):
            if not abs(value) <= _LARGEST:
                raise ValueError(f"{value} is not a score; leave values that are not known out")
        return cls(
            totals=np.array([math.fsum(values) for values in groups], dtype=np.float64),
            sizes=np.array([len(values) for values in groups], dtype=np.float64),
        )

    def __len__(self) -> int:
        return len(self.totals)

    @property
    def mean(self) -> float:
        """The mean of all values; there must be one."""
        return math.fsum(self.totals) / math.fsum(self.sizes)


def mean(values_by_patient: ValuesByPatient) -> float | None:
    """The mean of all trials, which every interval here is about; None without any."""
    clusters = Clusters.of(values_by_patient)
    return clusters.mean if len(clusters) else None


def clustered_standard_error(values_by_patient: ValuesByPatient) -> float | None:
    """The standard error of the mean when trials of one patient go together; None below two patients.

    The cluster-robust error with the usual correction for few clusters, G / (G - 1). With one trial each it is the
    ordinary standard error.
    """
    clusters = Clusters.of(values_by_patient)
    patients = len(clusters)
    if patients < 2:
        return None
    residuals = clusters.totals - clusters.sizes * clusters.mean
    squares = math.fsum(residuals**2)
    return math.sqrt(patients / (patients - 1) * squares) / math.fsum(clusters.sizes)
