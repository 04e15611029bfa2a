"""`osler simulate` and `osler show`: run consultations, and read one."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from osler.commands import carrying_out
from osler.commands.carrying_out import RUN_TO_WRITE, RunName, Trial
from osler.commands.records import Cases, Languages, Limit, PoolPath, Sample, Specialties, open_pool

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
    typer.Option("--strategy", help="How the doctor's model works (repeatable); plain unless named."),
]
Memories = Annotated[list[str] | None, typer.Option("--memory", help="What the doctor remembers (repeatable).")]


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
            "--patient", help="The patient's model, the same for all doctors; without it, the doctors' model or rules."
        ),
    ] = None,
    pool: PoolPath = "bundled",
    case: Cases = None,
    specialty: Specialties = None,
    language: Languages = None,
    limit: Limit = None,
    sample: Sample = None,
    trials: Annotated[int, typer.Option("--trials", min=1, help="Consultations per patient and column.")] = 1,
    turns: Annotated[
        int | None, typer.Option("--turns", min=1, help="Questions a doctor may ask, for all patients.")
    ] = None,
    turn_factor: Annotated[
        float, typer.Option("--turn-factor", min=0.1, help="Without --turns: times the expected rounds.")
    ] = 1.5,
    budget: Annotated[int, typer.Option("--budget", min=50, help="Tokens of recall in the doctor's prompt.")] = 2000,
    answer_tokens: Annotated[
        int,
        typer.Option("--answer-tokens", min=50, help="Tokens one answer of a model may take, its thinking included."),
    ] = 1000,
    results: Annotated[
        Results, typer.Option("--results", help="Who gives the doctor results: the patient tells, or the report.")
    ] = Results.PATIENT,
    ram: Annotated[
        str | None,
        typer.Option("--ram", help="The model that finds what is asked for, or rules; without it, the patient's."),
    ] = None,
    memory_backbone: Annotated[
        str | None, typer.Option("--memory-backbone", help="The model behind the memories; without it, the doctor's.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of all random choices.")] = 0,
    temperature: Annotated[
        float, typer.Option("--temperature", min=0, max=2, help="Of all models; 0: the likeliest answer every time.")
    ] = 0.0,
    one_step: Annotated[
        bool, typer.Option("--one-step", help="Also a doctor who is told the whole record but the truth: the ceiling.")
    ] = False,
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", min=1, help="Tokens one consultation may use.")
    ] = None,
    max_cost: Annotated[float | None, typer.Option("--max-cost", min=0, help="USD one consultation may cost.")] = None,
    max_seconds: Annotated[
        float | None, typer.Option("--max-seconds", min=0.1, help="Seconds one consultation may take.")
    ] = None,
    run_tokens: carrying_out.RunTokens = None,
    run_cost: carrying_out.RunCost = None,
    run_seconds: carrying_out.RunSeconds = None,
    concurrency: carrying_out.Concurrency = 8,
    workers: carrying_out.Workers = None,
    engine: carrying_out.EngineName = carrying_out.Engine.LOCAL,
    ray_address: carrying_out.RayAddress = None,
    rpm: carrying_out.Rpm = None,
    tpm: carrying_out.Tpm = None,
    timeout: carrying_out.Timeout = 60.0,
    cache: Annotated[
        Path | None, typer.Option("--cache", help="A file that keeps models' answers for the same requests in any run.")
    ] = None,
    out: Annotated[Path, typer.Option("--out", "-o", help=RUN_TO_WRITE)] = Path("latest"),
    quiet: carrying_out.Quiet = False,
    as_json: carrying_out.AsJson = False,
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
    from osler.simulator.session import simulate_plan

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
    how = carrying_out.how_from(
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
    details: Annotated[bool, typer.Option("--details", help="Also what was retrieved, recalled and refused.")] = False,
) -> None:
    """One consultation as a page to read."""
    from osler.eval.faithfulness.stored import faults_in
    from osler.records.pages import printed
    from osler.runs.plan import Wanted
    from osler.runs.store import RunFile
    from osler.simulator.pages import page

    with RunFile.open(run) as opened:
        cell, transcript = opened.find_cell(Wanted(case, backbone, strategy, memory, trial))
        _, faults = faults_in(opened, cell)
        printed(page(transcript, details=details, faults=faults))
