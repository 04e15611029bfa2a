"""Consultations that are lost in a known way: one patient in two languages, and models that say
what a test wants."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from osler.eval.judge import Kind, Opinion
from osler.eval.verdict import Verdict
from osler.explain.explain_run import Explained, ExplainOptions, explain_run
from osler.language import Language
from osler.models import Backbone, ChatClient, ChatRequest, Completion
from osler.records import PatientRecord
from osler.runs.plan import Plan
from osler.settings.run_settings import RunSettings
from osler.simulator import clients
from osler.simulator.batch import RunOptions, simulate_plan
from osler.simulator.clients import ClientSettings
from tests.conftest import small_record

DOCTOR, PATIENT, RAM, VERIFIER, JUDGE = (
    f"{name}@http://127.0.0.1:1/v1" for name in ["doctor", "patient", "ram", "ver", "jud"]
)
OWN = "tests.explain.worlds:ByName"
RIGHT = {Language.EN: "Pneumonia", Language.ZH: "肺炎"}
WRONG = {Language.EN: "Gout", Language.ZH: "痛风"}


class ByName:
    """A judge that calls everything wrong that is not a name of the record."""

    name = OWN

    async def judge(self, kind: Kind, answer: str, record: PatientRecord) -> Opinion:
        """Exact names do not come here."""
        return Opinion(Verdict.WRONG, "another name")


@dataclass(frozen=True)
class World:
    """The words of one language: what is in the record, and what the doctor asks."""

    language: Language
    cough: str
    """Told in the first turn."""
    film: str
    """The report of the film, in words that no patient uses."""
    blood: str
    """Never asked for."""
    questions: tuple[str, str, str]
    fields: dict[str, Any]

    @property
    def record(self) -> PatientRecord:
        return PatientRecord.model_validate(small_record(**self.fields, exam_order=None))


def _entry(
    category: str, name: str, report: str, relevance: str = "key", said: str = ""
) -> dict[str, str]:
    return {
        "category": category,
        "name": name,
        "report": report,
        "relevance": relevance,
        "said": said,
    }


EN = World(
    Language.EN,
    "rusty phlegm since Monday",
    "Consolidation of the right lower lobe",
    "CRP 180 mg/L",
    ("Do you have a cough?", "What did the chest X-ray show?", "Do you sleep well?"),
    {
        "id": "ill-en",
        "complaint": "I feel ill.",
        "diagnosis": {"name": "Pneumonia", "icd10": "J18.9"},
        "treatment": {"name": "Amoxicillin"},
        "entries": [
            _entry(
                "symptom",
                "Cough",
                "Cough with rusty phlegm since Monday",
                said="I cough rusty phlegm since Monday",
            ),
            _entry(
                "examination", "Chest X-ray", "Consolidation of the right lower lobe", "deciding"
            ),
            _entry("test", "C-reactive protein", "CRP 180 mg/L"),
        ],
    },
)
ZH = World(
    Language.ZH,
    "铁锈色痰",
    "右下肺实变影",
    "C反应蛋白180 mg/L",
    ("有没有咳嗽？", "胸部X线检查结果怎么样？", "睡眠好吗？"),
    {
        "id": "ill-zh",
        "language": "zh",
        "complaint": "我不舒服。",
        "diagnosis": {"name": "肺炎", "icd10": "J18.9"},
        "treatment": {"name": "阿莫西林"},
        "entries": [
            _entry("symptom", "咳嗽", "咳嗽伴铁锈色痰3天", said="我咳嗽3天了，有铁锈色痰"),
            _entry("examination", "胸部X线", "右下肺实变影", "deciding"),
            _entry("test", "C反应蛋白", "C反应蛋白180 mg/L"),
        ],
    },
)
WORLDS = pytest.mark.parametrize("world", [EN, ZH], ids=["en", "zh"])


@dataclass
class Models:
    """The models of a test by spec, and what they were asked."""

    world: World
    right: Callable[[str], bool] = lambda prompt: False
    """Whether the doctor's conclusion from a prompt is right."""
    patient: Callable[[str], str] = lambda prompt: "?"
    found: tuple[int, ...] = ()
    """Entries that retrieval by a model brings, by number."""
    verified: tuple[int, ...] = ()
    """Entries that the verifying model says were asked for, whatever was asked."""
    error: Exception | None = None
    """What the doctor fails with when it is to conclude."""
    asked: dict[str, Counter[str]] = field(default_factory=dict)
    turn: int = 0

    def open(self, spec: str, **_: Any) -> Backbone:
        self.asked.setdefault(spec, Counter())
        return Backbone(spec, "model", _Client(self, spec), spec)

    def answer(self, spec: str, prompt: str) -> str:
        language = self.world.language
        if spec in (RAM, VERIFIER):
            numbers = list(self.found if spec == RAM else self.verified)
            return json.dumps(
                {
                    "things": [
                        {"asked": "it", "entries": numbers, "nothing": "" if numbers else "denied"}
                    ]
                }
            )
        if spec == PATIENT:
            return self.patient(prompt)
        if spec == JUDGE:
            words = re.findall(r"<answer>([^<>\n]*)</answer>", prompt)[-1]
            illness = {"words": words, "standing": "present", "relation": "different"}
            return json.dumps({"summary": "another illness", "illnesses": [illness]})
        if '"action"' in prompt:
            self.turn += 1
            question = self.world.questions[(self.turn - 1) % 3]
            return json.dumps({"differential": [], "action": "ask", "question": question})
        if self.error is not None:
            raise self.error
        said = RIGHT if self.right(prompt) else WRONG
        return json.dumps(
            {"differential": [], "diagnosis": said[language], "treatment": "Rest", "reasoning": "r"}
        )

    @property
    def conclusions(self) -> int:
        """How often the doctor was asked to conclude."""
        return sum(
            count for prompt, count in self.asked[DOCTOR].items() if '"action"' not in prompt
        )


class _Client(ChatClient):
    model = where = "model"

    def __init__(self, models: Models, spec: str) -> None:
        self._models, self._spec = models, spec

    async def complete(self, request: ChatRequest) -> Completion:
        prompt = "\n".join(message.content for message in request.messages)
        self._models.asked[self._spec][prompt] += 1
        text = self._models.answer(self._spec, prompt)
        return Completion(text=text, finish="stop", model=self.model, tokens_in=10, tokens_out=5)


def lose(
    path: Path,
    models: Models,
    patch: pytest.MonkeyPatch,
    *,
    memories: tuple[str, ...] = ("raw",),
    **to: Any,
) -> Path:
    """Hold one consultation for each memory, three questions long; the doctor is wrong in all of
    them."""
    patch.setattr(clients, "open_backbone", models.open)
    settings = RunSettings(turns=3, **to.pop("settings", {}))
    plan = Plan((models.world.record,), (DOCTOR,), memories, settings=settings, **to)
    options = RunOptions(
        quiet=True, concurrency=1, clients=ClientSettings(retries=0), judges=(OWN,)
    )
    simulate_plan(plan, path, options, "tests")
    return path


def explain(path: Path, **options: Any) -> Explained:
    return explain_run(path, ExplainOptions(**options))
