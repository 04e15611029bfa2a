"""Keep standard output for results: what libraries print while they work goes elsewhere."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout


@contextmanager
def spared_stdout() -> Iterator[None]:
    """Send to standard error what is printed in here, by Ray, llama.cpp or a memory of your own.

    Both ways are closed: Python's own, and the file that native code and started processes write
    to.
    """
    # Somebody else listens to what Python prints, such as a notebook or a test.
    if sys.stdout is not sys.__stdout__ or sys.stdout is None:
        with redirect_stdout(sys.stderr):
            yield
        return
    sys.stdout.flush()
    original = os.dup(1)
    os.dup2(2, 1)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        os.dup2(original, 1)
        os.close(original)
