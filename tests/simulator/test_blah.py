"""A model that says `blah blah` to everything: nothing that a consultation needs may come from
anybody else."""

from __future__ import annotations

from pathlib import Path

from osler.eval.compare import compare
from osler.eval.runs import load_run
from osler.runs.events import Maker
from osler.runs.makers import Product
from tests.conftest import Run
from tests.models.server import Step
from tests.simulator.model_server import model_server


def test_a_model_that_says_nothing_gets_no_merit(osler: Run, tmp_path: Path) -> None:
    with model_server(lambda _: Step(text="blah blah")) as server:
        seats = [
            part for seat in ("--backbone", "--patient", "--ram") for part in (seat, server.spec)
        ]
        done = osler(
            *(
                "simulate",
                "--language",
                "en",
                *seats,
                "--memory",
                "tim",
                "--turns",
                "5",
                "--quiet",
                "--out",
                "blah",
            )
        )
    assert done.returncode == 0, done.stderr
    [column] = compare([load_run(tmp_path / "runs" / "blah.osler")]).columns
    figures = column.figures
    assert (column.consultations, column.failed) == (44, 0)
    assert (figures["diagnosis_right"].value, figures["diagnosis_right"].n) == (0.0, 44)
    assert figures["coverage"].value is not None and figures["coverage"].value <= 0.02
    assert figures["order_share"].n == 0
    assert figures["tests_asked"].value == 0
    assert column.makers.number(Product.QUESTIONS) == 44 * 5
    assert set(column.makers.shares(Product.QUESTIONS)) <= {
        Maker.MODEL,
        Maker.RETRIED,
        Maker.SILENT,
    }
    assert set(column.makers.usage) == {"doctor", "patient", "ram", "memory"}
