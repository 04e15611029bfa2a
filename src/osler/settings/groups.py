"""All settings of a run, in groups. One line declares a setting; `axis=True` makes it an axis."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict

from osler.settings import declaration
from osler.settings.declaration import Setting
from osler.settings.names import (
    ANSWER_TOKENS,
    CONCURRENCY,
    OSLER,
    PLAIN,
    RECALL_BUDGET,
    RULES,
    SHARE_OF_REPLIES,
    TIMEOUT,
    Asking,
    Engine,
    Feedback,
    ResultsFrom,
)
from osler.settings.personas import NO_BIAS, bias_text, persona_text


class SettingsGroup(BaseModel):
    """Settings that stand together in the help.

    A package of your own adds a group: a subclass, named in the entry points `osler.settings`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: ClassVar[str]
    """The heading of the group in the help."""


class DoctorGroup(SettingsGroup):
    """Who asks, and how long."""

    title = "Doctor"

    backbones: Annotated[
        tuple[str, ...],
        Setting(
            "The doctor's model: rules, local, local:FILE, MODEL@URL, openai:MODEL,"
            " azure:DEPLOYMENT, anthropic:MODEL, gemini:MODEL, ollama:MODEL or"
            " package.module:Class, with parameters after a space: 'openai:MODEL top_p=0.9'"
            ". API keys are read from OPENAI_API_KEY and so on, or from OSLER_KEY_"
            " and the host, e.g. OSLER_KEY_MODELS_EXAMPLE_ORG.",
            flag="--backbone",
            in_column=True,
            thing="backbone",
        ),
    ] = (RULES,)
    strategies: Annotated[
        tuple[str, ...],
        Setting(
            "The doctor's strategy.",
            flag="--strategy",
            in_column=True,
            thing="strategy",
        ),
    ] = (PLAIN,)
    ask: Annotated[
        Asking,
        Setting(
            "How much a doctor's model is told to ask in a turn: one thing, or many.",
            axis=True,
            label="number of things asked in a turn",
        ),
    ] = Asking.ONE
    turns: Annotated[
        int | None,
        Setting("Maximum number of questions, for all records.", minimum=1, axis=True),
    ] = None
    turn_factor: Annotated[
        float,
        Setting(
            "Without --turns: the maximum is the record's expected rounds times this.", minimum=0.1
        ),
    ] = 2.0
    temperature: Annotated[
        float,
        Setting("Sampling temperature of all models.", minimum=0, maximum=2, axis=True),
    ] = 0.0
    answer_tokens: Annotated[
        int,
        Setting(
            "Maximum tokens of one answer, including its reasoning.",
            minimum=50,
            label="length of a model's answer",
        ),
    ] = ANSWER_TOKENS
    one_step: Annotated[
        bool,
        Setting(
            "Also run a doctor that reads the whole record except the answer.",
            decides_results=False,
        ),
    ] = False


class PatientGroup(SettingsGroup):
    """Who answers."""

    title = "Patient"

    patient_backbone: Annotated[
        str,
        Setting(
            "The patient's model, the same for all doctors. Default: the doctors' model, or rules.",
            option="patient",
            default_depends=True,
            label="patient's backbone",
            thing="backbone",
        ),
    ] = RULES
    patient_agent: Annotated[
        str,
        Setting(
            "What the patient's model is given: osler (what RAM selects); agentclinic, craftmd or"
            " patientsim (the case, as in the papers of these names); or package.module:Class.",
            axis=True,
            label="kind of patient",
            thing="patient",
        ),
    ] = OSLER
    persona: Annotated[
        str,
        Setting(
            "Who the patient is, as FACTOR=VALUE,…: personality (plain, verbose, pleasing,"
            " impatient, distrustful, anxious), language (A, B, C), recall of the history (full,"
            " vague, poor), honesty about habits (open, plays_down, denies), confusion (none, some,"
            " much). Default: the record's own manner.",
            axis=True,
            default_depends=True,
            normal=persona_text,
        ),
    ] = ""
    bias: Annotated[
        str,
        Setting(
            "A bias of the doctor or the patient, as doctor:confirmation or"
            " patient:self_diagnosis; none is none.",
            axis=True,
            normal=bias_text,
        ),
    ] = NO_BIAS
    results: Annotated[
        ResultsFrom,
        Setting(
            "Who gives the doctor test results: the patient, or a report in the record's words.",
            axis=True,
            label="source of results",
        ),
    ] = ResultsFrom.PATIENT


class RetrievalGroup(SettingsGroup):
    """What finds the entries of the record that a question asks for."""

    title = "Retrieval"

    ram_backbone: Annotated[
        str,
        Setting(
            "The model that retrieves from the record, or rules. Default: the patient's.",
            option="ram",
            axis=True,
            default_depends=True,
            label="RAM's backbone",
            thing="backbone",
        ),
    ] = RULES


class MemoryGroup(SettingsGroup):
    """What the doctor remembers, of this patient and of earlier ones."""

    title = "Memory"

    memories: Annotated[
        tuple[str, ...],
        Setting(
            "The doctor's memory.",
            flag="--memory",
            in_column=True,
            default_depends=True,
            thing="memory",
        ),
    ] = ("raw",)
    budget: Annotated[
        int,
        Setting(
            "Maximum tokens of recall in the doctor's prompt.",
            minimum=50,
            axis=True,
            label="recall budget",
        ),
    ] = RECALL_BUDGET
    memory_backbone: Annotated[
        str | None,
        Setting("The model behind the memories. Default: the doctor's.", thing="backbone"),
    ] = None
    visits: Annotated[
        bool,
        Setting(
            "Play earlier visits to the memory first; only records that have visits.",
            label="playing of earlier visits",
        ),
    ] = False
    filler: Annotated[
        int,
        Setting(
            "With --visits: turns of small talk in between.",
            minimum=0,
            maximum=10_000,
            label="small talk between visits",
        ),
    ] = 0
    experience: Annotated[
        tuple[Feedback, ...],
        Setting(
            "The doctor sees its cases one after the other and keeps lessons from what it is told"
            " after each: none (no lessons), verdict or truth. Default: every"
            " consultation stands alone.",
            in_column=True,
        ),
    ] = ()
    transfer: Annotated[
        int, Setting("With --experience: learn nothing from this many last cases.", minimum=0)
    ] = 0
    retention: Annotated[
        int,
        Setting("With --experience: hold this many first cases once more at the end.", minimum=0),
    ] = 0
    feedback_judge: Annotated[
        str | None,
        Setting(
            "The model that reads conclusions for doctors who are told the verdict; without one,"
            " what is not exact is left open.",
            is_option=False,
        ),
    ] = None


class JudgeGroup(SettingsGroup):
    """Who reads what consultations end with."""

    title = "Judge"

    judges: Annotated[
        tuple[str, ...],
        Setting(
            "A model that judges what consultations conclude, as they end, or"
            " package.module:Class; repeat it for a panel. Default: the patient's model;"
            " without one, or with none, what is not exact stays undecided.",
            flag="--judge",
            decides_results=False,
        ),
    ] = ()
    judge_replies: Annotated[
        float,
        Setting(
            "Share of the patient's replies that the judge reads for leaks and fabrications.",
            minimum=0,
            maximum=1,
            decides_results=False,
        ),
    ] = SHARE_OF_REPLIES


class RecordsGroup(SettingsGroup):
    """Whose consultations, and how many of each."""

    title = "Records"

    pool: Annotated[Any, declaration.POOL] = "bundled"
    cases: Annotated[tuple[str, ...], declaration.CASES] = ()
    specialties: Annotated[tuple[str, ...], declaration.SPECIALTIES] = ()
    languages: Annotated[tuple[str, ...], declaration.LANGUAGES] = ()
    twins: Annotated[bool, declaration.TWINS] = False
    limit: Annotated[int | None, declaration.LIMIT] = None
    sample: Annotated[int | None, declaration.SAMPLE] = None
    trials: Annotated[
        int, Setting("Consultations per record and column.", minimum=1, decides_results=False)
    ] = 1
    seed: Annotated[int, declaration.SEED] = 0


class PromptsGroup(SettingsGroup):
    """What models read."""

    title = "Prompts"

    prompts: Annotated[
        Any,
        Setting(
            "A folder with prompts in place of Osler's: en/patient.txt, zh/doctor_ask.txt and so"
            " on, with the same slots."
        ),
    ] = None


class LimitsGroup(SettingsGroup):
    """The most that may be used."""

    title = "Limits"

    max_tokens: Annotated[int | None, Setting("Maximum tokens of one consultation.", minimum=1)] = (
        None
    )
    max_cost: Annotated[
        float | None, Setting("Maximum cost of one consultation in USD.", minimum=0)
    ] = None
    max_seconds: Annotated[
        float | None, Setting("Maximum seconds of one consultation.", minimum=0.1)
    ] = None
    run_tokens: Annotated[
        int | None, Setting("Maximum tokens of the whole run.", minimum=1, decides_results=False)
    ] = None
    run_cost: Annotated[
        float | None,
        Setting("Maximum cost of the whole run in USD.", minimum=0, decides_results=False),
    ] = None
    run_seconds: Annotated[
        float | None,
        Setting("Maximum seconds of the whole run.", minimum=0.1, decides_results=False),
    ] = None


class ExecutionGroup(SettingsGroup):
    """Where and how fast: nothing here decides a result."""

    title = "Execution"

    concurrency: Annotated[int, declaration.CONCURRENCY] = CONCURRENCY
    workers: Annotated[
        int | None,
        Setting(
            "Worker processes. Default: 1, or on Ray one per CPU.",
            minimum=1,
            maximum=1_000,
            decides_results=False,
        ),
    ] = None
    engine: Annotated[
        Engine,
        Setting("Where consultations run: on this machine, or on Ray.", decides_results=False),
    ] = Engine.LOCAL
    ray_address: Annotated[
        str | None,
        Setting("Address of the Ray cluster. Default: start one here.", decides_results=False),
    ] = None
    rpm: Annotated[
        float | None,
        Setting("Maximum requests per minute to one endpoint.", minimum=0.1, decides_results=False),
    ] = None
    tpm: Annotated[
        float | None,
        Setting("Maximum tokens per minute to one endpoint.", minimum=1, decides_results=False),
    ] = None
    timeout: Annotated[float, declaration.TIMEOUT] = TIMEOUT
    cache: Annotated[
        Path | None,
        Setting(
            "Cache file: reuse answers to the same requests across runs.", decides_results=False
        ),
    ] = None
    out: Annotated[
        Path | None,
        Setting(
            "The run: a name, or a file ending in .osler. Default: a new run, named by the date.",
            short="-o",
            decides_results=False,
        ),
    ] = None
    quiet: Annotated[bool, Setting("Print only the table.", decides_results=False)] = False
