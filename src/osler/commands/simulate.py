"""`osler simulate` and `osler show`: run consultations, and read one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from osler.commands import run_options
from osler.commands.records import Cases, Languages, Limit, PoolPath, Sample, Specialties
from osler.commands.run_options import RUN_TO_WRITE, RunName, Trial

if TYPE_CHECKING:
    from osler.eval.faithfulness import ReplyVerdict
    from osler.simulator.api import SimulateOptions

Backbones = Annotated[
    list[str] | None,
    typer.Option(
        "--backbone",
        help="The doctor's model: rules, local, local:FILE, MODEL@URL, openai:MODEL, azure:DEPLOYMENT, anthropic:MODEL,"
        " gemini:MODEL, ollama:MODEL or package.module:Class, with parameters after a space: 'openai:MODEL top_p=0.9'"
        " (repeatable). Keys: OPENAI_API_KEY and so on, or OSLER_KEY_ and a host, as in OSLER_KEY_MODELS_EXAMPLE_ORG.",
    ),
]
Strategies = Annotated[
    list[str] | None,
    typer.Option("--strategy", help="The doctor's strategy (repeatable). Default: plain."),
]
Memories = Annotated[list[str] | None, typer.Option("--memory", help="The doctor's memory (repeatable). Default: raw.")]


class Results(StrEnum):
    """Where the doctor reads the results of tests."""

    PATIENT = "patient"
    REPORT = "report"


def simulate(
    backbones: Backbones = None,
    strategies: Strategies = None,
    memories: Memories = None,
    patient: Annotated[
        str | None,
        typer.Option(
            "--patient", help="The patient's model, the same for all doctors. Default: the doctors' model, or rules."
        ),
    ] = None,
    pool: PoolPath = "bundled",
    cases: Cases = None,
    specialties: Specialties = None,
    languages: Languages = None,
    limit: Limit = None,
    sample: Sample = None,
    trials: Annotated[int, typer.Option("--trials", min=1, help="Consultations per record and column.")] = 1,
    turns: Annotated[
        int | None, typer.Option("--turns", min=1, help="Maximum number of questions, for all records.")
    ] = None,
    turn_factor: Annotated[
        float,
        typer.Option("--turn-factor", min=0.1, help="Without --turns: the maximum is the expected rounds times this."),
    ] = 1.5,
    budget: Annotated[
        int, typer.Option("--budget", min=50, help="Maximum tokens of recall in the doctor's prompt.")
    ] = 2000,
    answer_tokens: Annotated[
        int,
        typer.Option("--answer-tokens", min=50, help="Maximum tokens of one answer, its thinking included."),
    ] = 1000,
    results: Annotated[
        Results, typer.Option("--results", help="Where the doctor gets test results: from the patient, or as a report.")
    ] = Results.PATIENT,
    ram: Annotated[
        str | None,
        typer.Option("--ram", help="The model that retrieves from the record, or rules. Default: the patient's."),
    ] = None,
    memory_backbone: Annotated[
        str | None, typer.Option("--memory-backbone", help="The model behind the memories. Default: the doctor's.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of all random choices.")] = 0,
    temperature: Annotated[
        float, typer.Option("--temperature", min=0, max=2, help="Sampling temperature of all models.")
    ] = 0.0,
    one_step: Annotated[
        bool, typer.Option("--one-step", help="Also run a doctor that reads the whole record except the answer.")
    ] = False,
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", min=1, help="Maximum tokens of one consultation.")
    ] = None,
    max_cost: Annotated[
        float | None, typer.Option("--max-cost", min=0, help="Maximum cost of one consultation in USD.")
    ] = None,
    max_seconds: Annotated[
        float | None, typer.Option("--max-seconds", min=0.1, help="Maximum seconds of one consultation.")
    ] = None,
    run_tokens: run_options.RunTokens = None,
    run_cost: run_options.RunCost = None,
    run_seconds: run_options.RunSeconds = None,
    concurrency: run_options.Concurrency = 8,
    workers: run_options.Workers = None,
    engine: run_options.EngineName = run_options.Engine.LOCAL,
    ray_address: run_options.RayAddress = None,
    rpm: run_options.Rpm = None,
    tpm: run_options.Tpm = None,
    timeout: run_options.Timeout = 60.0,
    cache: Annotated[
        Path | None, typer.Option("--cache", help="Cache file: reuse answers to the same requests across runs.")
    ] = None,
    out: Annotated[Path, typer.Option("--out", "-o", help=RUN_TO_WRITE)] = Path("latest"),
    quiet: run_options.Quiet = False,
    as_json: run_options.AsJson = False,
) -> None:
    """Simulate consultations: records × backbones × strategies × memories × trials. Re-run the command to resume."""
    options = {name: value for name, value in locals().items() if name != "as_json"}
    from osler.simulator.api import plan_of, run_options_of
    from osler.simulator.batch import simulate_plan

    given = cast("SimulateOptions", options)
    how = replace(run_options_of(given), as_json=as_json)
    if code := simulate_plan(plan_of(given), out, how, pool):
        raise typer.Exit(code)


def show(
    run: RunName,
    case: Annotated[str, typer.Argument(help="A record's id, or its patient's.")],
    memory: Annotated[str | None, typer.Option("--memory", help="Where the run has several.")] = None,
    strategy: Annotated[str | None, typer.Option("--strategy", help="Where the run has several.")] = None,
    backbone: Annotated[str | None, typer.Option("--backbone", help="Where the run has several.")] = None,
    trial: Trial = None,
    details: Annotated[
        bool, typer.Option("--details", help="Also show what was retrieved, recalled and refused.")
    ] = False,
) -> None:
    """Print one consultation."""
    from osler.eval.faithfulness.patient_verdicts import faults_in
    from osler.records.pages import printed
    from osler.replay.pages import transcript_page
    from osler.runs.plan import Selector
    from osler.runs.store import RunFile

    with RunFile.open(run) as opened:
        cell, transcript = opened.find_cell(Selector(case, backbone, strategy, memory, trial))
        _, faults = faults_in(opened, cell)
    lines = {turn: list(_fault_lines(verdict)) for turn, verdict in faults.items()}
    printed(transcript_page(transcript, details=details, faults=lines))


def _fault_lines(verdict: ReplyVerdict) -> Iterator[str]:
    """What is wrong with a reply, a line for each kind of fault."""
    for what, found in (
        ("gives the diagnosis away", verdict.leaks),
        ("fabricates", tuple(claim.quote for claim in verdict.unsupported)),
        ("says the opposite of", verdict.turned_round),
    ):
        if found:
            yield f"{what}: {'; '.join(found)}"
