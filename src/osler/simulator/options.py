"""The options of a run, once for the command line and for Python: names, types, limits, help and defaults."""

# Without `from __future__ import annotations`: the command line reads the annotations, and need not import records.
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias, TypedDict

from typer import Option

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from autogen_core.models import ChatCompletionClient

    from osler.models import ChatClient
    from osler.records.schema import PatientRecord

    Thing: TypeAlias = str | Callable[..., object] | ChatCompletionClient | ChatClient
    Things: TypeAlias = Sequence[Thing]
else:  # what the command line takes
    Thing = str
    Things = list[str]

Cases = Annotated[
    list[str] | None, Option("--case", help="Only this record, or all records of this patient (repeatable).")
]
Specialties = Annotated[list[str] | None, Option("--specialty", help="Only this specialty (repeatable).")]
Languages = Annotated[list[str] | None, Option("--language", help="Only this language, en or zh (repeatable).")]
Limit = Annotated[int | None, Option("--limit", min=1, help="Maximum number of records.")]
Sample = Annotated[int | None, Option("--sample", min=1, help="Draw this many records at random.")]
Concurrency = Annotated[int, Option("--concurrency", min=1, max=100_000, help="Consultations at the same time.")]
Timeout = Annotated[float, Option("--timeout", min=1, help="Timeout of one model call in seconds.")]


class SimulateOptions(TypedDict, total=False):
    """The keywords of `osler.simulate`. `osler simulate` has the same options; repeatable ones are lists here.

    Where a memory, a strategy or a backbone is named, a class or function of your own can be given as it is.
    """

    backbones: Annotated[
        Things | None,
        Option(
            "--backbone",
            help="The doctor's model: rules, local, local:FILE, MODEL@URL, openai:MODEL, azure:DEPLOYMENT,"
            " anthropic:MODEL, gemini:MODEL, ollama:MODEL or package.module:Class, with parameters after a space:"
            " 'openai:MODEL top_p=0.9' (repeatable). API keys are read from OPENAI_API_KEY and so on, or from"
            " OSLER_KEY_ and the host, e.g. OSLER_KEY_MODELS_EXAMPLE_ORG. Default: rules.",
        ),
    ]
    strategies: Annotated[
        Things | None, Option("--strategy", help="The doctor's strategy (repeatable). Default: plain.")
    ]
    memories: Annotated[Things | None, Option("--memory", help="The doctor's memory (repeatable). Default: raw.")]
    experience: Annotated[
        list[str] | None,
        Option(
            "--experience",
            help="The doctor sees its cases one after the other and keeps lessons from what it is told after each:"
            " none (no lessons), verdict or truth (repeatable). Default: every consultation stands alone.",
        ),
    ]
    transfer: Annotated[
        int,
        Option("--transfer", min=0, help="With --experience: learn nothing from this many last cases."),
    ]
    retention: Annotated[
        int,
        Option("--retention", min=0, help="With --experience: hold this many first cases once more at the end."),
    ]
    patient: Annotated[
        Thing | None,
        Option(
            "--patient", help="The patient's model, the same for all doctors. Default: the doctors' model, or rules."
        ),
    ]
    pool: "str | Path | Iterable[PatientRecord]"
    """A folder or file of records, `bundled`, a `RecordPool`, or records."""
    cases: Cases
    specialties: Specialties
    languages: Languages
    limit: Limit
    sample: Sample
    visits: Annotated[
        bool,
        Option("--visits", help="Play earlier visits to the memory first; only records that have visits."),
    ]
    filler: Annotated[int, Option("--filler", min=0, max=10_000, help="With --visits: turns of small talk in between.")]
    trials: Annotated[int, Option("--trials", min=1, help="Consultations per record and column.")]
    turns: Annotated[int | None, Option("--turns", min=1, help="Maximum number of questions, for all records.")]
    turn_factor: Annotated[
        float,
        Option(
            "--turn-factor", min=0.1, help="Without --turns: the maximum is the record's expected rounds times this."
        ),
    ]
    budget: Annotated[int, Option("--budget", min=50, help="Maximum tokens of recall in the doctor's prompt.")]
    answer_tokens: Annotated[
        int, Option("--answer-tokens", min=50, help="Maximum tokens of one answer, including its reasoning.")
    ]
    results: Annotated[
        Literal["patient", "report"],
        Option("--results", help="Who gives the doctor test results: the patient, or a report in the record's words."),
    ]
    ram: Annotated[
        Thing | None,
        Option("--ram", help="The model that retrieves from the record, or rules. Default: the patient's."),
    ]
    memory_backbone: Annotated[
        Thing | None, Option("--memory-backbone", help="The model behind the memories. Default: the doctor's.")
    ]
    seed: Annotated[int, Option("--seed", help="Seed of all random choices.")]
    temperature: Annotated[float, Option("--temperature", min=0, max=2, help="Sampling temperature of all models.")]
    judges: Annotated[
        list[str] | None,
        Option(
            "--judge",
            help="A model that judges what consultations conclude, as they end, or package.module:Class; repeat it for"
            " a panel. Default: rules, which leave much undecided.",
        ),
    ]
    one_step: Annotated[
        bool, Option("--one-step", help="Also run a doctor that reads the whole record except the answer.")
    ]
    max_tokens: Annotated[int | None, Option("--max-tokens", min=1, help="Maximum tokens of one consultation.")]
    max_cost: Annotated[float | None, Option("--max-cost", min=0, help="Maximum cost of one consultation in USD.")]
    max_seconds: Annotated[float | None, Option("--max-seconds", min=0.1, help="Maximum seconds of one consultation.")]
    run_tokens: Annotated[int | None, Option("--run-tokens", min=1, help="Maximum tokens of the whole run.")]
    run_cost: Annotated[float | None, Option("--run-cost", min=0, help="Maximum cost of the whole run in USD.")]
    run_seconds: Annotated[float | None, Option("--run-seconds", min=0.1, help="Maximum seconds of the whole run.")]
    concurrency: Concurrency
    workers: Annotated[
        int | None, Option("--workers", min=1, max=1_000, help="Worker processes. Default: 1, or on Ray one per CPU.")
    ]
    engine: Annotated[
        Literal["local", "ray"], Option("--engine", help="Where consultations run: on this machine, or on Ray.")
    ]
    ray_address: Annotated[
        str | None, Option("--ray-address", help="Address of the Ray cluster. Default: start one here.")
    ]
    rpm: Annotated[float | None, Option("--rpm", min=0.1, help="Maximum requests per minute to one endpoint.")]
    tpm: Annotated[float | None, Option("--tpm", min=1, help="Maximum tokens per minute to one endpoint.")]
    timeout: Timeout
    cache: str | Path | None
    """A file that keeps answers, to reuse them for the same requests in other runs."""
    out: str | Path | None
    """The run: a name, or a file ending in .osler. None: a new run, named by the date."""
    quiet: Annotated[bool, Option("--quiet", help="Print only the table.")]


DEFAULTS: SimulateOptions = {
    "pool": "bundled",
    "visits": False,
    "filler": 0,
    "transfer": 0,
    "retention": 0,
    "trials": 1,
    "turn_factor": 1.5,
    "budget": 2000,
    "answer_tokens": 1000,
    "results": "patient",
    "seed": 0,
    "temperature": 0.0,
    "one_step": False,
    "concurrency": 8,
    "engine": "local",
    "timeout": 60.0,
    "quiet": False,
}
"""Options that are not here are None unless given."""
EXECUTION = (
    *("run_tokens", "run_cost", "run_seconds", "concurrency", "workers", "engine", "ray_address", "rpm", "tpm"),
    *("judges", "timeout", "quiet"),
)
"""Options that decide how a run is executed, and nothing about its results."""
