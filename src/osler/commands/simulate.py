"""`osler simulate` and `osler show`: run consultations, and read one."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from osler.commands import run_options
from osler.commands.records import Cases, Languages, Limit, PoolPath, Sample, Specialties, open_pool
from osler.commands.run_options import RUN_TO_WRITE, RunName, Trial

if TYPE_CHECKING:
    from osler.eval.faithfulness import ReplyVerdict

Backbones = Annotated[
    list[str] | None,
    typer.Option(
        "--backbone",
        help="The doctor's model: rules, local, local:FILE, openai:MODEL, MODEL@URL (repeatable)."
        " Keys: OPENAI_API_KEY, or OSLER_KEY_ and the host, as in OSLER_KEY_MODELS_EXAMPLE_ORG.",
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
    backbone: Backbones = None,
    strategy: Strategies = None,
    memory: Memories = None,
    patient: Annotated[
        str | None,
        typer.Option(
            "--patient", help="The patient's model, the same for all doctors. Default: the doctors' model, or rules."
        ),
    ] = None,
    pool: PoolPath = "bundled",
    case: Cases = None,
    specialty: Specialties = None,
    language: Languages = None,
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
    from osler.runs.plan import (
        ONE_STEP,
        PLAIN,
        RULES,
        Limits,
        Plan,
        ResultsFrom,
        Settings,
        default_patient,
        default_ram,
    )
    from osler.simulator.batch import simulate_plan

    records = open_pool(
        pool, ids=case, specialties=specialty, languages=language, limit=limit, sample=sample, seed=seed
    )
    backbones = tuple(backbone or [RULES])
    patient = patient or default_patient(backbones)
    settings = Settings(
        patient_backbone=patient,
        seed=seed,
        turns=turns,
        turn_factor=turn_factor,
        budget=budget,
        answer_tokens=answer_tokens,
        results=ResultsFrom(results.value),
        ram_backbone=ram or default_ram(patient),
        memory_backbone=memory_backbone,
        temperature=temperature,
        limits=Limits(max_tokens, max_cost, max_seconds),
    )
    memories = (*(memory or ([] if one_step else ["raw"])), *([ONE_STEP] if one_step else []))
    plan = Plan(records, backbones, memories, tuple(strategy or [PLAIN]), trials, settings)
    how = run_options.options_from(
        concurrency=concurrency,
        workers=workers,
        engine=engine,
        ray_address=ray_address,
        limits=Limits(run_tokens, run_cost, run_seconds),
        rpm=rpm,
        tpm=tpm,
        timeout=timeout,
        temperature=temperature,
        cache=cache,
        quiet=quiet,
        as_json=as_json,
    )
    if code := simulate_plan(plan, out, how, pool):
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
