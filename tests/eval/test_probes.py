"""Probes of a memory: their truth, what they score, and that a memory is rebuilt as it was."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from osler.commands.evaluate import probe
from osler.errors import UserError
from osler.eval.probes.figures import ProbeAnswer, Probed, probe_figures
from osler.eval.probes.gold import probes_of
from osler.eval.probes.run import NotRebuiltError, examine, rebuilt
from osler.eval.probes.scoring import coherent, correct, retrieved
from osler.language import Language
from osler.memory.base import Change, Fact, MemorySettings, Recall, Turn
from osler.memory.tim.fact_lines import dated
from osler.models import Backbone, BackboneError, FailureKind
from osler.records import RecordPool
from osler.runs.events import Answered, Called, Remembered
from osler.runs.events import Asked as AskedEvent
from osler.runs.plan import PLAIN, Cell, Column, Settings
from osler.seeds import derive
from osler.simulator.clients import Clients
from osler.simulator.worker import simulate_one
from tests.agents.scripted import scripted
from tests.conftest import Run
from tests.eval.probe_cases import EN, ENGLISH, RECORDS, SAID, ZH, both, consultation, examined, probe_for, row

LIES = {
    EN: "The patient has a fever and chills. The patient does not have a cough. White cells 5.2 in the blood count."
    " The chest X-ray showed no shadow in the left upper lobe. The bronchoscopy showed a tumour. Drinks alcohol.",
    ZH: "患者有发热，有寒战。患者没有咳嗽。血常规白细胞5.2。胸部X线没有左上肺阴影。支气管镜见肿物。患者饮酒。",
}


class Liar:
    """Says the opposite of everything."""

    name = "liar"

    def __init__(self, settings: MemorySettings) -> None:
        self.language = settings.language
        self.recalls = 0

    async def remember(self, turn: Turn) -> Change:
        return Change()

    async def recall(self, query: str) -> Recall:
        return Recall(text=LIES[self.language])

    def snapshot(self) -> dict[str, Any]:
        return {}

    def restore(self, state: dict[str, Any]) -> None: ...


class Fickle(Liar):
    """Knows of the cough every other time."""

    async def recall(self, query: str) -> Recall:
        self.recalls += 1
        coughs = {EN: "patient has a dry cough for 12 days", ZH: "患者 干咳12天"}
        return Recall(text=coughs[self.language] if self.recalls % 2 else "")


class Forgetful(Liar):
    """Knows the cough until it is told of the third turn."""

    async def remember(self, turn: Turn) -> Change:
        self.recalls = turn.number
        return Change()

    async def recall(self, query: str) -> Recall:
        coughs = {EN: "patient has a dry cough for 12 days", ZH: "患者 干咳12天"}
        return Recall(text=coughs[self.language] if self.recalls < 3 else "")

    def snapshot(self) -> dict[str, Any]:
        return {"turn": self.recalls}

    def restore(self, state: dict[str, Any]) -> None:
        self.recalls = state["turn"]


class Ranking(Liar):
    """Ranks the cough second."""

    async def recall(self, query: str) -> Recall:
        patient, has = ("patient", "has") if self.language is EN else ("患者", "有")
        first, second = ("fine hair", "a dry cough for 12 days") if self.language is EN else ("好头发", "干咳12天")
        facts = (
            Fact(subject=patient, relation=has, object=second, turn=1, score=0.2),
            Fact(subject=patient, relation=has, object=first, turn=2, score=0.9),
        )
        return Recall(text=f"{facts[1].triple}\n{facts[0].triple}", facts=facts)


def named(memory: type) -> str:
    return f"{__name__}:{memory.__name__}"


@both
def test_probes_follow_from_what_was_disclosed_and_from_what_was_not(language: Language) -> None:
    record = RECORDS[language]
    probes = probes_of(consultation(language), record)
    names = [entry.name for entry in record.entries]
    assert [(probe.thing, probe.kind, probe.turn) for probe in probes] == [
        (names[0], "present", 1),
        (names[0], "when", 1),
        (names[1], "absent", 2),
        (names[2], "present", 3),
        (names[3], "present", 4),
        (names[4], "not done", 5),
        (names[5], "not known", None),
    ]
    # The haemoglobin of 131 is in the record, and the patient did not tell it.
    assert probes[3].gold.numbers == {"14.6"}
    assert probes[1].gold.time == {("12", "day")}
    assert all(len(set(probe.wordings)) == 3 for probe in probes)


@both
def test_the_wording_of_a_probe_does_not_tell_its_answer(language: Language) -> None:
    by_thing = {probe.thing: probe for probe in probes_of(consultation(language), RECORDS[language])}
    cough, fever = (by_thing[entry.name] for entry in RECORDS[language].entries[:2])
    swapped = [wording.replace(fever.thing.lower(), "…") for wording in fever.wordings]
    when, *_ = [probe for probe in probes_of(consultation(language), RECORDS[language]) if probe.thing == cough.thing]
    assert swapped == [wording.replace(cough.thing.lower(), "…") for wording in when.wordings]


@both
async def test_the_dialogue_holds_everything_and_no_memory_holds_nothing(language: Language) -> None:
    raw, none = await row(language, "raw"), await row(language, "none")
    assert raw.retrieval.value == 1 and raw.correctness.value == 1 and raw.coherence.value == 1
    assert none.by_kind["told"]["retrieval"].value == 0
    assert none.by_kind["present"]["correctness"].value == none.by_kind["absent"]["correctness"].value == 0
    assert none.by_kind["not known"]["retrieval"].value == none.by_kind["not known"]["correctness"].value == 1
    assert none.by_kind["told"]["coherence"].value == 0.5


@both
async def test_a_memory_that_lies_scores_nothing(language: Language) -> None:
    liar = await row(language, named(Liar))
    assert liar.retrieval.value == 0 and liar.correctness.value == 0


@both
async def test_facts_of_think_in_memory_are_found(language: Language) -> None:
    tim = await row(language, "tim")
    assert tim.by_kind["absent"]["retrieval"].value == 1 and tim.by_kind["present"]["retrieval"].value == 1
    assert tim.top_k.keys() == {1, 3}


def fact(subject: str, relation: str, thing: str, *, denied: bool = False) -> Recall:
    """A recall of one fact and no text that could be read instead."""
    return Recall(facts=(Fact(subject=subject, relation=relation, object=thing, denied=denied, turn=2),))


def exchange(question: str, reply: str) -> Recall:
    """A recall of one exchange."""
    return Recall(exchanges=(Turn(number=2, question=question, reply=reply),))


@pytest.mark.parametrize(
    ("language", "kind", "recall", "holds"),
    [
        (EN, "absent", fact("patient", "has", "fever or chills", denied=True), True),
        (EN, "absent", exchange("Have you had a fever or chills?", "No."), True),
        (EN, "absent", exchange("Have you had a fever or chills?", "Yes."), False),
        (EN, "absent", fact("patient", "has", "fever and chills"), False),
        (EN, "absent", exchange("Have you had a fever or chills?", ""), False),
        (EN, "absent", Recall(text="The patient has no fever."), True),
        (EN, "present", fact("patient", "has", "a dry cough"), True),
        (EN, "present", fact("patient", "has", "cough", denied=True), False),
        (EN, "present", Recall(text="The patient has a dry cough."), True),
        (EN, "when", fact("patient", "has", "a dry cough, for 12 days"), True),
        (EN, "when", fact("patient", "has", "a dry cough, for 12 weeks"), False),
        (EN, "when", fact("patient", "has", "a dry cough"), False),
        (EN, "not known", fact("patient", "has", "a dry cough"), True),
        (EN, "not known", fact("patient", "drinks", "alcohol"), False),
        (EN, "not done", fact("bronchoscopy", "was", "done", denied=True), True),
        (ZH, "absent", fact("患者", "有", "发热、寒战", denied=True), True),
        (ZH, "absent", exchange("有没有发热？", "没有。"), True),
        (ZH, "absent", fact("患者", "有", "发热、寒战"), False),
        (ZH, "present", fact("患者", "有", "干咳"), True),
        (ZH, "present", fact("患者", "有", "咳嗽", denied=True), False),
        (ZH, "present", Recall(text="患者干咳。"), True),
        (ZH, "when", fact("患者", "有", "干咳，12天"), True),
        (ZH, "when", fact("患者", "有", "干咳，12周"), False),
        (ZH, "not known", fact("患者", "有", "干咳"), True),
        (ZH, "not known", fact("患者", "有", "饮酒"), False),
        (ZH, "not done", fact("支气管镜", "是", "做过的", denied=True), True),
    ],
)
def test_a_denial_is_not_a_finding_and_a_number_needs_its_unit(
    language: Language, kind: str, recall: Recall, holds: bool
) -> None:
    assert retrieved(probe_for(kind, language), recall, language) is holds


RECALLED = {
    EN: Recall(text="White cells 14.6 and 9 in the blood count. No fever."),
    ZH: Recall(text="血常规白细胞14.6和9。没有发热。"),
}


@pytest.mark.parametrize(
    ("language", "thing", "answer", "correctness", "coherence"),
    [
        (EN, "Fever", "No, no fever.", 1, 1),
        (EN, "Fever", "The patient did not have a fever.", 1, 1),
        (EN, "Fever", "Yes, a fever.", 0, 0),
        (EN, "Fever", "Not known.", 0, 0.5),
        (EN, "Fever", "没有发热。", 0, 0),
        (EN, "Fever", "Nice weather.", 0, 0),
        (EN, "Complete blood count", "White cells 14.6.", 1, 1),
        (EN, "Complete blood count", "White cells 17.3.", 0, 0),
        (EN, "Complete blood count", "White cells possibly 14.6.", 1, 0.5),
        (EN, "Bronchoscopy", "It was not done.", 1, 0),
        (EN, "Bronchoscopy", "Not known.", 0.5, 0.5),
        (EN, "Alcohol", "Not known.", 1, 1),
        (EN, "Alcohol", "2 beers a week.", 0, 0),
        (ZH, "发热", "没有，不发热。", 1, 1),
        (ZH, "发热", "有，有发热。", 0, 0),
        (ZH, "发热", "不知道。", 0, 0.5),
        (ZH, "发热", "No fever.", 0, 0),
        (ZH, "血常规", "白细胞14.6。", 1, 1),
        (ZH, "血常规", "白细胞17.3。", 0, 0),
        (ZH, "支气管镜", "没有做过支气管镜。", 1, 1),
        (ZH, "饮酒", "不知道。", 1, 1),
        (ZH, "饮酒", "每周2瓶。", 0, 0),
    ],
)
def test_answers_are_worth_what_is_right_in_them(
    language: Language, thing: str, answer: str, correctness: float, coherence: float
) -> None:
    probes = probes_of(consultation(language), RECORDS[language])
    probe = next(probe for probe in probes if probe.thing == thing)
    assert correct(probe, RECALLED[language], answer, language) == correctness
    assert coherent(probe, RECALLED[language], answer, language) == coherence


def test_part_of_the_numbers_is_half_right() -> None:
    record = RecordPool.open().get("acute-pancreatitis-en")
    question, name = "Was lipase measured?", "Serum lipase and amylase"
    told = record.entry(name).said
    recall = Recall(text=told)
    events = tuple(
        event.model_copy(update={"question": question} if isinstance(event, AskedEvent) else {})
        if not isinstance(event, Answered)
        else event.model_copy(update={"reply": told, "disclosed": (name,)})
        for event in consultation(EN).events
        if event.turn == 1
    )
    probe = probes_of(consultation(EN).model_copy(update={"events": events}), record)[0]
    assert probe.gold.numbers == {"2140", "60", "1180", "125"}
    assert correct(probe, recall, "Lipase was 2140.", EN) == 0.5
    assert correct(probe, recall, "Lipase 2140 (up to 60), amylase 1180 (up to 125).", EN) == 1
    assert correct(probe, recall, "Lipase was 9000.", EN) == 0
    assert not retrieved(probe, Recall(text="The sheet says lipase 2140."), EN) and retrieved(probe, recall, EN)


@both
async def test_a_memory_that_answers_differently_is_not_consistent(language: Language) -> None:
    fickle, steady = await row(language, named(Fickle)), await row(language, "raw")
    assert steady.consistency.value == 1 and set(steady.consistency_by_turn.values()) == {1}
    assert fickle.consistency.value is not None and 0 < fickle.consistency.value < 0.2


@both
async def test_a_memory_that_never_answers_is_not_consistent(language: Language) -> None:
    none = await row(language, "none")
    assert none.consistency.value == 0 and set(none.consistency_by_turn.values()) == {0}


@both
async def test_consistency_falls_at_the_turn_that_a_memory_forgets(language: Language) -> None:
    cough = (await examined(language, named(Forgetful))).probes[0]
    assert cough.probe.turn == 1 and [one.turn for one in cough.asked] == [1, 2, 3, 5, 5, 5]
    assert cough.agreements()[0] == (2, True), "after the first and the second turn it says the same"
    assert not any(agree for turn, agree in cough.agreements() if turn > 2)


async def test_asking_at_earlier_turns_does_not_change_the_memory() -> None:
    """A memory that strengthens what is recalled would otherwise not be the one of the consultation."""
    found = await examined(EN, named(Fickle))
    recalled = [bool(one.recall.text) for probed in found.probes for one in probed.at_the_end]
    assert recalled == [bool(n % 2) for n in range(6, 6 + len(recalled))], "5 recalls of the consultation came before"


@both
async def test_the_place_of_the_truth_in_a_ranking(language: Language) -> None:
    found = (await examined(language, named(Ranking))).probes[0]
    assert found.places(language) == [2, 2, 2]
    ranked, unranked = await row(language, named(Ranking)), await row(language, "raw")
    assert ranked.top_k[1].value == 0 and ranked.top_k[3].value and unranked.top_k == {}


ATTACKS = "spinning attacks for 4 days, about 6 a day"


def thoughtful(prompt: str) -> str:
    """A memory's model that has one thing to say."""
    [reply] = re.findall(r"^Patient: (.*)$", prompt, re.MULTILINE)
    length, often = ATTACKS.split(", ")
    triples = [("has had", f"these {length}"), ("has", often)]
    told = [
        {"subject": "patient", "relation": one, "object": two, "negated": False, "when": ""} for one, two in triples
    ]
    return json.dumps({"thoughts": told if ATTACKS in reply else [], "forget": [], "merge": []})


class OnlyThis:
    """Opens one model, the memory's."""

    def __init__(self, backbone: Backbone) -> None:
        self._backbone = backbone

    def open(self, spec: str) -> Backbone:
        return self._backbone


async def test_a_memory_is_rebuilt_with_what_its_model_said_then() -> None:
    record = RecordPool.open().get("bppv-en")
    settings = Settings(turns=4, memory_backbone="thinks")
    transcript = await simulate_one(
        record, Cell(record.id, Column.of("rules", PLAIN, "tim"), 1), settings, OnlyThis(scripted(thoughtful)[0])
    )
    kept = [line for event in transcript.of(Remembered) for line in event.change.inserted]
    assert [line.split(maxsplit=1)[1] for line in kept].count(f"patient has had these {ATTACKS.split(', ')[0]}") == 1

    def ledger(memory: Any) -> list[str]:
        return [f"#{thought.id} {dated(thought, record.language)}" for thought in memory.ledger]

    again = await rebuilt(transcript, settings)
    assert again.missing == 0 and ledger(again.memory) == kept
    silent = tuple(event for event in transcript.events if not isinstance(event, Called))
    without = await rebuilt(transcript.model_copy(update={"events": silent}), settings)
    # Each is asked for once more, as when a call fails.
    assert without.missing == 2 * len(transcript.of(Remembered)) and ledger(without.memory) == []
    with pytest.raises(NotRebuiltError, match="the memory tim of bppv-en cannot be rebuilt"):
        await examine(transcript.model_copy(update={"events": silent}), record, settings)
    failed = tuple(
        event.model_copy(update={"failure": "timeout"}) if isinstance(event, Called) else event
        for event in transcript.events
    )
    failing = await rebuilt(transcript.model_copy(update={"events": failed}), settings)
    assert ledger(failing.memory) == [], "what failed then fails again"


ANY_MEMORY = {
    "thoughts": [{"subject": "patient", "relation": "has", "object": "vertigo", "negated": False, "when": ""}],
    "confirmed_facts": ["vertigo"],
    "summary": "The patient has vertigo.",
    "needed": True,
    "full": [1],
    "semantic": 0.4,
}
"""An answer to any request of any memory."""


@pytest.mark.parametrize("case", ["pneumonia-en", "pneumonia-zh"])
@pytest.mark.parametrize(
    "memory", ["full", "tim,mode=paper", "tim,integrate=true", "summary", "scm", "perlt,classify=model", "graph"]
)
async def test_every_memory_of_a_model_is_rebuilt_from_its_own_requests(memory: str, case: str) -> None:
    backbone, client = scripted(lambda prompt: json.dumps(ANY_MEMORY))
    record, settings = RecordPool.open().get(case), Settings(turns=6, memory_backbone="thinks")
    cell = Cell(case, Column.of("rules", PLAIN, memory), 1)
    transcript = await simulate_one(record, cell, settings, OnlyThis(backbone))
    found = await examine(transcript, record, settings)
    assert client.prompts or memory == "full"
    asks_at_recall = ("tim", "scm", "perlt")  # tim in both of these modes
    assert bool(found.unheard) == memory.startswith(asks_at_recall)


@both
async def test_a_model_answers_from_what_is_recalled(language: Language) -> None:
    says = {EN: "No, no fever and no chills.", ZH: "没有，没有发热和寒战。"}
    backbone, client = scripted(lambda prompt: says[language])
    found = await examine(consultation(language), RECORDS[language], Settings(), backbone)
    fever = next(one for one in found.probes if one.probe.kind == "absent")
    assert [asked.score.correctness for asked in fever.asked if asked.score] == [1] * 6
    cough = found.probes[0]
    assert all(asked.score is not None and asked.score.correctness == 0 for asked in cough.asked)
    assert any(fever.probe.wordings[1] in prompt and SAID[language][1][1] in prompt for prompt in client.prompts)


async def test_an_answer_that_fails_is_not_scored_and_a_model_that_is_gone_ends_it() -> None:
    wordings = probe_for("absent", EN).wordings

    def failing(prompt: str) -> str:
        if any(wording in prompt for wording in wordings):
            raise BackboneError(FailureKind.EMPTY, "no answer")
        if gone:
            raise BackboneError(FailureKind.UNREACHABLE, "no answer")
        return "Not known."

    gone, (backbone, _) = False, scripted(failing)
    [found] = probe_figures([await examine(consultation(EN), ENGLISH, Settings(), backbone)], [1])
    assert found.unanswered == 6 and found.answers == 27 and found.by_kind["not known"]["correctness"].value == 1
    assert "absent" in found.by_kind and found.by_kind["absent"]["correctness"].value is None
    gone = True
    with pytest.raises(BackboneError):
        await examine(consultation(EN), ENGLISH, Settings(), backbone)


def test_answers_that_cannot_be_compared_do_not_agree() -> None:
    lost = ProbeAnswer(Recall(), None)
    assert Probed(probe_for("present", EN), (lost, lost, lost)).consistency is None
    assert Probed(probe_for("not known", EN), (lost,)).places(EN) == []


@pytest.mark.parametrize("case", ["bppv-en", "bppv-zh"])
async def test_over_real_consultations_more_memory_scores_more(case: str) -> None:
    record, settings = RecordPool.open().get(case), Settings(turns=8)
    told = {}
    for memory in ("none", "raw"):
        transcript = await simulate_one(record, Cell(case, Column.of("rules", PLAIN, memory), 1), settings, Clients())
        assert transcript.header.seed == derive(0, case, 1, "consultation")
        [found] = probe_figures([await examine(transcript, record, settings)], [1])
        told[memory] = found.by_kind["told"]
    retrieval = told["raw"]["retrieval"].value
    assert told["none"]["retrieval"].value == 0 and retrieval is not None and retrieval > 0.8
    better, worse = told["raw"]["correctness"].value, told["none"]["correctness"].value
    assert better is not None and worse is not None and better > worse


async def test_the_memory_of_another_patient_does_not_hold_the_truth() -> None:
    settings, told = Settings(turns=10), {}
    for case in ("gout-en", "croup-en"):
        record = RecordPool.open().get(case)
        transcript = await simulate_one(record, Cell(case, Column.of("rules", PLAIN, "raw"), 1), settings, Clients())
        recall = await (await rebuilt(transcript, settings)).memory.recall("")
        told[case] = ([one for one in probes_of(transcript, record) if one.gold.status is not None], recall)
    (one, own), (other, theirs) = told.values()
    assert all(retrieved(found, own, EN) for found in one) and all(retrieved(found, theirs, EN) for found in other)
    mistaken = [retrieved(found, theirs, EN) for found in one] + [retrieved(found, own, EN) for found in other]
    assert len(mistaken) >= 8 and sum(mistaken) <= len(mistaken) / 10


def test_the_command_reads_a_run_and_leaves_it_as_it_was(
    osler: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "run.osler"
    made = osler("simulate", "--case", "bppv-en", "--memory", "none", "--memory", "raw", "--out", file, "--quiet")
    assert made.returncode == 0
    before = hashlib.sha256(file.read_bytes()).hexdigest()
    page = osler("probe", file)
    assert page.returncode == 0 and "retrieval accuracy" in page.stdout and "consistency" in page.stdout
    probe(file, memory=["raw"], as_json=True)
    [only] = json.loads(capsys.readouterr().out)["rows"]
    assert only["memory"] == "raw" and only["retrieval"]["n"] == 3 * only["probes"] and only["top_k"] == {}
    assert hashlib.sha256(file.read_bytes()).hexdigest() == before
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("run.osler-")] == []
    for wrong, named_in_line in (
        ({"k": "1,x"}, "1,x"),
        ({"memory": ["tim"]}, "tim"),
        ({"backbone": "oracle"}, "oracle"),
    ):
        with pytest.raises(UserError, match=named_in_line):
            probe(file, **wrong)
    refused = osler("probe", tmp_path / "nobody")
    assert refused.returncode == 2 and "nobody" in refused.stderr and len(refused.stderr.splitlines()) == 1
