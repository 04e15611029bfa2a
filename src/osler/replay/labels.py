"""Words of replay pages in both languages, and texts that cannot steer a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from osler.errors import printable
from osler.language import Language
from osler.runs.events import Intervention, Role
from osler.runs.maker_labels import INTERVENTIONS
from osler.runs.maker_rows import seat_name

_LONGEST = 4000


@dataclass(frozen=True)
class Words:
    """The labels of one language."""

    doctor: str
    patient: str
    report: str
    diagnosis: str
    treatment: str
    differential: str
    reasoning: str
    failed: str
    turn: str
    recalled: str
    asked_for: str
    retrieved: str
    disclosed: str
    remembered: str
    refused: str
    interventions: str
    superseded: str
    merged: str
    forgotten: str
    nothing: str
    of_turn: str
    group: str
    more: str
    joint: str
    seats: Mapping[Role, str]
    kinds: Mapping[Intervention, str]


_WORDS = {
    Language.EN: Words(
        doctor="Doctor",
        patient="Patient",
        report="Report",
        diagnosis="Diagnosis",
        treatment="Treatment",
        differential="Or",
        reasoning="Because",
        failed="Failed",
        turn="Turn {}",
        recalled="Recalled",
        asked_for="Asked for",
        retrieved="Retrieved",
        disclosed="Disclosed",
        remembered="Remembered",
        refused="Refused",
        interventions="Interventions",
        superseded="superseded",
        merged="merged",
        forgotten="forgotten",
        nothing="nothing",
        of_turn="turn {}",
        group="group {}",
        more="… and {} more",
        joint="; ",
        seats={role: seat_name(role) for role in Role},
        kinds=INTERVENTIONS[Language.EN],
    ),
    Language.ZH: Words(
        doctor="医生",
        patient="患者",
        report="报告单",
        diagnosis="诊断",
        treatment="治疗",
        differential="或",
        reasoning="理由",
        failed="失败",
        turn="第{}轮",
        recalled="想起",
        asked_for="所问",
        retrieved="检索到",
        disclosed="告知",
        remembered="记下",
        refused="被拒",
        interventions="干预",
        superseded="取代",
        merged="合并",
        forgotten="遗忘",
        nothing="无",
        of_turn="第{}轮",
        group="第{}组",
        more="……还有 {} 项",
        joint="；",
        seats={
            Role.DOCTOR: "医生",
            Role.PATIENT: "患者",
            Role.RAM: "检索",
            Role.MEMORY: "记忆",
            Role.SIMULATOR: "模拟器",
        },
        kinds=INTERVENTIONS[Language.ZH],
    ),
}


def words(language: Language) -> Words:
    """The labels of a language."""
    return _WORDS[language]


def shown(text: str) -> str:
    """A text of a model or a record as one line for a terminal: no control reaches it, and no line is endless."""
    line = printable(text[: 2 * _LONGEST])
    if max(len(line), len(text) // 2) > _LONGEST:
        return f"{line[:_LONGEST]}… ({len(text):,} characters)"
    return line
