"""`osler simulate` and `osler show`: run consultations, and read one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from osler.commands.records import Languages, Limit, PoolPath, Sample, Specialties, open_pool

Backbones = Annotated[
    list[str] | None,
    typer.Option(
        "--backbone", help="The doctor's model: rules, local, local:FILE, openai:MODEL, MODEL@URL (repeatable)."
    ),
]
Memories = Annotated[list[str] | None, typer.Option("--memory", help="What the doctor remembers (repeatable).")]


def simulate(
    backbone: Backbones = None,
    memory: Memories = None,
    patient: Annotated[str, typer.Option("--patient", help="The patient's model; the same for all doctors.")] = "rules",
    pool: PoolPath = "bundled",
    case: Annotated[list[str] | None, typer.Option("--case", help="Only these records (repeatable).")] = None,
    specialty: Specialties = None,
    language: Languages = None,
    limit: Limit = None,
    sample: Sample = None,
    trials: Annotated[int, typer.Option("--trials", min=1, help="Consultations per patient, backbone and memory.")] = 1,
    turns: Annotated[
        int | None, typer.Option("--turns", min=1, help="Questions a doctor may ask, for all patients.")
    ] = None,
    turn_factor: Annotated[
        float, typer.Option("--turn-factor", min=0.1, help="Without --turns: times the expected rounds.")
    ] = 1.5,
    budget: Annotated[int, typer.Option("--budget", min=50, help="Tokens of recall in the doctor's prompt.")] = 2000,
    ram: Annotated[
        str | None, typer.Option("--ram", help="A model that RAM asks where a question's own words find nothing.")
    ] = None,
    memory_backbone: Annotated[
        str | None, typer.Option("--memory-backbone", help="The model behind the memories; without it, the doctor's.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of all random choices.")] = 0,
    guards: Annotated[bool, typer.Option("--guards/--no-guards", help="Check every reply and question.")] = True,
    concurrency: Annotated[int, typer.Option("--concurrency", min=1, help="Consultations at a time.")] = 8,
    timeout: Annotated[float, typer.Option("--timeout", min=1, help="Seconds one model call may take.")] = 60.0,
    out: Annotated[Path, typer.Option("--out", help="The run's folder.")] = Path("runs/latest"),
    quiet: Annotated[bool, typer.Option("--quiet", help="Print only the table.")] = False,
) -> None:
    """Simulate consultations: records × backbones × memories. The same command again continues where it stopped."""
    from osler.simulator.batch import Plan
    from osler.simulator.build import Settings
    from osler.simulator.session import run_plan

    records = list(
        open_pool(pool, ids=case, specialties=specialty, languages=language, limit=limit, sample=sample, seed=seed)
    )
    settings = Settings(
        patient_backbone=patient,
        seed=seed,
        guards=guards,
        turns=turns,
        turn_factor=turn_factor,
        budget=budget,
        ram_backbone=ram,
        memory_backbone=memory_backbone,
    )
    plan = Plan(records, backbone or ["rules"], memory or ["raw"], trials, settings)
    run_plan(plan, out, pool=pool, concurrency=concurrency, timeout=timeout, quiet=quiet)


def show(
    run: Annotated[Path, typer.Argument(help="The run's folder.")],
    case: Annotated[str, typer.Argument(help="A record's id, or its patient's.")],
    memory: Annotated[str | None, typer.Option("--memory", help="Where the run has several.")] = None,
    backbone: Annotated[str | None, typer.Option("--backbone", help="Where the run has several.")] = None,
    trial: Annotated[int | None, typer.Option("--trial", help="Where the run has several.")] = None,
    details: Annotated[bool, typer.Option("--details", help="Also what was retrieved, recalled and refused.")] = False,
) -> None:
    """One consultation as a page to read."""
    from osler.records.pages import printed
    from osler.simulator.pages import page
    from osler.simulator.runs import Run

    transcript = Run.open(run).find(case, memory, backbone, trial)
    printed(page(transcript, details=details))
